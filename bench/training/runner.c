#include "bench/training/runner.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/ranks.h"
#include "collectives/base/memory.h"
#include "collectives/registry.h"
#include "collectives/run/mpi.h"
#include "collectives/run/mpi_library.h"
#include "collectives/run/witness.h"

/* One distinct event: same algorithm, root and elements. */
struct entry {
    int root;
    int64_t elements;
    struct ar_schedule schedule;
    struct ar_job job;
    int seen;         /* the last plan that was asked for its memory */
    int64_t *counted; /* bytes that the last run sent, per local rank */
    bool known;       /* another run would count the same: simulated, and right */
};

/* What one rank knows after a plan; travels between ranks as it is. */
struct share {
    int64_t sent, modelled, witness;
    bool wrong;
    struct ar_error failure;
};

struct ar_runner {
    struct ar_runner_setup setup;
    struct ar_ranks ranks;
    struct entry **entry;
    int nentries, capacity, plans;
    struct ar_witnessed *sent_to; /* over MPI: counted in this plan, per peer */
};

struct ar_runner *ar_runner_new(const struct ar_runner_setup *setup)
{
    struct ar_runner *runner = ar_alloc(1, sizeof *runner);
    runner->setup = *setup;
    ar_ranks_open(&runner->ranks, setup->nranks, setup->end, setup->node_ranks);
    runner->sent_to = ar_alloc((size_t)setup->nranks, sizeof *runner->sent_to);
    return runner;
}

static void free_entry(struct entry *entry)
{
    ar_job_close(&entry->job);
    ar_schedule_free(&entry->schedule);
    free(entry->counted);
    free(entry);
}

void ar_runner_free(struct ar_runner *runner)
{
    for (int i = 0; i < runner->nentries; i++)
        free_entry(runner->entry[i]);
    ar_ranks_close(&runner->ranks);
    free(runner->entry);
    free(runner->sent_to);
    free(runner);
}

/* ---- Entries ----------------------------------------------------------------------------------------- */

enum { MOST_SEGMENTS = 1024 };

static void lengthen_segments(struct ar_choice *choice, int64_t bytes)
{
    for (int i = 0; i < choice->algorithm->nparams; i++) {
        int64_t needed = (bytes / MOST_SEGMENTS / 1024 + 1) * 1024; /* whole KiB */
        if (choice->algorithm->params[i].unit != AR_PARAM_BYTES || choice->value[i] >= needed)
            continue;
        choice->value[i] = needed;
        choice->given[i] = true; /* it is part of the name now */
    }
}

enum ar_status ar_runner_choice(const struct ar_runner *runner, enum ar_collective_id collective,
                                const char *fallback, int64_t elements, struct ar_choice *choice,
                                struct ar_error *error)
{
    const struct ar_choice *given = &runner->setup.choice[collective];
    if (given->algorithm) {
        *choice = *given;
        return AR_OK;
    }
    const char *name = fallback ? fallback : ar_collective_rooted(collective) ? "chain" : "ring";
    const struct ar_algorithm *algorithm = ar_algorithm_find(collective, name);
    if (!algorithm)
        return ar_fail(error, AR_INVALID, "%s has no algorithm '%s'", ar_collectives[collective].name, name);
    *choice = ar_choice_default(algorithm);
    lengthen_segments(choice, elements * (int64_t)ar_types[runner->setup.type].bytes);
    return AR_OK;
}

static enum ar_status open_entry(struct ar_runner *runner, const struct ar_event *event,
                                 const struct ar_choice *choice, struct entry *entry, struct ar_error *error)
{
    const struct ar_runner_setup *setup = &runner->setup;
    struct ar_size size = {event->elements, 0, (int64_t)ar_types[setup->type].bytes};
    struct ar_execution_setup execution = {
        .schedule = &entry->schedule,
        .type = setup->type,
        .op = ar_collectives[event->collective].reduces ? ar_operator_find("sum") : NULL,
        .simulated = setup->simulated};
    entry->root = event->root;
    entry->elements = event->elements;
    entry->counted = ar_alloc((size_t)runner->ranks.n, sizeof *entry->counted);
    enum ar_status status =
        ar_schedule_init(&entry->schedule, choice, setup->nranks, event->root, size, error);
    if (status == AR_OK)
        status = ar_schedule_layout(&entry->schedule, event->elements, NULL, NULL, &execution.layout, error);
    if (status == AR_OK)
        status = ar_job_open(&entry->job, &runner->ranks, &execution, error);
    return status;
}

/* The entry of an event, made when it is the first of its kind. */
static enum ar_status entry_of(struct ar_runner *runner, const struct ar_event *event, const char *fallback,
                               struct entry **found, struct ar_error *error)
{
    struct ar_choice choice;
    enum ar_status status =
        ar_runner_choice(runner, event->collective, fallback, event->elements, &choice, error);
    if (status != AR_OK)
        return status;
    for (int i = 0; i < runner->nentries; i++) {
        struct entry *entry = runner->entry[i];
        if (entry->schedule.algorithm == choice.algorithm && entry->root == event->root &&
            entry->elements == event->elements) {
            *found = entry;
            return AR_OK;
        }
    }
    struct entry *entry = ar_alloc(1, sizeof *entry);
    status = open_entry(runner, event, &choice, entry, error);
    if (status != AR_OK) {
        free_entry(entry);
        return status;
    }
    AR_GROW(runner->entry, runner->nentries, runner->capacity);
    *found = runner->entry[runner->nentries++] = entry;
    return AR_OK;
}

static size_t longest_bytes(const struct ar_runner *runner, const struct ar_training_plan *plan)
{
    int64_t longest = 0;
    for (int e = 0; e < plan->nevents; e++)
        if (plan->event[e].elements > longest)
            longest = plan->event[e].elements;
    return (size_t)longest * ar_types[runner->setup.type].bytes;
}

enum ar_status ar_runner_estimate(struct ar_runner *runner, const struct ar_training_plan *plan,
                                  const char *fallback, double *memory_bytes, struct ar_error *error)
{
    const struct ar_ranks *ranks = &runner->ranks;
    double bytes = runner->setup.simulated ? 0 : (double)longest_bytes(runner, plan) * ranks->n;
    runner->plans++;
    for (int e = 0; e < plan->nevents; e++) {
        struct entry *entry;
        enum ar_status status = entry_of(runner, &plan->event[e], fallback, &entry, error);
        if (status != AR_OK)
            return status;
        if (entry->seen != runner->plans && !runner->setup.library)
            bytes += ar_job_memory(&entry->job);
        entry->seen = runner->plans;
    }
    *memory_bytes = ar_ranks_on_machine(ranks, bytes);
    return AR_OK;
}

enum ar_status ar_runner_agree(const struct ar_runner *runner, enum ar_status mine, struct ar_error *error)
{
    return ar_ranks_agree(&runner->ranks, mine, error);
}

/* ---- Running one event ------------------------------------------------------------------------------- */

static enum ar_status run_library(struct ar_runner *runner, const struct entry *entry, struct ar_error *error)
{
    const struct ar_execution_setup *setup = &entry->job.setup;
    void *vector = runner->ranks.vector[0];
    struct ar_library_call *call = NULL;
    struct ar_library_setup library = {entry->schedule.algorithm->collective, entry->root, entry->elements,
                                       setup->type, setup->op};
    enum ar_status status = ar_library_open(&call, &library, runner->ranks.mpi, error);
    if (status == AR_OK) {
        ar_library_take(call, vector);
        status = ar_library_run(call, vector, error);
    }
    if (status == AR_OK)
        ar_library_settle(call, vector);
    ar_library_close(call);
    return status;
}

/* Adds to what is counted per peer. */
static void count_peers(struct ar_runner *runner, struct ar_execution *execution)
{
    int n;
    const struct ar_counter *counter = ar_execution_counters(execution, &n);
    for (int i = 0; i < n; i++) {
        struct ar_witnessed *sent_to = &runner->sent_to[counter[i].peer];
        sent_to->messages += counter[i].sent_wire_messages;
        sent_to->bytes += counter[i].sent_bytes;
    }
}

/* Adds to a sentence what was being run. */
static enum ar_status fail_event(enum ar_status status, const struct ar_event *event, const char *label,
                                 const struct ar_error *why, struct ar_error *error)
{
    return ar_fail(error, status, "%s, layer %d, %s: %s", label, event->layer,
                   ar_collectives[event->collective].name, why->text);
}

/* Fill, run, count, check. */
static enum ar_status run_event(struct ar_runner *runner, struct entry *entry, const struct ar_event *event,
                                const char *label, struct share *share, struct ar_error *error)
{
    struct ar_job *job = &entry->job;
    struct ar_error why;
    ar_job_fill(job);
    enum ar_status status = runner->setup.library ? run_library(runner, entry, &why) : ar_job_run(job, &why);
    if (status != AR_OK)
        return fail_event(status, event, label, &why, error);
    entry->known = runner->setup.simulated;
    for (int i = 0; i < runner->ranks.n; i++) {
        entry->counted[i] = ar_execution_total(job->execution[i]).sent_bytes;
        if (runner->ranks.mpi)
            count_peers(runner, job->execution[i]);
        status = ar_job_check(job, i, &why);
        if (status == AR_OK)
            continue;
        entry->known = false;
        if (!share[i].wrong)
            fail_event(status, event, label, &why, &share[i].failure);
        share[i].wrong = true;
    }
    return AR_OK;
}

/* ---- Running a plan ---------------------------------------------------------------------------------- */

static enum ar_status run_events(struct ar_runner *runner, const struct ar_training_plan *plan,
                                 const char *fallback, const char *label, struct share *share,
                                 struct ar_error *error)
{
    int64_t elem_bytes = (int64_t)ar_types[runner->setup.type].bytes;
    for (int e = 0; e < plan->nevents; e++) {
        struct entry *entry;
        enum ar_status status = entry_of(runner, &plan->event[e], fallback, &entry, error);
        if (status == AR_OK && !entry->known)
            status = run_event(runner, entry, &plan->event[e], label, share, error);
        if (entry->known) /* not needed any more */
            ar_job_release(&entry->job);
        if (status != AR_OK)
            return status;
        for (int i = 0; i < runner->ranks.n; i++) {
            share[i].modelled += entry->job.modelled[i].elements_sent * elem_bytes;
            share[i].sent += entry->counted[i];
        }
    }
    return AR_OK;
}

/* What the witness has seen this rank send so far: to every peer, and behind them what the library sent. */
static struct ar_witnessed *ask_witness(const struct ar_runner *runner)
{
    int nranks = runner->setup.nranks;
    struct ar_witnessed *seen = ar_alloc((size_t)nranks + 1, sizeof *seen);
    for (int peer = 0; peer < nranks; peer++)
        seen[peer] = ar_witness_sent_to(peer);
    seen[nranks] = ar_witness_library();
    return seen;
}

/* What it has seen since `before`, against what was counted. */
static void compare_witness(const struct ar_runner *runner, const struct ar_witnessed *before,
                            const char *label, struct share *share)
{
    int nranks = runner->setup.nranks;
    struct ar_witnessed *now = ask_witness(runner);
    for (int peer = 0; peer < nranks; peer++) {
        const struct ar_witnessed *counted = &runner->sent_to[peer];
        int64_t messages = now[peer].messages - before[peer].messages;
        int64_t bytes = now[peer].bytes - before[peer].bytes;
        share->witness += bytes;
        if (share->wrong || (messages == counted->messages && bytes == counted->bytes))
            continue;
        share->wrong = true;
        ar_fail(&share->failure, AR_FAILED,
                "%s: rank %d sent %" PRId64 " B in %" PRId64 " messages to rank %d, the witness saw %" PRId64
                " B in %" PRId64,
                label, runner->ranks.first, counted->bytes, counted->messages, peer, bytes, messages);
    }
    if (runner->setup.library)
        share->witness = now[nranks].bytes - before[nranks].bytes;
    free(now);
}

static void add_up(const struct ar_runner *runner, const struct share *share, bool observed,
                   struct ar_tally *tally)
{
    bool library = runner->setup.library;
    *tally = (struct ar_tally){.right = true};
    for (int r = 0; r < runner->setup.nranks; r++) {
        const struct share *s = &share[r];
        int64_t sent = library ? s->witness : s->sent;
        tally->sent_max = sent > tally->sent_max ? sent : tally->sent_max;
        tally->sent_total += sent;
        tally->modelled_total += s->modelled;
        tally->witness_total += s->witness;
        if (tally->right && s->wrong) {
            tally->right = false;
            tally->failure = s->failure;
        }
    }
    if (!observed)
        tally->witness_total = AR_UNKNOWN;
    if (library)
        tally->modelled_total = AR_UNKNOWN;
    if (library && !observed)
        tally->sent_max = tally->sent_total = AR_UNKNOWN;
}

/* Over MPI every rank tells the others what it knows. */
static void share_all(struct ar_runner *runner, const struct ar_witnessed *before, const char *label,
                      struct share *mine, struct ar_tally *tally)
{
    struct ar_end *end = runner->ranks.mpi;
    bool observed = ar_mpi_max(end, ar_witness_observed());
    struct share *all = ar_alloc((size_t)runner->setup.nranks, sizeof *all);
    if (observed)
        compare_witness(runner, before, label, mine);
    ar_mpi_share(end, mine, sizeof *mine, all);
    add_up(runner, all, observed, tally);
    free(all);
}

enum ar_status ar_runner_run(struct ar_runner *runner, const struct ar_training_plan *plan,
                             const char *fallback, const char *label, struct ar_tally *tally,
                             struct ar_error *error)
{
    struct ar_end *end = runner->ranks.mpi;
    struct share *mine = ar_alloc((size_t)runner->ranks.n, sizeof *mine);
    if (!runner->setup.simulated)
        ar_ranks_reserve(&runner->ranks, longest_bytes(runner, plan));
    memset(runner->sent_to, 0, (size_t)runner->setup.nranks * sizeof *runner->sent_to);
    if (end)
        ar_mpi_barrier(end); /* what earlier plans left to the library is over */
    struct ar_witnessed *before = ask_witness(runner);
    enum ar_status status = run_events(runner, plan, fallback, label, mine, error);
    for (int i = 0; i < runner->nentries; i++)
        ar_job_release(&runner->entry[i]->job);
    if (status == AR_OK && end)
        share_all(runner, before, label, mine, tally);
    else if (status == AR_OK)
        add_up(runner, mine, false, tally);
    free(mine);
    free(before);
    return status;
}
