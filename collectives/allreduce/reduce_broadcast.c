/* Reduce to rank 0, then broadcast from it, both on the binomial tree.
 *
 * Cost: 2q (alpha + n beta) + q n gamma, q = ceil(log2 P). Keeps the operands' order for every P.
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(reduce_binomial, broadcast_binomial);

const struct ar_algorithm allreduce_reduce_broadcast = {
    .name = "reduce_broadcast",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "binomial reduce to rank 0, then binomial broadcast",
    .source = "folklore; Open MPI, coll_base_allreduce.c (nonoverlapping)",
    .openmpi = "2 nonoverlapping",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
};
