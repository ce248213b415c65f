#include "collectives/run/execution.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/text.h"
#include "collectives/run/counters.h"
#include "collectives/run/held.h"
#include "collectives/run/rounds.h"

struct ar_execution {
    struct ar_rounds_setup setup;
    struct ar_end *end;
    enum ar_type type;
    const struct ar_operator *op; /* NULL: the collective does not reduce */
    struct ar_rounds_needs needs; /* nothing when simulated */
    bool prepared;
    unsigned char *area[AR_NAREAS]; /* the vector is the caller's, the rest ours; all NULL when simulated */

    struct ar_rounds own;     /* all rounds; when simulated the one at hand */
    struct ar_rounds *rounds; /* own, or one that all simulated executions of a run share */
    int64_t first, last;      /* the span */
    int nreserved;            /* slots of the end */
    struct ar_counters *counters;

    /* The run under way. */
    bool running, in_round;
    size_t next;      /* data: index of the next round */
    int64_t next_k;   /* simulated: the next round to work out */
    int64_t k;        /* the round under way */
    int ntransfers;   /* in it */
    size_t nadvances; /* rounds started and finished so far */
};

/* ---- Preparing ----------------------------------------------------------------------------------------- */

static enum ar_status check_setup(const struct ar_execution_setup *setup, const struct ar_end *end,
                                  struct ar_error *error)
{
    const struct ar_schedule *schedule = setup->schedule;
    const struct ar_collective *collective = &ar_collectives[schedule->algorithm->collective];
    const char *type = ar_types[setup->type].name;
    int64_t nblocks = ar_layout_nblocks(&setup->layout), rows = ar_layout_rows(&setup->layout);
    int64_t most = INT64_MAX / rows / (int64_t)ar_types[setup->type].bytes;
    if (end->nranks != schedule->problem.nranks)
        return ar_fail(error, AR_INVALID, "the schedule is for %d ranks, the %s transport has %d",
                       schedule->problem.nranks, end->transport->name, end->nranks);
    if (nblocks != ar_nblocks(schedule))
        return ar_fail(error, AR_INVALID, "the schedule has %" PRId64 " blocks, the layout %" PRId64,
                       ar_nblocks(schedule), nblocks);
    if (setup->layout.count < 0 || setup->layout.count > most)
        return ar_fail(error, AR_INVALID, "count: expected 0..%" PRId64 " of %s, got %" PRId64, most, type,
                       setup->layout.count);
    if (collective->reduces && !setup->op)
        return ar_fail(error, AR_INVALID, "%s needs an operator", collective->name);
    if (collective->reduces && !setup->op->combine[setup->type])
        return ar_fail(error, AR_INVALID, "operator %s does not combine %s", setup->op->name, type);
    if (setup->simulated && !end->transport->send_bytes)
        return ar_fail(error, AR_INVALID, "the %s transport moves real data, simulated runs need loopback",
                       end->transport->name);
    return AR_OK;
}

enum ar_status ar_execution_new(struct ar_execution **execution, const struct ar_execution_setup *setup,
                                struct ar_end *end, struct ar_error *error)
{
    enum ar_status status = check_setup(setup, end, error);
    if (status != AR_OK)
        return status;
    struct ar_execution *e = ar_alloc(1, sizeof *e);
    e->setup = (struct ar_rounds_setup){.schedule = setup->schedule,
                                        .layout = setup->layout,
                                        .elem_bytes = ar_types[setup->type].bytes,
                                        .rank = end->rank,
                                        .simulated = setup->simulated};
    e->end = end;
    e->type = setup->type;
    e->op = ar_collectives[setup->schedule->algorithm->collective].reduces ? setup->op : NULL;
    e->rounds = &e->own;
    e->counters = ar_alloc(1, sizeof *e->counters);
    ar_schedule_span(setup->schedule, end->rank, &e->first, &e->last);
    if (!setup->simulated)
        e->needs = ar_rounds_measure(&e->setup);
    *execution = e;
    return AR_OK;
}

double ar_execution_memory(const struct ar_execution *e)
{
    double elements = (double)e->needs.count[AR_INPUT] + (double)e->needs.count[AR_SCRATCH];
    return ar_rounds_bytes(&e->needs) + (double)e->needs.staging_bytes +
           elements * (double)e->setup.elem_bytes;
}

enum ar_status ar_execution_prepare(struct ar_execution *e, struct ar_error *error)
{
    if (e->setup.simulated || e->prepared)
        return AR_OK;
    double bytes = ar_execution_memory(e);
    if (bytes > 0) {
        enum ar_status status = ar_memory_check(bytes, "the executor", error);
        if (status != AR_OK)
            return status;
    }
    e->prepared = true;
    if (e->needs.staging_bytes > 0)
        e->area[AR_STAGING] = ar_alloc(e->needs.staging_bytes, 1);
    for (int place = AR_INPUT; place < AR_NPLACES; place++) {
        e->setup.first[place] = e->needs.first[place];
        if (e->needs.count[place] > 0)
            e->area[place] = ar_alloc((size_t)e->needs.count[place], e->setup.elem_bytes);
    }
    ar_rounds_reserve(e->rounds, &e->needs);
    for (int64_t k = e->first; k <= e->last; k++)
        ar_rounds_add(e->rounds, &e->setup, k, e->end);
    for (size_t i = 0; i < e->rounds->ntransfers; i++)
        ar_counters_of(e->counters, e->rounds->transfer[i].peer);
    e->nreserved = e->needs.nslots;
    e->end->transport->reserve(e->end, e->nreserved);
    return AR_OK;
}

void ar_execution_release(struct ar_execution *e)
{
    ar_rounds_free(&e->own, e->end);
    for (int area = AR_VECTOR + 1; area < AR_NAREAS; area++) {
        free(e->area[area]);
        e->area[area] = NULL;
    }
    ar_counters_free(e->counters);
    e->prepared = false;
}

void ar_execution_free(struct ar_execution *e)
{
    if (!e)
        return;
    ar_execution_release(e);
    free(e->counters);
    free(e);
}

/* ---- A round ------------------------------------------------------------------------------------------- */

/* The next round with something to do, or NULL after the last. */
static const struct ar_round *next_round(struct ar_execution *e)
{
    if (!e->setup.simulated)
        return e->next < e->rounds->nrounds ? &e->rounds->round[e->next++] : NULL;
    ar_rounds_clear(e->rounds, NULL);
    while (e->next_k <= e->last)
        if (ar_rounds_add(e->rounds, &e->setup, e->next_k++, NULL))
            return &e->rounds->round[0];
    return NULL;
}

static void do_work(const struct ar_execution *e, size_t first, int n)
{
    for (int i = 0; i < n; i++) {
        const struct ar_work *work = &e->rounds->work[first + (size_t)i];
        unsigned char *to = e->area[work->to] + work->to_at;
        const unsigned char *from = e->area[work->from] + work->from_at;
        if (work->kind == AR_COPY)
            memmove(to, from, work->n * e->setup.elem_bytes); /* a copy may name one place twice */
        else if (work->order == AR_OTHER_FIRST && e->op->combine_back[e->type])
            e->op->combine_back[e->type](to, from, work->n);
        else
            e->op->combine[e->type](to, from, work->n);
    }
}

static enum ar_status start_transfer(struct ar_execution *e, int slot, const struct ar_transfer *transfer,
                                     struct ar_error *error)
{
    const struct ar_transport *transport = e->end->transport;
    enum ar_status status;
    if (!transfer->shape) {
        status = (transfer->sent ? transport->send_bytes : transport->receive_bytes)(
            e->end, slot, transfer->peer, transfer->bytes, error);
    } else {
        unsigned char *base = e->area[transfer->area] + transfer->at;
        status = transfer->sent
                     ? transport->send(e->end, slot, transfer->peer, base, transfer->shape, error)
                     : transport->receive(e->end, slot, transfer->peer, base, transfer->shape, error);
    }
    if (status != AR_OK)
        return status;
    struct ar_counter *counter = ar_counters_of(e->counters, transfer->peer);
    *(transfer->sent ? &counter->sent_messages : &counter->received_messages) += 1;
    *(transfer->sent ? &counter->sent_bytes : &counter->received_bytes) += (int64_t)transfer->bytes;
    return AR_OK;
}

/* Receives first, so that arriving messages find their place. A transfer's slot is its index in the round. */
static enum ar_status start_round(struct ar_execution *e, const struct ar_round *round,
                                  struct ar_error *error)
{
    e->k = round->k;
    e->ntransfers = round->ntransfers;
    if (round->ntransfers > e->nreserved) { /* simulated only */
        e->nreserved = 2 * round->ntransfers;
        e->end->transport->reserve(e->end, e->nreserved);
    }
    do_work(e, round->work, round->npacking);
    enum ar_status status = AR_OK;
    for (int sends = 0; sends <= 1; sends++)
        for (int i = 0; i < round->ntransfers && status == AR_OK; i++) {
            const struct ar_transfer *transfer = &e->rounds->transfer[round->transfer + (size_t)i];
            if (transfer->sent == sends)
                status = start_transfer(e, i, transfer, error);
        }
    return status;
}

static void end_round(struct ar_execution *e)
{
    if (e->setup.simulated)
        return;
    const struct ar_round *round = &e->rounds->round[e->next - 1];
    do_work(e, round->work + (size_t)round->npacking, round->nwork - round->npacking);
}

/* ---- A run --------------------------------------------------------------------------------------------- */

void ar_execution_start(struct ar_execution *e, void *vector)
{
    e->running = true;
    e->in_round = false;
    e->next = 0;
    e->next_k = e->first;
    ar_counters_clear(e->counters);
    e->area[AR_VECTOR] = vector;
    if (e->needs.count[AR_INPUT] > 0)
        memcpy(e->area[AR_INPUT], e->area[AR_VECTOR] + (size_t)e->needs.first[AR_INPUT] * e->setup.elem_bytes,
               (size_t)e->needs.count[AR_INPUT] * e->setup.elem_bytes);
}

static void finish_result(struct ar_execution *e)
{
    if (e->setup.simulated || !e->op || !e->op->finish[e->type])
        return;
    const struct ar_schedule *schedule = e->setup.schedule;
    int64_t offset, length;
    ar_held(schedule, &e->setup.layout, ar_collectives[schedule->algorithm->collective].ends, e->setup.rank,
            0, &offset, &length);
    if (length > 0)
        e->op->finish[e->type](e->area[AR_VECTOR] + (size_t)offset * e->setup.elem_bytes, (size_t)length,
                               schedule->problem.nranks);
}

/* Finishes the round under way and starts the next, or ends the run. *moved is false when it has to wait. */
static enum ar_status advance(struct ar_execution *e, bool *moved, struct ar_error *error)
{
    if (e->in_round) {
        enum ar_status status = e->end->transport->finish(e->end, e->ntransfers, moved, error);
        if (status != AR_OK || !*moved)
            return status;
        end_round(e);
        e->in_round = false;
        e->nadvances++;
    }
    *moved = true;
    e->nadvances++;
    const struct ar_round *round = next_round(e);
    if (!round) {
        finish_result(e);
        e->running = false;
        return AR_OK;
    }
    e->in_round = true;
    return start_round(e, round, error);
}

enum ar_status ar_execution_progress(struct ar_execution *e, bool *done, struct ar_error *error)
{
    struct ar_error why;
    bool moved = true;
    while (e->running && moved) {
        enum ar_status status = advance(e, &moved, &why);
        if (status != AR_OK)
            return ar_fail(error, status, "round %" PRId64 ": %s", e->k + 1, why.text);
    }
    *done = !e->running;
    return AR_OK;
}

enum ar_status ar_execution_run(struct ar_execution *e, void *vector, struct ar_error *error)
{
    bool done;
    ar_execution_start(e, vector);
    enum ar_status status = ar_execution_progress(e, &done, error);
    if (status == AR_OK && !done)
        return ar_fail(error, AR_FAILED, "rank %d waits in round %" PRId64 ", and nobody runs the others",
                       e->setup.rank, e->k + 1);
    return status;
}

/* ---- All ranks together -------------------------------------------------------------------------------- */

/* Appends what the rank waits for, up to *left transfers. */
static void add_waiting(struct ar_execution *e, struct ar_text *text, int *left)
{
    const struct ar_transfer *transfer;
    if (e->setup.simulated) {
        ar_rounds_clear(e->rounds, NULL);
        ar_rounds_add(e->rounds, &e->setup, e->k, NULL);
        transfer = e->rounds->transfer;
    } else {
        transfer = &e->rounds->transfer[e->rounds->round[e->next - 1].transfer];
    }
    for (int i = 0; *left > 0 && i < e->ntransfers; i++) {
        if (!e->end->transport->pending || !e->end->transport->pending(e->end, i))
            continue;
        ar_text_add(text, "%srank %d waits in round %" PRId64 " %s %zu B %s rank %d",
                    text->length ? ", " : "", e->setup.rank, e->k + 1, transfer[i].sent ? "to send" : "for",
                    transfer[i].bytes, transfer[i].sent ? "to" : "from", transfer[i].peer);
        --*left;
    }
}

static enum ar_status fail_stuck(struct ar_execution *const *execution, int n, struct ar_error *error)
{
    enum { NAMED = 4 };
    struct ar_text text = {0};
    int left = NAMED, stuck = 0;
    for (int i = 0; i < n; i++) {
        if (!execution[i]->running)
            continue;
        stuck++;
        add_waiting(execution[i], &text, &left);
    }
    ar_text_add(&text, " (%d of %d ranks cannot go on)", stuck, n);
    enum ar_status status = ar_fail(error, AR_FAILED, "%s", text.data);
    ar_text_free(&text);
    return status;
}

static enum ar_status progress_all(struct ar_execution *const *execution, int n, struct ar_error *error)
{
    for (int left = n; left > 0;) {
        bool advanced = false;
        left = 0;
        for (int i = 0; i < n; i++) {
            struct ar_execution *e = execution[i];
            if (!e->running)
                continue;
            size_t before = e->nadvances;
            bool done;
            enum ar_status status = ar_execution_progress(e, &done, error);
            if (status != AR_OK)
                return status;
            left += !done;
            advanced |= e->nadvances != before;
        }
        if (!advanced && left > 0)
            return fail_stuck(execution, n, error);
    }
    return AR_OK;
}

enum ar_status ar_execution_run_all(struct ar_execution *const *execution, void *const *vector, int n,
                                    struct ar_error *error)
{
    struct ar_rounds shared = {0};
    for (int i = 0; i < n; i++) {
        if (execution[i]->setup.simulated) /* a planned round is not needed once it is started */
            execution[i]->rounds = &shared;
        ar_execution_start(execution[i], vector ? vector[i] : NULL);
    }
    enum ar_status status = progress_all(execution, n, error);
    for (int i = 0; i < n; i++)
        execution[i]->rounds = &execution[i]->own;
    ar_rounds_free(&shared, NULL);
    return status;
}

/* ---- Counters ------------------------------------------------------------------------------------------ */

const struct ar_counter *ar_execution_counters(const struct ar_execution *e, int *n)
{
    ar_counters_sort(e->counters);
    *n = e->counters->n;
    return e->counters->item;
}

struct ar_counter ar_execution_total(const struct ar_execution *e)
{
    struct ar_counter total = {.peer = -1};
    for (int i = 0; i < e->counters->n; i++) {
        const struct ar_counter *counter = &e->counters->item[i];
        total.sent_messages += counter->sent_messages;
        total.sent_bytes += counter->sent_bytes;
        total.received_messages += counter->received_messages;
        total.received_bytes += counter->received_bytes;
    }
    return total;
}
