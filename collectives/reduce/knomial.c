/* The k-nomial broadcast backwards: partial results flow up the tree and are combined on the way.
 *
 * Cost: c + (radix - 1)(q - 1) times alpha + n (beta + gamma), c and q as in broadcast:knomial. Keeps the
 * operands' order for root 0: a rank's nearest children come first.
 *
 *     $ allround explain reduce:knomial:radix=3 -n 5
 *     ->R: send to R; +<-R: combine what comes from R; below: ranks in the vector
 *              rank 0  rank 1  rank 2  rank 3  rank 4
 *     start    0       1       2       3       4
 *     round 1  +<-1    ->0     -       +<-4    ->3
 *              01      1       2       34      4
 *     round 2  +<-2    -       ->0     -       -
 *              012     1       2       34      4
 *     round 3  +<-3    -       -       ->0     -
 *              01234   1       2       34      4
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_REVERSED_OF(ar_broadcast_knomial, AR_BACKWARD_REDUCE);

static const struct ar_param params[] = {
    {"radix", "most ranks that one level makes one of", AR_PARAM_NUMBER, 4, 2, INT32_MAX, NULL},
};

const struct ar_algorithm ar_reduce_knomial = {
    .name = "knomial",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "k-nomial tree, partial results combined on the way up",
    .source = "folklore; Open MPI, coll_base_reduce.c (knomial), coll_base_topo.c (build_kmtree)",
    .params = params,
    .nparams = 1,
    .openmpi = "8 knomial",
    .mpich = "tsp_tree (knomial_2)",
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
