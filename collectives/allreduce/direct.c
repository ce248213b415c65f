/* Every block goes straight to its owner, which adds in rank order, and from there to everybody.
 *
 * Cost: two rounds of P-1 messages per port, 2(P-1)/P n beta + (P-1)/P n gamma. The left fold in rank order,
 * so the result does not depend on how the vector is cut: what the training strategies need to agree to the
 * bit.
 *
 *     $ allround explain allreduce:direct -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R; own: the rank's input;
 *     at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 4 blocks in all
 *     round 1   rank 0    1->1 2->2 3->3 +0<-1 +0<-2 +0<-3          0:{0-3}
 *     round 1   rank 1    2->2 3->3 0->0 =1<-0 +1<-own +1<-2 +1<-3  1:{0-3}
 *     round 1   rank 2    3->3 0->0 1->1 =2<-0 +2<-1 +2<-own +2<-3  2:{0-3}
 *     round 1   rank 3    0->0 1->1 2->2 =3<-0 +3<-1 +3<-2 +3<-own  3:{0-3}
 *     round 2   rank 0    0->1 0->2 0->3 =3<-3 =2<-2 =1<-1          1-3:{0-3}
 *     round 2   rank 1    1->2 1->3 1->0 =0<-0 =3<-3 =2<-2          0:{0-3} 2,3:{0-3}
 *     round 2   rank 2    2->3 2->0 2->1 =1<-1 =0<-0 =3<-3          0,1:{0-3} 3:{0-3}
 *     round 2   rank 3    3->0 3->1 3->2 =2<-2 =1<-1 =0<-0          0-2:{0-3}
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(ar_reduce_scatter_direct, ar_allgather_direct);

const struct ar_algorithm ar_allreduce_direct = {
    .name = "direct",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "reduce-scatter direct, then all-gather direct",
    .source = "folklore; the two halves of a one-hop all-reduce on a fully connected node",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_BOUND,
    .cost = cost,
};
