/* A schedule told to people: what it is, how long its blocks are, the drawing; and as a table of steps. */
#pragma once

#include "bench/report/report.h"
#include "collectives/schedule.h"

/* AR_INVALID when there are more than 2^24 ranks x blocks or ranks x rounds: nobody reads that. */
enum ar_status ar_explain_fits(const struct ar_schedule *schedule, struct ar_error *error);

/* Appends a heading (with the length of every block when count >= 0), an empty line, and the drawing of
 * collectives/draw, `width` columns wide. AR_FAILED when the schedule breaks a rule; all before it is there.
 */
enum ar_status ar_explain_text(const struct ar_schedule *schedule, int64_t count, int width,
                               struct ar_text *text, struct ar_error *error);

/* Adds a table with the columns round, rank and step, in the words of bench/import/schedule_file.h. */
void ar_explain_table(const struct ar_schedule *schedule, struct ar_report *report);
