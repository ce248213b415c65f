/* Reduce to rank 0, then scatter from it, both on the binomial tree.
 *
 * Cost: 2q alpha + (q + (P-1)/P) n beta + q n gamma, q = ceil(log2 P). Keeps the operands' order for every P.
 *
 *     $ allround explain reduce_scatter:non_overlapping -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R; below: ranks per block
 *              rank 0               rank 1               rank 2               rank 3
 *     start    0    0    0    0     1    1    1    1     2    2    2    2     3    3    3    3
 *     round 1  +0-3<-1              0-3->0               +0-3<-3              0-3->2
 *              01   01   01   01    1    1    1    1     23   23   23   23    3    3    3    3
 *     round 2  +0-3<-2              -                    0-3->0               -
 *              0123 0123 0123 0123  1    1    1    1     23   23   23   23    3    3    3    3
 *     round 3  2,3->2               -                    =2,3<-0              -
 *              0123 0123 0123 0123  1    1    1    1     23   23   0123 0123  3    3    3    3
 *     round 4  1->1                 =1<-0                3->3                 =3<-2
 *              0123 0123 0123 0123  1    0123 1    1     23   23   0123 0123  3    3    3    0123
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(ar_reduce_binomial, ar_scatter_binomial);

const struct ar_algorithm ar_reduce_scatter_non_overlapping = {
    .name = "non_overlapping",
    .collective = AR_COLLECTIVE_reduce_scatter,
    .summary = "binomial reduce to rank 0, then binomial scatter",
    .source = "folklore; Open MPI, coll_base_reduce_scatter.c (nonoverlapping)",
    .openmpi = "1 non-overlapping",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .pause = pause_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
