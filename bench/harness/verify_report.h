/* What a sweep found, as a report: one row per algorithm, then notes. */
#pragma once

#include "bench/harness/listener.h"
#include "bench/harness/verify_run.h"
#include "bench/report/report.h"

/* "yes", "root 0" (in all cases with that root) or "no"; NULL where the collective does not reduce. */
const char *ar_swept_order(const struct ar_swept *swept);

/* "yes" or "no"; NULL where only one rank holds a result, or the collective does not reduce. */
const char *ar_swept_bits(const struct ar_swept *swept);

/* Adds the table, fields with the totals, a table `failures` for programs, and as notes: what failed, what
 * was skipped, how long it took. Text leaves out the first failure, which is the verdict's sentence. */
void ar_verify_report(const struct ar_sweep *sweep, const struct ar_swept *swept, int n, double seconds,
                      const struct ar_format *format, struct ar_report *report);

/* AR_FAILED with the first failure when there is one; AR_INVALID when everything was skipped. */
enum ar_status ar_verify_verdict(const struct ar_swept *swept, int n, struct ar_error *error);

/* All of it: sweeps n algorithms, or where n is 0 the file, adds what was found to the report and returns the
 * verdict. `tell` listens. */
enum ar_status ar_verify_all(const struct ar_sweep *sweep, const struct ar_choice *choice, int n,
                             const struct ar_schedule_file *file, ar_listener *tell,
                             const struct ar_format *format, struct ar_report *report,
                             struct ar_error *error);
