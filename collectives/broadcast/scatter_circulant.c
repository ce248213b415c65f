/* The root scatters the vector down a binomial tree, one part per rank, and a circulant all-gather brings the
 * parts everywhere.
 *
 * Cost: 2q alpha + 2(P-1)/P n beta, q = ceil(log2 P), for every P: what recursive doubling reaches on powers
 * of two only.
 *
 *     $ allround explain broadcast:scatter_circulant -n 5
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0          rank 1          rank 2          rank 3          rank 4
 *     start    0 0 0 0 0       . . . . .       . . . . .       . . . . .       . . . . .
 *     round 1  4->4            -               -               -               =4<-0
 *              0 0 0 0 0       . . . . .       . . . . .       . . . . .       . . . . 0
 *     round 2  2,3->2          -               =2,3<-0         -               -
 *              0 0 0 0 0       . . . . .       . . 0 0 .       . . . . .       . . . . 0
 *     round 3  1->1            =1<-0           3->3            =3<-2           -
 *              0 0 0 0 0       . 0 . . .       . . 0 0 .       . . . 0 .       . . . . 0
 *     round 4  0->4 =1<-1      1->0 =2<-2      2->1 =3<-3      3->2 =4<-4      4->3 =0<-0
 *              0 0 0 0 0       . 0 0 . .       . . 0 0 .       . . . 0 0       0 . . . 0
 *     round 5  0->3 =2<-2      1->4 =3<-3      2->0 =4<-4      3->1 =0<-0      4->2 =1<-1
 *              0 0 0 0 0       . 0 0 0 .       . . 0 0 0       0 . . 0 0       0 0 . . 0
 *     round 6  0,1->2 =3,4<-3  1,2->3 =4,0<-4  2,3->4 =0,1<-0  3,4->0 =1,2<-1  4,0->1 =2,3<-2
 *              0 0 0 0 0       0 0 0 0 0       0 0 0 0 0       0 0 0 0 0       0 0 0 0 0
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(ar_scatter_binomial, ar_allgather_circulant);

const struct ar_algorithm ar_broadcast_scatter_circulant = {
    .name = "scatter_circulant",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "binomial scatter, then circulant all-gather",
    .source = "Traeff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, arXiv 2410.14234, "
              "2024 (the all-gather)",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
