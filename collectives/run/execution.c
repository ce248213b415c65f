#include "collectives/run/execution.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/text.h"
#include "collectives/run/flow_run.h"
#include "collectives/run/held.h"
#include "collectives/run/strict.h"

struct ar_execution {
    struct ar_rounds_setup setup;
    struct ar_site site;          /* the vector is the caller's, the rest ours; no memory when simulated */
    struct ar_rounds_needs needs; /* nothing when simulated */
    struct ar_rounds rounds; /* all of them, as long as they are needed; when simulated the one at hand */
    struct ar_pieces pieces;
    bool flows, prepared, running;
    struct ar_strict strict; /* one of the two */
    struct ar_flow flow;
    struct ar_flow_run flow_run;
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
    const struct ar_operator *op =
        ar_collectives[setup->schedule->algorithm->collective].reduces ? setup->op : NULL;
    e->setup = (struct ar_rounds_setup){.schedule = setup->schedule,
                                        .layout = setup->layout,
                                        .elem_bytes = ar_types[setup->type].bytes,
                                        .rank = end->rank,
                                        .simulated = setup->simulated,
                                        .folds = op && op->fold[setup->type]};
    e->site = (struct ar_site){.end = end, .type = setup->type, .op = op, .elem_bytes = e->setup.elem_bytes};
    e->strict = (struct ar_strict){.site = &e->site, .setup = &e->setup, .rounds = &e->rounds};
    ar_schedule_span(setup->schedule, end->rank, &e->strict.first, &e->strict.last);
    if (!setup->simulated)
        e->needs = ar_rounds_measure(&e->setup);
    e->pieces = setup->pieces.bytes ? setup->pieces : AR_PIECES_DEFAULT;
    e->flows = e->needs.largest_bytes > e->pieces.above;
    *execution = e;
    return AR_OK;
}

double ar_execution_memory(const struct ar_execution *e)
{
    double elements = (double)e->needs.count[AR_INPUT] + (double)e->needs.count[AR_SCRATCH];
    double staging = (double)e->needs.staging_bytes;
    return ar_rounds_bytes(&e->needs) + (e->flows ? ar_flow_bytes(&e->needs, e->pieces) : staging) +
           elements * (double)e->setup.elem_bytes;
}

static enum ar_status check_tasks(const struct ar_execution *e, struct ar_error *error)
{
    double tasks = e->flows ? ar_flow_tasks(&e->needs, e->pieces) : 0;
    if (tasks <= AR_FLOW_MOST_TASKS)
        return AR_OK;
    return ar_fail(error, AR_INVALID, "rank %d: pieces of %zu B make %.3g tasks, expected at most %d",
                   e->setup.rank, e->pieces.bytes, tasks, AR_FLOW_MOST_TASKS);
}

enum ar_status ar_execution_prepare(struct ar_execution *e, struct ar_error *error)
{
    if (e->setup.simulated || e->prepared)
        return AR_OK;
    double bytes = ar_execution_memory(e);
    enum ar_status status = check_tasks(e, error);
    if (status == AR_OK && bytes > 0)
        status = ar_memory_check(bytes, "the executor", error);
    if (status != AR_OK)
        return status;
    e->prepared = true;
    for (int place = AR_INPUT; place < AR_NPLACES; place++) {
        e->setup.first[place] = e->needs.first[place];
        if (e->needs.count[place] > 0)
            e->site.area[place] = ar_alloc((size_t)e->needs.count[place], e->setup.elem_bytes);
    }
    ar_rounds_reserve(&e->rounds, &e->needs);
    for (int64_t k = e->strict.first; k <= e->strict.last; k++)
        ar_rounds_add(&e->rounds, &e->setup, k);
    for (size_t i = 0; i < e->rounds.ntransfers; i++)
        ar_counters_of(&e->site.counters, e->rounds.transfer[i].peer);
    size_t staging_bytes = e->needs.staging_bytes;
    if (e->flows) {
        ar_flow_make(&e->flow, &e->rounds, &e->setup, e->pieces);
        ar_rounds_free(&e->rounds);
        ar_flow_run_prepare(&e->flow_run, &e->flow, &e->site);
        staging_bytes = e->flow.staging_bytes;
    } else {
        ar_strict_prepare(&e->strict, &e->needs);
    }
    if (staging_bytes > 0)
        e->site.area[AR_STAGING] = ar_alloc(staging_bytes, 1);
    return AR_OK;
}

void ar_execution_release(struct ar_execution *e)
{
    ar_flow_run_free(&e->flow_run);
    ar_flow_free(&e->flow);
    ar_strict_release(&e->strict);
    ar_rounds_free(&e->rounds);
    for (int area = AR_VECTOR + 1; area < AR_NAREAS; area++) {
        free(e->site.area[area]);
        e->site.area[area] = NULL;
    }
    ar_counters_free(&e->site.counters);
    e->prepared = false;
}

void ar_execution_free(struct ar_execution *e)
{
    if (!e)
        return;
    ar_execution_release(e);
    free(e);
}

/* ---- A run --------------------------------------------------------------------------------------------- */

void ar_execution_start(struct ar_execution *e, void *vector)
{
    size_t elem_bytes = e->setup.elem_bytes;
    e->running = true;
    ar_counters_clear(&e->site.counters);
    e->site.area[AR_VECTOR] = vector;
    if (e->needs.count[AR_INPUT] > 0)
        memcpy(e->site.area[AR_INPUT],
               e->site.area[AR_VECTOR] + (size_t)e->needs.first[AR_INPUT] * elem_bytes,
               (size_t)e->needs.count[AR_INPUT] * elem_bytes);
    if (e->flows)
        ar_flow_run_start(&e->flow_run);
    else
        ar_strict_start(&e->strict);
}

static void finish_result(struct ar_execution *e)
{
    const struct ar_operator *op = e->site.op;
    if (e->setup.simulated || !op || !op->finish[e->site.type])
        return;
    const struct ar_schedule *schedule = e->setup.schedule;
    int64_t offset, length;
    ar_held(schedule, &e->setup.layout, ar_collectives[schedule->algorithm->collective].ends, e->setup.rank,
            0, &offset, &length);
    if (length > 0)
        op->finish[e->site.type](e->site.area[AR_VECTOR] + (size_t)offset * e->setup.elem_bytes,
                                 (size_t)length, schedule->problem.nranks);
}

/* The round in which a transfer failed, or that is under way. */
static int64_t round_of(const struct ar_execution *e)
{
    return e->flows ? e->flow_run.k : e->strict.k;
}

enum ar_status ar_execution_progress(struct ar_execution *e, bool *done, struct ar_error *error)
{
    struct ar_error why;
    enum ar_status status = AR_OK;
    if (e->running)
        status = e->flows ? ar_flow_run_progress(&e->flow_run, &why) : ar_strict_progress(&e->strict, &why);
    if (status != AR_OK)
        return ar_fail(error, status, "round %" PRId64 ": %s", round_of(e) + 1, why.text);
    if (e->running && (e->flows ? e->flow_run.nleft == 0 : e->strict.done)) {
        finish_result(e);
        e->running = false;
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
                       e->setup.rank, round_of(e) + 1);
    return status;
}

/* ---- All ranks together -------------------------------------------------------------------------------- */

struct waiting {
    struct ar_text *text;
    int left; /* more to be named */
};

static void add_waiting(const struct ar_execution *e, int slot, int64_t k, int peer, bool sent, size_t bytes,
                        struct waiting *waiting)
{
    const struct ar_end *end = e->site.end;
    if (waiting->left == 0 || !end->transport->pending || !end->transport->pending(end, slot))
        return;
    ar_text_add(waiting->text, "%srank %d waits in round %" PRId64 " %s %zu B %s rank %d",
                waiting->text->length ? ", " : "", e->setup.rank, k + 1, sent ? "to send" : "for", bytes,
                sent ? "to" : "from", peer);
    waiting->left--;
}

static void add_waiting_of(struct ar_execution *e, struct waiting *waiting)
{
    if (e->flows) {
        for (int slot = 0; slot < e->flow_run.nslots; slot++) {
            const struct ar_task *task = &e->flow.task[e->flow_run.task_of_slot[slot]];
            add_waiting(e, slot, task->k, e->flow.stream[task->stream].peer, task->kind == AR_TASK_SEND,
                        task->bytes, waiting);
        }
        return;
    }
    size_t first = 0;
    if (e->setup.simulated) {
        ar_rounds_clear(e->strict.rounds);
        ar_rounds_add(e->strict.rounds, &e->setup, e->strict.k);
    } else {
        first = e->rounds.round[e->strict.next - 1].transfer;
    }
    for (int i = 0; i < e->strict.ntransfers; i++) {
        const struct ar_transfer *transfer = &e->strict.rounds->transfer[first + (size_t)i];
        add_waiting(e, i, e->strict.k, transfer->peer, transfer->sent, transfer->bytes, waiting);
    }
}

static enum ar_status fail_stuck(struct ar_execution *const *execution, int n, struct ar_error *error)
{
    enum { NAMED = 4 };
    struct ar_text text = {0};
    struct waiting waiting = {&text, NAMED};
    int stuck = 0;
    for (int i = 0; i < n; i++) {
        if (!execution[i]->running)
            continue;
        stuck++;
        add_waiting_of(execution[i], &waiting);
    }
    ar_text_add(&text, " (%d of %d ranks cannot go on)", stuck, n);
    enum ar_status status = ar_fail(error, AR_FAILED, "%s", text.data);
    ar_text_free(&text);
    return status;
}

static size_t advances(const struct ar_execution *e)
{
    return e->flows ? e->flow_run.nadvances : e->strict.nadvances;
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
            size_t before = advances(e);
            bool done;
            enum ar_status status = ar_execution_progress(e, &done, error);
            if (status != AR_OK)
                return status;
            left += !done;
            advanced |= advances(e) != before;
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
            execution[i]->strict.rounds = &shared;
        ar_execution_start(execution[i], vector ? vector[i] : NULL);
    }
    enum ar_status status = progress_all(execution, n, error);
    for (int i = 0; i < n; i++)
        execution[i]->strict.rounds = &execution[i]->rounds;
    ar_rounds_free(&shared);
    return status;
}

/* ---- Counters ------------------------------------------------------------------------------------------ */

const struct ar_counter *ar_execution_counters(struct ar_execution *e, int *n)
{
    ar_counters_sort(&e->site.counters);
    *n = e->site.counters.n;
    return e->site.counters.item;
}

struct ar_counter ar_execution_total(const struct ar_execution *e)
{
    struct ar_counter total = {.peer = -1};
    for (int i = 0; i < e->site.counters.n; i++) {
        const struct ar_counter *counter = &e->site.counters.item[i];
        total.sent_messages += counter->sent_messages;
        total.sent_bytes += counter->sent_bytes;
        total.sent_wire_messages += counter->sent_wire_messages;
        total.received_messages += counter->received_messages;
        total.received_bytes += counter->received_bytes;
        total.received_wire_messages += counter->received_wire_messages;
    }
    return total;
}
