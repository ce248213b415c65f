#include "bench/harness/ranks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bench/harness/agree.h"
#include "collectives/base/memory.h"
#include "collectives/run/mpi.h"

void ar_ranks_open(struct ar_ranks *ranks, int nranks, struct ar_end *mpi, int node_ranks)
{
    *ranks = (struct ar_ranks){.nranks = nranks, .n = nranks, .mpi = mpi, .processes = 1};
    if (mpi) {
        ranks->first = mpi->rank;
        ranks->n = 1;
        ranks->processes = node_ranks > 0 ? node_ranks : nranks;
    }
    ranks->end = ar_alloc((size_t)ranks->n, sizeof(struct ar_end *));
    ranks->vector = ar_alloc((size_t)ranks->n, sizeof(void *));
    if (mpi)
        ranks->end[0] = mpi;
    else
        ar_loopback_open(nranks, ranks->end);
}

void ar_ranks_close(struct ar_ranks *ranks)
{
    for (int i = 0; i < ranks->n; i++) {
        free(ranks->vector[i]);
        if (!ranks->mpi)
            ranks->end[i]->transport->close(ranks->end[i]);
    }
    free(ranks->end);
    free(ranks->vector);
}

void ar_ranks_reserve(struct ar_ranks *ranks, size_t bytes)
{
    bytes += bytes == 0; /* an address for no elements */
    if (bytes <= ranks->vector_bytes)
        return;
    for (int i = 0; i < ranks->n; i++) {
        free(ranks->vector[i]);
        ranks->vector[i] = ar_alloc(bytes, 1);
    }
    ranks->vector_bytes = bytes;
}

double ar_ranks_on_machine(const struct ar_ranks *ranks, double bytes)
{
    if (!ranks->mpi)
        return bytes;
    double most = 0, total = 0;
    double *all = ar_alloc((size_t)ranks->nranks, sizeof *all);
    ar_mpi_share(ranks->mpi, &bytes, sizeof bytes, all);
    for (int r = 0; r < ranks->nranks; r++) {
        most = all[r] > most ? all[r] : most;
        total += all[r];
    }
    free(all);
    most *= ranks->processes;
    return most < total ? most : total;
}

enum ar_status ar_ranks_agree(const struct ar_ranks *ranks, enum ar_status mine, struct ar_error *error)
{
    return ar_agree(ranks->mpi, mine, 0, NULL, error);
}

/* ---- Jobs -------------------------------------------------------------------------------------------- */

static enum ar_status make_executions(struct ar_job *job, struct ar_error *error)
{
    enum ar_status status = AR_OK;
    if (job->execution)
        return AR_OK;
    job->execution = ar_alloc((size_t)job->ranks->n, sizeof(struct ar_execution *));
    for (int i = 0; i < job->ranks->n && status == AR_OK; i++)
        status = ar_execution_new(&job->execution[i], &job->setup, job->ranks->end[i], error);
    return status;
}

static void free_executions(struct ar_job *job)
{
    for (int i = 0; job->execution && i < job->ranks->n; i++)
        ar_execution_free(job->execution[i]);
    free(job->execution);
    job->execution = NULL;
}

enum ar_status ar_job_open(struct ar_job *job, struct ar_ranks *ranks, const struct ar_execution_setup *setup,
                           struct ar_error *error)
{
    *job = (struct ar_job){.ranks = ranks, .setup = *setup};
    job->modelled = ar_alloc((size_t)ranks->n, sizeof *job->modelled);
    for (int i = 0; i < ranks->n; i++)
        job->modelled[i] = ar_traffic_of_rank(setup->schedule, &setup->layout, ranks->first + i);
    /* Simulated ones need no memory, and there may be thousands: made when they run. */
    enum ar_status status = setup->simulated ? AR_OK : make_executions(job, error);
    if (status != AR_OK)
        ar_job_close(job);
    return status;
}

void ar_job_close(struct ar_job *job)
{
    free_executions(job);
    ar_check_free(job->check);
    free(job->modelled);
    *job = (struct ar_job){0};
}

void ar_job_release(struct ar_job *job)
{
    job->ran = false;
    ar_check_free(job->check);
    job->check = NULL;
    if (job->setup.simulated)
        free_executions(job);
    for (int i = 0; job->execution && i < job->ranks->n; i++)
        ar_execution_release(job->execution[i]);
}

double ar_job_memory(const struct ar_job *job)
{
    double bytes = 0;
    for (int i = 0; job->execution && i < job->ranks->n; i++)
        bytes += ar_execution_memory(job->execution[i]);
    return bytes;
}

/* ---- Running ----------------------------------------------------------------------------------------- */

void ar_job_fill(struct ar_job *job)
{
    if (job->setup.simulated)
        return;
    if (!job->check)
        job->check = ar_check_new(&job->setup);
    size_t elements = (size_t)ar_layout_elements(&job->setup.layout);
    ar_ranks_reserve(job->ranks, elements * ar_types[job->setup.type].bytes);
    for (int i = 0; i < job->ranks->n; i++)
        ar_check_fill(job->check, job->ranks->first + i, job->ranks->vector[i]);
}

enum ar_status ar_job_run(struct ar_job *job, struct ar_error *error)
{
    struct ar_ranks *ranks = job->ranks;
    job->ran = true;
    enum ar_status status = make_executions(job, error);
    for (int i = 0; i < ranks->n && status == AR_OK; i++)
        status = ar_execution_prepare(job->execution[i], error);
    if (status == AR_OK && ranks->mpi)
        status = ar_execution_run(job->execution[0], ranks->vector[0], error);
    else if (status == AR_OK)
        status = ar_execution_run_all(job->execution, job->setup.simulated ? NULL : ranks->vector, ranks->n,
                                      error);
    return ranks->mpi && status != AR_OK ? AR_SYSTEM : status;
}

/* ---- Checking ---------------------------------------------------------------------------------------- */

static enum ar_status check_counts(const struct ar_job *job, int i, struct ar_error *error)
{
    int64_t bytes = (int64_t)ar_types[job->setup.type].bytes;
    struct ar_counter counted = ar_execution_total(job->execution[i]);
    const struct ar_traffic *modelled = &job->modelled[i];
    if (counted.sent_messages == modelled->messages_sent &&
        counted.received_messages == modelled->messages_received &&
        counted.sent_bytes == modelled->elements_sent * bytes &&
        counted.received_bytes == modelled->elements_received * bytes)
        return AR_OK;
    return ar_fail(error, AR_FAILED,
                   "rank %d sent %" PRId64 " B in %" PRId64 " messages and received %" PRId64 " B in %" PRId64
                   ", expected %" PRId64 " B in %" PRId64 " and %" PRId64 " B in %" PRId64,
                   job->ranks->first + i, counted.sent_bytes, counted.sent_messages, counted.received_bytes,
                   counted.received_messages, modelled->elements_sent * bytes, modelled->messages_sent,
                   modelled->elements_received * bytes, modelled->messages_received);
}

enum ar_status ar_job_check(const struct ar_job *job, int i, struct ar_error *error)
{
    enum ar_status status = AR_OK;
    if (job->check)
        status = ar_check_result(job->check, job->ranks->first + i, job->ranks->vector[i], error);
    return status == AR_OK && job->ran ? check_counts(job, i, error) : status;
}
