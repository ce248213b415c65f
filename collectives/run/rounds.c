#include "collectives/run/rounds.h"

#include <stdlib.h>

#include "collectives/base/memory.h"

/* What is decided about a message before it becomes a transfer. */
struct ar_draft {
    bool used;
    bool staged;
    uint8_t place;
    size_t nextents, extent; /* where its extents begin */
};

/* An action reads or writes elements first .. last-1 of a place. */
struct ar_touch {
    int64_t first, last;
    int place;
    int when;    /* index of the action; -1 for sends, which read the state at the round's start */
    int message; /* of a receive that would like to go straight to its place, else -1 */
};

#define ROOM(pointer, n, capacity)                                                                           \
    do {                                                                                                     \
        if ((size_t)(n) > (capacity)) {                                                                      \
            (capacity) = 2 * (size_t)(n);                                                                    \
            (pointer) = ar_realloc((pointer), (capacity), sizeof *(pointer));                                \
        }                                                                                                    \
    } while (0)

/* ---- Which receives need staging ----------------------------------------------------------------------- */

/* Pieces in several places share no address, and what is combined needs both operands. */
static void draft_messages(struct ar_rounds *rounds)
{
    const struct ar_messages *messages = &rounds->messages;
    ROOM(rounds->draft, messages->nmessages, rounds->draft_capacity);
    for (int i = 0; i < messages->nmessages; i++)
        rounds->draft[i] = (struct ar_draft){0};
    for (int i = 0; i < messages->nactions; i++) {
        const struct ar_action *action = &messages->action[i];
        if (action->message < 0)
            continue;
        struct ar_draft *draft = &rounds->draft[action->message];
        uint8_t place = action->kind == AR_SEND ? action->from : action->to;
        if (action->kind == AR_RECEIVE_REDUCE || (draft->used && draft->place != place))
            draft->staged = true;
        draft->used = true;
        draft->place = place;
        draft->nextents++;
    }
}

static int by_place(const void *left, const void *right)
{
    const struct ar_touch *a = left, *b = right;
    if (a->place != b->place)
        return a->place - b->place;
    return (a->first > b->first) - (a->first < b->first);
}

static size_t list_touches(struct ar_rounds *rounds)
{
    const struct ar_messages *messages = &rounds->messages;
    size_t n = 0;
    ROOM(rounds->touch, 2 * messages->nactions, rounds->touch_capacity);
    for (int i = 0; i < messages->nactions; i++) {
        const struct ar_action *action = &messages->action[i];
        struct ar_touch touch = {action->offset, action->offset + action->length, action->to, i, -1};
        if (action->kind == AR_SEND) {
            touch.place = action->from;
            touch.when = -1;
        } else if (action->kind == AR_RECEIVE && !rounds->draft[action->message].staged) {
            touch.message = action->message;
        }
        rounds->touch[n++] = touch;
        if (action->kind == AR_COPY || action->kind == AR_FOLD) {
            touch.place = action->from;
            rounds->touch[n++] = touch;
        }
    }
    if (n > 0) /* a token touches nothing */
        qsort(rounds->touch, n, sizeof *rounds->touch, by_place);
    return n;
}

/* A direct receive acts before all other work of the round. That is right only where it is the first to touch
 * its elements. Among touches that overlap, one after the other, all but the first in time are staged; this
 * may stage one that only overlaps a later touch, never too few. */
static void stage_overlaps(struct ar_rounds *rounds)
{
    bool direct = false;
    for (int i = 0; i < rounds->messages.nmessages; i++)
        direct |= !rounds->messages.message[i].sent && !rounds->draft[i].staged;
    if (!direct)
        return;
    size_t n = list_touches(rounds);
    for (size_t begin = 0, end; begin < n; begin = end) {
        int64_t last = rounds->touch[begin].last;
        int earliest = rounds->touch[begin].when;
        for (end = begin + 1; end < n; end++) {
            const struct ar_touch *touch = &rounds->touch[end];
            if (touch->place != rounds->touch[begin].place || touch->first >= last)
                break;
            last = touch->last > last ? touch->last : last;
            earliest = touch->when < earliest ? touch->when : earliest;
        }
        for (size_t i = begin; i < end; i++)
            if (rounds->touch[i].message >= 0 && rounds->touch[i].when != earliest)
                rounds->draft[rounds->touch[i].message].staged = true;
    }
}

/* ---- Addresses ----------------------------------------------------------------------------------------- */

enum { ALIGNMENT = 64 }; /* staged messages begin on a cache line */

static void place_messages(struct ar_rounds *rounds, struct ar_round *round)
{
    for (int i = 0; i < round->ntransfers; i++) {
        struct ar_transfer *transfer = &rounds->transfer[round->transfer + (size_t)i];
        transfer->area = rounds->draft[i].place;
        if (!rounds->draft[i].staged)
            continue;
        transfer->area = AR_STAGING;
        transfer->at = round->staging_bytes;
        round->staging_bytes += (transfer->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}

static size_t place_at(const struct ar_rounds_setup *setup, uint8_t place, int64_t element)
{
    return (size_t)(element - setup->first[place]) * setup->elem_bytes;
}

static void make_shapes(struct ar_rounds *rounds, const struct ar_rounds_setup *setup,
                        const struct ar_round *round, struct ar_end *end)
{
    const struct ar_messages *messages = &rounds->messages;
    size_t total = 0;
    for (int i = 0; i < messages->nmessages; i++) {
        rounds->draft[i].extent = total;
        total += rounds->draft[i].nextents;
        rounds->draft[i].nextents = 0;
    }
    ROOM(rounds->extent, total, rounds->extent_capacity);
    for (int i = 0; i < messages->nactions; i++) {
        const struct ar_action *action = &messages->action[i];
        if (action->message < 0)
            continue;
        struct ar_draft *draft = &rounds->draft[action->message];
        rounds->extent[draft->extent + draft->nextents++] = (struct ar_extent){
            place_at(setup, draft->place, action->offset), (size_t)action->length * setup->elem_bytes};
    }
    for (int i = 0; i < messages->nmessages; i++) {
        struct ar_transfer *transfer = &rounds->transfer[round->transfer + (size_t)i];
        struct ar_extent whole = {0, transfer->bytes};
        const struct ar_draft *draft = &rounds->draft[i];
        transfer->shape =
            draft->staged ? end->transport->shape(end, &whole, 1)
                          : end->transport->shape(end, &rounds->extent[draft->extent], (int)draft->nextents);
    }
}

/* ---- Work ---------------------------------------------------------------------------------------------- */

static void add_work(struct ar_rounds *rounds, struct ar_work work)
{
    AR_GROW(rounds->work, rounds->nwork, rounds->work_capacity);
    rounds->work[rounds->nwork++] = work;
}

static void add_packing(struct ar_rounds *rounds, const struct ar_rounds_setup *setup, struct ar_round *round)
{
    for (int i = 0; i < rounds->messages.nactions; i++) {
        const struct ar_action *action = &rounds->messages.action[i];
        if (action->kind != AR_SEND || !rounds->draft[action->message].staged)
            continue;
        size_t to = rounds->transfer[round->transfer + (size_t)action->message].at;
        add_work(rounds,
                 (struct ar_work){AR_COPY, AR_HELD_FIRST, action->from, AR_STAGING,
                                  place_at(setup, action->from, action->offset),
                                  to + (size_t)action->at * setup->elem_bytes, (size_t)action->length});
        round->npacking++;
    }
}

static void add_work_of_round(struct ar_rounds *rounds, const struct ar_rounds_setup *setup,
                              struct ar_round *round)
{
    for (int i = 0; i < rounds->messages.nactions; i++) {
        const struct ar_action *action = &rounds->messages.action[i];
        bool arrives = action->kind == AR_RECEIVE || action->kind == AR_RECEIVE_REDUCE;
        if (action->kind == AR_SEND || (arrives && !rounds->draft[action->message].staged))
            continue;
        struct ar_work work = {.kind =
                                   action->kind == AR_RECEIVE || action->kind == AR_COPY ? AR_COPY : AR_FOLD,
                               .order = action->order,
                               .from = action->from,
                               .to = action->to,
                               .to_at = place_at(setup, action->to, action->offset),
                               .n = (size_t)action->length};
        if (arrives) {
            size_t from = rounds->transfer[round->transfer + (size_t)action->message].at;
            work.from = AR_STAGING;
            work.from_at = from + (size_t)action->at * setup->elem_bytes;
        } else {
            work.from_at = place_at(setup, action->from, action->offset);
        }
        add_work(rounds, work);
    }
}

/* ---- A round ------------------------------------------------------------------------------------------- */

bool ar_rounds_add(struct ar_rounds *rounds, const struct ar_rounds_setup *setup, int64_t k,
                   struct ar_end *end)
{
    const struct ar_messages *messages = &rounds->messages;
    ar_messages_of_round(setup->schedule, &setup->layout, setup->rank, k, &rounds->messages);
    if (messages->nmessages == 0 && (setup->simulated || messages->nactions == 0))
        return false;
    struct ar_round round = {
        .k = k, .transfer = rounds->ntransfers, .work = rounds->nwork, .ntransfers = messages->nmessages};
    for (int i = 0; i < messages->nmessages; i++) {
        const struct ar_message *message = &messages->message[i];
        AR_GROW(rounds->transfer, rounds->ntransfers, rounds->transfer_capacity);
        rounds->transfer[rounds->ntransfers++] =
            (struct ar_transfer){.peer = message->peer,
                                 .sent = message->sent,
                                 .bytes = (size_t)message->elements * setup->elem_bytes};
    }
    if (!setup->simulated) {
        draft_messages(rounds);
        stage_overlaps(rounds);
        place_messages(rounds, &round);
        add_packing(rounds, setup, &round);
        add_work_of_round(rounds, setup, &round);
        if (end)
            make_shapes(rounds, setup, &round, end);
    }
    round.nwork = (int)(rounds->nwork - round.work);
    AR_GROW(rounds->round, rounds->nrounds, rounds->round_capacity);
    rounds->round[rounds->nrounds++] = round;
    return true;
}

void ar_rounds_clear(struct ar_rounds *rounds, struct ar_end *end)
{
    if (end)
        for (size_t i = 0; i < rounds->ntransfers; i++)
            if (rounds->transfer[i].shape)
                end->transport->forget(end, rounds->transfer[i].shape);
    rounds->ntransfers = rounds->nwork = rounds->nrounds = 0;
}

void ar_rounds_free(struct ar_rounds *rounds, struct ar_end *end)
{
    ar_rounds_clear(rounds, end);
    free(rounds->transfer);
    free(rounds->work);
    free(rounds->round);
    free(rounds->draft);
    free(rounds->touch);
    free(rounds->extent);
    ar_messages_free(&rounds->messages);
    *rounds = (struct ar_rounds){0};
}

/* ---- All rounds ---------------------------------------------------------------------------------------- */

static void use_place(struct ar_rounds_needs *needs, uint8_t place, const struct ar_action *action)
{
    if (place == AR_VECTOR)
        return;
    int64_t first = action->offset, last = action->offset + action->length;
    if (needs->count[place] > 0) {
        int64_t end = needs->first[place] + needs->count[place];
        first = needs->first[place] < first ? needs->first[place] : first;
        last = end > last ? end : last;
    }
    needs->first[place] = first;
    needs->count[place] = last - first;
}

struct ar_rounds_needs ar_rounds_measure(const struct ar_rounds_setup *setup)
{
    struct ar_rounds_needs needs = {0};
    struct ar_rounds rounds = {0};
    int64_t k, last;
    for (ar_schedule_span(setup->schedule, setup->rank, &k, &last); k <= last; k++) {
        ar_rounds_clear(&rounds, NULL);
        if (!ar_rounds_add(&rounds, setup, k, NULL))
            continue;
        const struct ar_round *round = &rounds.round[0];
        needs.nslots = round->ntransfers > needs.nslots ? round->ntransfers : needs.nslots;
        needs.ntransfers += (size_t)round->ntransfers;
        needs.nextents += (size_t)rounds.messages.nactions;
        needs.nwork += (size_t)round->nwork;
        needs.nrounds++;
        needs.staging_bytes =
            round->staging_bytes > needs.staging_bytes ? round->staging_bytes : needs.staging_bytes;
        for (int i = 0; i < rounds.messages.nactions; i++) {
            const struct ar_action *action = &rounds.messages.action[i];
            if (action->kind == AR_SEND || action->kind == AR_COPY || action->kind == AR_FOLD)
                use_place(&needs, action->from, action);
            if (action->kind != AR_SEND)
                use_place(&needs, action->to, action);
        }
    }
    ar_rounds_free(&rounds, NULL);
    return needs;
}

/* A shape, a request or a slot: what loopback and Open MPI keep for one is below this. */
enum { TRANSPORT_BYTES = 96 };

double ar_rounds_bytes(const struct ar_rounds_needs *needs)
{
    return (double)needs->ntransfers * (sizeof(struct ar_transfer) + TRANSPORT_BYTES) +
           (double)needs->nextents * sizeof(struct ar_extent) +
           (double)needs->nwork * sizeof(struct ar_work) + (double)needs->nrounds * sizeof(struct ar_round) +
           (double)needs->nslots * TRANSPORT_BYTES;
}

void ar_rounds_reserve(struct ar_rounds *rounds, const struct ar_rounds_needs *needs)
{
    rounds->transfer = ar_realloc(rounds->transfer, needs->ntransfers, sizeof *rounds->transfer);
    rounds->work = ar_realloc(rounds->work, needs->nwork, sizeof *rounds->work);
    rounds->round = ar_realloc(rounds->round, needs->nrounds, sizeof *rounds->round);
    rounds->transfer_capacity = needs->ntransfers;
    rounds->work_capacity = needs->nwork;
    rounds->round_capacity = needs->nrounds;
}
