#include "bench/harness/verify_case.h"

#include <inttypes.h>
#include <stdlib.h>

#include "bench/harness/ranks.h"
#include "collectives/base/memory.h"
#include "collectives/verify/verify.h"

/* Refuses before anything is taken. Ranks differ in need (up to a vector per peer) and machines in memory:
 * all refuse or none. */
static enum ar_status check_memory(const struct ar_job *job, struct ar_error *error)
{
    const struct ar_ranks *ranks = job->ranks;
    double vector_bytes =
        (double)ar_layout_elements(&job->setup.layout) * (double)ar_types[job->setup.type].bytes;
    if (vector_bytes * ranks->nranks * ranks->nranks <= 1 << 26)
        return AR_OK; /* every machine has that */
    double bytes = ar_ranks_on_machine(ranks, ranks->n * vector_bytes + ar_job_memory(job));
    return ar_ranks_agree(ranks, ar_memory_check(bytes, "a run on real buffers", error), error);
}

static enum ar_status run_and_check(const struct ar_case *run, const struct ar_execution_setup *setup,
                                    struct ar_error *error)
{
    struct ar_ranks ranks;
    struct ar_job job;
    ar_ranks_open(&ranks, run->schedule->problem.nranks, run->end, run->node_ranks);
    enum ar_status status = ar_job_open(&job, &ranks, setup, error);
    if (status == AR_OK)
        status = check_memory(&job, error);
    if (status == AR_OK) {
        ar_job_fill(&job);
        status = ar_job_run(&job, error);
    }
    for (int i = 0; i < ranks.n && status == AR_OK; i++)
        status = ar_job_check(&job, i, error);
    ar_job_close(&job);
    ar_ranks_close(&ranks);
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
    struct ar_text what = {0};
    ar_schedule_describe(run->schedule, &what);
    ar_fail(error, status, "%s, %" PRId64 " elements%s, %s%s%s: %s", what.data, run->count,
            run->uneven ? " in unequal parts" : "", ar_types[run->type].name, run->op ? ", " : "",
            run->op ? run->op->name : "", inner->text);
    ar_text_free(&what);
}

enum ar_status ar_case_run(const struct ar_case *run, struct ar_error *error)
{
    struct ar_execution_setup setup = {
        .schedule = run->schedule, .type = run->type, .op = run->op, .pieces = run->pieces};
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
