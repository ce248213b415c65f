#include "bench/harness/bench_report.h"

#include <math.h>
#include <string.h>

#include "bench/report/report.h"
#include "sim/bounds.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *name_of(const struct ar_bench_row *row, char text[AR_CHOICE_TEXT])
{
    return row->ran.algorithm ? ar_choice_name(&row->ran, text) : "library";
}

static int64_t size_of(const struct ar_bench_row *row, int64_t elem_bytes)
{
    return row->count * elem_bytes;
}

/* Bytes of the full vector per second; and what of it some port must carry at least, as nccl-tests counts
 * (its PERFORMANCE.md): the bandwidth bound's share. */
static double algbw_Bps(const struct ar_bench_row *row, int64_t elem_bytes)
{
    return (double)size_of(row, elem_bytes) / row->time.median;
}

static double busbw_Bps(const struct ar_bench *bench, const struct ar_bench_row *row)
{
    return algbw_Bps(row, ar_costing_elem_bytes(&bench->problem)) *
           ar_bounds_of(bench->problem.collective, bench->problem.nranks).beta;
}

/* ---- For programs ------------------------------------------------------------------------------------ */

static const struct ar_column data_columns[] = {
    {"collective", NULL, 0},
    {"algorithm", NULL, 0},
    {"ran", NULL, 0},
    {"nranks", NULL, 0},
    {"root", NULL, 0},
    {"type", NULL, 0},
    {"op", NULL, 0},
    {"count", NULL, 0},
    {"bytes_per_rank", NULL, 0},
    {"total_bytes", NULL, 0},
    {"median_s", NULL, -1},
    {"median_low_s", NULL, -1},
    {"median_high_s", NULL, -1},
    {"min_s", NULL, -1},
    {"max_s", NULL, -1},
    {"p25_s", NULL, -1},
    {"p75_s", NULL, -1},
    {"samples", NULL, 0},
    {"ratio", NULL, -1},
    {"ratio_low", NULL, -1},
    {"ratio_high", NULL, -1},
    {"sent_bytes_mean", NULL, -1},
    {"modelled_bytes_mean", NULL, -1},
    {"messages_mean", NULL, -1},
    {"wire_messages_mean", NULL, -1},
    {"modelled_s", NULL, -1},
    {"lower_bound_s", NULL, -1},
    {"algbw_Bps", NULL, -1},
    {"busbw_Bps", NULL, -1},
    {"valid", NULL, 0},
    {"fastest", NULL, 0},
    {"failure", NULL, 0},
    {"raw_s", NULL, 0},
};

static void add_text_or_null(struct ar_table *table, const char *text)
{
    if (text)
        ar_table_text(table, "%s", text);
    else
        ar_table_null(table);
}

static void add_subject(const struct ar_bench *bench, const struct ar_bench_row *row, struct ar_table *table)
{
    const struct ar_costing *problem = &bench->problem;
    char name[AR_CHOICE_TEXT];
    ar_table_text(table, "%s", ar_collectives[problem->collective].name);
    ar_table_text(table, "%s", row->contender->typed);
    ar_table_text(table, "%s", name_of(row, name));
    ar_table_int(table, problem->nranks);
    if (ar_collective_rooted(problem->collective))
        ar_table_int(table, problem->root);
    else
        ar_table_null(table);
    ar_table_text(table, "%s", ar_types[problem->type].name);
    add_text_or_null(table, bench->op ? bench->op->name : NULL);
}

static void add_data_row(const struct ar_bench *bench, const struct ar_bench_row *row, bool raw,
                         struct ar_table *table)
{
    int64_t elem_bytes = ar_costing_elem_bytes(&bench->problem);
    const double times[] = {row->time.median, row->time.low, row->time.high, row->time.min,
                            row->time.max,    row->p25_s,    row->p75_s};
    const double rest[] = {
        row->to_library.ratio, row->to_library.low,        row->to_library.high,    row->sent_mean,
        row->modelled_mean,    row->messages_mean,         row->wire_messages_mean, row->modelled_s,
        row->lower_bound_s,    algbw_Bps(row, elem_bytes), busbw_Bps(bench, row)};
    ar_table_row(table);
    add_subject(bench, row, table);
    ar_table_int(table, row->count);
    ar_table_int(table, row->part_count * elem_bytes);
    ar_table_int(table, size_of(row, elem_bytes));
    for (int i = 0; i < LENGTH(times); i++)
        ar_table_real(table, times[i]);
    ar_table_int(table, row->samples.n);
    for (int i = 0; i < LENGTH(rest); i++)
        ar_table_real(table, rest[i]);
    ar_table_bool(table, row->valid);
    ar_table_bool(table, row->fastest);
    add_text_or_null(table, row->valid ? NULL : row->why.text);
    if (raw)
        ar_table_reals(table, row->samples.time_s, row->samples.n);
}

/* ---- For people -------------------------------------------------------------------------------------- */

static const struct ar_column text_columns[] = {
    {"size", "size", 0},           {"algorithm", "algorithm", 0},   {"per_rank", "B per rank", 0},
    {"count", "count", 0},         {"median", "median, us", 2},     {"interval", "95 %", 0},
    {"min", "min, us", 2},         {"samples", "samples", 0},       {"ratio", "/ library", 3},
    {"ratio_interval", "95 %", 0}, {"modelled", "modelled, us", 2}, {"bound", "bound, us", 2},
    {"algbw", "algbw, GB/s", 3},   {"busbw", "busbw, GB/s", 3},     {"valid", "valid", 0},
};

static void add_text_row(const struct ar_bench *bench, const struct ar_bench_row *row, struct ar_table *table)
{
    char size[AR_UNITS_TEXT];
    int64_t elem_bytes = ar_costing_elem_bytes(&bench->problem);
    ar_table_row(table);
    ar_table_text(table, "%s", ar_format_size(size, (uint64_t)size_of(row, elem_bytes)));
    ar_table_text(table, "%s%s", row->contender->typed, row->fastest ? " *" : "");
    ar_table_int(table, row->part_count * elem_bytes);
    ar_table_int(table, row->count);
    ar_table_real(table, row->time.median * 1e6);
    ar_table_text(table, "%.2f..%.2f", row->time.low * 1e6, row->time.high * 1e6);
    ar_table_real(table, row->time.min * 1e6);
    ar_table_int(table, row->samples.n);
    ar_table_real(table, row->to_library.ratio);
    if (isnan(row->to_library.ratio) || row->contender->kind == AR_CONTENDER_LIBRARY)
        ar_table_null(table);
    else
        ar_table_text(table, "%.3f..%.3f", row->to_library.low, row->to_library.high);
    ar_table_real(table, row->modelled_s * 1e6);
    ar_table_real(table, row->lower_bound_s * 1e6);
    ar_table_real(table, algbw_Bps(row, elem_bytes) / 1e9);
    ar_table_real(table, busbw_Bps(bench, row) / 1e9);
    ar_table_bool(table, row->valid);
}

/* ---- In words ---------------------------------------------------------------------------------------- */

static const char *source_of(const struct ar_bench *bench)
{
    if (bench->measured)
        return "measured";
    if (bench->problem.machine)
        return bench->problem.machine->name;
    return bench->problem.model.alpha_s > 0 ? "given" : "one rank sends nothing";
}

static void describe(const struct ar_bench *bench, struct ar_report *report)
{
    const struct ar_costing *problem = &bench->problem;
    struct ar_text model = {0};
    ar_hockney_write(&problem->model, &model);
    ar_text_add(&report->heading, "; seed %llu", (unsigned long long)bench->seed);
    ar_text_add(&report->body, "%s, %d rank%s over mpi, %s", ar_collectives[problem->collective].name,
                problem->nranks, problem->nranks == 1 ? "" : "s", ar_types[problem->type].name);
    if (bench->op)
        ar_text_add(&report->body, ", %s", bench->op->name);
    if (ar_collective_rooted(problem->collective))
        ar_text_add(&report->body, ", root %d", problem->root);
    ar_text_add(&report->body, "; %s (%s)\n", model.data, source_of(bench));
    ar_report_field_int(report, "nranks", problem->nranks);
    ar_report_field_text(report, "model", model.data);
    ar_report_field_int(report, "seed", (int64_t)bench->seed);
    ar_text_free(&model);
}

void ar_bench_write_ran(const struct ar_bench_row *rows, int n, int64_t elem_bytes,
                        enum ar_contender_kind kind, struct ar_text *text)
{
    char name[AR_CHOICE_TEXT], other[AR_CHOICE_TEXT], from[AR_UNITS_TEXT], to[AR_UNITS_TEXT];
    const struct ar_bench_row *first = NULL, *last = NULL;
    bool written = false;
    for (int i = 0; i <= n; i++) {
        const struct ar_bench_row *row = i < n ? &rows[i] : NULL;
        if (row && row->contender->kind != kind)
            continue;
        if (first && (!row || strcmp(name_of(first, name), name_of(row, other)) != 0)) {
            ar_format_size(from, (uint64_t)size_of(first, elem_bytes));
            ar_format_size(to, (uint64_t)size_of(last, elem_bytes));
            ar_text_add(text, "%s%s%s%s %s", written ? ", " : "", from, first == last ? "" : "..",
                        first == last ? "" : to, name_of(first, name));
            written = true;
            first = NULL;
        }
        first = first ? first : row;
        last = row;
    }
}

static void note_auto(const struct ar_bench *bench, const struct ar_bench_row *rows, int n,
                      struct ar_text *notes)
{
    struct ar_text ran = {0};
    ar_bench_write_ran(rows, n, ar_costing_elem_bytes(&bench->problem), AR_CONTENDER_AUTO, &ran);
    if (ran.length)
        ar_text_add(notes, "auto chose: %s.\n", ran.data);
    ar_text_free(&ran);
}

static void note_trust(const struct ar_environment *environment, const struct ar_bench_row *rows, int n,
                       struct ar_text *notes)
{
    char text[AR_UNITS_TEXT];
    bool unseen = false, coarse = false;
    for (int i = 0; i < n; i++) {
        unseen = unseen || isnan(rows[i].sent_mean);
        coarse = coarse || rows[i].time.median < 20 * ar_clock_resolution_s();
    }
    if (unseen)
        ar_text_add(notes, "The library's bytes were not observed (needs Open MPI with its monitoring "
                           "component, and a message).\n");
    if (coarse)
        ar_text_add(notes, "The clock tells apart %s: the shortest times are rough.\n",
                    ar_format_time(text, ar_clock_resolution_s()));
    if (environment->oversubscribed)
        ar_text_add(notes,
                    "Warning: %d ranks share %d core%s, so times show the scheduler rather than the "
                    "algorithms: start at most as many ranks as cores (mpiexec -n).\n",
                    environment->crowd_ranks, environment->crowd_cores,
                    environment->crowd_cores == 1 ? "" : "s");
    else if (strcmp(environment->binding, "not bound") == 0)
        ar_text_add(notes, "Warning: the ranks are not bound and may move while they are timed: mpiexec "
                           "--bind-to core.\n");
}

/* Intervals whose ends are further apart than this say little about the median between them. */
static const double WIDE = 1.5;

static void note_spread(const struct ar_bench_row *rows, int n, struct ar_text *notes)
{
    int wide = 0;
    for (int i = 0; i < n; i++)
        wide += rows[i].time.high > WIDE * rows[i].time.low;
    if (wide)
        ar_text_add(notes,
                    "Warning: the interval of %d of %d medians spans a factor of more than %g: other work or "
                    "too few samples; repeat on an idle machine with a longer --time.\n",
                    wide, n, WIDE);
}

static enum ar_status fail_row(const struct ar_bench *bench, const struct ar_bench_row *row,
                               struct ar_error *error)
{
    char size[AR_UNITS_TEXT];
    return ar_fail(error, AR_FAILED, "%s, %s, %s: %s", ar_collectives[bench->problem.collective].name,
                   ar_format_size(size, (uint64_t)size_of(row, ar_costing_elem_bytes(&bench->problem))),
                   row->contender->typed, row->why.text);
}

enum ar_status ar_bench_verdict(const struct ar_bench *bench, const struct ar_bench_row *rows, int n,
                                struct ar_error *error)
{
    for (int i = 0; i < n; i++)
        if (!rows[i].valid)
            return fail_row(bench, &rows[i], error);
    return AR_OK;
}

static void note_results(const struct ar_bench *bench, const struct ar_bench_row *rows, int n,
                         struct ar_text *notes)
{
    struct ar_error why;
    int wrong = 0;
    for (int i = 0; i < n; i++)
        if (!rows[i].valid && wrong++ < 8) {
            fail_row(bench, &rows[i], &why);
            ar_text_add(notes, "WRONG: %s.\n", why.text);
        }
    if (wrong == 0)
        ar_text_add(notes, "Before it was timed, every algorithm's result was checked to the bit on every "
                           "rank, and counted = modelled bytes.\n");
    else
        ar_text_add(notes, "%d of %d rows are wrong.\n", wrong, n);
}

void ar_bench_report(const struct ar_bench *bench, const struct ar_environment *environment,
                     const struct ar_bench_row *rows, int n, const struct ar_format *format,
                     struct ar_report *report)
{
    bool people = format->for_people, raw = format == &ar_format_json;
    describe(bench, report);
    struct ar_table *table =
        people ? ar_report_table(report, "rows", NULL, text_columns, LENGTH(text_columns))
               : ar_report_table(report, "rows", NULL, data_columns, LENGTH(data_columns) - !raw);
    for (int i = 0; i < n; i++)
        if (people)
            add_text_row(bench, &rows[i], table);
        else
            add_data_row(bench, &rows[i], raw, table);
    note_results(bench, rows, n, &report->notes);
    if (people)
        ar_text_add(
            &report->notes,
            "*: the smallest median of a size. 95 %%: the interval of the median, and of the ratio to the "
            "library's.%s\n",
            bench->measured ? " modelled: with one alpha and one beta for all sizes; pingpong shows how "
                              "far they are off."
                            : "");
    note_auto(bench, rows, n, &report->notes);
    note_spread(rows, n, &report->notes);
    note_trust(environment, rows, n, &report->notes);
}
