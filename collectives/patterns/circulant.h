/* The circulant graph of halved skips: an edge from every rank r to r + skip[k] (mod nranks), with
 *
 *     skip[q] = nranks, skip[k] = ceil(skip[k+1] / 2), so skip[0] = 1; q = ceil(log2 nranks)
 *
 *     17 ranks: 1 2 3 5 9 17
 *
 * On 2^q ranks these are the distances 1, 2, 4, ...; otherwise they serve as well, with nothing folded in.
 * (Bruck et al. 1997; Traeff, ACM TOPC 2025, doi 10.1145/3735139)
 */
#pragma once

#include <stdint.h>

#include "collectives/patterns/binomial.h"

enum { AR_CIRCULANT_ROUNDS = 31 }; /* q for the largest int */

/* skip[k], k = 0 .. q. Rounding up step by step is rounding up once. */
static inline int ar_circulant_skip(int nranks, int k)
{
    int halvings = ar_log2_ceil(nranks) - k;
    return (int)((nranks + ((int64_t)1 << halvings) - 1) >> halvings);
}

/* The n'-block broadcast schedule: which block `vrank` receives from vrank - skip[k], k = 0 .. n-1 (n <= q),
 * in a phase of q rounds. Every rank but the root receives one block numbered 0 .. q-1 in the first phase,
 * its base block; the other entries are negative: -1 .. -q without the base block's, and mean the block q
 * higher one phase later. So block[k] + j * q arrives in round k of phase j, and what a rank sends is its
 * receiver's entry. O(log nranks) for all of them.
 *
 * Two conditions make it a broadcast (tests/laws/test_circulant.c): the root, which has everything, sends
 * block k in round k, and every other rank sends what it received earlier in the phase, or its base block of
 * the phase before. (Traeff, algorithms 1 to 6) */
void ar_circulant_receives(int nranks, int vrank, int n, int8_t *block);
