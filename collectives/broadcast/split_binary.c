/* One half of the vector flows down one half of a binary tree, the other down the other; then ranks of the
 * two exchange what they have.
 *
 * The tree of broadcast:binary, whose halves are the odd and the even ranks (relative to the root). Segments
 * of the left half go to the odd ranks, those of the right half to the even ones. In the last round each odd
 * rank v exchanges halves with v + 1; the last rank, if it is odd, gets the right half from the root.
 *
 * Cost: (2(N-1) + R)(alpha + s beta) + alpha + n/2 beta for N segments of s = n/(2N) bytes per half, R as in
 * broadcast:binary: about 3/2 n beta for long vectors, against 2 n of the binary tree.
 *
 * Longer than 120 lines because its drawing shows three segments of each half, and the exchange pairs ranks.
 *
 *     $ allround explain broadcast:split_binary -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0       rank 1              rank 2              rank 3
 *     start    0 0 0 0 0 0  . . . . . .         . . . . . .         . . . . . .
 *     round 1  0->1         =0<-0               -                   -
 *              0 0 0 0 0 0  0 . . . . .         . . . . . .         . . . . . .
 *     round 2  1->2         0->3                =1<-0               =0<-1
 *              0 0 0 0 0 0  0 . . . . .         . 0 . . . .         0 . . . . .
 *     round 3  2->1         =2<-0               -                   -
 *              0 0 0 0 0 0  0 . 0 . . .         . 0 . . . .         0 . . . . .
 *     round 4  3->2         2->3                =3<-0               =2<-1
 *              0 0 0 0 0 0  0 . 0 . . .         . 0 . 0 . .         0 . 0 . . .
 *     round 5  4->1         =4<-0               -                   -
 *              0 0 0 0 0 0  0 . 0 . 0 .         . 0 . 0 . .         0 . 0 . . .
 *     round 6  5->2         4->3                =5<-0               =4<-1
 *              0 0 0 0 0 0  0 . 0 . 0 .         . 0 . 0 . 0         0 . 0 . 0 .
 *     round 7  1,3,5->3     0,2,4->2 =1,3,5<-2  1,3,5->1 =0,2,4<-1  =1,3,5<-0
 *              0 0 0 0 0 0  0 0 0 0 0 0         0 0 0 0 0 0         0 0 0 0 0 0
 *
 *     Drawn with 3 segments; --count N shows how many a vector has.
 */
#include "collectives/patterns/binary.h"
#include "collectives/patterns/ring.h"
#include "collectives/pipeline.h"
#include "collectives/registry.h"

/* The half that a rank gets from the tree: 0 left, 1 right. */
static int half_of(int vrank)
{
    return vrank % 2 == 0;
}

static int64_t one_rounds(const struct ar_problem *p)
{
    return ar_binary_rounds(p->nranks);
}

/* A segment of each half. The root serves 1 in its first round and 2 in its second. */
static void one_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct ar_schedule tree = ar_child(&ar_broadcast_binary, p);
    int64_t half = rank == p->root ? k : half_of(ar_vrank(rank, p->root, p->nranks));
    ar_sub(&tree, rank, k, (struct ar_view){.base = half, .scale = 1}, sink);
}

static void one_span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    struct ar_schedule tree = ar_child(&ar_broadcast_binary, p);
    ar_schedule_span(&tree, rank, first, last);
}

static const struct ar_algorithm one_of_each = {
    .name = "binary tree of one segment of each half",
    .collective = AR_COLLECTIVE_broadcast,
    .parts = ar_two_halves,
    .rounds = one_rounds,
    .round = one_round,
    .span = one_span,
};

static int64_t tree_rounds(const struct ar_problem *p)
{
    struct ar_schedule child = ar_child(&one_of_each, p);
    return ar_segments_rounds(&child, p->param[0], ar_binary_period(p->nranks));
}

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks > 1 ? tree_rounds(p) + 1 : 0;
}

static void exchange(const struct ar_problem *p, int vrank, struct ar_sink *sink)
{
    int pair = vrank % 2 ? vrank + 1 : vrank - 1, last = p->nranks - 1;
    bool alone = last % 2 && (vrank == 0 || vrank == last); /* the root and the last rank */
    int peer = ar_rank_of(alone ? last - vrank : (pair + p->nranks) % p->nranks, p->root, p->nranks);
    struct ar_blocks half[] = {{0, 1, 2, p->param[0]}, {1, 1, 2, p->param[0]}};
    if ((vrank > 0) != alone)
        ar_send(sink, peer, half[half_of(vrank)]);
    if (vrank > 0)
        ar_receive(sink, peer, half[!half_of(vrank)]);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    if (k < tree_rounds(p)) {
        struct ar_schedule child = ar_child(&one_of_each, p);
        ar_segments_round(&child, p->param[0], ar_binary_period(p->nranks), rank, k, sink);
    } else {
        exchange(p, ar_vrank(rank, p->root, p->nranks), sink);
    }
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double in_tree = (double)tree_rounds(p), nsegments = (double)p->param[0], more_ranks = p->nranks > 1;
    return (struct ar_cost){in_tree + more_ranks, in_tree / (2 * nsegments) + more_ranks / 2, 0};
}

const struct ar_algorithm ar_broadcast_split_binary = {
    .name = "split_binary",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "half of the vector down each half of a binary tree, then an exchange",
    .source = "Open MPI, coll_base_bcast.c (split_bintree)",
    .params = &ar_param_segment,
    .nparams = 1,
    .openmpi = "4 split_binary_tree",
    .parts = ar_two_halves,
    .splits = ar_segments_param,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
