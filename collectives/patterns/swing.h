/* Swing: partners at distance 1, -1, 3, -5, 11, -21, ..., counted upwards by even ranks, downwards by odd
 * ones.
 *
 *     rho(s) = 1 - 2 + 4 - ... = (1 - (-2)^(s+1)) / 3
 *
 * With the farthest step first (all-gather), the block of an even rank travels, over all q = ceil(log2
 * nranks) steps, to the displacements that are numbers of q digits to the base -2: a window of 2^q
 * neighbours. After step s it is where the displacement is 0 or rho(s) modulo 2^(s+1); each step adds two
 * strided sets. Where 2^q > nranks the window overlaps itself, and a block comes in the first step that
 * brings it. An odd nranks would break the parity that all this rests on.
 *
 * (De Sensi, Bonato, Saam, Hoefler, Swing, NSDI 2024, section 3. De Sensi and others, Bine trees, SC 2025:
 * the same arithmetic for trees, by digits.)
 */
#pragma once

#include "collectives/algorithm.h"
#include "collectives/patterns/binomial.h"
#include "collectives/patterns/ring.h"

static inline int64_t ar_swing_distance(int s)
{
    int64_t power = INT64_C(2) << s;
    return (1 + (s % 2 ? -power : power)) / 3;
}

/* The partner in step s = 0 .. q-1, for an even nranks. */
static inline int ar_swing_peer(int rank, int s, int nranks)
{
    int distance = (int)ar_swing_distance(s);
    return ar_wrap(rank % 2 ? rank - distance : rank + distance, nranks);
}

/* The window of an even rank's block: displacements low .. low + 2^q - 1. */
static inline int64_t ar_swing_window_low(int q)
{
    return -(INT64_C(0x2AAAAAAAAAAAAAAA) & ((INT64_C(1) << q) - 1));
}

/* The i-th set, i = 0 or 1, of the blocks that come to `rank` in step s of an all-gather, which begins with
 * step q-1; a set of count 0 is none. */
static inline struct ar_blocks ar_swing_blocks(int rank, int s, int nranks, int i)
{
    int q = ar_log2_ceil(nranks);
    int64_t stride = INT64_C(4) << s, displacement = i == 0 ? ar_swing_distance(s) : stride / 2;
    int64_t low = ar_swing_window_low(q), high = low + (INT64_C(1) << q) - 1;
    if (nranks % stride == 0) { /* once around, wherever it begins */
        low = 0;
        high = nranks - 1;
    } else if (nranks % (stride / 2) == 0) { /* what lies nranks away is here already */
        int64_t overlap = high + 1 - nranks;
        high = low + nranks - 1;
        low = overlap;
    }
    int64_t first = low + ((displacement - low) & (stride - 1));
    int64_t count = first > high ? 0 : (high - first) / stride + 1;
    /* The block's owner counts: one of the other parity, in set 0, the other way than this rank. */
    if ((rank + i) % 2)
        return (struct ar_blocks){rank - first, 1, -stride, count};
    return (struct ar_blocks){rank + first, 1, stride, count};
}
