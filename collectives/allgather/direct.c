/* Every rank sends its block to every other, in one round.
 *
 * Rank r serves r+1, r+2, ..., so that no port is hit by all at once.
 *
 * Cost: (P-1) messages per port and (P-1)/P n beta. Good where every pair of ranks has its own path, as
 * inside a node.
 */
#include "collectives/algorithm.h"

static int64_t parts(const struct ar_problem *p)
{
    return p->nranks;
}

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks > 1;
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)k;
    *pattern = (struct ar_pattern){AR_SHIFT, i + 1, false, ar_block(0)};
    return i + 1 < p->nranks;
}

const struct ar_algorithm allgather_direct = {
    .name = "direct",
    .collective = AR_COLLECTIVE_allgather,
    .summary = "every rank sends its block to every other",
    .source = "folklore; Open MPI, coll_base_allgather.c (linear)",
    .openmpi = "1 linear",
    .parts = parts,
    .rounds = rounds,
    .pattern = pattern,
};
