/* Reduce-scatter around the ring, then all-gather around the ring.
 *
 * Cost: 2(P-1) alpha + 2(P-1)/P n beta + (P-1)/P n gamma: bandwidth-optimal for every P, but with the most
 * rounds. All ranks get the same bits: a block is combined in one place and copied.
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(reduce_scatter_ring, allgather_ring);

const struct ar_algorithm allreduce_ring = {
    .name = "ring",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "reduce-scatter ring, then all-gather ring",
    .source = "Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC "
              "69(2), 2009",
    .openmpi = "4 ring",
    .mpich = "ring",
    .nccl = "Ring",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
};
