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

struct ar_cut {
    struct ar_action action;
    int when;
};

/* ---- Which receives need staging ----------------------------------------------------------------------- */

/* Pieces in several places share no address, and what is combined needs both operands. */
static void draft_messages(struct ar_rounds *rounds)
{
    const struct ar_messages *messages = &rounds->messages;
    AR_RESERVE(rounds->draft, messages->nmessages, rounds->draft_capacity);
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
    AR_RESERVE(rounds->touch, 2 * (size_t)messages->nactions, rounds->touch_capacity);
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

static size_t place_at(const struct ar_rounds_setup *setup, uint8_t place, int64_t element)
{
    return (size_t)(element - setup->first[place]) * setup->elem_bytes;
}

/* Staged messages get one extent, the others one per action. */
static void place_messages(struct ar_rounds *rounds, struct ar_round *round)
{
    for (int i = 0; i < round->ntransfers; i++) {
        struct ar_transfer *transfer = &rounds->transfer[round->transfer + (size_t)i];
        const struct ar_draft *draft = &rounds->draft[i];
        transfer->area = draft->staged ? AR_STAGING : draft->place;
        transfer->extent = rounds->nextents;
        rounds->nextents += draft->staged ? 1 : draft->nextents;
        AR_RESERVE(rounds->extent, rounds->nextents, rounds->extent_capacity);
        if (!draft->staged)
            continue; /* place_extents adds them */
        transfer->nextents = 1;
        rounds->extent[transfer->extent] = (struct ar_extent){round->staging_bytes, transfer->bytes};
        round->staging_bytes += (transfer->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}

static void place_extents(struct ar_rounds *rounds, const struct ar_rounds_setup *setup,
                          const struct ar_round *round)
{
    for (int i = 0; i < rounds->messages.nactions; i++) {
        const struct ar_action *action = &rounds->messages.action[i];
        if (action->message < 0 || rounds->draft[action->message].staged)
            continue;
        struct ar_transfer *transfer = &rounds->transfer[round->transfer + (size_t)action->message];
        rounds->extent[transfer->extent + (size_t)transfer->nextents++] = (struct ar_extent){
            place_at(setup, transfer->area, action->offset), (size_t)action->length * setup->elem_bytes};
    }
}

/* ---- Work ---------------------------------------------------------------------------------------------- */

static bool arrives(const struct ar_action *action)
{
    return action->kind == AR_RECEIVE || action->kind == AR_RECEIVE_REDUCE;
}

/* Of a staged message: where `action` finds or packs its elements. */
static size_t staged_at(const struct ar_rounds *rounds, const struct ar_rounds_setup *setup,
                        const struct ar_round *round, const struct ar_action *action)
{
    const struct ar_transfer *transfer = &rounds->transfer[round->transfer + (size_t)action->message];
    return rounds->extent[transfer->extent].offset + (size_t)action->at * setup->elem_bytes;
}

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
        add_work(rounds, (struct ar_work){.kind = AR_COPY,
                                          .from = action->from,
                                          .to = AR_STAGING,
                                          .message = action->message,
                                          .from_at = place_at(setup, action->from, action->offset),
                                          .to_at = staged_at(rounds, setup, round, action),
                                          .n = (size_t)action->length});
        round->npacking++;
    }
}

static void add_action(struct ar_rounds *rounds, const struct ar_rounds_setup *setup,
                       const struct ar_round *round, const struct ar_action *action)
{
    bool staged = arrives(action);
    if (action->kind == AR_SEND || (staged && !rounds->draft[action->message].staged))
        return;
    bool copies = action->kind == AR_RECEIVE || action->kind == AR_COPY;
    add_work(rounds, (struct ar_work){.kind = copies ? AR_COPY : AR_FOLD,
                                      .order = action->order,
                                      .from = staged ? AR_STAGING : action->from,
                                      .to = action->to,
                                      .message = staged ? action->message : -1,
                                      .from_at = staged ? staged_at(rounds, setup, round, action)
                                                        : place_at(setup, action->from, action->offset),
                                      .to_at = place_at(setup, action->to, action->offset),
                                      .n = (size_t)action->length});
}

static int by_number(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* By element; of one element the first emitted first. */
static int by_element(const void *left, const void *right)
{
    const struct ar_cut *a = left, *b = right;
    if (a->action.offset != b->action.offset)
        return a->action.offset < b->action.offset ? -1 : 1;
    return a->when - b->when;
}

/* All that is done on arrival and locally, cut wherever another action begins or ends. Places share their
 * element numbers, so actions depend on one another only within an element, and there they keep their order.
 */
static size_t cut_actions(struct ar_rounds *rounds)
{
    const struct ar_messages *messages = &rounds->messages;
    size_t nbounds = 0, ncut = 0;
    AR_RESERVE(rounds->bound, 2 * (size_t)messages->nactions, rounds->bound_capacity);
    for (int i = 0; i < messages->nactions; i++) {
        const struct ar_action *action = &messages->action[i];
        if (action->kind == AR_SEND)
            continue;
        rounds->bound[nbounds++] = action->offset;
        rounds->bound[nbounds++] = action->offset + action->length;
    }
    qsort(rounds->bound, nbounds, sizeof *rounds->bound, by_number);
    for (int i = 0; i < messages->nactions; i++) {
        struct ar_action left = messages->action[i];
        if (left.kind == AR_SEND)
            continue;
        int64_t end = left.offset + left.length;
        const int64_t *bound =
            bsearch(&left.offset, rounds->bound, nbounds, sizeof *rounds->bound, by_number);
        for (; left.offset < end; bound++) {
            if (*bound <= left.offset)
                continue;
            struct ar_action piece = left;
            piece.length = *bound - left.offset;
            left.at += piece.length;
            left.offset += piece.length;
            AR_RESERVE(rounds->cut, ncut + 1, rounds->cut_capacity);
            rounds->cut[ncut++] = (struct ar_cut){piece, i};
        }
    }
    qsort(rounds->cut, ncut, sizeof *rounds->cut, by_element);
    return ncut;
}

static void add_folds(struct ar_rounds *rounds, const struct ar_rounds_setup *setup,
                      const struct ar_round *round)
{
    size_t ncut = cut_actions(rounds), first = rounds->nwork;
    for (size_t i = 0; i < ncut; i++)
        add_action(rounds, setup, round, &rounds->cut[i].action);
    for (size_t i = first + 1; i < rounds->nwork; i++) {
        struct ar_work *work = &rounds->work[i - 1], *next = work + 1;
        work->more = work->kind == AR_FOLD && next->kind == AR_FOLD && work->to == next->to &&
                     work->to_at == next->to_at;
    }
}

static void add_work_of_round(struct ar_rounds *rounds, const struct ar_rounds_setup *setup,
                              const struct ar_round *round)
{
    int combining = 0;
    for (int i = 0; i < rounds->messages.nactions; i++) {
        uint8_t kind = rounds->messages.action[i].kind;
        combining += kind == AR_FOLD || kind == AR_RECEIVE_REDUCE;
    }
    if (setup->folds && combining > 1) {
        add_folds(rounds, setup, round);
        return;
    }
    for (int i = 0; i < rounds->messages.nactions; i++)
        add_action(rounds, setup, round, &rounds->messages.action[i]);
}

/* ---- A round ------------------------------------------------------------------------------------------- */

bool ar_rounds_add(struct ar_rounds *rounds, const struct ar_rounds_setup *setup, int64_t k)
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
        place_extents(rounds, setup, &round);
        add_packing(rounds, setup, &round);
        add_work_of_round(rounds, setup, &round);
    }
    round.nwork = (int)(rounds->nwork - round.work);
    AR_GROW(rounds->round, rounds->nrounds, rounds->round_capacity);
    rounds->round[rounds->nrounds++] = round;
    return true;
}

void ar_rounds_clear(struct ar_rounds *rounds)
{
    rounds->ntransfers = rounds->nwork = rounds->nrounds = rounds->nextents = 0;
}

void ar_rounds_free(struct ar_rounds *rounds)
{
    free(rounds->transfer);
    free(rounds->work);
    free(rounds->round);
    free(rounds->extent);
    free(rounds->draft);
    free(rounds->touch);
    free(rounds->cut);
    free(rounds->bound);
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

static void measure_round(struct ar_rounds_needs *needs, const struct ar_rounds *rounds)
{
    const struct ar_round *round = &rounds->round[0];
    int operands = 0;
    needs->nslots = round->ntransfers > needs->nslots ? round->ntransfers : needs->nslots;
    needs->ntransfers += rounds->ntransfers;
    needs->nextents += rounds->nextents;
    needs->nwork += rounds->nwork;
    needs->nrounds++;
    if (round->staging_bytes > needs->staging_bytes)
        needs->staging_bytes = round->staging_bytes;
    for (size_t i = 0; i < rounds->ntransfers; i++) {
        size_t bytes = rounds->transfer[i].bytes;
        needs->bytes += bytes;
        needs->largest_bytes = bytes > needs->largest_bytes ? bytes : needs->largest_bytes;
    }
    for (size_t i = 0; i < rounds->nwork; i++) {
        operands = rounds->work[i].more ? operands + 1 : 0;
        needs->most_operands = operands + 1 > needs->most_operands ? operands + 1 : needs->most_operands;
    }
    for (int i = 0; i < rounds->messages.nactions; i++) {
        const struct ar_action *action = &rounds->messages.action[i];
        if (!arrives(action))
            use_place(needs, action->from, action);
        if (action->kind != AR_SEND)
            use_place(needs, action->to, action);
    }
}

struct ar_rounds_needs ar_rounds_measure(const struct ar_rounds_setup *setup)
{
    struct ar_rounds_needs needs = {0};
    struct ar_rounds rounds = {0};
    int64_t k, last;
    for (ar_schedule_span(setup->schedule, setup->rank, &k, &last); k <= last; k++) {
        ar_rounds_clear(&rounds);
        if (ar_rounds_add(&rounds, setup, k))
            measure_round(&needs, &rounds);
    }
    ar_rounds_free(&rounds);
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
    rounds->extent = ar_realloc(rounds->extent, needs->nextents, sizeof *rounds->extent);
    rounds->transfer_capacity = needs->ntransfers;
    rounds->work_capacity = needs->nwork;
    rounds->round_capacity = needs->nrounds;
    rounds->extent_capacity = needs->nextents;
}
