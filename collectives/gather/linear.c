/* The linear scatter backwards: every rank sends its part to the root.
 *
 * Cost: (P-1) alpha + (P-1)/P n beta, all of it through the root's port.
 *
 *     $ allround explain gather:linear -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0             rank 1   rank 2   rank 3
 *     start    0 . . .            . 1 . .  . . 2 .  . . . 3
 *     round 1  =1<-1 =2<-2 =3<-3  1->0     2->0     3->0
 *              0 1 2 3            . 1 . .  . . 2 .  . . . 3
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_REVERSED_OF(ar_scatter_linear, AR_BACKWARD);

const struct ar_algorithm ar_gather_linear = {
    .name = "linear",
    .collective = AR_COLLECTIVE_gather,
    .summary = "every rank sends its part to the root",
    .source = "folklore; Open MPI, coll_base_gather.c (basic_linear)",
    .openmpi = "1 basic_linear",
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
