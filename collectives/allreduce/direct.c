/* Every block goes straight to its owner, which adds in rank order, and from there to everybody.
 *
 * Cost: two rounds of P-1 messages per port, 2(P-1)/P n beta + (P-1)/P n gamma. The left fold in rank order,
 * so the result does not depend on how the vector is cut: what the training strategies need to agree to the
 * bit.
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(reduce_scatter_direct, allgather_direct);

const struct ar_algorithm allreduce_direct = {
    .name = "direct",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "reduce-scatter direct, then all-gather direct",
    .source = "folklore; the two halves of a one-hop all-reduce on a fully connected node",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
};
