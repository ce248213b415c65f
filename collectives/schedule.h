/* A schedule: an algorithm bound to a problem. What every consumer holds.
 *
 *     struct ar_choice choice;
 *     ar_choice_parse("allreduce:ring", &choice, error);
 *     ar_schedule_init(&schedule, &choice, nranks, root, (struct ar_size){count, 0, 4}, error);
 *     for (k = 0; k < ar_nrounds(&schedule); k++)
 *         ar_schedule_round(&schedule, rank, k, &sink);
 *     ar_schedule_free(&schedule);
 */
#pragma once

#include "collectives/algorithm.h"
#include "collectives/base/error.h"
#include "collectives/base/units.h"
#include "collectives/layout.h"

struct ar_schedule {
    const struct ar_algorithm *algorithm;
    struct ar_problem problem;
    int64_t nblocks; /* remembered; 0: not yet (a child made for one call) */
    void *owned;     /* what `prepare` made; ar_schedule_free releases it */
};

/* An algorithm with parameter values as the user gave them (bytes still bytes), e.g. from
 * "broadcast:chain:segment=64KiB". */
struct ar_choice {
    const struct ar_algorithm *algorithm;
    int64_t value[AR_MAX_PARAMS];
    bool given[AR_MAX_PARAMS];
};

/* "COLL:ALG[:param=value,...]". Unknown names are refused with the nearest known one, values out of range and
 * parameters that are not the algorithm's with what is allowed. */
enum ar_status ar_choice_parse(const char *text, struct ar_choice *choice, struct ar_error *error);

/* The choice of an algorithm with every default. */
struct ar_choice ar_choice_default(const struct ar_algorithm *algorithm);

/* "chain:segment=64KiB": the name, and the parameters that were given. Returns `text`. */
enum { AR_CHOICE_TEXT = 160 };
const char *ar_choice_name(const struct ar_choice *choice, char text[AR_CHOICE_TEXT]);

/* A value as it is typed: "64KiB", "3", "half". Returns `text`. */
const char *ar_param_format(const struct ar_param *param, int64_t value, char text[AR_UNITS_TEXT]);

/* The vector that a byte parameter is measured against: its elements (of the largest part where counts
 * differ) and bytes per element. A segment of b bytes holds max(1, b / elem_bytes) elements, so one part of n
 * elements has max(1, ceil(n / that)) segments. */
struct ar_size {
    int64_t count;      /* elements of the full vector */
    int64_t part_count; /* elements of its largest part; 0: equal parts, worked out from count */
    int64_t elem_bytes;
};

/* Checks nranks, root, needs and shapes, turns byte parameters into numbers of segments, runs `prepare`. */
enum ar_status ar_schedule_init(struct ar_schedule *schedule, const struct ar_choice *choice, int nranks,
                                int root, struct ar_size size, struct ar_error *error);

/* The same for a given problem, parameters already numbers; for verify and tests. */
enum ar_status ar_schedule_of_problem(struct ar_schedule *schedule, const struct ar_algorithm *algorithm,
                                      const struct ar_problem *problem, struct ar_error *error);

void ar_schedule_free(struct ar_schedule *schedule);

/* AR_INVALID with the need in words, e.g. "recursive_doubling needs a power of two, got 6 ranks". */
enum ar_status ar_algorithm_admits(const struct ar_algorithm *algorithm, int nranks, struct ar_error *error);

/* The layout for `count` elements (of one row; a token has none whatever the count); `counts` (nranks of
 * them, summing to count) only for collectives whose blocks belong to ranks, else NULL. With counts, *offsets
 * receives an array that the caller frees. */
enum ar_status ar_schedule_layout(const struct ar_schedule *schedule, int64_t count, const int64_t *counts,
                                  int64_t **offsets, struct ar_layout *layout, struct ar_error *error);

static inline int64_t ar_nparts(const struct ar_schedule *s)
{
    return s->algorithm->parts ? s->algorithm->parts(&s->problem) : 1;
}

static inline int64_t ar_nblocks(const struct ar_schedule *s)
{
    if (s->nblocks)
        return s->nblocks;
    return ar_nparts(s) * (s->algorithm->splits ? s->algorithm->splits(&s->problem) : 1);
}

static inline int64_t ar_nrounds(const struct ar_schedule *s)
{
    return s->algorithm->rounds(&s->problem);
}

/* The rounds in which `rank` may act; *first > *last: none. */
void ar_schedule_span(const struct ar_schedule *schedule, int rank, int64_t *first, int64_t *last);

/* Of these the longest run of rounds in which it does not; *first > *last: none is known. */
void ar_schedule_pause(const struct ar_schedule *schedule, int rank, int64_t *first, int64_t *last);

/* Appends to `sink` what `rank` does in round k. Sets sink->nblocks. */
void ar_schedule_round(const struct ar_schedule *schedule, int rank, int64_t k, struct ar_sink *sink);

/* For `full`: doubles the sink's heap memory (step starts NULL or from malloc; free it). */
void ar_sink_grow(struct ar_sink *sink);

/* Whether `where` names `rank` for `block`. */
bool ar_schedule_at(const struct ar_schedule *schedule, enum ar_where where, int rank, int64_t block);

/* A schedule inside another: same ranks and root, the child's own default parameters, byte parameters as one
 * segment. Pure and cheap, for use inside schedule functions; the child's `prepare` does not run. */
static inline struct ar_schedule ar_child(const struct ar_algorithm *algorithm, const struct ar_problem *p)
{
    struct ar_schedule child = {.algorithm = algorithm, .problem = {.nranks = p->nranks, .root = p->root}};
    for (int i = 0; i < algorithm->nparams; i++)
        child.problem.param[i] =
            algorithm->params[i].unit == AR_PARAM_BYTES ? 1 : algorithm->params[i].fallback;
    return child;
}
