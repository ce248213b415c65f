/* A binary tree whose ranks stand in order: all in a left subtree are lower than its parent, all in a right
 * one higher. NCCL's tree (src/graph/trees.cc, ncclGetBtree).
 *
 * The height of v is the number of its lowest set bit b; its children are v - b/2 and v + b/2, the latter
 * halved until it exists. Odd ranks are leaves. 0 stands outside: it has one child, the top.
 *
 *     0 -> 8    8 -> 4, 12    4 -> 2, 6    12 -> 10, 13    2 -> 1, 3  ...     (0 .. 13)
 *
 * `last` is the highest rank, at least 1.
 */
#pragma once

#include <stdbool.h>

#include "collectives/patterns/binomial.h"

static inline int ar_in_order_top(int last)
{
    return 1 << ar_log2_floor(last);
}

/* Of v > 0. */
static inline int ar_in_order_parent(int v, int last)
{
    long bit = v & -v, up = (v ^ bit) | bit << 1;
    return up <= last ? (int)up : (int)(v ^ bit);
}

/* The left or right child of v, or -1. 0 has its only one on the right. */
static inline int ar_in_order_child(int v, bool right, int last)
{
    int reach = v == 0 ? ar_in_order_top(last) : (v & -v) / 2;
    if (!right)
        return v > 0 && reach > 0 ? v - reach : -1;
    while (reach > 0 && v > last - reach)
        reach /= 2;
    return reach > 0 ? v + reach : -1;
}

/* The round in which v > 0 receives, when 0 sends in round 0 and every other rank serves its left child one
 * round after it has received and its right child two rounds after: one round per level and one more for each
 * right child on the way, of which there is one for every bit of v but the lowest. */
static inline int ar_in_order_arrival(int v, int last)
{
    int round = __builtin_popcount((unsigned)v) - 1;
    for (int at = v; at != ar_in_order_top(last); round++)
        at = ar_in_order_parent(at, last);
    return round;
}

/* Rounds until the last has received; last >= 0. The tree below the top's left child is full; only if that on
 * the right is full as well, and so as deep, does it take longer. */
static inline int ar_in_order_rounds(int last)
{
    if (last < 2)
        return last;
    int levels = ar_log2_floor(last);
    return 2 * levels + (last + 1 == 2 << levels);
}
