/* The root scatters the vector down a binomial tree, one part per rank, and a ring gathers the parts
 * everywhere.
 *
 * Cost: (q + P - 1) alpha + 2(P-1)/P n beta, q = ceil(log2 P): twice the least traffic whatever P, against q
 * times for the binomial tree. For long vectors.
 *
 *     $ allround explain broadcast:scatter_allgather -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0      rank 1      rank 2      rank 3
 *     start    0 0 0 0     . . . .     . . . .     . . . .
 *     round 1  2,3->2      -           =2,3<-0     -
 *              0 0 0 0     . . . .     . . 0 0     . . . .
 *     round 2  1->1        =1<-0       3->3        =3<-2
 *              0 0 0 0     . 0 . .     . . 0 0     . . . 0
 *     round 3  0->1 =3<-3  1->2 =0<-0  2->3 =1<-1  3->0 =2<-2
 *              0 0 0 0     0 0 . .     . 0 0 0     . . 0 0
 *     round 4  3->1 =2<-3  0->2 =3<-0  1->3 =0<-1  2->0 =1<-2
 *              0 0 0 0     0 0 . 0     0 0 0 0     . 0 0 0
 *     round 5  2->1 =1<-3  3->2 =2<-0  0->3 =3<-1  1->0 =0<-2
 *              0 0 0 0     0 0 0 0     0 0 0 0     0 0 0 0
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(ar_scatter_binomial, ar_allgather_ring);

const struct ar_algorithm ar_broadcast_scatter_allgather = {
    .name = "scatter_allgather",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "binomial scatter, then all-gather ring",
    .source = "Barnett, Gupta, Payne, Shuler, van de Geijn, Watts, Interprocessor collective communication "
              "library, SHPCC 1994; Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005, section 4.4",
    .openmpi = "9 scatter_allgather_ring",
    .mpich = "scatter_ring_allgather",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
