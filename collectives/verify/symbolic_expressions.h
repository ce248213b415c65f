/* Expressions over the contributions of ranks, each stored once. Private to collectives/verify.
 *
 * An expression is a leaf ("the contribution of rank r") or left o right. Equal expressions have equal
 * numbers, so comparing what two ranks hold is comparing two integers; 0 is "nothing". Both operands of a
 * node are disjoint: a contribution that would count twice is refused when the node is made.
 *
 * The set of contributions is nearly always a run of consecutive ranks (modulo the number of ranks), which
 * takes two integers; only other sets get a bitset. So the proof of a ring on thousands of ranks fits.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collectives/base/text.h"
#include "collectives/verify/verify.h"

struct ar_expression {
    int left, right;   /* 0, 0 for a leaf */
    int first, length; /* the run of contributions; length 0: the set is bitset number `first` */
    bool ordered;      /* the leaves, left to right, are an ascending run of ranks */
};

struct ar_expressions {
    int nranks, nwords;
    struct ar_expression *item; /* 0: nothing, 1 + r: the leaf of rank r, then the nodes */
    int n, capacity;
    int *slot; /* hash of (left, right) -> item; 0: free; nslots is a power of two */
    int nslots;
    uint64_t *bits; /* nbitsets * nwords */
    int nbitsets, bits_capacity;
    uint64_t *mask[2]; /* room to write two runs as bitsets */
};

void ar_expressions_init(struct ar_expressions *expressions, int nranks);
void ar_expressions_free(struct ar_expressions *expressions);

static inline int ar_expression_leaf(int rank)
{
    return 1 + rank;
}

/* left o right (neither is 0), or 0 when they share a contribution. */
int ar_expressions_combine(struct ar_expressions *expressions, int left, int right);

bool ar_expressions_contains(const struct ar_expressions *expressions, int expression, int rank);
bool ar_expressions_complete(const struct ar_expressions *expressions, int expression); /* of every rank */

/* The expression store of a walk. */
const struct ar_expressions *ar_symbolic_expressions(const struct ar_symbolic *symbolic);

/* AR_FAILED with "COLL:ALG, P ranks[, root R], WHEN: " and the rest. */
enum ar_status ar_symbolic_fail(const struct ar_schedule *schedule, const char *when, struct ar_error *error,
                                const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Cuts `text` to `limit` characters, the last three of them "...", when it is longer. */
void ar_symbolic_shorten(struct ar_text *text, size_t limit);
