/* Half of the vector flows down each of two binary trees at once; who has children in one has none in the
 * other.
 *
 * The trees of patterns/two_trees.h over the ranks relative to the root, which stands above both. Their edges
 * have two colours: those of one carry data in even rounds, the others in odd ones, and a rank has at most
 * one edge of each colour to and from it. So it sends and receives at most one segment per round, and in two
 * rounds one more segment of each half has reached everyone.
 *
 * Cost: at most (2 ceil(log2 P) + 2(N-1))(alpha + n/(2N) beta) for N segments per half, so n beta for long
 * vectors like the chain, with a logarithm in place of its P. The bound is tight in rounds; short of data a
 * rank does not wait for its round.
 *
 * Longer than 120 lines because of the table of rounds, which are dear to work out for every call.
 *
 *     $ allround explain broadcast:double_binary_tree -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0       rank 1       rank 2       rank 3
 *     start    0 0 0 0 0 0  . . . . . .  . . . . . .  . . . . . .
 *     round 1  0->2         -            =0<-0        -
 *              0 0 0 0 0 0  . . . . . .  0 . . . . .  . . . . . .
 *     round 2  1->1         =1<-0        0->3         =0<-2
 *              0 0 0 0 0 0  . 0 . . . .  0 . . . . .  0 . . . . .
 *     round 3  2->2         1->3 =0<-2   0->1 =2<-0   =1<-1
 *              0 0 0 0 0 0  0 0 . . . .  0 . 0 . . .  0 0 . . . .
 *     round 4  3->1         1->2 =3<-0   2->3 =1<-1   =2<-2
 *              0 0 0 0 0 0  0 0 . 0 . .  0 0 0 . . .  0 0 0 . . .
 *     round 5  4->2         3->3 =2<-2   2->1 =4<-0   =3<-1
 *              0 0 0 0 0 0  0 0 0 0 . .  0 0 0 . 0 .  0 0 0 0 . .
 *     round 6  5->1         3->2 =5<-0   4->3 =3<-1   =4<-2
 *              0 0 0 0 0 0  0 0 0 0 . 0  0 0 0 0 0 .  0 0 0 0 0 .
 *     round 7  -            5->3 =4<-2   4->1         =5<-1
 *              0 0 0 0 0 0  0 0 0 0 0 0  0 0 0 0 0 .  0 0 0 0 0 0
 *     round 8  -            5->2         =5<-1        -
 *              0 0 0 0 0 0  0 0 0 0 0 0  0 0 0 0 0 0  0 0 0 0 0 0
 *
 *     Drawn with 3 segments; --count N shows how many a vector has.
 */
#include "collectives/base/memory.h"
#include "collectives/patterns/ring.h"
#include "collectives/patterns/two_trees.h"
#include "collectives/pipeline.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks > 1 ? ar_twin_rounds(p->nranks - 1) + 2 * (p->param[0] - 1) : 0;
}

/* The rounds in which the ranks relative to the root receive first, in one tree and in the other. */
static void *prepare(const struct ar_problem *p)
{
    int8_t *arrival = ar_alloc(2 * (size_t)p->nranks, 1);
    for (int vrank = 0; vrank < p->nranks; vrank++)
        for (int tree = 0; tree < 2; tree++)
            arrival[2 * (size_t)vrank + (size_t)tree] = (int8_t)ar_twin_arrival(vrank, tree, p->nranks - 1);
    return arrival;
}

static int arrival_of(const struct ar_problem *p, int vrank, int tree)
{
    if (p->prepared)
        return ((const int8_t *)p->prepared)[2 * (size_t)vrank + (size_t)tree];
    return ar_twin_arrival(vrank, tree, p->nranks - 1);
}

/* Whether the edge to `vrank` carries a segment in round k, and which block. Two rounds from segment to
 * segment are no child schedule each: the edges of a rank start far apart, so that many would be in flight.
 */
static bool carries(const struct ar_problem *p, int vrank, int tree, int64_t k, int64_t *block)
{
    int64_t since = k - arrival_of(p, vrank, tree);
    *block = since / 2 * 2 + tree;
    return since >= 0 && since % 2 == 0 && since / 2 < p->param[0];
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int vrank = ar_vrank(rank, p->root, p->nranks), last = p->nranks - 1, child[2];
    int64_t block;
    for (int tree = 0; tree < 2; tree++) {
        if (vrank > 0 && carries(p, vrank, tree, k, &block))
            ar_receive(sink, ar_rank_of(ar_twin_parent(vrank, tree, last), p->root, p->nranks),
                       ar_block(block));
        for (int i = ar_twin_children(vrank, tree, last, child) - 1; i >= 0; i--)
            if (carries(p, child[i], tree, k, &block))
                ar_send(sink, ar_rank_of(child[i], p->root, p->nranks), ar_block(block));
    }
}

static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    int vrank = ar_vrank(rank, p->root, p->nranks), child[2];
    *first = rounds(p);
    *last = -1;
    for (int tree = 0; tree < 2 && p->nranks > 1; tree++) {
        int edges = ar_twin_children(vrank, tree, p->nranks - 1, child);
        for (int i = vrank > 0 ? -1 : 0; i < edges; i++) {
            int start = arrival_of(p, i < 0 ? vrank : child[i], tree);
            *first = start < *first ? start : *first;
            *last = start > *last ? start : *last;
        }
    }
    *last += *last >= 0 ? 2 * (p->param[0] - 1) : 0;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double rounds_of_all = (double)rounds(p);
    return (struct ar_cost){rounds_of_all, rounds_of_all / (2 * (double)p->param[0]), 0};
}

const struct ar_algorithm ar_broadcast_double_binary_tree = {
    .name = "double_binary_tree",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "segments of the two halves travel down two trees at once",
    .source = "Sanders, Speck, Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, "
              "Parallel Computing 35(12), 2009; the trees: NVIDIA, NCCL, src/graph/trees.cc",
    .params = &ar_param_segment,
    .nparams = 1,
    .parts = ar_two_halves,
    .splits = ar_segments_param,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .prepare = prepare,
    .cost_kind = AR_COST_BOUND,
    .cost = cost,
};
