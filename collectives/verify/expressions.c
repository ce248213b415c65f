#include "collectives/verify/expressions.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"

/* ---- Making the store -------------------------------------------------------------------------------- */

enum ar_status ar_expressions_init(struct ar_expressions *expressions, int nranks, struct ar_room *room,
                                   struct ar_error *error)
{
    struct ar_expressions *e = expressions;
    *e = (struct ar_expressions){.room = room, .nranks = nranks, .nwords = (nranks - 1) / 64 + 1};
    enum ar_status status = AR_ROOM(room, e->item, 1 + (int64_t)nranks, e->capacity, error);
    if (status == AR_OK)
        status = AR_ROOM(room, e->slot, 64, e->slot_capacity, error);
    if (status != AR_OK)
        return status;
    e->n = 1 + (int64_t)nranks;
    e->item[0] = (struct ar_expression){0};
    for (int rank = 0; rank < nranks; rank++)
        e->item[ar_expression_leaf(rank)] = (struct ar_expression){0, 0, rank, 1, true};
    e->nslots = 64;
    memset(e->slot, 0, (size_t)e->nslots * sizeof *e->slot);
    for (int i = 0; i < 2; i++)
        e->mask[i] = ar_alloc((size_t)e->nwords, sizeof *e->mask[i]);
    return AR_OK;
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

static enum ar_status store_union(struct ar_expressions *e, const struct ar_expression *a,
                                  const struct ar_expression *b, struct ar_expression *made,
                                  struct ar_error *error)
{
    if (e->nbitsets == e->bits_capacity) {
        size_t size = (size_t)e->nwords * sizeof *e->bits;
        enum ar_status status =
            ar_room_grow(e->room, &e->bits, e->nbitsets + 1, &e->bits_capacity, size, error);
        if (status != AR_OK)
            return status;
    }
    const uint64_t *x = bits_of(e, a, e->mask[0]), *y = bits_of(e, b, e->mask[1]);
    uint64_t *sum = e->bits + (size_t)e->nbitsets * (size_t)e->nwords;
    int size = 0;
    for (int i = 0; i < e->nwords; i++) {
        sum[i] = x[i] | y[i];
        size += __builtin_popcountll(sum[i]);
    }
    bool all = size == e->nranks;
    made->first = all ? 0 : (int)e->nbitsets++; /* at most one per expression */
    made->length = all ? size : 0;
    return AR_OK;
}

static enum ar_status unite(struct ar_expressions *e, const struct ar_expression *a,
                            const struct ar_expression *b, struct ar_expression *made, struct ar_error *error)
{
    if (a->length && b->length) {
        bool a_then_b = distance(e, a->first, b->first) == a->length;
        bool b_then_a = distance(e, b->first, a->first) == b->length;
        if (a_then_b || b_then_a) {
            made->length = a->length + b->length;
            made->first = made->length == e->nranks ? 0 : a_then_b ? a->first : b->first;
            return AR_OK;
        }
    }
    return store_union(e, a, b, made, error);
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

bool ar_expressions_same_set(const struct ar_expressions *expressions, int a, int b)
{
    const struct ar_expressions *e = expressions;
    const uint64_t *x = bits_of(e, &e->item[a], e->mask[0]), *y = bits_of(e, &e->item[b], e->mask[1]);
    return memcmp(x, y, (size_t)e->nwords * sizeof *x) == 0;
}

/* ---- Nodes ------------------------------------------------------------------------------------------- */

static int *slot_of(const struct ar_expressions *e, int left, int right)
{
    uint64_t key = (uint64_t)(unsigned)left << 32 | (unsigned)right;
    uint64_t mask = (uint64_t)e->nslots - 1;
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & mask;
    for (;; at = (at + 1) & mask) {
        int *slot = &e->slot[at];
        if (*slot == 0 || (e->item[*slot].left == left && e->item[*slot].right == right))
            return slot;
    }
}

static enum ar_status grow_slots(struct ar_expressions *e, struct ar_error *error)
{
    enum ar_status status = AR_ROOM(e->room, e->slot, 2 * e->nslots, e->slot_capacity, error);
    if (status != AR_OK)
        return status;
    e->nslots *= 2;
    memset(e->slot, 0, (size_t)e->nslots * sizeof *e->slot);
    for (int64_t i = 1 + e->nranks; i < e->n; i++)
        *slot_of(e, e->item[i].left, e->item[i].right) = (int)i;
    return AR_OK;
}

/* Room for one more item and its slot. */
static enum ar_status prepare_item(struct ar_expressions *e, struct ar_error *error)
{
    if (e->n == INT_MAX)
        return ar_fail(error, AR_NO_MEMORY, "the proof needs more than %d different expressions", INT_MAX);
    enum ar_status status = AR_ROOM(e->room, e->item, e->n + 1, e->capacity, error);
    if (status == AR_OK && 2 * (e->n - e->nranks) > e->nslots)
        status = grow_slots(e, error);
    return status;
}

enum ar_status ar_expressions_combine(struct ar_expressions *expressions, int left, int right, int *made,
                                      struct ar_error *error)
{
    struct ar_expressions *e = expressions;
    *made = *slot_of(e, left, right);
    bool overlap = !*made && !disjoint(e, &e->item[left], &e->item[right]);
    if (*made || (overlap && !e->idempotent))
        return AR_OK;
    enum ar_status status = prepare_item(e, error);
    if (status != AR_OK)
        return status;
    const struct ar_expression *a = &e->item[left], *b = &e->item[right];
    struct ar_expression node = {.left = left, .right = right};
    node.ordered = a->ordered && b->ordered && a->first + a->length == b->first;
    status = (overlap ? store_union : unite)(e, a, b, &node, error);
    if (status != AR_OK)
        return status;
    *made = (int)e->n++;
    e->item[*made] = node;
    *slot_of(e, left, right) = *made;
    return AR_OK;
}

/* ---- In words ---------------------------------------------------------------------------------------- */

void ar_expressions_set(const struct ar_expressions *expressions, int expression, struct ar_text *text)
{
    if (expression == 0) {
        ar_text_add(text, "nothing");
        return;
    }
    ar_text_add(text, "{");
    struct ar_ranges ranges = {text};
    for (int rank = 0; rank < expressions->nranks; rank++)
        if (ar_expressions_contains(expressions, expression, rank))
            ar_ranges_add(&ranges, rank);
    ar_ranges_end(&ranges);
    ar_text_add(text, "}");
}

/* Stops once the text is longer than `end`: a tree may be as deep as there are ranks, and this as deep as
 * there are characters. */
static void add_tree(const struct ar_expressions *e, int expression, size_t end, struct ar_text *text)
{
    const struct ar_expression *item = &e->item[expression];
    if (text->length > end)
        return;
    if (expression == 0) {
        ar_text_add(text, "nothing");
    } else if (item->left == 0) {
        ar_text_add(text, "%d", item->first);
    } else {
        ar_text_add(text, "(");
        add_tree(e, item->left, end, text);
        ar_text_add(text, " o ");
        add_tree(e, item->right, end, text);
        ar_text_add(text, ")");
    }
}

bool ar_expressions_tree(const struct ar_expressions *expressions, int expression, size_t limit,
                         struct ar_text *text)
{
    size_t end = text->length + limit;
    add_tree(expressions, expression, end, text);
    bool whole = text->length <= end;
    ar_text_shorten(text, end);
    return whole;
}
