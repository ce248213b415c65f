#include "collectives/verify/symbolic_expressions.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/verify/ranges.h"

/* ---- Making the store -------------------------------------------------------------------------------- */

void ar_expressions_init(struct ar_expressions *expressions, int nranks)
{
    struct ar_expressions *e = expressions;
    *e = (struct ar_expressions){.nranks = nranks, .nwords = (nranks + 63) / 64};
    e->n = 1 + nranks;
    e->capacity = 2 * e->n;
    e->item = ar_alloc((size_t)e->capacity, sizeof *e->item);
    for (int rank = 0; rank < nranks; rank++)
        e->item[ar_expression_leaf(rank)] = (struct ar_expression){0, 0, rank, 1, true};
    e->nslots = 64;
    e->slot = ar_alloc((size_t)e->nslots, sizeof *e->slot);
    for (int i = 0; i < 2; i++)
        e->mask[i] = ar_alloc((size_t)e->nwords, sizeof *e->mask[i]);
}

void ar_expressions_free(struct ar_expressions *expressions)
{
    free(expressions->item);
    free(expressions->slot);
    free(expressions->bits);
    free(expressions->mask[0]);
    free(expressions->mask[1]);
    *expressions = (struct ar_expressions){0};
}

/* ---- Sets of contributions --------------------------------------------------------------------------- */

static void set_bits(uint64_t *words, int first, int length)
{
    for (int rank = first; rank < first + length;) {
        int in_word = rank % 64,
            n = 64 - in_word < first + length - rank ? 64 - in_word : first + length - rank;
        words[rank / 64] |= ~UINT64_C(0) >> (64 - n) << in_word;
        rank += n;
    }
}

/* The set as a bitset: the stored one, or the run written to `mask`. */
static const uint64_t *bits_of(const struct ar_expressions *e, const struct ar_expression *item,
                               uint64_t *mask)
{
    if (item->length == 0)
        return e->bits + (size_t)item->first * (size_t)e->nwords;
    memset(mask, 0, (size_t)e->nwords * sizeof *mask);
    int before_end = e->nranks - item->first;
    int n = item->length < before_end ? item->length : before_end;
    set_bits(mask, item->first, n);
    set_bits(mask, 0, item->length - n);
    return mask;
}

/* How far `to` lies after `from` on the circle of ranks. */
static int distance(const struct ar_expressions *e, int from, int to)
{
    return to >= from ? to - from : to - from + e->nranks;
}

static bool disjoint(const struct ar_expressions *e, const struct ar_expression *a,
                     const struct ar_expression *b)
{
    if (a->length && b->length)
        return distance(e, a->first, b->first) >= a->length && distance(e, b->first, a->first) >= b->length;
    const uint64_t *x = bits_of(e, a, e->mask[0]), *y = bits_of(e, b, e->mask[1]);
    for (int i = 0; i < e->nwords; i++)
        if (x[i] & y[i])
            return false;
    return true;
}

static void store_union(struct ar_expressions *e, const struct ar_expression *a,
                        const struct ar_expression *b, struct ar_expression *made)
{
    if (e->nbitsets == e->bits_capacity) {
        e->bits_capacity = e->bits_capacity ? 2 * e->bits_capacity : 16;
        e->bits = ar_realloc(e->bits, (size_t)e->bits_capacity * (size_t)e->nwords, sizeof *e->bits);
    }
    const uint64_t *x = bits_of(e, a, e->mask[0]), *y = bits_of(e, b, e->mask[1]);
    uint64_t *sum = e->bits + (size_t)e->nbitsets * (size_t)e->nwords;
    int size = 0;
    for (int i = 0; i < e->nwords; i++) {
        sum[i] = x[i] | y[i];
        size += __builtin_popcountll(sum[i]);
    }
    made->first = size == e->nranks ? 0 : e->nbitsets++;
    made->length = size == e->nranks ? size : 0;
}

static void unite(struct ar_expressions *e, const struct ar_expression *a, const struct ar_expression *b,
                  struct ar_expression *made)
{
    if (a->length && b->length) {
        bool a_then_b = distance(e, a->first, b->first) == a->length;
        bool b_then_a = distance(e, b->first, a->first) == b->length;
        if (a_then_b || b_then_a) {
            made->length = a->length + b->length;
            made->first = made->length == e->nranks ? 0 : a_then_b ? a->first : b->first;
            return;
        }
    }
    store_union(e, a, b, made);
}

bool ar_expressions_contains(const struct ar_expressions *expressions, int expression, int rank)
{
    if (expression == 0)
        return false;
    const struct ar_expression *item = &expressions->item[expression];
    if (item->length)
        return distance(expressions, item->first, rank) < item->length;
    const uint64_t *words = expressions->bits + (size_t)item->first * (size_t)expressions->nwords;
    return words[rank / 64] >> (rank % 64) & 1;
}

bool ar_expressions_complete(const struct ar_expressions *expressions, int expression)
{
    return expression != 0 && expressions->item[expression].length == expressions->nranks;
}

/* ---- Nodes ------------------------------------------------------------------------------------------- */

static int *slot_of(const struct ar_expressions *e, int left, int right)
{
    uint64_t key = (uint64_t)(unsigned)left << 32 | (unsigned)right;
    unsigned mask = (unsigned)e->nslots - 1;
    unsigned at = (unsigned)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    for (;; at = (at + 1) & mask) {
        int *slot = &e->slot[at];
        if (*slot == 0 || (e->item[*slot].left == left && e->item[*slot].right == right))
            return slot;
    }
}

static void grow_slots(struct ar_expressions *e)
{
    free(e->slot);
    e->nslots *= 4;
    e->slot = ar_alloc((size_t)e->nslots, sizeof *e->slot);
    for (int i = 1 + e->nranks; i < e->n; i++)
        *slot_of(e, e->item[i].left, e->item[i].right) = i;
}

int ar_expressions_combine(struct ar_expressions *expressions, int left, int right)
{
    struct ar_expressions *e = expressions;
    int *slot = slot_of(e, left, right);
    if (*slot)
        return *slot;
    const struct ar_expression *a = &e->item[left], *b = &e->item[right];
    if (!disjoint(e, a, b))
        return 0;
    struct ar_expression made = {.left = left, .right = right};
    made.ordered = a->ordered && b->ordered && a->first + a->length == b->first;
    unite(e, a, b, &made);
    AR_GROW(e->item, e->n, e->capacity);
    e->item[e->n] = made;
    *slot = e->n++;
    if (2 * (e->n - e->nranks) > e->nslots)
        grow_slots(e);
    return e->n - 1;
}

/* ---- In words ---------------------------------------------------------------------------------------- */

void ar_symbolic_set(const struct ar_symbolic *symbolic, int expression, struct ar_text *text)
{
    const struct ar_expressions *e = ar_symbolic_expressions(symbolic);
    if (expression == 0) {
        ar_text_add(text, "nothing");
        return;
    }
    ar_text_add(text, "{");
    struct ar_ranges ranges = {text};
    for (int rank = 0; rank < e->nranks; rank++)
        if (ar_expressions_contains(e, expression, rank))
            ar_ranges_add(&ranges, rank);
    ar_ranges_end(&ranges);
    ar_text_add(text, "}");
}

void ar_symbolic_tree(const struct ar_symbolic *symbolic, int expression, struct ar_text *text)
{
    const struct ar_expression *item = &ar_symbolic_expressions(symbolic)->item[expression];
    if (expression == 0) {
        ar_text_add(text, "nothing");
    } else if (item->left == 0) {
        ar_text_add(text, "%d", item->first);
    } else { /* as deep as there are ranks at most, since operands are disjoint */
        ar_text_add(text, "(");
        ar_symbolic_tree(symbolic, item->left, text);
        ar_text_add(text, " o ");
        ar_symbolic_tree(symbolic, item->right, text);
        ar_text_add(text, ")");
    }
}
