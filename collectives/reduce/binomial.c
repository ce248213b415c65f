/* The binomial broadcast backwards: partial results flow up the tree and are combined on the way.
 *
 * In round k the ranks v (relative to the root) that are odd multiples of 2^k send to v - 2^k.
 *
 * Cost: q (alpha + n beta + n gamma), q = ceil(log2 P). Keeps the operands' order for root 0.
 *
 *     $ allround explain reduce:binomial -n 4
 *     ->R: send to R; +<-R: combine what comes from R; below: ranks in the vector
 *              rank 0  rank 1  rank 2  rank 3
 *     start    0       1       2       3
 *     round 1  +<-1    ->0     +<-3    ->2
 *              01      1       23      3
 *     round 2  +<-2    -       ->0     -
 *              0123    1       23      3
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_REVERSED_OF(ar_broadcast_binomial, AR_BACKWARD_REDUCE);

const struct ar_algorithm ar_reduce_binomial = {
    .name = "binomial",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "binomial tree, partial results combined on the way up",
    .source = "folklore; Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in "
              "MPICH, IJHPCA 19(1), 2005, section 4.5",
    .openmpi = "5 binomial",
    .mpich = "binomial",
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
