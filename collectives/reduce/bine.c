/* The Bine broadcast reversed: partial results are collected over distance 1, -1, 3, -5, ..., the nearest
 * first.
 *
 * Cost: q (alpha + n (beta + gamma)), q = ceil(log2 P). Needs an even P, and an operator that commutes.
 *
 *     $ allround explain reduce:bine -n 4
 *     ->R: send to R; +<-R: combine what comes from R; below: ranks in the vector
 *              rank 0  rank 1  rank 2  rank 3
 *     start    0       1       2       3
 *     round 1  +<-1    ->0     ->3     +<-2
 *              01      1       2       23
 *     round 2  +<-3    -       -       ->0
 *              0123    1       2       23
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_REVERSED_OF(ar_broadcast_bine, AR_BACKWARD_REDUCE);

const struct ar_algorithm ar_reduce_bine = {
    .name = "bine",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "a binomial tree over distance 1, -1, 3, -5, ...",
    .source = "De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, Bine trees: enhancing "
              "collective operations by optimizing communication locality, SC 2025",
    .needs = AR_NEEDS_EVEN,
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
