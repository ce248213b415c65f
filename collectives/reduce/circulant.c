/* The circulant broadcast backwards: every rank passes on and combines one segment in every round.
 *
 * Cost: (N - 1 + q)(alpha + s (beta + gamma)) for N segments of s bytes, q = ceil(log2 P). The operator must
 * commute.
 *
 *     $ allround explain reduce:circulant -n 5
 *     B->R: send block B to R; +B<-R: combine B from R; at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 3 blocks in all
 *     round 1   rank 0    +2<-3       2:{0,3}
 *     round 1   rank 1    0->3 +2<-4  2:{1,4}
 *     round 1   rank 2    1->4
 *     round 1   rank 3    2->0 +0<-1  0:{1,3}
 *     round 1   rank 4    2->1 +1<-2  1:{2,4}
 *     round 2   rank 0    +2<-2       2:{0,2,3}
 *     round 2   rank 1    1->4
 *     round 2   rank 2    2->0 +0<-4  0:{2,4}
 *     round 2   rank 4    0->2 +1<-1  1:{1,2,4}
 *     round 3   rank 0    +2<-1       2:{0-4}
 *     round 3   rank 1    2->0
 *     round 3   rank 2    +0<-3       0:{1-4}
 *     round 3   rank 3    0->2 +1<-4  1:{1-4}
 *     round 3   rank 4    1->3
 *     round 4   rank 0    +1<-3       1:{0-4}
 *     round 4   rank 3    1->0
 *     round 5   rank 0    +0<-2       0:{0-4}
 *     round 5   rank 2    0->0
 *
 *     Drawn with 3 segments; --count N shows how many a vector has.
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_REVERSED_OF(ar_broadcast_circulant, AR_BACKWARD_REDUCE);

const struct ar_algorithm ar_reduce_circulant = {
    .name = "circulant",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "the circulant broadcast backwards",
    .source =
        "Traeff, Optimal broadcast schedules in logarithmic time with applications to broadcast, "
        "reduction, all-broadcast and all-reduction, ACM TOPC 2025, arXiv 2407.18004, algorithms 1 to 6",
    .params = &ar_param_segment,
    .nparams = 1,
    .mpich = "circ_graph",
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .prepare = prepare,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
