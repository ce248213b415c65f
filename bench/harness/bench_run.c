#include "bench/harness/bench_run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/automatic.h"
#include "bench/harness/pingpong.h"
#include "collectives/base/memory.h"
#include "collectives/registry.h"
#include "collectives/run/mpi.h"
#include "collectives/run/mpi_library.h"
#include "collectives/run/witness.h"
#include "sim/bounds.h"

/* One contender at one size. */
struct entry {
    const struct ar_contender *contender;
    struct ar_choice choice;
    struct ar_schedule schedule; /* the library's: any, for it says only who holds what before and after */
    struct ar_job job;
    struct ar_library_call *library; /* NULL: ours */
    double library_bytes;
};

/* What a rank knows after the checked run; travels as it is. */
struct share {
    int64_t sent, modelled, messages, wire_messages;
    bool wrong, observed;
    struct ar_error why;
};

static int64_t elem_bytes_of(const struct ar_bench *bench)
{
    return ar_costing_elem_bytes(&bench->problem);
}

/* ---- Beforehand -------------------------------------------------------------------------------------- */

static enum ar_status measure_model(struct ar_bench *bench, struct ar_error *error)
{
    struct ar_pingpong found = {0};
    enum ar_status status = ar_pingpong_measure(bench->ranks, 1, &found, error);
    bench->problem.model = found.model;
    bench->measured = true;
    ar_pingpong_free(&found);
    return status;
}

enum ar_status ar_bench_prepare(struct ar_bench *bench, bool usual, bool measure, struct ar_text *notes,
                                struct ar_error *error)
{
    struct ar_costing problem = bench->problem;
    if (problem.root >= problem.nranks)
        return ar_fail(error, AR_INVALID, "--root: expected 0..%d, got %d", problem.nranks - 1, problem.root);
    if (problem.root > 0 && !ar_collective_rooted(problem.collective))
        return ar_fail(error, AR_INVALID, "--root: %s has none, got %d",
                       ar_collectives[problem.collective].name, problem.root);
    for (int i = 0; i < bench->nsizes; i++) {
        int64_t count = bench->size[i] / elem_bytes_of(bench);
        problem.count = count > problem.count ? count : problem.count;
    }
    enum ar_status status = ar_bench_settle(&bench->contenders, &problem, bench->op, usual, notes, error);
    return status == AR_OK && measure && problem.nranks > 1 ? measure_model(bench, error) : status;
}

/* Of all rows. */
static size_t vector_bytes(const struct entry *entry)
{
    const struct ar_execution_setup *setup = &entry->job.setup;
    return (size_t)ar_layout_elements(&setup->layout) * ar_types[setup->type].bytes;
}

/* ---- Entries ----------------------------------------------------------------------------------------- */

static struct ar_choice any_choice(const struct ar_costing *problem)
{
    int i = 0;
    while (i + 1 < ar_nalgorithms && (ar_algorithms[i]->collective != problem->collective ||
                                      ar_algorithm_admits(ar_algorithms[i], problem->nranks, NULL) != AR_OK))
        i++;
    return ar_choice_default(ar_algorithms[i]);
}

static enum ar_status choose(const struct ar_costing *problem, struct entry *entry, struct ar_error *error)
{
    if (entry->contender->kind == AR_CONTENDER_AUTO)
        return ar_choose_automatically(problem, &entry->choice, NULL, error);
    entry->choice = entry->contender->choice;
    if (entry->contender->kind == AR_CONTENDER_LIBRARY)
        entry->choice = any_choice(problem);
    return AR_OK;
}

/* The one place that says how schedules are executed. */
static enum ar_status open_job(const struct ar_bench *bench, int64_t count, struct entry *entry,
                               struct ar_error *error)
{
    struct ar_execution_setup setup = {
        .schedule = &entry->schedule, .type = bench->problem.type, .op = bench->op, .pieces = bench->pieces};
    enum ar_status status = ar_schedule_layout(&entry->schedule, count, NULL, NULL, &setup.layout, error);
    return status == AR_OK ? ar_job_open(&entry->job, bench->ranks, &setup, error) : status;
}

static enum ar_status open_entry(const struct ar_bench *bench, int64_t count, struct entry *entry,
                                 struct ar_error *error)
{
    struct ar_costing problem = bench->problem;
    struct ar_size size = {count, 0, elem_bytes_of(bench)};
    struct ar_library_setup library = {problem.collective, problem.root, count, problem.type, bench->op};
    problem.choice.algorithm = NULL;
    problem.count = count;
    enum ar_status status = choose(&problem, entry, error);
    if (status == AR_OK)
        status =
            ar_schedule_init(&entry->schedule, &entry->choice, problem.nranks, problem.root, size, error);
    if (status != AR_OK)
        return status;
    status = open_job(bench, count, entry, error);
    if (status != AR_OK || entry->contender->kind != AR_CONTENDER_LIBRARY)
        return status;
    entry->library_bytes = ar_library_memory(&library, problem.nranks);
    return ar_library_open(&entry->library, &library, bench->ranks->mpi, error);
}

static void close_entries(struct entry *entry, int n)
{
    for (int i = 0; i < n; i++) {
        ar_library_close(entry[i].library);
        ar_job_close(&entry[i].job);
        if (entry[i].schedule.algorithm)
            ar_schedule_free(&entry[i].schedule);
    }
    free(entry);
}

static enum ar_status open_entries(const struct ar_bench *bench, int64_t count, struct entry **entries,
                                   struct ar_error *error)
{
    int n = bench->contenders.n;
    struct entry *entry = ar_alloc((size_t)n, sizeof *entry);
    enum ar_status status = AR_OK;
    for (int i = 0; i < n && status == AR_OK; i++) {
        entry[i].contender = &bench->contenders.contender[i];
        status = open_entry(bench, count, &entry[i], error);
    }
    if (status == AR_OK)
        *entries = entry;
    else
        close_entries(entry, n);
    return status;
}

/* All contenders are prepared together. */
static enum ar_status check_memory(const struct ar_bench *bench, int64_t size, const struct entry *entry,
                                   struct ar_error *error)
{
    char text[AR_UNITS_TEXT], what[AR_UNITS_TEXT + 48];
    double bytes = (double)vector_bytes(&entry[0]);
    for (int i = 0; i < bench->contenders.n; i++) {
        bytes += entry[i].library ? entry[i].library_bytes : ar_job_memory(&entry[i].job);
        bytes += (double)AR_SAMPLES_MOST * sizeof(double);
    }
    snprintf(what, sizeof what, "bench with %s on every rank", ar_format_size(text, (uint64_t)size));
    enum ar_status status = ar_memory_check(ar_ranks_on_machine(bench->ranks, bytes), what, error);
    return ar_ranks_agree(bench->ranks, status, error);
}

/* What can be refused is refused before hours are spent. */
static enum ar_status check_all(const struct ar_bench *bench, struct ar_error *error)
{
    enum ar_status status = AR_OK;
    for (int i = 0; i < bench->nsizes && status == AR_OK; i++) {
        struct entry *entry;
        status = open_entries(bench, bench->size[i] / elem_bytes_of(bench), &entry, error);
        if (status != AR_OK)
            return status;
        status = check_memory(bench, bench->size[i], entry, error);
        close_entries(entry, bench->contenders.n);
    }
    return status;
}

/* ---- A checked run ----------------------------------------------------------------------------------- */

static enum ar_status run_once(void *context, struct ar_error *error)
{
    struct entry *entry = context;
    return entry->library ? ar_library_run(entry->library, entry->job.ranks->vector[0], error)
                          : ar_job_run(&entry->job, error);
}

static enum ar_status run_checked(struct entry *entry, struct share *mine, struct ar_error *error)
{
    struct ar_job *job = &entry->job;
    ar_job_fill(job);
    if (entry->library)
        ar_library_take(entry->library, job->ranks->vector[0]);
    struct ar_witnessed before = ar_witness_library();
    enum ar_status status = run_once(entry, error);
    if (status != AR_OK)
        return status;
    if (entry->library) {
        mine->sent = ar_witness_library().bytes - before.bytes;
        mine->messages = mine->wire_messages = ar_witness_library().messages - before.messages;
        mine->observed = ar_witness_observed();
        ar_library_settle(entry->library, job->ranks->vector[0]);
    } else {
        struct ar_counter total = ar_execution_total(job->execution[0]);
        mine->sent = total.sent_bytes;
        mine->messages = total.sent_messages;
        mine->wire_messages = total.sent_wire_messages;
        mine->modelled = job->modelled[0].elements_sent * (int64_t)ar_types[job->setup.type].bytes;
        mine->observed = true;
    }
    mine->wrong = ar_job_check(job, 0, &mine->why) != AR_OK;
    return AR_OK;
}

static void put_together(const struct ar_bench *bench, const struct entry *entry, const struct share *mine,
                         struct ar_bench_row *row)
{
    int nranks = bench->ranks->nranks;
    bool observed = false;
    double sent = 0, modelled = 0, messages = 0, wire_messages = 0;
    struct share *all = ar_alloc((size_t)nranks, sizeof *all);
    ar_mpi_share(bench->ranks->mpi, mine, sizeof *mine, all);
    row->valid = true;
    for (int r = 0; r < nranks; r++) {
        sent += (double)all[r].sent / nranks;
        modelled += (double)all[r].modelled / nranks;
        messages += (double)all[r].messages / nranks;
        wire_messages += (double)all[r].wire_messages / nranks;
        observed = observed || all[r].observed;
        if (all[r].wrong && row->valid) {
            row->valid = false;
            row->why = all[r].why;
        }
    }
    row->sent_mean = observed ? sent : NAN;
    row->modelled_mean = entry->library ? NAN : modelled;
    row->messages_mean = observed ? messages : NAN;
    row->wire_messages_mean = observed ? wire_messages : NAN;
    free(all);
}

/* ---- A size ------------------------------------------------------------------------------------------ */

static enum ar_status sample_all(const struct ar_bench *bench, struct entry *entry, const double *spent_s,
                                 uint64_t *random, struct ar_samples *samples, struct ar_error *error)
{
    struct ar_contestant contestant[AR_BENCH_MOST_CONTENDERS];
    struct ar_sampling how = {bench->ranks->mpi, bench->seconds, random};
    for (int i = 0; i < bench->contenders.n; i++)
        contestant[i] = (struct ar_contestant){run_once, &entry[i], spent_s[i]};
    memset(bench->ranks->vector[0], 0, vector_bytes(&entry[0]));
    return ar_sample(&how, contestant, bench->contenders.n, samples, error);
}

static enum ar_status price(const struct ar_bench *bench, int64_t size, const struct entry *entry,
                            struct ar_bench_row *row, struct ar_error *error)
{
    const struct ar_costing *problem = &bench->problem;
    int64_t elem_bytes = elem_bytes_of(bench), count = size / elem_bytes;
    row->modelled_s = NAN;
    row->lower_bound_s =
        ar_bounds_time(problem->collective, problem->nranks, count, elem_bytes, &problem->model).time_s;
    return entry->library ? AR_OK : ar_quick_price(problem, &entry->choice, count, &row->modelled_s, error);
}

static void summarise(struct ar_bench_row *row)
{
    size_t n = (size_t)row->samples.n;
    double *sorted = memcpy(ar_alloc(n, sizeof *sorted), row->samples.time_s, n * sizeof *sorted);
    row->time = ar_summarise(sorted, n);
    row->p25_s = ar_quantile(sorted, n, 0.25);
    row->p75_s = ar_quantile(sorted, n, 0.75);
    free(sorted);
}

static void compare(struct ar_bench_row *rows, int n, uint64_t seed)
{
    const struct ar_bench_row *library = NULL, *fastest = NULL;
    for (int i = 0; i < n; i++) {
        summarise(&rows[i]);
        if (!library && rows[i].contender->kind == AR_CONTENDER_LIBRARY)
            library = &rows[i];
        if (rows[i].valid && (!fastest || rows[i].time.median < fastest->time.median))
            fastest = &rows[i];
    }
    for (int i = 0; i < n; i++) {
        const struct ar_samples *mine = &rows[i].samples;
        rows[i].fastest = &rows[i] == fastest;
        rows[i].to_library = (struct ar_ratio){NAN, NAN, NAN};
        if (library)
            rows[i].to_library = ar_ratio_of_medians(mine->time_s, (size_t)mine->n, library->samples.time_s,
                                                     (size_t)library->samples.n, seed);
    }
}

static enum ar_status check_and_price(const struct ar_bench *bench, int64_t size, struct entry *entry,
                                      double *spent_s, struct ar_bench_row *rows, struct ar_error *error)
{
    const struct ar_costing *problem = &bench->problem;
    int64_t count = size / elem_bytes_of(bench), nranks = problem->nranks;
    enum ar_status status = AR_OK;
    for (int i = 0; i < bench->contenders.n && status == AR_OK; i++) {
        double begin = ar_clock_s();
        struct share mine = {0};
        rows[i] = (struct ar_bench_row){.contender = entry[i].contender, .count = count, .part_count = count};
        if (!entry[i].library)
            rows[i].ran = entry[i].choice;
        if (ar_collective_owned(problem->collective))
            rows[i].part_count = count / nranks + (count % nranks != 0);
        status = run_checked(&entry[i], &mine, error);
        if (status == AR_OK)
            put_together(bench, &entry[i], &mine, &rows[i]);
        spent_s[i] = ar_clock_s() - begin;
        if (status == AR_OK)
            status = price(bench, size, &entry[i], &rows[i], error);
    }
    return status;
}

static enum ar_status run_size(const struct ar_bench *bench, int64_t size, uint64_t *random,
                               struct ar_bench_row *rows, struct ar_error *error)
{
    int n = bench->contenders.n;
    double spent_s[AR_BENCH_MOST_CONTENDERS];
    struct ar_samples samples[AR_BENCH_MOST_CONTENDERS];
    struct entry *entry;
    enum ar_status status = open_entries(bench, size / elem_bytes_of(bench), &entry, error);
    if (status != AR_OK)
        return status;
    status = check_and_price(bench, size, entry, spent_s, rows, error);
    if (status == AR_OK)
        status = sample_all(bench, entry, spent_s, random, samples, error);
    close_entries(entry, n);
    if (status != AR_OK)
        return status;
    for (int i = 0; i < n; i++)
        rows[i].samples = samples[i];
    compare(rows, n, bench->seed);
    return AR_OK;
}

/* ---- All of it --------------------------------------------------------------------------------------- */

enum ar_status ar_bench_run(const struct ar_bench *bench, ar_listener *tell, struct ar_bench_row **rows,
                            int *n, struct ar_error *error)
{
    int each = bench->contenders.n;
    uint64_t random = bench->seed;
    enum ar_status status = check_all(bench, error);
    if (status != AR_OK)
        return status;
    struct ar_bench_row *made = ar_alloc((size_t)each * (size_t)bench->nsizes, sizeof *made);
    for (int i = 0; i < bench->nsizes && status == AR_OK; i++) {
        char text[AR_UNITS_TEXT];
        if (tell)
            tell(ar_format_size(text, (uint64_t)bench->size[i]), i + 1, bench->nsizes);
        status = run_size(bench, bench->size[i], &random, &made[i * each], error);
    }
    if (status != AR_OK) {
        ar_bench_free(made, each * bench->nsizes);
        return status;
    }
    *rows = made;
    *n = each * bench->nsizes;
    return AR_OK;
}

void ar_bench_free(struct ar_bench_row *rows, int n)
{
    for (int i = 0; i < n; i++)
        free(rows[i].samples.time_s);
    free(rows);
}
