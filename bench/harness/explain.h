/* A schedule told to people: what it is, how long its blocks are, the drawing; and as a table of steps. */
#pragma once

#include "bench/import/schedule_file.h"
#include "bench/report/report.h"
#include "collectives/schedule.h"

/* A schedule with what it is made of. Starts zeroed; release with ar_explain_free also after a failure. */
struct ar_explained {
    struct ar_schedule schedule;
    struct ar_schedule_file file; /* zero unless it was read */
    bool cut;                     /* byte parameters became a few segments, for want of a count */
};

/* A file's schedule; nranks and root, where not -1, must be the file's. */
enum ar_status ar_explain_file(const char *path, int64_t nranks, int64_t root, struct ar_explained *explained,
                               struct ar_error *error);

/* An algorithm's, for a vector of `count` float32 elements. Where count is -1, byte parameters become 3
 * segments, enough to see a pipeline; AR_INVALID where one was given. */
enum ar_status ar_explain_choice(const struct ar_choice *choice, int nranks, int root, int64_t count,
                                 struct ar_explained *explained, struct ar_error *error);

void ar_explain_free(struct ar_explained *explained);

/* AR_INVALID when there are more than 2^24 ranks x blocks or ranks x rounds, or 2^31 ranks x blocks x rounds:
 * nobody reads that. */
enum ar_status ar_explain_fits(const struct ar_schedule *schedule, struct ar_error *error);

/* Adds to the report's body a heading (with the length of every block when count >= 0), an empty line, and
 * the drawing of collectives/draw, `width` columns wide; and its notes. AR_FAILED when the schedule breaks a
 * rule; all before it is there. */
enum ar_status ar_explain_text(const struct ar_explained *explained, int64_t count, int width,
                               struct ar_report *report, struct ar_error *error);

/* Adds a table with the columns round, rank and step, in the words of bench/import/schedule_file.h. */
void ar_explain_table(const struct ar_schedule *schedule, struct ar_report *report);
