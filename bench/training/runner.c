#include "bench/training/runner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/messages.h"
#include "collectives/registry.h"
#include "collectives/run/check.h"
#include "collectives/run/mpi.h"
#include "collectives/run/witness.h"

/* One distinct event: same algorithm, root and elements. */
struct job {
    int root;
    int64_t elements;
    struct ar_schedule schedule;
    struct ar_execution_setup setup;
    double memory_bytes;             /* of its executions, all ranks of this machine */
    int seen;                        /* the last plan that was asked for its memory */
    int64_t *modelled;               /* bytes that one run sends, per local rank */
    int64_t *counted;                /* the same of the last run; NULL before */
    struct ar_execution **execution; /* per local rank; NULL while not prepared */
    struct ar_check *check;
};

/* What one rank knows after a plan; travels between ranks as it is. */
struct share {
    int64_t sent, modelled, witness;
    int observed, wrong;
    struct ar_error failure;
};

struct ar_runner {
    struct ar_runner_setup setup;
    int first, nlocal; /* the ranks of this process */
    struct ar_end **end;
    void **vector; /* per local rank, vector_bytes long; NULL when simulated or before the first run */
    size_t vector_bytes;
    struct job **job;
    int njobs, capacity, plans;
};

struct ar_runner *ar_runner_new(const struct ar_runner_setup *setup)
{
    struct ar_runner *runner = ar_alloc(1, sizeof *runner);
    runner->setup = *setup;
    runner->first = setup->end ? setup->end->rank : 0;
    runner->nlocal = setup->end ? 1 : setup->nranks;
    runner->end = ar_alloc((size_t)runner->nlocal, sizeof(struct ar_end *));
    if (setup->end)
        runner->end[0] = setup->end;
    else
        ar_loopback_open(setup->nranks, runner->end);
    return runner;
}

static void unprepare(struct ar_runner *runner, struct job *job)
{
    for (int i = 0; job->execution && i < runner->nlocal; i++)
        ar_execution_free(job->execution[i]);
    free(job->execution);
    job->execution = NULL;
    if (job->check)
        ar_check_free(job->check);
    job->check = NULL;
}

static void free_job(struct ar_runner *runner, struct job *job)
{
    unprepare(runner, job);
    ar_schedule_free(&job->schedule);
    free(job->modelled);
    free(job->counted);
    free(job);
}

void ar_runner_free(struct ar_runner *runner)
{
    for (int i = 0; i < runner->njobs; i++)
        free_job(runner, runner->job[i]);
    for (int i = 0; i < runner->nlocal; i++) {
        if (runner->vector)
            free(runner->vector[i]);
        if (!runner->setup.end)
            runner->end[i]->transport->close(runner->end[i]);
    }
    free(runner->job);
    free(runner->vector);
    free(runner->end);
    free(runner);
}

/* ---- Jobs -------------------------------------------------------------------------------------------- */

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

static void model(const struct ar_runner *runner, struct job *job)
{
    int64_t elem_bytes = (int64_t)ar_types[runner->setup.type].bytes;
    job->modelled = ar_alloc((size_t)runner->nlocal, sizeof *job->modelled);
    for (int i = 0; i < runner->nlocal; i++) {
        struct ar_traffic traffic = ar_traffic_of_rank(&job->schedule, &job->setup.layout, runner->first + i);
        job->modelled[i] = traffic.elements_sent * elem_bytes;
    }
}

/* The ranks of this machine are taken to need as much as the neediest, but never more than all ranks do. */
static double memory_on_machine(const struct ar_runner *runner, const struct job *job)
{
    const struct ar_runner_setup *setup = &runner->setup;
    if (setup->library)
        return 0;
    double most = 0, all = 0;
    for (int rank = 0; rank < setup->nranks; rank++) {
        double bytes = ar_execution_memory(&job->setup, rank);
        most = bytes > most ? bytes : most;
        all += bytes;
    }
    double here = most * (setup->node_ranks ? setup->node_ranks : setup->nranks);
    return here < all ? here : all;
}

/* The job of an event, made when it is the first of its kind. */
static enum ar_status job_of(struct ar_runner *runner, const struct ar_event *event, const char *fallback,
                             struct job **found, struct ar_error *error)
{
    const struct ar_runner_setup *setup = &runner->setup;
    struct ar_choice choice;
    enum ar_status status =
        ar_runner_choice(runner, event->collective, fallback, event->elements, &choice, error);
    if (status != AR_OK)
        return status;
    for (int i = 0; i < runner->njobs; i++) {
        struct job *job = runner->job[i];
        if (job->schedule.algorithm == choice.algorithm && job->root == event->root &&
            job->elements == event->elements) {
            *found = job;
            return AR_OK;
        }
    }
    struct job *job = ar_alloc(1, sizeof *job);
    job->root = event->root;
    job->elements = event->elements;
    struct ar_size size = {event->elements, 0, (int64_t)ar_types[setup->type].bytes};
    status = ar_schedule_init(&job->schedule, &choice, setup->nranks, event->root, size, error);
    if (status == AR_OK)
        status = ar_schedule_layout(&job->schedule, event->elements, NULL, NULL, &job->setup.layout, error);
    if (status != AR_OK) {
        free_job(runner, job);
        return status;
    }
    job->setup.schedule = &job->schedule;
    job->setup.type = setup->type;
    job->setup.op = ar_collectives[event->collective].reduces ? ar_operator_find("sum") : NULL;
    job->setup.simulated = setup->simulated;
    job->memory_bytes = memory_on_machine(runner, job);
    model(runner, job);
    AR_GROW(runner->job, runner->njobs, runner->capacity);
    *found = runner->job[runner->njobs++] = job;
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

enum ar_status ar_runner_plan(struct ar_runner *runner, const struct ar_training_plan *plan,
                              const char *fallback, double *memory_bytes, struct ar_error *error)
{
    const struct ar_runner_setup *setup = &runner->setup;
    double bytes = 0;
    runner->plans++;
    for (int e = 0; e < plan->nevents; e++) {
        struct job *job;
        enum ar_status status = job_of(runner, &plan->event[e], fallback, &job, error);
        if (status != AR_OK)
            return status;
        if (job->seen == runner->plans)
            continue;
        job->seen = runner->plans;
        /* Simulated executions are not kept, so the largest decides. */
        if (!setup->simulated)
            bytes += job->memory_bytes;
        else if (job->memory_bytes > bytes)
            bytes = job->memory_bytes;
    }
    if (!setup->simulated)
        bytes +=
            (double)longest_bytes(runner, plan) * (setup->node_ranks ? setup->node_ranks : setup->nranks);
    *memory_bytes = bytes;
    return AR_OK;
}

enum ar_status ar_runner_agree(const struct ar_runner *runner, enum ar_status mine, struct ar_error *error)
{
    struct verdict {
        enum ar_status status;
        struct ar_error why;
    };
    if (!runner->setup.end)
        return mine;
    struct verdict verdict = {.status = mine};
    if (mine != AR_OK && error)
        verdict.why = *error;
    struct verdict *all = ar_alloc((size_t)runner->setup.nranks, sizeof *all);
    ar_mpi_share(runner->setup.end, &verdict, sizeof verdict, all);
    for (int r = runner->setup.nranks - 1; r >= 0; r--)
        if (all[r].status != AR_OK)
            verdict = all[r];
    free(all);
    return verdict.status == AR_OK ? AR_OK : ar_fail(error, verdict.status, "%s", verdict.why.text);
}

/* ---- Running one event ------------------------------------------------------------------------------- */

static enum ar_status prepare(struct ar_runner *runner, struct job *job, struct ar_error *error)
{
    if (!runner->setup.simulated && !job->check)
        job->check = ar_check_new(&job->setup);
    if (runner->setup.library || job->execution)
        return AR_OK;
    job->execution = ar_alloc((size_t)runner->nlocal, sizeof(struct ar_execution *));
    for (int i = 0; i < runner->nlocal; i++) {
        enum ar_status status = ar_execution_prepare(&job->execution[i], &job->setup, runner->end[i], error);
        if (status != AR_OK) {
            while (i-- > 0)
                ar_execution_free(job->execution[i]);
            free(job->execution);
            job->execution = NULL;
            return status;
        }
    }
    return AR_OK;
}

/* MPI's reduce-scatter in place leaves the rank's part at the start; ours stays where it belongs. */
static void move_part(const struct ar_runner *runner, const struct job *job)
{
    size_t elem_bytes = ar_types[runner->setup.type].bytes;
    int64_t offset, length;
    ar_layout_block(&job->setup.layout, runner->first, &offset, &length);
    char *vector = runner->vector[0];
    memmove(vector + (size_t)offset * elem_bytes, vector, (size_t)length * elem_bytes);
}

static enum ar_status run_library(struct ar_runner *runner, const struct job *job, struct ar_error *error)
{
    enum ar_collective_id collective = job->schedule.algorithm->collective;
    enum ar_status status =
        ar_mpi_library(runner->setup.end, collective, job->root, runner->vector[0], job->elements, error);
    if (status == AR_OK && collective == AR_COLLECTIVE_reduce_scatter)
        move_part(runner, job);
    return status;
}

static enum ar_status run_job(struct ar_runner *runner, struct job *job, struct ar_error *error)
{
    if (runner->setup.library)
        return run_library(runner, job, error);
    if (!job->counted)
        job->counted = ar_alloc((size_t)runner->nlocal, sizeof *job->counted);
    for (int i = 0; i < runner->nlocal; i++)
        job->counted[i] = -ar_execution_total(job->execution[i]).sent_bytes;
    enum ar_status status;
    if (runner->setup.end)
        status = ar_execution_run(job->execution[0], runner->vector[0], error);
    else
        status = ar_execution_run_all(job->execution, runner->vector, runner->nlocal, error);
    for (int i = 0; i < runner->nlocal; i++)
        job->counted[i] += ar_execution_total(job->execution[i]).sent_bytes;
    return status;
}

static void check(const struct ar_runner *runner, const struct job *job, const struct ar_event *event,
                  const char *label, struct share *share)
{
    struct ar_error why;
    for (int i = 0; i < runner->nlocal; i++) {
        enum ar_status status = ar_check_result(job->check, runner->first + i, runner->vector[i], &why);
        if (status == AR_OK || share[i].wrong)
            continue;
        share[i].wrong = true;
        ar_fail(&share[i].failure, status, "%s, layer %d, %s: %s", label, event->layer,
                ar_collectives[event->collective].name, why.text);
    }
}

/* An event whose job is prepared: fill, run, check, count. */
static enum ar_status run_event(struct ar_runner *runner, struct job *job, const struct ar_event *event,
                                const char *label, struct share *share, struct ar_error *error)
{
    enum ar_status status = prepare(runner, job, error);
    if (status != AR_OK)
        return status;
    for (int i = 0; job->check && i < runner->nlocal; i++)
        ar_check_fill(job->check, runner->first + i, runner->vector[i]);
    status = run_job(runner, job, error);
    if (status == AR_OK && job->check)
        check(runner, job, event, label, share);
    return status;
}

/* ---- Running a plan ---------------------------------------------------------------------------------- */

static void open_vectors(struct ar_runner *runner, size_t bytes)
{
    if (runner->setup.simulated || bytes <= runner->vector_bytes)
        return;
    if (!runner->vector)
        runner->vector = ar_alloc((size_t)runner->nlocal, sizeof(void *));
    for (int i = 0; i < runner->nlocal; i++) {
        free(runner->vector[i]);
        runner->vector[i] = ar_alloc(bytes, 1);
    }
    runner->vector_bytes = bytes;
}

static void add_up(const struct ar_runner *runner, const struct share *share, const char *label,
                   struct ar_tally *tally)
{
    bool library = runner->setup.library, observed = false;
    for (int r = 0; r < runner->setup.nranks; r++)
        observed |= share[r].observed != 0;
    *tally = (struct ar_tally){.right = true};
    for (int r = 0; r < runner->setup.nranks; r++) {
        const struct share *s = &share[r];
        int64_t sent = library ? s->witness : s->sent;
        tally->sent_max = sent > tally->sent_max ? sent : tally->sent_max;
        tally->sent_total += sent;
        tally->modelled_total += s->modelled;
        tally->witness_total += s->witness;
        if (!tally->right)
            continue;
        if (s->wrong) {
            tally->right = false;
            tally->failure = s->failure;
        } else if (!library && (s->sent != s->modelled || (observed && s->witness != s->sent))) {
            tally->right = false;
            char witness[64] = "";
            if (observed)
                snprintf(witness, sizeof witness, ", the witness saw %" PRId64 " B", s->witness);
            ar_fail(&tally->failure, AR_FAILED,
                    "%s: rank %d sent %" PRId64 " B, modelled are %" PRId64 " B%s", label, r, s->sent,
                    s->modelled, witness);
        }
    }
    if (!observed)
        tally->witness_total = AR_UNKNOWN;
    if (library)
        tally->modelled_total = AR_UNKNOWN;
    if (library && !observed)
        tally->sent_max = tally->sent_total = AR_UNKNOWN;
}

static enum ar_status run_events(struct ar_runner *runner, const struct ar_training_plan *plan,
                                 const char *fallback, const char *label, struct share *share,
                                 struct ar_error *error)
{
    for (int e = 0; e < plan->nevents; e++) {
        struct job *job;
        enum ar_status status = job_of(runner, &plan->event[e], fallback, &job, error);
        if (status == AR_OK && !(runner->setup.simulated && job->counted))
            status = run_event(runner, job, &plan->event[e], label, share, error);
        if (runner->setup.simulated && status == AR_OK)
            unprepare(runner, job);
        if (status != AR_OK)
            return status;
        for (int i = 0; i < runner->nlocal; i++) {
            share[i].modelled += job->modelled[i];
            share[i].sent += job->counted ? job->counted[i] : 0;
        }
    }
    return AR_OK;
}

static int64_t witnessed_bytes(const struct ar_runner *runner)
{
    struct ar_witness witness = ar_witness_total();
    return runner->setup.library ? witness.library_bytes : witness.user_bytes;
}

enum ar_status ar_runner_run(struct ar_runner *runner, const struct ar_training_plan *plan,
                             const char *fallback, const char *label, struct ar_tally *tally,
                             struct ar_error *error)
{
    struct ar_end *end = runner->setup.end;
    struct share *mine = ar_alloc((size_t)runner->nlocal, sizeof *mine);
    open_vectors(runner, longest_bytes(runner, plan));
    if (end)
        ar_mpi_barrier(end); /* what earlier plans left to the library is over */
    int64_t before = witnessed_bytes(runner);
    enum ar_status status = run_events(runner, plan, fallback, label, mine, error);
    for (int i = 0; i < runner->njobs; i++)
        unprepare(runner, runner->job[i]);
    if (status == AR_OK && end) {
        mine->witness = witnessed_bytes(runner) - before;
        mine->observed = ar_witness_observed();
        struct share *all = ar_alloc((size_t)runner->setup.nranks, sizeof *all);
        ar_mpi_share(end, mine, sizeof *mine, all);
        add_up(runner, all, label, tally);
        free(all);
    } else if (status == AR_OK) {
        add_up(runner, mine, label, tally);
    }
    free(mine);
    /* Over MPI a rank whose transfer broke is alone with it: the others cannot know. */
    return end && status != AR_OK ? AR_SYSTEM : status;
}
