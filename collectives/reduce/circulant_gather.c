/* A circulant reduce-scatter, then the binomial tree gathers the parts at the root.
 *
 * Cost: 2q alpha + 2(P-1)/P n beta + (P-1)/P n gamma, q = ceil(log2 P), for every P and root: what halving
 * and gathering reaches on powers of two only, with nothing folded in. The operator must commute.
 *
 *     $ allround explain reduce:circulant_gather -n 5 --root 2
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R;
 *     at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 5 blocks in all
 *     round 1   rank 0    3,4->3 +0,1<-2  0,1:{0,2}
 *     round 1   rank 1    4,0->4 +1,2<-3  1,2:{1,3}
 *     round 1   rank 2    0,1->0 +2,3<-4  2,3:{2,4}
 *     round 1   rank 3    1,2->1 +3,4<-0  3,4:{0,3}
 *     round 1   rank 4    2,3->2 +4,0<-1  0:{1,4} 4:{1,4}
 *     round 2   rank 0    2->2 +0<-3      0:{0,2,3}
 *     round 2   rank 1    3->3 +1<-4      1:{1,3,4}
 *     round 2   rank 2    4->4 +2<-0      2:{0,2,4}
 *     round 2   rank 3    0->0 +3<-1      3:{0,1,3}
 *     round 2   rank 4    1->1 +4<-2      4:{1,2,4}
 *     round 3   rank 0    1->1 +0<-4      0:{0-4}
 *     round 3   rank 1    2->2 +1<-0      1:{0-4}
 *     round 3   rank 2    3->3 +2<-1      2:{0-4}
 *     round 3   rank 3    4->4 +3<-2      3:{0-4}
 *     round 3   rank 4    0->0 +4<-3      4:{0-4}
 *     round 4   rank 0    0->4
 *     round 4   rank 2    =3<-3           3:{0-4}
 *     round 4   rank 3    3->2
 *     round 4   rank 4    =0<-0           0:{0-4}
 *     round 5   rank 2    =4,0<-4         0:{0-4} 4:{0-4}
 *     round 5   rank 4    4,0->2
 *     round 6   rank 1    1->2
 *     round 6   rank 2    =1<-1           1:{0-4}
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(ar_reduce_scatter_circulant, ar_gather_binomial);

const struct ar_algorithm ar_reduce_circulant_gather = {
    .name = "circulant_gather",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "circulant reduce-scatter, then binomial gather",
    .source = "Traeff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, arXiv 2410.14234, "
              "2024 (the reduce-scatter)",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .pause = pause_of,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
