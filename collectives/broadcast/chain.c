/* A pipeline: every rank passes each segment to its neighbour, so that all links are busy at once.
 *
 * One segment goes root -> root+1 -> ... in P-1 rounds; segment s starts in round s (combinator `segments`,
 * period 1).
 *
 * Cost: (N + P - 2)(alpha + s beta) for N segments of s bytes. Best for long vectors and few ranks: the root
 * sends the vector once.
 *
 *     $ allround explain broadcast:chain -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0  rank 1      rank 2      rank 3
 *     start    0 0 0   . . .       . . .       . . .
 *     round 1  0->1    =0<-0       -           -
 *              0 0 0   0 . .       . . .       . . .
 *     round 2  1->1    0->2 =1<-0  =0<-1       -
 *              0 0 0   0 0 .       0 . .       . . .
 *     round 3  2->1    1->2 =2<-0  0->3 =1<-1  =0<-2
 *              0 0 0   0 0 0       0 0 .       0 . .
 *     round 4  -       2->2        1->3 =2<-1  =1<-2
 *              0 0 0   0 0 0       0 0 0       0 0 .
 *     round 5  -       -           2->3        =2<-2
 *              0 0 0   0 0 0       0 0 0       0 0 0
 *
 *     Drawn with 3 segments; --count N shows how many a vector has.
 */
#include "collectives/combinators.h"
#include "collectives/patterns/ring.h"

static int64_t one_rounds(const struct ar_problem *p)
{
    return p->nranks - 1;
}

static void one_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int vrank = ar_vrank(rank, p->root, p->nranks);
    if (vrank == k)
        ar_send(sink, (rank + 1) % p->nranks, ar_block(0));
    else if (vrank == k + 1)
        ar_receive(sink, ar_wrap(rank - 1, p->nranks), ar_block(0));
}

static void one_span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    int vrank = ar_vrank(rank, p->root, p->nranks);
    *first = vrank == 0 ? 0 : vrank - 1;
    *last = vrank == p->nranks - 1 ? vrank - 1 : vrank;
}

static const struct ar_algorithm one_segment = {
    .name = "chain of one segment",
    .collective = AR_COLLECTIVE_broadcast,
    .rounds = one_rounds,
    .round = one_round,
    .span = one_span,
};

static int64_t splits(const struct ar_problem *p)
{
    return p->param[0];
}

static int64_t rounds(const struct ar_problem *p)
{
    struct ar_schedule child = ar_child(&one_segment, p);
    return ar_segments_rounds(&child, p->param[0], 1);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct ar_schedule child = ar_child(&one_segment, p);
    ar_segments_round(&child, p->param[0], 1, rank, k, sink);
}

static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    one_span(p, rank, first, last);
    *last += *first <= *last ? p->param[0] - 1 : 0;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double rounds_of_all = (double)rounds(p);
    return (struct ar_cost){rounds_of_all, rounds_of_all / (double)p->param[0], 0};
}

const struct ar_algorithm ar_broadcast_chain = {
    .name = "chain",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "segments travel down a chain of all ranks",
    .source = "folklore; Open MPI, coll_base_bcast.c (pipeline)",
    .params = &ar_param_segment,
    .nparams = 1,
    .openmpi = "3 pipeline",
    .nccl = "Ring (broadcast)",
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
