/* Segments flow down a binary tree: every rank passes each segment on to two others.
 *
 * The tree filled level by level (patterns/binary.h). One segment takes up to two rounds per level, since a
 * rank serves one child per round; segment s starts in round 2s (combinator `segments`), so that a rank's
 * first child is served in the rounds between its receives and the second along with them.
 *
 * Cost: (2(N-1) + R)(alpha + s beta) for N segments of s bytes, R <= 2 floor(log2 P) the rounds of one
 * segment (ar_binary_rounds). Twice the bandwidth term of the chain and a logarithm instead of its P: for
 * vectors of middling length on many ranks.
 *
 *     $ allround explain broadcast:binary -n 5
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0  rank 1  rank 2  rank 3  rank 4
 *     start    0 0 0   . . .   . . .   . . .   . . .
 *     round 1  0->1    =0<-0   -       -       -
 *              0 0 0   0 . .   . . .   . . .   . . .
 *     round 2  0->2    0->3    =0<-0   =0<-1   -
 *              0 0 0   0 . .   0 . .   0 . .   . . .
 *     round 3  1->1    =1<-0   0->4    -       =0<-2
 *              0 0 0   0 0 .   0 . .   0 . .   0 . .
 *     round 4  1->2    1->3    =1<-0   =1<-1   -
 *              0 0 0   0 0 .   0 0 .   0 0 .   0 . .
 *     round 5  2->1    =2<-0   1->4    -       =1<-2
 *              0 0 0   0 0 0   0 0 .   0 0 .   0 0 .
 *     round 6  2->2    2->3    =2<-0   =2<-1   -
 *              0 0 0   0 0 0   0 0 0   0 0 0   0 0 .
 *     round 7  -       -       2->4    -       =2<-2
 *              0 0 0   0 0 0   0 0 0   0 0 0   0 0 0
 *
 *     Drawn with 3 segments; --count N shows how many a vector has.
 */
#include "collectives/patterns/binary.h"
#include "collectives/patterns/ring.h"
#include "collectives/pipeline.h"

static int64_t one_rounds(const struct ar_problem *p)
{
    return ar_binary_rounds(p->nranks);
}

static void one_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int vrank = ar_vrank(rank, p->root, p->nranks);
    int64_t since = k - ar_binary_arrival(vrank);
    if (since == 0)
        ar_receive(sink, ar_rank_of(ar_binary_parent(vrank), p->root, p->nranks), ar_block(0));
    int child = since == 1 || since == 2 ? ar_binary_child(vrank, (int)since - 1, p->nranks) : -1;
    if (child >= 0)
        ar_send(sink, ar_rank_of(child, p->root, p->nranks), ar_block(0));
}

static void one_span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    int vrank = ar_vrank(rank, p->root, p->nranks), arrival = ar_binary_arrival(vrank);
    *first = vrank == 0 ? 0 : arrival;
    *last =
        arrival + (ar_binary_child(vrank, 0, p->nranks) >= 0) + (ar_binary_child(vrank, 1, p->nranks) >= 0);
}

static const struct ar_algorithm one_segment = {
    .name = "binary tree of one segment",
    .collective = AR_COLLECTIVE_broadcast,
    .rounds = one_rounds,
    .round = one_round,
    .span = one_span,
};

static int64_t period(const struct ar_problem *p)
{
    return ar_binary_period(p->nranks);
}

AR_SEGMENTS_OF(one_segment, period);

const struct ar_algorithm ar_broadcast_binary = {
    .name = "binary",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "segments travel down a binary tree",
    .source = "folklore; Open MPI, coll_base_bcast.c (bintree), coll_base_topo.c (build_tree)",
    .params = &ar_param_segment,
    .nparams = 1,
    .openmpi = "5 binary_tree",
    .mpich = "pipelined_tree (kary)",
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
