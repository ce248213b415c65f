/* Reduce-scatter around the ring, then all-gather around the ring.
 *
 * Cost: 2(P-1) alpha + 2(P-1)/P n beta + (P-1)/P n gamma: bandwidth-optimal for every P, but with the most
 * rounds. All ranks get the same bits: a block is combined in one place and copied.
 *
 *     $ allround explain allreduce:ring -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R; below: ranks per block
 *              rank 0               rank 1               rank 2               rank 3
 *     start    0    0    0    0     1    1    1    1     2    2    2    2     3    3    3    3
 *     round 1  3->1 +2<-3           0->2 +3<-0           1->3 +0<-1           2->0 +1<-2
 *              0    0    03   0     1    1    1    01    12   2    2    2     3    23   3    3
 *     round 2  2->1 +1<-3           3->2 +2<-0           0->3 +3<-1           1->0 +0<-2
 *              0    023  03   0     1    1    013  01    12   2    2    012   123  23   3    3
 *     round 3  1->1 +0<-3           2->2 +1<-0           3->3 +2<-1           0->0 +3<-2
 *              0123 023  03   0     1    0123 013  01    12   2    0123 012   123  23   3    0123
 *     round 4  0->1 =3<-3           1->2 =0<-0           2->3 =1<-1           3->0 =2<-2
 *              0123 023  03   0123  0123 0123 013  01    12   0123 0123 012   123  23   0123 0123
 *     round 5  3->1 =2<-3           0->2 =3<-0           1->3 =0<-1           2->0 =1<-2
 *              0123 023  0123 0123  0123 0123 013  0123  0123 0123 0123 012   123  0123 0123 0123
 *     round 6  2->1 =1<-3           3->2 =2<-0           0->3 =3<-1           1->0 =0<-2
 *              0123 0123 0123 0123  0123 0123 0123 0123  0123 0123 0123 0123  0123 0123 0123 0123
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(ar_reduce_scatter_ring, ar_allgather_ring);

const struct ar_algorithm ar_allreduce_ring = {
    .name = "ring",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "reduce-scatter ring, then all-gather ring",
    .source = "Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC "
              "69(2), 2009",
    .openmpi = "4 ring",
    .mpich = "ring",
    .nccl = "Ring",
    .parts = parts,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
