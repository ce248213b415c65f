/* Reduce to rank 0, then broadcast from it, both on the binomial tree.
 *
 * Cost: 2q (alpha + n beta) + q n gamma, q = ceil(log2 P). Keeps the operands' order for every P.
 *
 *     $ allround explain allreduce:reduce_broadcast -n 4
 *     ->R: send to R; +<-R: combine what comes from R; =<-R: store what comes from R;
 *     below: ranks in the vector
 *              rank 0  rank 1  rank 2  rank 3
 *     start    0       1       2       3
 *     round 1  +<-1    ->0     +<-3    ->2
 *              01      1       23      3
 *     round 2  +<-2    -       ->0     -
 *              0123    1       23      3
 *     round 3  ->2     -       =<-0    -
 *              0123    1       0123    3
 *     round 4  ->1     =<-0    ->3     =<-2
 *              0123    0123    0123    0123
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(ar_reduce_binomial, ar_broadcast_binomial);

const struct ar_algorithm ar_allreduce_reduce_broadcast = {
    .name = "reduce_broadcast",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "binomial reduce to rank 0, then binomial broadcast",
    .source = "folklore; Open MPI, coll_base_allreduce.c (nonoverlapping)",
    .openmpi = "2 nonoverlapping",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .pause = pause_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
