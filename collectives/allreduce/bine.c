/* Bine trees: the reduce-scatter and the all-gather along negabinary distances 1, -1, 3, -5, 11, ..., in
 * which a rank's partners lie nearer to it than those of recursive doubling, so that up to a third less
 * leaves a group of neighbouring ranks. It is the bandwidth form of Swing, which found the same partners for
 * rings and tori.
 *
 * Cost: 2 ceil(log2 P) alpha + 2 (P-1)/P n beta + (P-1)/P n gamma. An even number of ranks.
 *
 *     $ allround explain allreduce:bine -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R; below: ranks per block
 *              rank 0               rank 1               rank 2               rank 3
 *     start    0    0    0    0     1    1    1    1     2    2    2    2     3    3    3    3
 *     round 1  1,2->1 +0,3<-1       0,3->0 +1,2<-0       3,0->3 +2,1<-3       2,1->2 +3,0<-2
 *              01   0    0    01    1    01   01   1     2    23   23   2     23   3    3    23
 *     round 2  3->3 +0<-3           2->2 +1<-2           1->1 +2<-1           0->0 +3<-0
 *              0123 0    0    01    1    0123 01   1     2    23   0123 2     23   3    3    0123
 *     round 3  0->3 =3<-3           1->2 =2<-2           2->1 =1<-1           3->0 =0<-0
 *              0123 0    0    0123  1    0123 0123 1     2    0123 0123 2     0123 3    3    0123
 *     round 4  0,3->1 =1,2<-1       1,2->0 =0,3<-0       2,1->3 =3,0<-3       3,0->2 =2,1<-2
 *              0123 0123 0123 0123  0123 0123 0123 0123  0123 0123 0123 0123  0123 0123 0123 0123
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(ar_reduce_scatter_swing, ar_allgather_swing);

const struct ar_algorithm ar_allreduce_bine = {
    .name = "bine",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "reduce-scatter, then all-gather, along negabinary distances: the bandwidth form of swing",
    .source = "De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, Bine trees: enhancing "
              "collective operations by optimizing communication locality, SC 2025",
    .needs = AR_NEEDS_EVEN,
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
