/* The two trees of broadcast:double_binary_tree backwards: each half of the vector is combined on its way up
 * its own tree.
 *
 * Cost: at most (2 ceil(log2 P) + 2(N-1))(alpha + n/(2N) (beta + gamma)) for N segments per half. Keeps the
 * operands' order for root 0 where P is odd: the trees stand in order of the ranks then.
 *
 *     $ allround explain reduce:double_binary_tree -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 6 blocks in all
 *     round 1   rank 1    +5<-2       5:{1,2}
 *     round 1   rank 2    5->1
 *     round 2   rank 1    4->2 +5<-3  5:{1-3}
 *     round 2   rank 2    +4<-1       4:{1,2}
 *     round 2   rank 3    5->1
 *     round 3   rank 0    +5<-1       5:{0-3}
 *     round 3   rank 1    5->0 +3<-2  3:{1,2}
 *     round 3   rank 2    3->1 +4<-3  4:{1-3}
 *     round 3   rank 3    4->2
 *     round 4   rank 0    +4<-2       4:{0-3}
 *     round 4   rank 1    2->2 +3<-3  3:{1-3}
 *     round 4   rank 2    4->0 +2<-1  2:{1,2}
 *     round 4   rank 3    3->1
 *     round 5   rank 0    +3<-1       3:{0-3}
 *     round 5   rank 1    3->0 +1<-2  1:{1,2}
 *     round 5   rank 2    1->1 +2<-3  2:{1-3}
 *     round 5   rank 3    2->2
 *     round 6   rank 0    +2<-2       2:{0-3}
 *     round 6   rank 1    0->2 +1<-3  1:{1-3}
 *     round 6   rank 2    2->0 +0<-1  0:{1,2}
 *     round 6   rank 3    1->1
 *     round 7   rank 0    +1<-1       1:{0-3}
 *     round 7   rank 1    1->0
 *     round 7   rank 2    +0<-3       0:{1-3}
 *     round 7   rank 3    0->2
 *     round 8   rank 0    +0<-2       0:{0-3}
 *     round 8   rank 2    0->0
 *
 *     Drawn with 3 segments; --count N shows how many a vector has.
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_REVERSED_OF(ar_broadcast_double_binary_tree, AR_BACKWARD_REDUCE);

const struct ar_algorithm ar_reduce_double_binary_tree = {
    .name = "double_binary_tree",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "segments of the two halves travel up two trees at once",
    .source = "Sanders, Speck, Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, "
              "Parallel Computing 35(12), 2009; the trees: NVIDIA, NCCL, src/graph/trees.cc",
    .params = &ar_param_segment,
    .nparams = 1,
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .prepare = prepare,
    .cost_kind = AR_COST_BOUND,
    .cost = cost,
};
