/* The binary tree filled level by level (Open MPI build_tree with fan-out 2): level L holds the 2^L ranks
 * from 2^L - 1 on, and the children of v on it are v + 2^L and v + 2^(L+1).
 *
 *     0 -> 1, 2    1 -> 3, 5    2 -> 4, 6      (7 ranks)
 *
 * So the odd ranks are one half of the tree and the even ones the other, and the subtrees of two siblings
 * differ by at most one rank.
 *
 * Who serves the first child before the second, and starts when served, has its data in the round
 * ar_binary_arrival: one round per level, and one more for every second child on the way.
 */
#pragma once

#include "collectives/patterns/binomial.h"

/* The level of v, the root's being 0. */
static inline int ar_binary_level(int v)
{
    return ar_log2_floor(v + 1);
}

static inline int ar_binary_parent(int v)
{
    int width = 1 << ar_binary_level(v), place = v + 1 - width; /* on its level, 0 .. width - 1 */
    return width / 2 - 1 + place % (width / 2);
}

/* The first (0) or second (1) child of v, or -1. */
static inline int ar_binary_child(int v, int which, int nranks)
{
    long child = v + ((1L + which) << ar_binary_level(v));
    return child < nranks ? (int)child : -1;
}

/* The round in which v receives; -1 for the root, which has its data before the first. */
static inline int ar_binary_arrival(int v)
{
    int level = ar_binary_level(v);
    return level + __builtin_popcount((unsigned)(v + 1) ^ 1U << level) - 1;
}

/* Rounds until the last of nranks has received: the latest is on the last level, or the last of a full one.
 */
static inline int ar_binary_rounds(int nranks)
{
    int level = ar_log2_floor(nranks), more = nranks - (1 << level);
    int last = level + ar_log2_floor(more + 1), full = 2 * (level - 1);
    return last > full ? last : full;
}

/* Rounds from one segment to the next: who has two children serves one in each. */
static inline int ar_binary_period(int nranks)
{
    return nranks > 2 ? 2 : 1;
}
