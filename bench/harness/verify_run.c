#include "bench/harness/verify_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/harness/verify_case.h"
#include "collectives/base/memory.h"
#include "collectives/registry.h"
#include "collectives/run/mpi.h"
#include "collectives/verify/verify.h"

/* One vector to run on. */
struct vector_size {
    int64_t count;
    enum ar_type type;
    bool uneven;
};

/* Everything about the algorithm being swept. */
struct state {
    const struct ar_sweep *sweep;
    struct ar_swept *swept;
    struct ar_error *error;
    struct vector_size *size; /* for the number of ranks being swept */
    int nsizes, capacity;
    struct ar_ranges ranks, skipped; /* numbers of ranks, into swept */
};

/* ---- One schedule ------------------------------------------------------------------------------------ */

static void count_failure(struct ar_swept *swept, const struct ar_error *why)
{
    if (swept->failed++ == 0)
        swept->failure = *why;
}

/* Over MPI ranks may see different failures; all take the sentence of the first rank that has one. */
static void agree_on_failures(const struct ar_sweep *sweep, struct ar_swept *swept, int64_t failed_before)
{
    struct seen {
        int64_t failed;
        struct ar_error failure;
    } mine = {swept->failed, swept->failure};
    int64_t most = ar_mpi_max(sweep->end, swept->failed);
    if (most == failed_before)
        return;
    struct seen *all = ar_alloc((size_t)sweep->end->nranks, sizeof *all);
    ar_mpi_share(sweep->end, &mine, sizeof mine, all);
    int first = 0;
    while (all[first].failed == 0)
        first++;
    swept->failure = all[first].failure;
    swept->failed = most;
    free(all);
}

static enum ar_status run_sizes(struct state *s, const struct ar_schedule *schedule,
                                const struct vector_size *size, int nsizes)
{
    const struct ar_sweep *sweep = s->sweep;
    bool reduces = ar_collectives[schedule->algorithm->collective].reduces;
    int64_t failed_before = s->swept->failed;
    enum ar_status status = AR_OK;
    for (int i = 0; i < nsizes && status == AR_OK; i++)
        for (int o = 0; o < (reduces ? sweep->noperators : 1) && status == AR_OK; o++) {
            struct ar_case run = {schedule,
                                  size[i].count,
                                  size[i].type,
                                  size[i].uneven,
                                  reduces ? sweep->operators[o] : NULL,
                                  sweep->end,
                                  sweep->pieces,
                                  sweep->node_ranks};
            struct ar_error why;
            status = ar_case_run(&run, &why);
            s->swept->ran++;
            if (status == AR_FAILED)
                count_failure(s->swept, &why);
            else if (status != AR_OK && s->error)
                *s->error = why;
            status = status == AR_FAILED ? AR_OK : status;
        }
    if (status == AR_OK && sweep->end)
        agree_on_failures(sweep, s->swept, failed_before);
    return status;
}

/* Counts the lack of a required property. */
static void lacks(struct ar_swept *swept, const struct ar_schedule *schedule, const char *property,
                  const struct ar_error *why)
{
    struct ar_text what = {0};
    struct ar_error failure;
    ar_schedule_describe(schedule, &what);
    ar_fail(&failure, AR_FAILED, "%s, lacks the required %s: %s", what.data, property, why->text);
    ar_text_free(&what);
    count_failure(swept, &failure);
}

static enum ar_status prove(struct state *s, const struct ar_schedule *schedule)
{
    struct ar_proof proof;
    struct ar_error why;
    struct ar_swept *swept = s->swept;
    enum ar_status status = ar_verify(schedule, &proof, &why);
    if (status != AR_OK && status != AR_FAILED) {
        if (s->error)
            *s->error = why;
        return status;
    }
    if (s->ranks.n == 0 || s->ranks.last != schedule->problem.nranks)
        ar_ranges_add(&s->ranks, schedule->problem.nranks);
    if (status == AR_FAILED) {
        count_failure(swept, &why);
        return status;
    }
    swept->proved++;
    swept->proved_root_0 += schedule->problem.root == 0;
    swept->ordered &= proof.ordered;
    swept->ordered_root_0 &= proof.ordered || schedule->problem.root != 0;
    swept->same_bits &= proof.same_bits;
    if (!proof.ordered && (s->sweep->require & AR_REQUIRE_ORDER))
        lacks(swept, schedule, "order", &proof.order_why);
    if (!proof.same_bits && (s->sweep->require & AR_REQUIRE_BITS))
        lacks(swept, schedule, "bits", &proof.bits_why);
    return AR_OK;
}

/* Takes the schedule over. */
static enum ar_status sweep_schedule(struct state *s, struct ar_schedule *schedule,
                                     const struct vector_size *size, int nsizes)
{
    enum ar_status status = prove(s, schedule);
    if (status == AR_OK && s->sweep->run)
        status = run_sizes(s, schedule, size, nsizes);
    ar_schedule_free(schedule);
    return status == AR_FAILED ? AR_OK : status;
}

/* ---- Sizes ------------------------------------------------------------------------------------------- */

static void add_size(struct state *s, int64_t count, enum ar_type type, bool owned)
{
    for (int uneven = 0; uneven <= (owned && count > 0); uneven++) {
        AR_GROW(s->size, s->nsizes, s->capacity);
        s->size[s->nsizes++] = (struct vector_size){count, type, uneven};
    }
}

static void make_sizes(struct state *s, int64_t nranks)
{
    const struct ar_sweep *sweep = s->sweep;
    bool owned = ar_collective_owned(s->swept->algorithm->collective);
    const int64_t usual[] = {0, 1, nranks - 1, nranks, nranks + 1, 3 * nranks + 2};
    const int nusual = sizeof usual / sizeof *usual;
    s->nsizes = 0;
    for (int t = 0; t < sweep->ntypes; t++) {
        for (int i = 0; i < sweep->ncounts; i++)
            add_size(s, sweep->counts[i], sweep->types[t], owned);
        for (int i = t == 0 ? 0 : nusual - 2; i < nusual && !sweep->counts; i++)
            if (i != 2 || nranks > 2) /* P-1 is not 0 or 1 again */
                if (i != 3 || nranks > 1)
                    add_size(s, usual[i], sweep->types[t], owned);
    }
}

/* ---- One algorithm ----------------------------------------------------------------------------------- */

/* Byte parameters as given: the number of segments follows from each size. */
static enum ar_status sweep_given(struct state *s, const struct ar_choice *choice, int nranks, int root)
{
    struct ar_problem last = {.nranks = 0};
    for (int i = 0; i < s->nsizes; i++) {
        const struct vector_size *size = &s->size[i];
        struct ar_size vector = {size->count, size->uneven ? ar_case_largest(size->count, nranks) : 0,
                                 (int64_t)ar_types[size->type].bytes};
        struct ar_schedule schedule;
        enum ar_status status = ar_schedule_init(&schedule, choice, nranks, root, vector, s->error);
        if (status != AR_OK)
            return status;
        bool same = last.nranks > 0;
        for (int p = 0; p < choice->algorithm->nparams; p++)
            same &= last.param[p] == schedule.problem.param[p];
        last = schedule.problem;
        last.prepared = NULL;
        if (same && !s->sweep->run)
            ar_schedule_free(&schedule); /* proved a moment ago */
        else
            status = sweep_schedule(s, &schedule, size, 1);
        if (status != AR_OK)
            return status;
    }
    return AR_OK;
}

/* Variant v of the parameters that were left out: 1, 2, 5 and 8 segments stand for all, words are all tried.
 * False: there is none. */
static bool variant_of(const struct ar_choice *choice, int64_t v, struct ar_problem *problem)
{
    static const int64_t segments[] = {1, 2, 5, 8};
    for (int i = 0; i < choice->algorithm->nparams; i++) {
        const struct ar_param *param = &choice->algorithm->params[i];
        bool bytes = param->unit == AR_PARAM_BYTES, word = param->unit == AR_PARAM_WORD && !choice->given[i];
        int64_t n = bytes ? 4 : word ? param->max + 1 : 1;
        problem->param[i] = bytes ? segments[v % n] : word ? v % n : choice->value[i];
        v /= n;
    }
    return v == 0;
}

static enum ar_status sweep_variants(struct state *s, const struct ar_choice *choice, int nranks, int root)
{
    struct ar_problem problem = {.nranks = nranks, .root = root};
    for (int64_t v = 0; variant_of(choice, v, &problem); v++) {
        struct ar_schedule schedule;
        enum ar_status status = ar_schedule_of_problem(&schedule, choice->algorithm, &problem, s->error);
        if (status == AR_OK)
            status = sweep_schedule(s, &schedule, s->size, s->nsizes);
        if (status != AR_OK)
            return status;
    }
    return AR_OK;
}

static bool bytes_given(const struct ar_choice *choice)
{
    for (int i = 0; i < choice->algorithm->nparams; i++)
        if (choice->given[i] && choice->algorithm->params[i].unit == AR_PARAM_BYTES)
            return true;
    return false;
}

/* Whether the algorithm exists for so many ranks and this root; AR_INVALID with the reason. */
static enum ar_status admits(const struct ar_choice *choice, int nranks, int root, struct ar_error *error)
{
    struct ar_schedule schedule;
    struct ar_size one = {1, 0, 1};
    enum ar_status status = ar_schedule_init(&schedule, choice, nranks, root < 0 ? 0 : root, one, error);
    if (status == AR_OK)
        ar_schedule_free(&schedule);
    return status;
}

static enum ar_status sweep_ranks(struct state *s, const struct ar_choice *choice, int nranks)
{
    const struct ar_sweep *sweep = s->sweep;
    struct ar_error why;
    enum ar_status status = admits(choice, nranks, sweep->root, &why);
    if (status == AR_INVALID && sweep->skip) {
        if (s->swept->nskipped++ == 0)
            s->swept->skipped_why = why;
        ar_ranges_add(&s->skipped, nranks);
        return AR_OK;
    }
    if (status != AR_OK) {
        if (s->error)
            *s->error = why;
        return status;
    }
    make_sizes(s, nranks);
    bool every = sweep->root < 0 && ar_collective_rooted(choice->algorithm->collective);
    int first = sweep->root < 0 ? 0 : sweep->root, last = every ? nranks - 1 : first;
    for (int root = first; root <= last && status == AR_OK; root++)
        status = (bytes_given(choice) ? sweep_given : sweep_variants)(s, choice, nranks, root);
    return status;
}

static void begin(struct state *s, const struct ar_algorithm *algorithm)
{
    *s->swept =
        (struct ar_swept){.algorithm = algorithm, .ordered = true, .ordered_root_0 = true, .same_bits = true};
    s->ranks.text = &s->swept->ranks;
    s->skipped.text = &s->swept->skipped;
}

static enum ar_status end(struct state *s, enum ar_status status)
{
    ar_ranges_end(&s->ranks);
    ar_ranges_end(&s->skipped);
    free(s->size);
    if (status != AR_OK)
        ar_swept_free(s->swept);
    return status;
}

enum ar_status ar_sweep_choice(const struct ar_sweep *sweep, const struct ar_choice *choice,
                               struct ar_swept *swept, struct ar_error *error)
{
    struct state s = {.sweep = sweep, .swept = swept, .error = error};
    enum ar_status status = AR_OK;
    begin(&s, choice->algorithm);
    ar_choice_name(choice, swept->name);
    if (bytes_given(choice) && !sweep->run && !sweep->counts)
        status = ar_fail(error, AR_INVALID, "%s:%s is cut into segments by bytes: say for which --count",
                         ar_collectives[choice->algorithm->collective].name, swept->name);
    for (int i = 0; i < sweep->nranks && status == AR_OK; i++)
        status = sweep_ranks(&s, choice, (int)sweep->ranks[i]);
    return end(&s, status);
}

enum ar_status ar_sweep_file(const struct ar_sweep *sweep, const struct ar_schedule_file *file,
                             struct ar_swept *swept, struct ar_error *error)
{
    struct state s = {.sweep = sweep, .swept = swept, .error = error};
    begin(&s, &file->algorithm);
    snprintf(swept->name, sizeof swept->name, "%s", file->algorithm.name);
    make_sizes(&s, file->problem.nranks);
    struct ar_schedule schedule;
    enum ar_status status = ar_schedule_of_problem(&schedule, &file->algorithm, &file->problem, error);
    if (status == AR_OK)
        status = sweep_schedule(&s, &schedule, s.size, s.nsizes);
    return end(&s, status);
}

enum ar_status ar_sweep_registry(const struct ar_sweep *sweep, const char *subject, struct ar_swept **swept,
                                 int *n, struct ar_error *error)
{
    enum ar_collective_id only = subject ? ar_collective_find(subject) : AR_NCOLLECTIVES;
    struct ar_swept *made = ar_alloc((size_t)ar_nalgorithms, sizeof *made);
    struct ar_choice choice;
    enum ar_status status = AR_OK;
    int nmade = 0;
    if (subject && only == AR_NCOLLECTIVES) {
        status = ar_choice_parse(subject, &choice, error);
        if (status == AR_OK)
            status = ar_sweep_choice(sweep, &choice, &made[nmade++], error);
    } else {
        for (int i = 0; i < ar_nalgorithms && status == AR_OK; i++) {
            choice = ar_choice_default(ar_algorithms[i]);
            if (!subject || ar_algorithms[i]->collective == only)
                status = ar_sweep_choice(sweep, &choice, &made[nmade++], error);
        }
    }
    if (status != AR_OK) {
        ar_swept_free_all(made, nmade);
        return status;
    }
    *swept = made;
    *n = nmade;
    return AR_OK;
}

void ar_swept_free_all(struct ar_swept *swept, int n)
{
    for (int i = 0; i < n; i++)
        ar_swept_free(&swept[i]);
    free(swept);
}

void ar_swept_free(struct ar_swept *swept)
{
    ar_text_free(&swept->ranks);
    ar_text_free(&swept->skipped);
    *swept = (struct ar_swept){0};
}
