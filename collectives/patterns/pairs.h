/* Folding in: who goes on, and where blocks belong to ranks, for which blocks.
 *
 * Of 2^q + r ranks the first 2r form r pairs. The odd rank of a pair goes on, as survivor rank / 2, and
 * answers for the blocks of both; the others go on as survivor rank - r with their own block. So survivors
 * are in the order of the ranks, and what neighbouring survivors answer for is one run of blocks. (Thakur,
 * Rabenseifner, Gropp 2005, section 4.3)
 */
#pragma once

#include "collectives/algorithm.h"

/* -1: folded in. */
static inline int ar_pairs_survivor(int rank, int pairs)
{
    if (rank >= 2 * pairs)
        return rank - pairs;
    return rank % 2 ? rank / 2 : -1;
}

static inline int ar_pairs_rank(int survivor, int pairs)
{
    return survivor < pairs ? 2 * survivor + 1 : survivor + pairs;
}

/* The survivor that answers for a block. */
static inline int ar_pairs_owner(int block, int pairs)
{
    return block < 2 * pairs ? block / 2 : block - pairs;
}

/* The blocks of n survivors, from `first` on. */
static inline struct ar_blocks ar_pairs_blocks(int first, int n, int pairs)
{
    int doubled = first + n <= pairs ? n : first < pairs ? pairs - first : 0;
    return ar_block_run(first + (first < pairs ? first : pairs), n + doubled);
}

/* The most blocks that n survivors have: those in front. */
static inline int ar_pairs_most_blocks(int n, int pairs)
{
    return n + (pairs < n ? pairs : n);
}
