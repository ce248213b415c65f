/* The k-nomial tree: the binomial tree in base k. Contiguous subtrees; the parent of v is v with its lowest
 * non-zero base-k digit cleared.
 *
 *     k = 3, 10 ranks:   0 -> 9, 3, 6, 1, 2    3 -> 4, 5    6 -> 7, 8
 *
 * Level j joins v and v + c * k^j (c = 1 .. k-1) for v a multiple of k^(j+1). (Open MPI build_kmtree.)
 */
#pragma once

#include <stdint.h>

/* The smallest number of levels with k^levels >= nranks; k >= 2. */
static inline int ar_knomial_levels(int nranks, int k)
{
    int levels = 0;
    for (int64_t reach = 1; reach < nranks; reach *= k)
        levels++;
    return levels;
}

/* k^level */
static inline int64_t ar_knomial_stride(int level, int k)
{
    int64_t stride = 1;
    while (level-- > 0)
        stride *= k;
    return stride;
}

/* The level at which v > 0 hangs below its parent. */
static inline int ar_knomial_level(int v, int k)
{
    int level = 0;
    for (; v % k == 0; v /= k)
        level++;
    return level;
}

static inline int ar_knomial_parent(int v, int k)
{
    int64_t stride = ar_knomial_stride(ar_knomial_level(v, k), k);
    return (int)(v - v % (stride * k));
}

/* The c-th child (c = 1 .. k-1) of v on level j, or -1. */
static inline int ar_knomial_child(int v, int level, int c, int k, int nranks)
{
    int64_t stride = ar_knomial_stride(level, k), child = v + c * stride;
    return v % (stride * k) == 0 && child < nranks ? (int)child : -1;
}
