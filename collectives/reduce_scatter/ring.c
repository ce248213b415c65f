/* Every block travels once around the ring and grows by each rank's contribution, ending with its owner.
 *
 * In round k rank r sends block r-1-k to r+1 and combines block r-2-k from r-1.
 *
 * Cost: (P-1) alpha + (P-1)/P n (beta + gamma): every rank sends, receives and combines the least possible,
 * to one neighbour only. Operands are combined in ring order, so the operator must commute.
 */
#include "collectives/algorithm.h"

static int64_t parts(const struct ar_problem *p)
{
    return p->nranks;
}

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks - 1;
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)p;
    *pattern = (struct ar_pattern){AR_SHIFT, 1, true, ar_block(-1 - k)};
    return i == 0;
}

const struct ar_algorithm reduce_scatter_ring = {
    .name = "ring",
    .collective = AR_COLLECTIVE_reduce_scatter,
    .summary = "blocks travel around a ring and are combined at each rank",
    .source = "Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC "
              "69(2), 2009",
    .openmpi = "3 ring",
    .nccl = "Ring",
    .parts = parts,
    .rounds = rounds,
    .pattern = pattern,
};
