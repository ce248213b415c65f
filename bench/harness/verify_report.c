#include "bench/harness/verify_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "collectives/base/memory.h"
#include "collectives/base/units.h"

const char *ar_swept_order(const struct ar_swept *swept)
{
    if (!ar_collectives[swept->algorithm->collective].reduces)
        return NULL;
    if (swept->ordered)
        return "yes";
    return swept->ordered_root_0 && swept->proved_root_0 > 0 ? "root 0" : "no";
}

const char *ar_swept_bits(const struct ar_swept *swept)
{
    const struct ar_collective *collective = &ar_collectives[swept->algorithm->collective];
    if (!collective->reduces || collective->ends != AR_AT_ALL)
        return NULL;
    return swept->same_bits ? "yes" : "no";
}

/* ---- The table --------------------------------------------------------------------------------------- */

static const struct ar_column columns[] = {
    {"collective", "collective", 0}, {"algorithm", "algorithm", 0}, {"ranks", "ranks", 0},
    {"proved", "cases proved", 0},   {"ran", "cases run", 0},       {"failed", "failed", 0},
    {"skipped", "skipped", 0},       {"order", "order", 0},         {"bits", "bits", 0},
};

static const char *transport_of(const struct ar_sweep *sweep)
{
    return !sweep->run ? "none" : sweep->end ? "mpi" : "loopback";
}

static void add_text(struct ar_table *table, const char *text)
{
    if (text)
        ar_table_text(table, "%s", text);
    else
        ar_table_null(table);
}

static void add_row(struct ar_table *table, const struct ar_sweep *sweep, const struct ar_swept *swept)
{
    bool found = swept->proved > 0;
    ar_table_row(table);
    ar_table_text(table, "%s", ar_collectives[swept->algorithm->collective].name);
    ar_table_text(table, "%s", swept->name);
    ar_table_ranges(table, swept->ranks.data);
    ar_table_int(table, swept->proved);
    if (sweep->run)
        ar_table_int(table, swept->ran);
    else
        ar_table_null(table);
    ar_table_int(table, swept->failed);
    ar_table_int(table, swept->nskipped);
    add_text(table, found ? ar_swept_order(swept) : NULL);
    add_text(table, found ? ar_swept_bits(swept) : NULL);
}

/* ---- The notes --------------------------------------------------------------------------------------- */

static const struct ar_column failure_columns[] = {{"collective", "collective", 0},
                                                   {"algorithm", "algorithm", 0},
                                                   {"failed", "failed", 0},
                                                   {"sentence", "the first", 0}};

static void add_failures(const struct ar_swept *swept, int n, const struct ar_format *format,
                         struct ar_report *report)
{
    struct ar_table *table = NULL;
    if (!format->for_people)
        table = ar_report_table(report, "failures", NULL, failure_columns, 4);
    bool told = format == &ar_format_text;
    for (int i = 0; i < n; i++) {
        if (swept[i].failed == 0)
            continue;
        if (table) {
            ar_table_row(table);
            ar_table_text(table, "%s", ar_collectives[swept[i].algorithm->collective].name);
            ar_table_text(table, "%s", swept[i].name);
            ar_table_int(table, swept[i].failed);
            ar_table_text(table, "%s", swept[i].failure.text);
        } else if (!told) {
            ar_text_add(&report->notes, "%sfailed: %s", format == &ar_format_text ? "also " : "",
                        swept[i].failure.text);
            ar_text_add(&report->notes, swept[i].failed > 1 ? " (and %" PRId64 " more)\n" : "\n",
                        swept[i].failed - 1);
        }
        told = false;
    }
}

static void add_skipped(const struct ar_swept *swept, struct ar_text *notes)
{
    if (swept->nskipped > 0)
        ar_text_add(notes, "%s:%s: skipped %s rank%s%s: %s\n",
                    ar_collectives[swept->algorithm->collective].name, swept->name, swept->skipped.data,
                    strcmp(swept->skipped.data, "1") == 0 ? "" : "s",
                    swept->nskipped > 1 ? ", the first because" : "", swept->skipped_why.text);
}

struct totals {
    int64_t proved, ran, failed;
};

static void add_totals(const struct totals *totals, const struct ar_sweep *sweep, double seconds,
                       struct ar_text *notes)
{
    char text[AR_UNITS_TEXT];
    if (sweep->run && totals->failed == 0)
        ar_text_add(notes,
                    "Every result is right to the bit; every message and byte counted is as modelled.\n");
    ar_text_add(notes, "%s case%s proved", ar_format_count(text, (uint64_t)totals->proved),
                totals->proved == 1 ? "" : "s");
    if (sweep->run)
        ar_text_add(notes, ", %s run on real buffers over %s", ar_format_count(text, (uint64_t)totals->ran),
                    transport_of(sweep));
    if (totals->failed > 0) /* of a case that is proved, a run or a required property may fail */
        ar_text_add(notes, ", %s check%s failed", ar_format_count(text, (uint64_t)totals->failed),
                    totals->failed == 1 ? "" : "s");
    ar_text_add(notes, " in %.2f s\n", seconds);
}

void ar_verify_report(const struct ar_sweep *sweep, const struct ar_swept *swept, int n, double seconds,
                      const struct ar_format *format, struct ar_report *report)
{
    struct ar_table *table =
        ar_report_table(report, "algorithms", NULL, columns, sizeof columns / sizeof *columns);
    struct totals totals = {0};
    for (int i = 0; i < n; i++) {
        add_row(table, sweep, &swept[i]);
        totals.proved += swept[i].proved;
        totals.ran += swept[i].ran;
        totals.failed += swept[i].failed;
    }
    ar_report_field_text(report, "transport", transport_of(sweep));
    ar_report_field_int(report, "proved", totals.proved);
    ar_report_field_int(report, "ran", totals.ran);
    ar_report_field_int(report, "failed", totals.failed);
    add_failures(swept, n, format, report);
    for (int i = 0; i < n; i++)
        add_skipped(&swept[i], &report->notes);
    add_totals(&totals, sweep, seconds, &report->notes);
}

enum ar_status ar_verify_verdict(const struct ar_swept *swept, int n, struct ar_error *error)
{
    int64_t proved = 0, failed = 0;
    const struct ar_swept *first = NULL;
    for (int i = 0; i < n; i++) {
        proved += swept[i].proved;
        failed += swept[i].failed;
        if (!first && swept[i].failed > 0)
            first = &swept[i];
    }
    if (first && failed == 1)
        return ar_fail(error, AR_FAILED, "%s", first->failure.text);
    if (first)
        return ar_fail(error, AR_FAILED, "%s (and %" PRId64 " more failed)", first->failure.text, failed - 1);
    if (proved == 0)
        return ar_fail(error, AR_INVALID, "nothing to verify: %s",
                       n > 0 ? swept[0].skipped_why.text : "no algorithm");
    return AR_OK;
}

/* ---- All of it --------------------------------------------------------------------------------------- */

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum ar_status ar_verify_all(const struct ar_sweep *sweep, const struct ar_choice *choice, int n,
                             const struct ar_schedule_file *file, ar_listener *tell,
                             const struct ar_format *format, struct ar_report *report, struct ar_error *error)
{
    struct ar_swept *swept = ar_alloc((size_t)n + 1, sizeof *swept);
    int nswept = 0, of = n ? n : 1;
    double start_s = now_s();
    enum ar_status status = AR_OK;
    for (int i = 0; i < of && status == AR_OK; i++) {
        const struct ar_algorithm *algorithm = n ? choice[i].algorithm : &file->algorithm;
        char what[64];
        snprintf(what, sizeof what, "verify: %s:%s", ar_collectives[algorithm->collective].name,
                 algorithm->name);
        tell(what, i + 1, of);
        status = n ? ar_sweep_choice(sweep, &choice[i], &swept[i], error)
                   : ar_sweep_file(sweep, file, &swept[i], error);
        nswept += status == AR_OK;
    }
    if (status == AR_OK)
        status = ar_verify_verdict(swept, nswept, error);
    if (status == AR_OK || status == AR_FAILED)
        ar_verify_report(sweep, swept, nswept, now_s() - start_s, format, report);
    ar_swept_free_all(swept, nswept);
    return status;
}
