/* Expressions over the contributions of ranks, each stored once: what the numbers of a symbolic walk mean.
 *
 * An expression is a leaf ("the contribution of rank r") or left o right. Equal expressions have equal
 * numbers, so comparing what two ranks hold is comparing two integers; 0 is "nothing". Both operands of a
 * node are disjoint: a contribution that would count twice is refused when the node is made, unless the store
 * is `idempotent` (a barrier's token may know twice that a rank has entered).
 *
 * The set of contributions is nearly always a run of consecutive ranks (modulo the number of ranks), which
 * takes two integers; only other sets get a bitset. So the proof of a ring on thousands of ranks fits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collectives/base/text.h"
#include "collectives/verify/room.h"

struct ar_expression {
    int left, right;   /* 0, 0 for a leaf */
    int first, length; /* the run of contributions; length 0: the set is bitset number `first` */
    bool ordered;      /* the leaves, left to right, are an ascending run of ranks */
};

struct ar_expressions {
    struct ar_room *room;
    int nranks, nwords;
    bool idempotent;
    struct ar_expression *item; /* 0: nothing, 1 + r: the leaf of rank r, then the nodes */
    int64_t n, capacity;        /* n <= INT_MAX, so that numbers are ints */
    int *slot;                  /* hash of (left, right) -> item; 0: free; nslots is a power of two */
    int64_t nslots, slot_capacity;
    uint64_t *bits; /* nbitsets * nwords */
    int64_t nbitsets, bits_capacity;
    uint64_t *mask[2]; /* room to write two runs as bitsets */
};

/* Bytes per expression, about: the item, 2 to 4 slots, and what growing leaves unused. */
enum { AR_EXPRESSION_BYTES = 40 };

/* AR_NO_MEMORY also leaves something to free. `room` must outlive the store. Not idempotent: set that after.
 */
enum ar_status ar_expressions_init(struct ar_expressions *expressions, int nranks, struct ar_room *room,
                                   struct ar_error *error);
void ar_expressions_free(struct ar_expressions *expressions);

static inline int ar_expression_leaf(int rank)
{
    return 1 + rank;
}

/* *made = left o right (neither is 0), or 0 when they share a contribution and must not. AR_NO_MEMORY when
 * there is no room for one more. */
enum ar_status ar_expressions_combine(struct ar_expressions *expressions, int left, int right, int *made,
                                      struct ar_error *error);

bool ar_expressions_contains(const struct ar_expressions *expressions, int expression, int rank);
bool ar_expressions_complete(const struct ar_expressions *expressions, int expression); /* of every rank */
bool ar_expressions_same_set(const struct ar_expressions *expressions, int a, int b);   /* neither is 0 */

/* Appends the contributions, "{0,2-4}". 0 is "nothing". */
void ar_expressions_set(const struct ar_expressions *expressions, int expression, struct ar_text *text);

/* Appends the expression, "((0 o 1) o 2)". False when that takes more than `limit` characters; they then end
 * in "...". */
bool ar_expressions_tree(const struct ar_expressions *expressions, int expression, size_t limit,
                         struct ar_text *text);
