/* The binomial tree whose subtrees are contiguous: the parent of v is v with its lowest set bit cleared.
 *
 *     0 -> 4, 2, 1    2 -> 3    4 -> 6, 5    6 -> 7      (8 ranks, largest subtree first)
 *
 * Also called low-bit or in-order binomial (Open MPI build_in_order_bmtree, MPICH). Level j joins v and
 * v + 2^j for v a multiple of 2^(j+1); there are ceil(log2 nranks) levels.
 *
 * The other shape, ar_binomial_high_..., clears the highest bit instead (Open MPI build_bmtree): level j
 * joins v and v + 2^j for v < 2^j.
 *
 *     0 -> 1, 2, 4    1 -> 3, 5    2 -> 6    3 -> 7      (8 ranks, nearest child first)
 */
#pragma once

/* ceil(log2 n) for n >= 1 */
static inline int ar_log2_ceil(int n)
{
    return n <= 1 ? 0 : 32 - __builtin_clz((unsigned)n - 1);
}

/* floor(log2 n) for n >= 1 */
static inline int ar_log2_floor(int n)
{
    return 31 - __builtin_clz((unsigned)n);
}

/* The level at which v > 0 hangs below its parent. */
static inline int ar_binomial_level(int v)
{
    return __builtin_ctz((unsigned)v);
}

static inline int ar_binomial_parent(int v)
{
    return v & (v - 1);
}

/* The child of v on level j, or -1. */
static inline int ar_binomial_child(int v, int level, int nranks)
{
    long mask = 1L << level;
    return (v & (2 * mask - 1)) == 0 && v + mask < nranks ? (int)(v + mask) : -1;
}

static inline int ar_binomial_high_level(int v)
{
    return ar_log2_floor(v);
}

static inline int ar_binomial_high_parent(int v)
{
    return v - (1 << ar_log2_floor(v));
}

static inline int ar_binomial_high_child(int v, int level, int nranks)
{
    long reach = 1L << level;
    return v < reach && v + reach < nranks ? (int)(v + reach) : -1;
}
