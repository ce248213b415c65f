#include "bench/harness/verify_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/messages.h"
#include "collectives/run/check.h"
#include "collectives/run/execution.h"
#include "collectives/run/mpi.h"

/* The ranks that live in this process: all over loopback, one over MPI. */
struct local {
    const struct ar_execution_setup *setup;
    struct ar_check *check;
    int first, n;
    struct ar_end **end;
    struct ar_execution **execution;
    void **vector;
};

static struct local open_local(const struct ar_case *run, const struct ar_execution_setup *setup)
{
    struct local local = {setup, ar_check_new(setup), run->end ? run->end->rank : 0,
                          run->end ? 1 : run->schedule->problem.nranks};
    size_t n = (size_t)local.n;
    local.end = ar_alloc(n, sizeof *local.end);
    local.execution = ar_alloc(n, sizeof *local.execution);
    local.vector = ar_alloc(n, sizeof *local.vector);
    if (run->end)
        local.end[0] = run->end;
    else
        ar_loopback_open(local.n, local.end);
    return local;
}

static void close_local(const struct ar_case *run, struct local *local)
{
    for (int i = 0; i < local->n; i++) {
        if (local->execution[i])
            ar_execution_free(local->execution[i]);
        free(local->vector[i]);
        if (!run->end)
            local->end[i]->transport->close(local->end[i]);
    }
    ar_check_free(local->check);
    free(local->end);
    free(local->execution);
    free(local->vector);
}

static double vector_bytes(const struct ar_execution_setup *setup)
{
    return (double)setup->layout.count * (double)ar_types[setup->type].bytes;
}

static enum ar_status check_memory(const struct ar_case *run, const struct ar_execution_setup *setup,
                                   struct ar_error *error)
{
    int nranks = run->schedule->problem.nranks;
    double bytes = 0;
    if (run->end) { /* the other ranks of this machine need about as much */
        int here = run->node_ranks > 0 ? run->node_ranks : nranks;
        bytes = here * (vector_bytes(setup) + ar_execution_memory(setup, run->end->rank));
    } else {
        for (int rank = 0; rank < nranks; rank++)
            bytes += vector_bytes(setup) + ar_execution_memory(setup, rank);
    }
    enum ar_status status = ar_memory_check(bytes, "a run on real buffers", error);
    /* Ranks differ in need and machines in memory; where it may matter, all refuse or none. */
    bool large = vector_bytes(setup) > 1 << 20;
    if (run->end && large && ar_mpi_max(run->end, status != AR_OK) && status == AR_OK)
        return ar_fail(error, AR_NO_MEMORY,
                       "a run on real buffers needs more memory than another rank's machine has");
    return status;
}

static enum ar_status prepare(struct local *local, struct ar_error *error)
{
    enum ar_status status = AR_OK;
    for (int i = 0; i < local->n && status == AR_OK; i++) {
        local->vector[i] =
            ar_alloc((size_t)vector_bytes(local->setup) + 1, 1); /* an address for no elements */
        ar_check_fill(local->check, local->first + i, local->vector[i]);
        status = ar_execution_prepare(&local->execution[i], local->setup, local->end[i], error);
        if (status != AR_OK)
            local->execution[i] = NULL;
    }
    return status;
}

static enum ar_status check_counted(const struct local *local, int i, struct ar_error *error)
{
    const struct ar_execution_setup *setup = local->setup;
    int64_t bytes = (int64_t)ar_types[setup->type].bytes;
    struct ar_counter counted = ar_execution_total(local->execution[i]);
    struct ar_traffic modelled = ar_traffic_of_rank(setup->schedule, &setup->layout, local->first + i);
    if (counted.sent_messages == modelled.messages_sent &&
        counted.received_messages == modelled.messages_received &&
        counted.sent_bytes == modelled.elements_sent * bytes &&
        counted.received_bytes == modelled.elements_received * bytes)
        return AR_OK;
    return ar_fail(error, AR_FAILED,
                   "rank %d sent %" PRId64 " B in %" PRId64 " messages and received %" PRId64 " B in %" PRId64
                   ", expected %" PRId64 " B in %" PRId64 " and %" PRId64 " B in %" PRId64,
                   local->first + i, counted.sent_bytes, counted.sent_messages, counted.received_bytes,
                   counted.received_messages, modelled.elements_sent * bytes, modelled.messages_sent,
                   modelled.elements_received * bytes, modelled.messages_received);
}

static enum ar_status run_and_check(const struct ar_case *run, const struct ar_execution_setup *setup,
                                    struct ar_error *error)
{
    enum ar_status status = check_memory(run, setup, error);
    if (status != AR_OK)
        return status;
    struct local local = open_local(run, setup);
    status = prepare(&local, error);
    if (status == AR_OK)
        status = run->end ? ar_execution_run(local.execution[0], local.vector[0], error)
                          : ar_execution_run_all(local.execution, local.vector, local.n, error);
    for (int i = 0; i < local.n && status == AR_OK; i++) {
        status = ar_check_result(local.check, local.first + i, local.vector[i], error);
        if (status == AR_OK)
            status = check_counted(&local, i, error);
    }
    close_local(run, &local);
    return status;
}

/* ---- Unequal parts ----------------------------------------------------------------------------------- */

int64_t *ar_case_counts(int64_t count, int nranks)
{
    int64_t *counts = ar_alloc((size_t)nranks, sizeof *counts);
    for (int rank = nranks - 1; rank > 0; rank--) {
        counts[rank] = count - count / 2;
        count /= 2;
    }
    counts[0] = count;
    return counts;
}

int64_t ar_case_largest(int64_t count, int nranks)
{
    return nranks == 1 ? count : count - count / 2;
}

/* ------------------------------------------------------------------------------------------------------ */

/* Adds to a sentence what was being run. */
static void add_name(const struct ar_case *run, enum ar_status status, const struct ar_error *inner,
                     struct ar_error *error)
{
    const struct ar_schedule *schedule = run->schedule;
    enum ar_collective_id collective = schedule->algorithm->collective;
    char root[32] = "";
    if (ar_collective_rooted(collective))
        snprintf(root, sizeof root, ", root %d", schedule->problem.root);
    ar_fail(error, status, "%s:%s, %d ranks%s, %" PRId64 " elements%s, %s%s%s: %s",
            ar_collectives[collective].name, schedule->algorithm->name, schedule->problem.nranks, root,
            run->count, run->uneven ? " in unequal parts" : "", ar_types[run->type].name, run->op ? ", " : "",
            run->op ? run->op->name : "", inner->text);
}

enum ar_status ar_case_run(const struct ar_case *run, struct ar_error *error)
{
    struct ar_execution_setup setup = {.schedule = run->schedule, .type = run->type, .op = run->op};
    int64_t *counts = run->uneven ? ar_case_counts(run->count, run->schedule->problem.nranks) : NULL;
    int64_t *offsets = NULL;
    struct ar_error inner = {{0}};
    enum ar_status status =
        ar_schedule_layout(run->schedule, run->count, counts, &offsets, &setup.layout, &inner);
    if (status == AR_OK)
        status = run_and_check(run, &setup, &inner);
    if (status != AR_OK)
        add_name(run, status, &inner, error);
    free(counts);
    free(offsets);
    return status;
}
