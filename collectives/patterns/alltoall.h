/* Blocks named (source, destination), and ranks that exchange them in turn.
 *
 * Part source * nranks + destination is what `source` has for `destination`. In shift d rank r sends its
 * block for r + d there and gets its own from r - d, so every port has one transfer each way; shifts 1 ..
 * nranks-1 are a whole all-to-all.
 */
#pragma once

#include "collectives/algorithm.h"
#include "collectives/patterns/ring.h"

/* For `parts`. */
static inline int64_t ar_one_part_per_pair(const struct ar_problem *p)
{
    return (int64_t)p->nranks * p->nranks;
}

static inline int64_t ar_pair_block(int source, int destination, int nranks)
{
    return (int64_t)source * nranks + destination;
}

/* What `rank` does in shifts first .. last, all in one round. */
static inline void ar_alltoall_shifts(const struct ar_problem *p, int rank, int first, int last,
                                      struct ar_sink *sink)
{
    for (int shift = first; shift <= last; shift++) {
        int to = ar_rank_of(shift, rank, p->nranks), from = ar_vrank(rank, shift, p->nranks);
        ar_send(sink, to, ar_block(ar_pair_block(rank, to, p->nranks)));
        ar_receive(sink, from, ar_block(ar_pair_block(from, rank, p->nranks)));
    }
}
