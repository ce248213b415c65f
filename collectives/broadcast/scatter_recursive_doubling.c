/* The root scatters the vector down a binomial tree, one part per rank, and recursive doubling gathers the
 * parts everywhere. Needs a power of two.
 *
 * Cost: 2q alpha + 2(P-1)/P n beta, q = log2 P: the traffic of the scatter and ring in logarithmically many
 * rounds.
 *
 *     $ allround explain broadcast:scatter_recursive_doubling -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0          rank 1          rank 2          rank 3
 *     start    0 0 0 0         . . . .         . . . .         . . . .
 *     round 1  2,3->2          -               =2,3<-0         -
 *              0 0 0 0         . . . .         . . 0 0         . . . .
 *     round 2  1->1            =1<-0           3->3            =3<-2
 *              0 0 0 0         . 0 . .         . . 0 0         . . . 0
 *     round 3  0->1 =1<-1      1->0 =0<-0      2->3 =3<-3      3->2 =2<-2
 *              0 0 0 0         0 0 . .         . . 0 0         . . 0 0
 *     round 4  0,1->2 =2,3<-2  0,1->3 =2,3<-3  2,3->0 =0,1<-0  2,3->1 =0,1<-1
 *              0 0 0 0         0 0 0 0         0 0 0 0         0 0 0 0
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(ar_scatter_binomial, ar_allgather_recursive_doubling);

const struct ar_algorithm ar_broadcast_scatter_recursive_doubling = {
    .name = "scatter_recursive_doubling",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "binomial scatter, then all-gather by recursive doubling",
    .source = "Barnett, Gupta, Payne, Shuler, van de Geijn, Watts, Interprocessor collective communication "
              "library, SHPCC 1994; Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005, section 4.4",
    .needs = AR_NEEDS_POWER_OF_TWO,
    .openmpi = "8 scatter_allgather",
    .mpich = "scatter_recursive_doubling_allgather",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
