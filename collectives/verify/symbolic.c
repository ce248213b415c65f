/* Walking a schedule round by round on expressions instead of numbers: see verify.h. */
#include "collectives/verify/verify.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/messages.h"
#include "collectives/registry.h"
#include "collectives/verify/ranges.h"
#include "collectives/verify/symbolic_expressions.h"

/* One block on its way: its name, and what it held when the round began. */
struct carried {
    int64_t block;
    int expression;
};

struct sent {
    int rank, peer;
    int64_t first, n; /* its blocks: carried[first .. first + n - 1] */
    int64_t taken;    /* how many of them the receiver has taken */
};

/* What remains to be done once all sends are known: receives and local work, in emission order. */
struct pending {
    int rank, peer;
    struct ar_action action;
};

struct ar_symbolic {
    const struct ar_schedule *schedule;
    const struct ar_collective *collective;
    struct ar_layout layout; /* one element per block, so offsets are names of blocks */
    int nranks;
    int64_t nblocks;
    struct ar_expressions expressions;
    int *vector, *scratch; /* [rank * nblocks + block]; scratch is made when it is first written */
    int64_t *first, *last; /* the span of every rank */
    struct ar_messages messages;

    /* The round being applied. */
    int64_t round;
    struct sent *sent;
    struct carried *carried;
    struct pending *pending;
    int64_t nsent, ncarried, npending;
    int64_t sent_capacity, carried_capacity, pending_capacity;
    int64_t *sent_of; /* message of the rank being collected -> index in sent */
    int sent_of_capacity;
    int64_t *slot; /* hash of (rank, peer) -> 1 + index in sent; a power of two */
    int64_t nslots, slot_capacity;
};

/* ---- Sentences --------------------------------------------------------------------------------------- */

enum { LONGEST_LIST = 160 };

void ar_symbolic_shorten(struct ar_text *text, size_t limit)
{
    if (text->length <= limit)
        return;
    memset(text->data + limit - 3, '.', 3);
    text->data[limit] = '\0';
    text->length = limit;
}

enum ar_status ar_symbolic_fail(const struct ar_schedule *schedule, const char *when, struct ar_error *error,
                                const char *format, ...)
{
    const struct ar_algorithm *algorithm = schedule->algorithm;
    int nranks = schedule->problem.nranks;
    char root[32] = "", what[sizeof error->text];
    if (ar_collective_rooted(algorithm->collective))
        snprintf(root, sizeof root, ", root %d", schedule->problem.root);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return ar_fail(error, AR_FAILED, "%s:%s, %d rank%s%s, %s: %s", ar_collectives[algorithm->collective].name,
                   algorithm->name, nranks, nranks == 1 ? "" : "s", root, when, what);
}

#define BROKEN(s, error, ...) ar_symbolic_fail((s)->schedule, when((s), (char[40]){0}), error, __VA_ARGS__)

static const char *when(const struct ar_symbolic *s, char text[40])
{
    snprintf(text, 40, "round %" PRId64, s->round + 1);
    return text;
}

/* Appends "block 3" or "blocks 0-2,5". */
static void end_of_blocks(struct ar_text *text, struct ar_text *list, struct ar_ranges *ranges)
{
    ar_ranges_end(ranges);
    ar_symbolic_shorten(list, LONGEST_LIST);
    ar_text_add(text, "%s %s", ranges->n == 1 ? "block" : "blocks", list->data ? list->data : "");
    ar_text_free(list);
}

static void add_blocks_sent(const struct ar_symbolic *s, const struct sent *sent, struct ar_text *text)
{
    struct ar_text list = {0};
    struct ar_ranges ranges = {&list};
    for (int64_t i = 0; i < sent->n; i++)
        ar_ranges_add(&ranges, s->carried[sent->first + i].block);
    end_of_blocks(text, &list, &ranges);
}

static void add_blocks_expected(const struct ar_symbolic *s, int rank, int peer, struct ar_text *text)
{
    struct ar_text list = {0};
    struct ar_ranges ranges = {&list};
    for (int64_t i = 0; i < s->npending; i++) {
        const struct pending *pending = &s->pending[i];
        if (pending->rank == rank && pending->peer == peer)
            for (int64_t j = 0; j < pending->action.length; j++)
                ar_ranges_add(&ranges, pending->action.offset + j);
    }
    end_of_blocks(text, &list, &ranges);
}

static enum ar_status blocks_differ(const struct ar_symbolic *s, const struct sent *sent,
                                    struct ar_error *error)
{
    struct ar_text expected = {0}, given = {0};
    add_blocks_expected(s, sent->peer, sent->rank, &expected);
    add_blocks_sent(s, sent, &given);
    enum ar_status status = BROKEN(s, error, "rank %d expects %s from rank %d, which sends %s", sent->peer,
                                   expected.data, sent->rank, given.data);
    ar_text_free(&expected);
    ar_text_free(&given);
    return status;
}

static enum ar_status never_received(const struct ar_symbolic *s, const struct sent *sent,
                                     struct ar_error *error)
{
    struct ar_text given = {0};
    add_blocks_sent(s, sent, &given);
    enum ar_status status = BROKEN(s, error, "rank %d sends %s to rank %d, which does not expect a message",
                                   sent->rank, given.data, sent->peer);
    ar_text_free(&given);
    return status;
}

static enum ar_status counts_twice(const struct ar_symbolic *s, int rank, int64_t block, int held, int other,
                                   struct ar_error *error)
{
    struct ar_text x = {0}, y = {0};
    int twice = 0;
    while (!ar_expressions_contains(&s->expressions, held, twice) ||
           !ar_expressions_contains(&s->expressions, other, twice))
        twice++;
    ar_symbolic_set(s, held, &x);
    ar_symbolic_set(s, other, &y);
    ar_symbolic_shorten(&x, LONGEST_LIST);
    ar_symbolic_shorten(&y, LONGEST_LIST);
    enum ar_status status = BROKEN(s, error,
                                   "rank %d, block %" PRId64
                                   " combines %s with %s: the contribution of rank %d would count twice",
                                   rank, block, x.data, y.data, twice);
    ar_text_free(&x);
    ar_text_free(&y);
    return status;
}

/* ---- What ranks hold --------------------------------------------------------------------------------- */

/* The contribution of `rank` to `block`, where the collective lets it make one. */
static int own(const struct ar_symbolic *s, int rank, int64_t block)
{
    bool has = ar_schedule_at(s->schedule, s->collective->starts, rank, block);
    return has ? ar_expression_leaf(rank) : 0;
}

static size_t cell(const struct ar_symbolic *s, int rank, int64_t block)
{
    return (size_t)rank * (size_t)s->nblocks + (size_t)block;
}

static int held_at(const struct ar_symbolic *s, int place, int rank, int64_t block)
{
    switch (place) {
    case AR_INPUT:
        return own(s, rank, block);
    case AR_SCRATCH:
        return s->scratch ? s->scratch[cell(s, rank, block)] : 0;
    default:
        return s->vector[cell(s, rank, block)];
    }
}

static void hold(struct ar_symbolic *s, int place, int rank, int64_t block, int expression)
{
    if (place == AR_SCRATCH && !s->scratch)
        s->scratch = ar_alloc((size_t)s->nranks * (size_t)s->nblocks, sizeof *s->scratch);
    int *to = place == AR_SCRATCH ? s->scratch : s->vector;
    to[cell(s, rank, block)] = expression;
}

struct ar_symbolic *ar_symbolic_new(const struct ar_schedule *schedule)
{
    struct ar_symbolic *s = ar_alloc(1, sizeof *s);
    s->schedule = schedule;
    s->collective = &ar_collectives[schedule->algorithm->collective];
    s->nranks = schedule->problem.nranks;
    s->nblocks = ar_nblocks(schedule);
    s->layout = ar_layout_of_blocks(s->nblocks);
    ar_expressions_init(&s->expressions, s->nranks);
    s->vector = ar_alloc((size_t)s->nranks * (size_t)s->nblocks, sizeof *s->vector);
    s->first = ar_alloc((size_t)s->nranks, sizeof *s->first);
    s->last = ar_alloc((size_t)s->nranks, sizeof *s->last);
    for (int rank = 0; rank < s->nranks; rank++) {
        ar_schedule_span(schedule, rank, &s->first[rank], &s->last[rank]);
        for (int64_t block = 0; block < s->nblocks; block++)
            s->vector[cell(s, rank, block)] = own(s, rank, block);
    }
    return s;
}

void ar_symbolic_free(struct ar_symbolic *symbolic)
{
    if (!symbolic)
        return;
    ar_expressions_free(&symbolic->expressions);
    ar_messages_free(&symbolic->messages);
    free(symbolic->vector);
    free(symbolic->scratch);
    free(symbolic->first);
    free(symbolic->last);
    free(symbolic->sent);
    free(symbolic->carried);
    free(symbolic->pending);
    free(symbolic->sent_of);
    free(symbolic->slot);
    free(symbolic);
}

int ar_symbolic_held(const struct ar_symbolic *symbolic, int rank, int64_t block)
{
    return symbolic->vector[cell(symbolic, rank, block)];
}

bool ar_symbolic_contains(const struct ar_symbolic *symbolic, int expression, int rank)
{
    return ar_expressions_contains(&symbolic->expressions, expression, rank);
}

int64_t ar_symbolic_messages(const struct ar_symbolic *symbolic)
{
    return symbolic->nsent;
}

const struct ar_expressions *ar_symbolic_expressions(const struct ar_symbolic *symbolic)
{
    return &symbolic->expressions;
}

/* ---- Collecting what the ranks do -------------------------------------------------------------------- */

static enum ar_status check_step(const struct ar_symbolic *s, int rank, const struct ar_step *step,
                                 struct ar_error *error)
{
    bool local = step->kind == AR_COPY || step->kind == AR_FOLD;
    if (step->kind > AR_FOLD || step->order > AR_OTHER_FIRST || step->from >= AR_NPLACES ||
        step->to >= AR_NPLACES)
        return BROKEN(s, error,
                      "rank %d emits a step that does not exist (kind %d, order %d, from %d, to %d)", rank,
                      step->kind, step->order, step->from, step->to);
    if (!local && (step->peer < 0 || step->peer >= s->nranks))
        return BROKEN(s, error, "rank %d names rank %d, which does not exist", rank, step->peer);
    if (step->peer == rank)
        return BROKEN(s, error, "rank %d %s itself", rank,
                      step->kind == AR_SEND ? "sends a message to" : "expects a message from");
    if (local && step->peer >= 0)
        return BROKEN(s, error, "rank %d names rank %d in a local step", rank, step->peer);
    if (step->kind == AR_FOLD && step->order == AR_BY_RANK)
        return BROKEN(s, error, "rank %d folds without saying which operand comes first", rank);
    if (step->kind != AR_SEND && step->to == AR_INPUT)
        return BROKEN(s, error, "rank %d writes to its input", rank);
    if ((step->kind == AR_RECEIVE_REDUCE || step->kind == AR_FOLD) && !s->collective->reduces)
        return BROKEN(s, error, "rank %d combines, but a %s does not reduce", rank, s->collective->name);
    if (step->base < 0 || step->modulus < 1 || step->base + step->modulus > s->nblocks)
        return BROKEN(s, error,
                      "rank %d names blocks %" PRId64 "..%" PRId64 ", but there are only %" PRId64
                      " (counted from 0)",
                      rank, step->base, step->base + step->modulus - 1, s->nblocks);
    return AR_OK;
}

static enum ar_status carry(struct ar_symbolic *s, int rank, const struct sent *sent,
                            const struct ar_action *action, struct ar_error *error)
{
    for (int64_t i = 0; i < action->length; i++) {
        int64_t block = action->offset + i;
        int expression = held_at(s, action->from, rank, block);
        if (expression == 0)
            return BROKEN(s, error, "rank %d sends block %" PRId64 " but holds nothing there", rank, block);
        s->carried[sent->first + action->at + i] = (struct carried){block, expression};
    }
    return AR_OK;
}

/* Makes room for the blocks of all messages that `rank` sends; `carry` fills it. */
static void add_sent(struct ar_symbolic *s, int rank)
{
    for (int i = 0; i < s->messages.nmessages; i++) {
        const struct ar_message *message = &s->messages.message[i];
        AR_GROW(s->sent_of, i, s->sent_of_capacity);
        s->sent_of[i] = s->nsent;
        if (!message->sent)
            continue;
        AR_GROW(s->sent, s->nsent, s->sent_capacity);
        s->sent[s->nsent++] = (struct sent){rank, message->peer, s->ncarried, message->elements, 0};
        s->ncarried += message->elements;
    }
    if (s->ncarried > s->carried_capacity) {
        s->carried_capacity = 2 * s->ncarried;
        s->carried = ar_realloc(s->carried, (size_t)s->carried_capacity, sizeof *s->carried);
    }
}

static enum ar_status collect(struct ar_symbolic *s, int rank, struct ar_error *error)
{
    struct ar_messages *messages = &s->messages;
    ar_messages_of_round(s->schedule, &s->layout, rank, s->round, messages);
    enum ar_status status = AR_OK;
    for (int i = 0; i < messages->sink.n && status == AR_OK; i++)
        status = check_step(s, rank, &messages->sink.step[i], error);
    if (status == AR_OK)
        add_sent(s, rank);
    for (int i = 0; i < messages->nactions && status == AR_OK; i++) {
        const struct ar_action *action = &messages->action[i];
        int peer = action->message < 0 ? -1 : messages->message[action->message].peer;
        if (action->kind == AR_SEND) {
            status = carry(s, rank, &s->sent[s->sent_of[action->message]], action, error);
        } else {
            AR_GROW(s->pending, s->npending, s->pending_capacity);
            s->pending[s->npending++] = (struct pending){rank, peer, *action};
        }
    }
    return status;
}

/* ---- Matching and applying --------------------------------------------------------------------------- */

static int64_t *slot_of(const struct ar_symbolic *s, int rank, int peer)
{
    uint64_t key = (uint64_t)(unsigned)rank << 32 | (unsigned)peer;
    int64_t mask = s->nslots - 1;
    int64_t at = (int64_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & mask;
    for (;; at = (at + 1) & mask) {
        const struct sent *sent = s->slot[at] ? &s->sent[s->slot[at] - 1] : NULL;
        if (!sent || (sent->rank == rank && sent->peer == peer))
            return &s->slot[at];
    }
}

static void index_sent(struct ar_symbolic *s)
{
    s->nslots = 16;
    while (s->nslots < 2 * s->nsent)
        s->nslots *= 2;
    if (s->nslots > s->slot_capacity) {
        s->slot_capacity = s->nslots;
        s->slot = ar_realloc(s->slot, (size_t)s->slot_capacity, sizeof *s->slot);
    }
    memset(s->slot, 0, (size_t)s->nslots * sizeof *s->slot);
    for (int64_t i = 0; i < s->nsent; i++)
        *slot_of(s, s->sent[i].rank, s->sent[i].peer) = 1 + i;
}

static enum ar_status combine(struct ar_symbolic *s, const struct pending *pending, int64_t block, int other,
                              struct ar_error *error)
{
    const struct ar_action *action = &pending->action;
    int held = held_at(s, action->to, pending->rank, block);
    if (held == 0)
        return BROKEN(s, error, "rank %d combines block %" PRId64 " but holds nothing there", pending->rank,
                      block);
    bool held_first = action->order == AR_HELD_FIRST;
    int made = ar_expressions_combine(&s->expressions, held_first ? held : other, held_first ? other : held);
    if (made == 0)
        return counts_twice(s, pending->rank, block, held, other, error);
    hold(s, action->to, pending->rank, block, made);
    return AR_OK;
}

static enum ar_status apply_local(struct ar_symbolic *s, const struct pending *pending,
                                  struct ar_error *error)
{
    const struct ar_action *action = &pending->action;
    enum ar_status status = AR_OK;
    for (int64_t i = 0; i < action->length && status == AR_OK; i++) {
        int64_t block = action->offset + i;
        int other = held_at(s, action->from, pending->rank, block);
        if (other == 0)
            return BROKEN(s, error, "rank %d %s block %" PRId64 " but holds nothing there", pending->rank,
                          action->kind == AR_COPY ? "copies" : "folds", block);
        if (action->kind == AR_FOLD)
            status = combine(s, pending, block, other, error);
        else
            hold(s, action->to, pending->rank, block, other);
    }
    return status;
}

static enum ar_status apply_received(struct ar_symbolic *s, const struct pending *pending,
                                     struct ar_error *error)
{
    const struct ar_action *action = &pending->action;
    int64_t found = *slot_of(s, pending->peer, pending->rank);
    if (found == 0)
        return BROKEN(s, error, "rank %d expects a message from rank %d, which sends none", pending->rank,
                      pending->peer);
    struct sent *sent = &s->sent[found - 1];
    if (action->at + action->length > sent->n)
        return blocks_differ(s, sent, error);
    enum ar_status status = AR_OK;
    for (int64_t i = 0; i < action->length && status == AR_OK; i++) {
        const struct carried *carried = &s->carried[sent->first + action->at + i];
        int64_t block = action->offset + i;
        if (carried->block != block)
            return blocks_differ(s, sent, error);
        if (action->kind == AR_RECEIVE_REDUCE)
            status = combine(s, pending, block, carried->expression, error);
        else
            hold(s, action->to, pending->rank, block, carried->expression);
    }
    sent->taken += action->length;
    return status;
}

enum ar_status ar_symbolic_round(struct ar_symbolic *symbolic, int64_t k, struct ar_error *error)
{
    struct ar_symbolic *s = symbolic;
    enum ar_status status = AR_OK;
    s->round = k;
    s->nsent = s->ncarried = s->npending = 0;
    for (int rank = 0; rank < s->nranks && status == AR_OK; rank++)
        if (s->first[rank] <= k && k <= s->last[rank])
            status = collect(s, rank, error);
    if (status != AR_OK || s->nsent + s->npending == 0)
        return status;
    index_sent(s);
    for (int64_t i = 0; i < s->npending && status == AR_OK; i++) {
        const struct pending *pending = &s->pending[i];
        status = pending->peer < 0 ? apply_local(s, pending, error) : apply_received(s, pending, error);
    }
    for (int64_t i = 0; i < s->nsent && status == AR_OK; i++) {
        const struct sent *sent = &s->sent[i];
        if (sent->taken == 0)
            return never_received(s, sent, error);
        if (sent->taken < sent->n)
            return blocks_differ(s, sent, error);
    }
    return status;
}
