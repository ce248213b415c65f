/* What a measurement found, as a report. */
#pragma once

#include "bench/harness/bench_run.h"
#include "bench/harness/environment.h"
#include "bench/report/report.h"

/* Adds the seed to the heading (where the environment stands), a line that says what was measured, fields,
 * the table "rows", and notes: what is wrong, what `auto` chose, how far the times can be trusted. For people
 * `*` stands behind the fastest of a size, and results that are wrong have a note; for programs there are
 * more columns, in JSON also every sample. */
void ar_bench_report(const struct ar_bench *bench, const struct ar_environment *environment,
                     const struct ar_bench_row *rows, int n, const struct ar_format *format,
                     struct ar_report *report);

/* AR_FAILED with the first wrong result: size, algorithm, rank, index, expected, got. */
enum ar_status ar_bench_verdict(const struct ar_bench *bench, const struct ar_bench_row *rows, int n,
                                struct ar_error *error);

/* "8 B..32 KiB recursive_doubling, 64 KiB..64 MiB ring": appends what a contender ran, size by size in the
 * order of the rows. */
void ar_bench_write_ran(const struct ar_bench_row *rows, int n, int64_t elem_bytes,
                        enum ar_contender_kind kind, struct ar_text *text);
