/* Walking a schedule round by round on expressions instead of numbers: see verify.h. */
#include "collectives/verify/symbolic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/registry.h"

/* ---- Finding messages --------------------------------------------------------------------------------- */

static int64_t *slot_of(const struct ar_symbolic *s, int rank, int peer)
{
    uint64_t key = (uint64_t)(unsigned)rank << 32 | (unsigned)peer;
    uint64_t mask = (uint64_t)s->nslots - 1;
    uint64_t at = key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & mask;
    for (;; at = (at + 1) & mask) {
        const struct ar_sent *sent = s->slot[at] ? &s->sent[s->slot[at] - 1] : NULL;
        if (!sent || (sent->rank == rank && sent->peer == peer))
            return &s->slot[at];
    }
}

static enum ar_status index_sent(struct ar_symbolic *s, struct ar_error *error)
{
    s->nslots = 16;
    while (s->nslots < 2 * s->nsent)
        s->nslots *= 2;
    enum ar_status status = AR_ROOM(&s->room, s->slot, s->nslots, s->slot_capacity, error);
    if (status != AR_OK)
        return status;
    memset(s->slot, 0, (size_t)s->nslots * sizeof *s->slot);
    for (int64_t i = 0; i < s->nsent; i++)
        *slot_of(s, s->sent[i].rank, s->sent[i].peer) = 1 + i;
    return AR_OK;
}

/* A message of the round that its receiver does not expect, NULL when there is none: of those, best one that
 * `peer` sends or that `rank` gets. Spoils `taken`. */
static const struct ar_sent *stray_message(struct ar_symbolic *s, int rank, int peer)
{
    const struct ar_sent *best = NULL;
    for (int64_t i = 0; i < s->nsent; i++)
        s->sent[i].taken = 0;
    for (int64_t i = 0; i < s->npending; i++) {
        const struct ar_pending *pending = &s->pending[i];
        int64_t found = pending->peer < 0 ? 0 : *slot_of(s, pending->peer, pending->rank);
        if (found)
            s->sent[found - 1].taken = 1;
    }
    for (int64_t i = 0; i < s->nsent; i++) {
        const struct ar_sent *sent = &s->sent[i];
        bool near = sent->rank == peer || sent->peer == rank;
        if (!sent->taken && (near || !best))
            best = sent;
        if (best == sent && near)
            break;
    }
    return best;
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

static enum ar_status make_scratch(struct ar_symbolic *s, struct ar_error *error)
{
    int64_t cells = s->nranks * s->nblocks;
    enum ar_status status = AR_ROOM(&s->room, s->scratch, cells, s->scratch_capacity, error);
    if (status == AR_OK)
        memset(s->scratch, 0, (size_t)cells * sizeof *s->scratch);
    return status;
}

static void hold(struct ar_symbolic *s, int place, int rank, int64_t block, int expression)
{
    int *to = place == AR_SCRATCH ? s->scratch : s->vector;
    to[cell(s, rank, block)] = expression;
}

/* Before anything is taken: what every rank holds, and one tree of expressions for every part of the vector
 * (the splits of a part are nearly always combined alike). */
static enum ar_status check_size(const struct ar_symbolic *s, struct ar_error *error)
{
    double cells = (double)s->nranks * (double)s->nblocks;
    double trees = s->collective->reduces ? (double)ar_nparts(s->schedule) : 1;
    if (s->nblocks < 1) {
        struct ar_text schedule = {0};
        ar_schedule_describe(s->schedule, &schedule);
        ar_fail(error, AR_FAILED, "%s: the vector is cut into %" PRId64 " blocks, expected at least 1",
                schedule.data, s->nblocks);
        ar_text_free(&schedule);
        return AR_FAILED;
    }
    return ar_room_check(&s->room, cells * sizeof *s->vector + trees * s->nranks * AR_EXPRESSION_BYTES,
                         error);
}

static enum ar_status start(struct ar_symbolic *s, struct ar_error *error)
{
    enum ar_status status = check_size(s, error);
    if (status == AR_OK)
        status = AR_ROOM(&s->room, s->vector, s->nranks * s->nblocks, s->vector_capacity, error);
    if (status == AR_OK)
        status = ar_expressions_init(&s->expressions, s->nranks, &s->room, error);
    if (status != AR_OK)
        return status;
    s->expressions.idempotent = s->collective->token;
    s->first = ar_alloc((size_t)s->nranks, sizeof *s->first);
    s->last = ar_alloc((size_t)s->nranks, sizeof *s->last);
    for (int rank = 0; rank < s->nranks; rank++) {
        ar_schedule_span(s->schedule, rank, &s->first[rank], &s->last[rank]);
        for (int64_t block = 0; block < s->nblocks; block++)
            hold(s, AR_VECTOR, rank, block, own(s, rank, block));
    }
    return AR_OK;
}

enum ar_status ar_symbolic_new(const struct ar_schedule *schedule, struct ar_symbolic **symbolic,
                               struct ar_error *error)
{
    struct ar_symbolic *s = ar_alloc(1, sizeof *s);
    s->schedule = schedule;
    s->collective = &ar_collectives[schedule->algorithm->collective];
    s->nranks = schedule->problem.nranks;
    s->nblocks = ar_nblocks(schedule);
    s->layout = ar_layout_of_blocks(s->nblocks);
    enum ar_status status = start(s, error);
    if (status == AR_OK)
        *symbolic = s;
    else
        ar_symbolic_free(s);
    return status;
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

int64_t ar_symbolic_messages(const struct ar_symbolic *symbolic)
{
    return symbolic->nsent;
}

const struct ar_expressions *ar_symbolic_expressions(const struct ar_symbolic *symbolic)
{
    return &symbolic->expressions;
}

/* ---- Collecting what the ranks do -------------------------------------------------------------------- */

static enum ar_status carry(struct ar_symbolic *s, int rank, const struct ar_sent *sent,
                            const struct ar_action *action, struct ar_error *error)
{
    for (int64_t i = 0; i < action->length; i++) {
        int64_t block = action->offset + i;
        int expression = held_at(s, action->from, rank, block);
        if (expression == 0)
            return ar_fault(s, error, "rank %d sends block %" PRId64 " but holds nothing there", rank, block);
        s->carried[sent->first + action->at + i] = (struct ar_carried){block, expression};
    }
    return AR_OK;
}

/* Makes room for the blocks of all messages that `rank` sends; `carry` fills it. */
static enum ar_status add_sent(struct ar_symbolic *s, int rank, struct ar_error *error)
{
    enum ar_status status = AR_ROOM(&s->room, s->sent_of, s->messages.nmessages, s->sent_of_capacity, error);
    if (status == AR_OK)
        status = AR_ROOM(&s->room, s->sent, s->nsent + s->messages.nmessages, s->sent_capacity, error);
    for (int i = 0; i < s->messages.nmessages && status == AR_OK; i++) {
        const struct ar_message *message = &s->messages.message[i];
        s->sent_of[i] = s->nsent;
        if (!message->sent)
            continue;
        s->sent[s->nsent++] = (struct ar_sent){rank, message->peer, s->ncarried, message->elements, 0};
        s->ncarried += message->elements;
    }
    if (status == AR_OK)
        status = AR_ROOM(&s->room, s->carried, s->ncarried, s->carried_capacity, error);
    return status;
}

static enum ar_status collect(struct ar_symbolic *s, int rank, struct ar_error *error)
{
    struct ar_messages *messages = &s->messages;
    enum ar_status status = AR_OK;
    ar_messages_emit(s->schedule, rank, s->round, messages);
    for (int i = 0; i < messages->sink.n && status == AR_OK; i++)
        status = ar_fault_of_step(s, rank, &messages->sink.step[i], error);
    if (status != AR_OK)
        return status; /* only steps that were checked can be expanded */
    ar_messages_expand(&s->layout, rank, messages);
    status = add_sent(s, rank, error);
    if (status == AR_OK)
        status = AR_ROOM(&s->room, s->pending, s->npending + messages->nactions, s->pending_capacity, error);
    for (int i = 0; i < messages->nactions && status == AR_OK; i++) {
        const struct ar_action *action = &messages->action[i];
        int peer = action->message < 0 ? -1 : messages->message[action->message].peer;
        if (action->kind == AR_SEND)
            status = carry(s, rank, &s->sent[s->sent_of[action->message]], action, error);
        else
            s->pending[s->npending++] = (struct ar_pending){rank, peer, *action};
        if (status == AR_OK && action->kind != AR_SEND && action->to == AR_SCRATCH && !s->scratch)
            status = make_scratch(s, error);
    }
    return status;
}

/* ---- Matching and applying --------------------------------------------------------------------------- */

static enum ar_status combine(struct ar_symbolic *s, const struct ar_pending *pending, int64_t block,
                              int other, struct ar_error *error)
{
    const struct ar_action *action = &pending->action;
    int held = held_at(s, action->to, pending->rank, block);
    if (held == 0)
        return ar_fault(s, error, "rank %d combines block %" PRId64 " but holds nothing there", pending->rank,
                        block);
    bool held_first = action->order == AR_HELD_FIRST;
    int made;
    enum ar_status status = ar_expressions_combine(&s->expressions, held_first ? held : other,
                                                   held_first ? other : held, &made, error);
    if (status != AR_OK)
        return status;
    if (made == 0)
        return ar_fault_counts_twice(s, pending->rank, block, held, other, error);
    hold(s, action->to, pending->rank, block, made);
    return AR_OK;
}

static enum ar_status apply_local(struct ar_symbolic *s, const struct ar_pending *pending,
                                  struct ar_error *error)
{
    const struct ar_action *action = &pending->action;
    enum ar_status status = AR_OK;
    for (int64_t i = 0; i < action->length && status == AR_OK; i++) {
        int64_t block = action->offset + i;
        int other = held_at(s, action->from, pending->rank, block);
        if (other == 0)
            return ar_fault(s, error, "rank %d %s block %" PRId64 " but holds nothing there", pending->rank,
                            action->kind == AR_COPY ? "copies" : "folds", block);
        if (action->kind == AR_FOLD)
            status = combine(s, pending, block, other, error);
        else
            hold(s, action->to, pending->rank, block, other);
    }
    return status;
}

static enum ar_status apply_received(struct ar_symbolic *s, const struct ar_pending *pending,
                                     struct ar_error *error)
{
    const struct ar_action *action = &pending->action;
    int64_t found = *slot_of(s, pending->peer, pending->rank);
    if (found == 0)
        return ar_fault_never_sent(s, pending->rank, pending->peer,
                                   stray_message(s, pending->rank, pending->peer), error);
    struct ar_sent *sent = &s->sent[found - 1];
    if (action->at + action->length > sent->n)
        return ar_fault_blocks_differ(s, sent, error);
    enum ar_status status = AR_OK;
    for (int64_t i = 0; i < action->length && status == AR_OK; i++) {
        const struct ar_carried *carried = &s->carried[sent->first + action->at + i];
        int64_t block = action->offset + i;
        if (carried->block != block)
            return ar_fault_blocks_differ(s, sent, error);
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
    status = index_sent(s, error);
    for (int64_t i = 0; i < s->npending && status == AR_OK; i++) {
        const struct ar_pending *pending = &s->pending[i];
        status = pending->peer < 0 ? apply_local(s, pending, error) : apply_received(s, pending, error);
    }
    for (int64_t i = 0; i < s->nsent && status == AR_OK; i++) {
        const struct ar_sent *sent = &s->sent[i];
        if (sent->taken == 0)
            return ar_fault_never_received(s, sent, error);
        if (sent->taken < sent->n)
            return ar_fault_blocks_differ(s, sent, error);
    }
    return status;
}
