#include "collectives/schedule.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/shapes.h"

const struct ar_param ar_param_segment = AR_PARAM_SEGMENT;

int64_t ar_one_part_per_rank(const struct ar_problem *p)
{
    return p->nranks;
}

/* ---- Making one -------------------------------------------------------------------------------------- */

enum ar_status ar_algorithm_admits(const struct ar_algorithm *algorithm, int nranks, struct ar_error *error)
{
    const char *collective = ar_collectives[algorithm->collective].name;
    if ((algorithm->needs & AR_NEEDS_POWER_OF_TWO) && (nranks & (nranks - 1)))
        return ar_fail(error, AR_INVALID, "%s:%s needs a power of two, got %d ranks", collective,
                       algorithm->name, nranks);
    if ((algorithm->needs & AR_NEEDS_EVEN) && nranks % 2)
        return ar_fail(error, AR_INVALID, "%s:%s needs an even number of ranks, got %d", collective,
                       algorithm->name, nranks);
    return AR_OK;
}

enum ar_status ar_schedule_of_problem(struct ar_schedule *schedule, const struct ar_algorithm *algorithm,
                                      const struct ar_problem *problem, struct ar_error *error)
{
    if (problem->nranks < 1)
        return ar_fail(error, AR_INVALID, "ranks: expected at least 1, got %d", problem->nranks);
    if (problem->root < 0 || problem->root >= problem->nranks)
        return ar_fail(error, AR_INVALID, "root: expected 0..%d, got %d", problem->nranks - 1, problem->root);
    if (!ar_collective_rooted(algorithm->collective) && problem->root != 0)
        return ar_fail(error, AR_INVALID, "root: %s has none, got %d",
                       ar_collectives[algorithm->collective].name, problem->root);
    enum ar_status status = ar_algorithm_admits(algorithm, problem->nranks, error);
    struct ar_problem settled = *problem;
    if (algorithm->prepare)
        settled.prepared = NULL; /* of another problem, perhaps */
    for (int i = 0; i < algorithm->nparams && status == AR_OK; i++)
        if (ar_param_is_shape(&algorithm->params[i]))
            status = ar_shape_settle(&algorithm->params[i], problem->nranks, &settled.param[i], error);
    if (status != AR_OK)
        return status;
    int64_t rows = ar_collective_rows(algorithm->collective, problem->nranks);
    if (ar_collective_owned(algorithm->collective) &&
        (!algorithm->parts || algorithm->parts(&settled) != problem->nranks * rows))
        return ar_fail(error, AR_INVALID, "%s:%s must cut the vector into one part per rank",
                       ar_collectives[algorithm->collective].name, algorithm->name);
    *schedule = (struct ar_schedule){.algorithm = algorithm, .problem = settled};
    if (algorithm->prepare)
        schedule->problem.prepared = schedule->owned = algorithm->prepare(&schedule->problem);
    schedule->nblocks = ar_nblocks(schedule);
    return AR_OK;
}

enum { MOST_SEGMENTS = 1 << 24 }; /* beyond it a run takes hours and no one meant it */

static int64_t segments_of_part(int64_t segment_bytes, int64_t part_count, int64_t elem_bytes)
{
    int64_t each = segment_bytes / elem_bytes > 0 ? segment_bytes / elem_bytes : 1;
    return part_count > each ? (part_count - 1) / each + 1 : 1;
}

enum ar_status ar_schedule_init(struct ar_schedule *schedule, const struct ar_choice *choice, int nranks,
                                int root, struct ar_size size, struct ar_error *error)
{
    const struct ar_algorithm *algorithm = choice->algorithm;
    struct ar_problem problem = {.nranks = nranks, .root = root};
    for (int i = 0; i < algorithm->nparams; i++)
        problem.param[i] = algorithm->params[i].unit == AR_PARAM_BYTES ? 1 : choice->value[i];
    /* The parts are known only with a schedule; they do not depend on the segments. */
    enum ar_status status = ar_schedule_of_problem(schedule, algorithm, &problem, error);
    if (status != AR_OK)
        return status;
    int64_t parts = ar_nparts(schedule) / ar_collective_rows(algorithm->collective, nranks);
    int64_t part_count = size.part_count ? size.part_count : size.count / parts + (size.count % parts != 0);
    bool segmented = false;
    for (int i = 0; i < algorithm->nparams; i++)
        if (algorithm->params[i].unit == AR_PARAM_BYTES) {
            problem.param[i] = segments_of_part(choice->value[i], part_count, size.elem_bytes);
            if (problem.param[i] > MOST_SEGMENTS) {
                ar_schedule_free(schedule);
                return ar_fail(error, AR_INVALID,
                               "%s: %" PRId64 " B would cut %" PRId64 " elements into %" PRId64
                               " segments, expected at most %d",
                               algorithm->params[i].name, choice->value[i], part_count, problem.param[i],
                               MOST_SEGMENTS);
            }
            segmented = true;
        }
    if (!segmented)
        return AR_OK;
    ar_schedule_free(schedule);
    return ar_schedule_of_problem(schedule, algorithm, &problem, error);
}

void ar_schedule_free(struct ar_schedule *schedule)
{
    free(schedule->owned);
    *schedule = (struct ar_schedule){0};
}

enum ar_status ar_schedule_layout(const struct ar_schedule *schedule, int64_t count, const int64_t *counts,
                                  int64_t **offsets, struct ar_layout *layout, struct ar_error *error)
{
    enum ar_collective_id id = schedule->algorithm->collective;
    const struct ar_collective *collective = &ar_collectives[id];
    int64_t rows = ar_collective_rows(id, schedule->problem.nranks), parts = ar_nparts(schedule) / rows;
    struct ar_layout made = {.parts = parts,
                             .splits = ar_nblocks(schedule) / (rows * parts),
                             .count = collective->token ? 0 : count,
                             .rows = rows,
                             .token = collective->token};
    if (count < 0)
        return ar_fail(error, AR_INVALID, "count: expected at least 0, got %" PRId64, count);
    if (counts) {
        if (!ar_collective_owned(id))
            return ar_fail(error, AR_INVALID, "counts: %s has one count, not one per rank", collective->name);
        int64_t *offset = ar_alloc((size_t)parts + 1, sizeof *offset);
        for (int64_t part = 0; part < parts; part++) {
            if (counts[part] < 0 || counts[part] > count - offset[part]) {
                enum ar_status status =
                    ar_fail(error, AR_INVALID,
                            "counts: rank %" PRId64 " has %" PRId64 ", %" PRId64 " of %" PRId64 " are left",
                            part, counts[part], count - offset[part], count);
                free(offset);
                return status;
            }
            offset[part + 1] = offset[part] + counts[part];
        }
        if (offset[parts] != count) {
            enum ar_status status =
                ar_fail(error, AR_INVALID, "counts: they add up to %" PRId64 ", expected %" PRId64,
                        offset[parts], count);
            free(offset);
            return status;
        }
        made.part_offset = *offsets = offset;
    }
    *layout = made;
    return AR_OK;
}

/* ---- Asking it --------------------------------------------------------------------------------------- */

void ar_schedule_span(const struct ar_schedule *schedule, int rank, int64_t *first, int64_t *last)
{
    if (schedule->algorithm->span) {
        schedule->algorithm->span(&schedule->problem, rank, first, last);
    } else {
        *first = 0;
        *last = ar_nrounds(schedule) - 1;
    }
}

void ar_schedule_pause(const struct ar_schedule *schedule, int rank, int64_t *first, int64_t *last)
{
    *first = 0;
    *last = -1;
    if (schedule->algorithm->pause)
        schedule->algorithm->pause(&schedule->problem, rank, first, last);
}

/* What `sender` sends to `receiver`, at one of the two ends. Written field by field: what `pattern` has just
 * stored in small pieces is slow to load in large ones. */
static void emit(struct ar_sink *sink, const struct ar_pattern *pattern, enum ar_step_kind kind, int sender,
                 int receiver)
{
    int64_t mover = (pattern->of_peer ? receiver : sender) & -pattern->align;
    if (sink->n == sink->capacity)
        sink->full(sink);
    struct ar_step *step = &sink->step[sink->n++];
    step->kind = (uint8_t)kind;
    step->order = AR_BY_RANK;
    step->from = step->to = AR_VECTOR;
    step->peer = kind == AR_SEND ? receiver : sender;
    step->set.first = pattern->set.first + mover;
    step->set.length = pattern->set.length;
    step->set.stride = pattern->set.stride;
    step->set.count = pattern->set.count;
    step->base = pattern->base;
    step->modulus = pattern->modulus ? pattern->modulus : sink->nblocks;
}

/* False: the round is no pattern. */
static bool round_of_patterns(const struct ar_schedule *schedule, int rank, int64_t k, struct ar_sink *sink)
{
    const struct ar_problem *p = &schedule->problem;
    struct ar_pattern pattern;
    for (int i = 0; i == 0 || pattern.more; i++) {
        if (!schedule->algorithm->pattern(p, k, i, &pattern))
            return i > 0;
        int to, from;
        if (pattern.kind == AR_SHIFT) { /* no division: this is the hot path of every ring */
            to = rank + pattern.distance;
            to -= to >= p->nranks ? p->nranks : 0;
            from = rank - pattern.distance;
            from += from < 0 ? p->nranks : 0;
        } else {
            to = from = rank ^ pattern.distance;
            if (to >= p->nranks)
                continue;
        }
        emit(sink, &pattern, AR_SEND, rank, to);
        emit(sink, &pattern, pattern.reduce ? AR_RECEIVE_REDUCE : AR_RECEIVE, from, rank);
    }
    return true;
}

void ar_schedule_round(const struct ar_schedule *schedule, int rank, int64_t k, struct ar_sink *sink)
{
    const struct ar_algorithm *algorithm = schedule->algorithm;
    sink->nblocks = ar_nblocks(schedule);
    if (algorithm->pattern && round_of_patterns(schedule, rank, k, sink))
        return;
    if (algorithm->round)
        algorithm->round(&schedule->problem, rank, k, sink);
}

void ar_sink_grow(struct ar_sink *sink)
{
    sink->capacity = sink->capacity ? 2 * sink->capacity : 16;
    sink->step = ar_realloc(sink->step, (size_t)sink->capacity, sizeof *sink->step);
}

bool ar_schedule_at(const struct ar_schedule *schedule, enum ar_where where, int rank, int64_t block)
{
    int nranks = schedule->problem.nranks;
    switch (where) {
    case AR_AT_ROOT:
        return rank == schedule->problem.root;
    case AR_AT_OWNER:
    case AR_AT_DESTINATION: /* the parts, or every row of them, are as many as the ranks */
        return rank == block % nranks;
    case AR_AT_SOURCE:
        return rank == block / nranks % nranks;
    case AR_AT_ALL:
        break;
    }
    return true;
}
