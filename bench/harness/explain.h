/* A schedule told to people: what it is, how long its blocks are, the drawings; and as tables. */
#pragma once

#include "bench/import/schedule_file.h"
#include "bench/report/report.h"
#include "collectives/schedule.h"
#include "sim/hockney.h"

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

/* ---- Drawings ---------------------------------------------------------------------------------------- */

enum { AR_VIEW_STEPS, AR_VIEW_GRID, AR_VIEW_GRAPH, AR_VIEW_TIME, AR_NVIEWS };

/* What is drawn, and how. */
struct ar_viewing {
    bool show[AR_NVIEWS];
    int64_t count;           /* elements of the vector, float32; -1: a usual one where time needs to know */
    int width;               /* columns */
    bool colour;             /* on a terminal */
    struct ar_hockney model; /* of the time */
};

/* Adds to the report's body a heading (with the length of every block when count >= 0) and the drawings, with
 * empty lines between; and its notes. AR_FAILED when the schedule breaks a rule; all before it is there. The
 * other drawings than steps have limits (collectives/draw/history.h): AR_INVALID. */
enum ar_status ar_explain_text(const struct ar_explained *explained, const struct ar_viewing *viewing,
                               struct ar_report *report, struct ar_error *error);

/* Adds the tables of what is shown: "steps" in the words of bench/import/schedule_file.h; "held" (grid);
 * "edges" (graph); "messages" and "ranks" (time). AR_FAILED and AR_INVALID as above, but for steps. */
enum ar_status ar_explain_tables(const struct ar_explained *explained, const struct ar_viewing *viewing,
                                 struct ar_report *report, struct ar_error *error);

/* Appends the figure as SVG: rounds, or where only time is shown that, or both; or the graph in graphviz'
 * language. AR_INVALID where it does not fit, AR_FAILED for a schedule that breaks a rule. */
enum ar_status ar_explain_svg(const struct ar_explained *explained, const struct ar_viewing *viewing,
                              struct ar_text *svg, struct ar_error *error);
enum ar_status ar_explain_dot(const struct ar_explained *explained, const struct ar_viewing *viewing,
                              struct ar_text *dot, struct ar_error *error);
