/* The binary broadcast backwards: segments are combined on their way up a binary tree.
 *
 * Cost: (2(N-1) + R)(alpha + s (beta + gamma)) for N segments of s bytes, R as in broadcast:binary. Does not
 * keep the operands' order; reduce:in_order_binary does.
 *
 *     $ allround explain reduce:binary -n 5
 *     B->R: send block B to R; +B<-R: combine B from R; at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 3 blocks in all
 *     round 1   rank 2    +2<-4  2:{2,4}
 *     round 1   rank 4    2->2
 *     round 2   rank 0    +2<-2  2:{0,2,4}
 *     round 2   rank 1    +2<-3  2:{1,3}
 *     round 2   rank 2    2->0
 *     round 2   rank 3    2->1
 *     round 3   rank 0    +2<-1  2:{0-4}
 *     round 3   rank 1    2->0
 *     round 3   rank 2    +1<-4  1:{2,4}
 *     round 3   rank 4    1->2
 *     round 4   rank 0    +1<-2  1:{0,2,4}
 *     round 4   rank 1    +1<-3  1:{1,3}
 *     round 4   rank 2    1->0
 *     round 4   rank 3    1->1
 *     round 5   rank 0    +1<-1  1:{0-4}
 *     round 5   rank 1    1->0
 *     round 5   rank 2    +0<-4  0:{2,4}
 *     round 5   rank 4    0->2
 *     round 6   rank 0    +0<-2  0:{0,2,4}
 *     round 6   rank 1    +0<-3  0:{1,3}
 *     round 6   rank 2    0->0
 *     round 6   rank 3    0->1
 *     round 7   rank 0    +0<-1  0:{0-4}
 *     round 7   rank 1    0->0
 *
 *     Drawn with 3 segments; --count N shows how many a vector has.
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_REVERSED_OF(ar_broadcast_binary, AR_BACKWARD_REDUCE);

const struct ar_algorithm ar_reduce_binary = {
    .name = "binary",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "segments travel up a binary tree, combined at each rank",
    .source = "folklore; Open MPI, coll_base_reduce.c (binary), coll_base_topo.c (build_tree)",
    .params = &ar_param_segment,
    .nparams = 1,
    .openmpi = "4 binary",
    .mpich = "tsp_tree (kary)",
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
