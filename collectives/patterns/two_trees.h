/* Two in-order trees (patterns/in_order.h) over the ranks 1 .. last, in which no rank has children in both
 * (Sanders, Speck, Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, Parallel
 * Computing 35(12), 2009): the second is the mirror image, v in the place of its mirror. If `last` is odd it
 * has no mirror: it is a leaf of the first tree and takes its own place in the second too. (NCCL's trees need
 * no common root 0 and mirror it with the rest, or shift all ranks by one.)
 *
 * Edges have two colours, so that the two that reach a rank differ and the two that leave it as well. The
 * colour is that of an edge's lower end; an edge of the second tree has the other colour than its image in
 * the first. Then a rank's two edges differ exactly if it and its mirror image have the same colour in the
 * first tree, which for odd ranks is how they get theirs. For even ranks the colour counts the moves to the
 * right on the way from the top, or those to the left if last/2 is even. Why the odd children v - 1 and v + 1
 * of one rank differ: their images are a leaf and its neighbour in the tree of the even ranks, and the way
 * from one to the other is a move to one side and any number to the other.
 */
#pragma once

#include "collectives/patterns/in_order.h"

/* v's place in the second tree, and the rank in a place: the same. */
static inline int ar_twin_place(int v, int last)
{
    int even = last & ~1;
    return v == 0 || v > even ? v : even + 1 - v;
}

static inline int ar_twin_parent(int v, int tree, int last)
{
    if (tree == 0)
        return ar_in_order_parent(v, last);
    return ar_twin_place(ar_in_order_parent(ar_twin_place(v, last), last), last);
}

/* How many children v has in tree 0 or 1, and which, the left one first. */
static inline int ar_twin_children(int v, int tree, int last, int child[2])
{
    int n = 0;
    for (int right = 0; right < 2; right++) {
        int place = ar_in_order_child(tree ? ar_twin_place(v, last) : v, right, last);
        if (place >= 0)
            child[n++] = tree ? ar_twin_place(place, last) : place;
    }
    return n;
}

/* One step from `at` towards v, which is below it. */
static inline int ar_twin_towards(int at, int v, int last)
{
    return ar_in_order_child(at, v > at, last);
}

/* Whether a step down to the even rank `to` changes the colour. */
static inline bool ar_twin_step_changes(int from, int to, int last)
{
    return (to > from) == (last / 2 % 2 == 1);
}

/* The colour of the edge to v > 0 in the first tree. */
static inline bool ar_twin_color(int v, int last)
{
    bool color = false, other = false;
    if (v % 2 == 1 && last > 1) {
        other = v > (last & ~1); /* unlike its sibling; else like its mirror image */
        v = other ? ar_in_order_child(v - 1, false, last) : ar_twin_place(v, last);
        if (v % 2 == 1)
            v = ar_twin_place(v, last);
    }
    for (int at = ar_in_order_top(last); at != v;) {
        int next = ar_twin_towards(at, v, last);
        color ^= ar_twin_step_changes(at, next, last);
        at = next;
    }
    return color ^ other;
}

/* The round in which v > 0 receives first in tree 0 or 1, when edges of colour c carry data in the rounds k
 * with k mod 2 = c: one round after its parent, or two where the edge above has the same colour. -1 for 0. */
static inline int ar_twin_arrival(int v, int tree, int last)
{
    int place = tree ? ar_twin_place(v, last) : v, round = tree;
    if (v == 0)
        return -1;
    bool color = false;
    for (int at = ar_in_order_top(last); at != place;) {
        int next = ar_twin_towards(at, place, last);
        bool changes =
            next % 2 == 0 ? ar_twin_step_changes(at, next, last) : ar_twin_color(next, last) != color;
        color ^= changes;
        round += changes ? 1 : 2;
        at = next;
    }
    return round;
}

/* Rounds until all have received in both trees: two per level, one less if last/2 is even. */
static inline int ar_twin_rounds(int last)
{
    return 2 * ar_log2_ceil(last + 1) - (last > 1 && last / 2 % 2 == 0);
}
