#include "collectives/run/plan.h"

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
static void draft_messages(struct ar_plan *plan)
{
    const struct ar_messages *messages = &plan->messages;
    ROOM(plan->draft, messages->nmessages, plan->draft_capacity);
    for (int i = 0; i < messages->nmessages; i++)
        plan->draft[i] = (struct ar_draft){0};
    for (int i = 0; i < messages->nactions; i++) {
        const struct ar_action *action = &messages->action[i];
        if (action->message < 0)
            continue;
        struct ar_draft *draft = &plan->draft[action->message];
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

static size_t list_touches(struct ar_plan *plan)
{
    const struct ar_messages *messages = &plan->messages;
    size_t n = 0;
    ROOM(plan->touch, 2 * messages->nactions, plan->touch_capacity);
    for (int i = 0; i < messages->nactions; i++) {
        const struct ar_action *action = &messages->action[i];
        struct ar_touch touch = {action->offset, action->offset + action->length, action->to, i, -1};
        if (action->kind == AR_SEND) {
            touch.place = action->from;
            touch.when = -1;
        } else if (action->kind == AR_RECEIVE && !plan->draft[action->message].staged) {
            touch.message = action->message;
        }
        plan->touch[n++] = touch;
        if (action->kind == AR_COPY || action->kind == AR_FOLD) {
            touch.place = action->from;
            plan->touch[n++] = touch;
        }
    }
    qsort(plan->touch, n, sizeof *plan->touch, by_place);
    return n;
}

/* A direct receive acts before all other work of the round. That is right only where it is the first to touch
 * its elements. Among touches that overlap, one after the other, all but the first in time are staged; this
 * may stage one that only overlaps a later touch, never too few. */
static void stage_overlaps(struct ar_plan *plan)
{
    bool direct = false;
    for (int i = 0; i < plan->messages.nmessages; i++)
        direct |= !plan->messages.message[i].sent && !plan->draft[i].staged;
    if (!direct)
        return;
    size_t n = list_touches(plan);
    for (size_t begin = 0, end; begin < n; begin = end) {
        int64_t last = plan->touch[begin].last;
        int earliest = plan->touch[begin].when;
        for (end = begin + 1; end < n; end++) {
            const struct ar_touch *touch = &plan->touch[end];
            if (touch->place != plan->touch[begin].place || touch->first >= last)
                break;
            last = touch->last > last ? touch->last : last;
            earliest = touch->when < earliest ? touch->when : earliest;
        }
        for (size_t i = begin; i < end; i++)
            if (plan->touch[i].message >= 0 && plan->touch[i].when != earliest)
                plan->draft[plan->touch[i].message].staged = true;
    }
}

/* ---- Addresses ----------------------------------------------------------------------------------------- */

enum { ALIGNMENT = 64 }; /* staged messages begin on a cache line */

static void place_messages(struct ar_plan *plan, struct ar_planned_round *round)
{
    for (int i = 0; i < round->ntransfers; i++) {
        struct ar_transfer *transfer = &plan->transfer[round->transfer + (size_t)i];
        transfer->area = plan->draft[i].place;
        if (!plan->draft[i].staged)
            continue;
        transfer->area = AR_STAGING;
        transfer->at = round->staging_bytes;
        round->staging_bytes += (transfer->bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}

static size_t place_at(const struct ar_actor *actor, uint8_t place, int64_t element)
{
    return (size_t)(element - actor->first[place]) * actor->elem_bytes;
}

static void make_shapes(struct ar_plan *plan, const struct ar_actor *actor,
                        const struct ar_planned_round *round, struct ar_end *end)
{
    const struct ar_messages *messages = &plan->messages;
    size_t total = 0;
    for (int i = 0; i < messages->nmessages; i++) {
        plan->draft[i].extent = total;
        total += plan->draft[i].nextents;
        plan->draft[i].nextents = 0;
    }
    ROOM(plan->extent, total, plan->extent_capacity);
    for (int i = 0; i < messages->nactions; i++) {
        const struct ar_action *action = &messages->action[i];
        if (action->message < 0)
            continue;
        struct ar_draft *draft = &plan->draft[action->message];
        plan->extent[draft->extent + draft->nextents++] = (struct ar_extent){
            place_at(actor, draft->place, action->offset), (size_t)action->length * actor->elem_bytes};
    }
    for (int i = 0; i < messages->nmessages; i++) {
        struct ar_transfer *transfer = &plan->transfer[round->transfer + (size_t)i];
        struct ar_extent whole = {0, transfer->bytes};
        const struct ar_draft *draft = &plan->draft[i];
        transfer->shape =
            draft->staged ? end->transport->shape(end, &whole, 1)
                          : end->transport->shape(end, &plan->extent[draft->extent], (int)draft->nextents);
    }
}

/* ---- Work ---------------------------------------------------------------------------------------------- */

static void add_work(struct ar_plan *plan, struct ar_work work)
{
    AR_GROW(plan->work, plan->nwork, plan->work_capacity);
    plan->work[plan->nwork++] = work;
}

static void add_packing(struct ar_plan *plan, const struct ar_actor *actor, struct ar_planned_round *round)
{
    for (int i = 0; i < plan->messages.nactions; i++) {
        const struct ar_action *action = &plan->messages.action[i];
        if (action->kind != AR_SEND || !plan->draft[action->message].staged)
            continue;
        size_t to = plan->transfer[round->transfer + (size_t)action->message].at;
        add_work(plan, (struct ar_work){AR_COPY, AR_HELD_FIRST, action->from, AR_STAGING,
                                        place_at(actor, action->from, action->offset),
                                        to + (size_t)action->at * actor->elem_bytes, (size_t)action->length});
        round->npacking++;
    }
}

static void add_work_of_round(struct ar_plan *plan, const struct ar_actor *actor,
                              struct ar_planned_round *round)
{
    for (int i = 0; i < plan->messages.nactions; i++) {
        const struct ar_action *action = &plan->messages.action[i];
        bool arrives = action->kind == AR_RECEIVE || action->kind == AR_RECEIVE_REDUCE;
        if (action->kind == AR_SEND || (arrives && !plan->draft[action->message].staged))
            continue;
        struct ar_work work = {.kind =
                                   action->kind == AR_RECEIVE || action->kind == AR_COPY ? AR_COPY : AR_FOLD,
                               .order = action->order,
                               .from = action->from,
                               .to = action->to,
                               .to_at = place_at(actor, action->to, action->offset),
                               .n = (size_t)action->length};
        if (arrives) {
            size_t from = plan->transfer[round->transfer + (size_t)action->message].at;
            work.from = AR_STAGING;
            work.from_at = from + (size_t)action->at * actor->elem_bytes;
        } else {
            work.from_at = place_at(actor, action->from, action->offset);
        }
        add_work(plan, work);
    }
}

/* ---- A round ------------------------------------------------------------------------------------------- */

bool ar_plan_round(struct ar_plan *plan, const struct ar_actor *actor, int64_t k, struct ar_end *end)
{
    const struct ar_messages *messages = &plan->messages;
    ar_messages_of_round(actor->schedule, &actor->layout, actor->rank, k, &plan->messages);
    if (messages->nmessages == 0 && (actor->simulated || messages->nactions == 0))
        return false;
    struct ar_planned_round round = {
        .k = k, .transfer = plan->ntransfers, .work = plan->nwork, .ntransfers = messages->nmessages};
    for (int i = 0; i < messages->nmessages; i++) {
        const struct ar_message *message = &messages->message[i];
        AR_GROW(plan->transfer, plan->ntransfers, plan->transfer_capacity);
        plan->transfer[plan->ntransfers++] =
            (struct ar_transfer){.peer = message->peer,
                                 .sent = message->sent,
                                 .bytes = (size_t)message->elements * actor->elem_bytes};
    }
    if (!actor->simulated) {
        draft_messages(plan);
        stage_overlaps(plan);
        place_messages(plan, &round);
        add_packing(plan, actor, &round);
        add_work_of_round(plan, actor, &round);
        if (end)
            make_shapes(plan, actor, &round, end);
    }
    round.nwork = (int)(plan->nwork - round.work);
    AR_GROW(plan->round, plan->nrounds, plan->round_capacity);
    plan->round[plan->nrounds++] = round;
    return true;
}

void ar_plan_clear(struct ar_plan *plan, struct ar_end *end)
{
    if (end)
        for (size_t i = 0; i < plan->ntransfers; i++)
            if (plan->transfer[i].shape)
                end->transport->forget(end, plan->transfer[i].shape);
    plan->ntransfers = plan->nwork = plan->nrounds = 0;
}

void ar_plan_free(struct ar_plan *plan, struct ar_end *end)
{
    ar_plan_clear(plan, end);
    free(plan->transfer);
    free(plan->work);
    free(plan->round);
    free(plan->draft);
    free(plan->touch);
    free(plan->extent);
    ar_messages_free(&plan->messages);
    *plan = (struct ar_plan){0};
}

/* ---- All rounds ---------------------------------------------------------------------------------------- */

static void use_place(struct ar_plan_needs *needs, uint8_t place, const struct ar_action *action)
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

struct ar_plan_needs ar_plan_measure(const struct ar_actor *actor)
{
    struct ar_plan_needs needs = {0};
    struct ar_plan plan = {0};
    int64_t k, last;
    for (ar_schedule_span(actor->schedule, actor->rank, &k, &last); k <= last; k++) {
        ar_plan_clear(&plan, NULL);
        if (!ar_plan_round(&plan, actor, k, NULL))
            continue;
        const struct ar_planned_round *round = &plan.round[0];
        needs.nslots = round->ntransfers > needs.nslots ? round->ntransfers : needs.nslots;
        needs.staging_bytes =
            round->staging_bytes > needs.staging_bytes ? round->staging_bytes : needs.staging_bytes;
        for (int i = 0; i < plan.messages.nactions; i++) {
            const struct ar_action *action = &plan.messages.action[i];
            if (action->kind == AR_SEND || action->kind == AR_COPY || action->kind == AR_FOLD)
                use_place(&needs, action->from, action);
            if (action->kind != AR_SEND)
                use_place(&needs, action->to, action);
        }
    }
    ar_plan_free(&plan, NULL);
    return needs;
}
