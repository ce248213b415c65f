/* Schedules over a partition of the ranks: children inside the groups and among their leaders.
 *
 * A group is a run of consecutive ranks, e.g. those of one host; sizes may differ (shapes.h). Its leader is
 * its first rank, and the root in the root's group. A stage runs a child in all groups at once or once among
 * the leaders, and the next begins where the largest group is done:
 *
 *     broadcast:hierarchical = {broadcast among the leaders, broadcast inside}
 *     allreduce:hierarchical = {reduce inside, allreduce among the leaders, broadcast inside}
 *
 * The root of a stage is the leader, or among leaders the root's. Children cut the vector alike or into
 * blocks of which the least common multiple serves for all. Only a child of the first stage may use AR_INPUT.
 */
#pragma once

#include "collectives/combinators.h"
#include "collectives/shapes.h"

struct ar_groups {
    int nranks, n;
    int each; /* the size of all but perhaps the last; 0: as listed */
    struct ar_shape listed;
};

struct ar_group {
    int index, first, size;
};

/* The partition that a value of AR_PARAM_GROUPS makes of so many ranks. */
struct ar_groups ar_groups_of(int64_t value, int nranks);
struct ar_group ar_groups_at(const struct ar_groups *groups, int index);
struct ar_group ar_groups_with(const struct ar_groups *groups, int rank);

struct ar_stage {
    const struct ar_algorithm *child; /* with its default parameters */
    bool across;                      /* among the leaders; else inside the groups */
};

enum { AR_MAX_STAGES = 3 };

/* What the others need again and again: as the algorithm's `prepare`. They work it out where it is not there.
 */
void *ar_stages_prepare(const struct ar_problem *p, int64_t groups, const struct ar_stage *stage,
                        int nstages);

int64_t ar_stages_rounds(const struct ar_problem *p, int64_t groups, const struct ar_stage *stage,
                         int nstages);
int64_t ar_stages_blocks(const struct ar_problem *p, int64_t groups, const struct ar_stage *stage,
                         int nstages);
void ar_stages_round(const struct ar_problem *p, int64_t groups, const struct ar_stage *stage, int nstages,
                     int rank, int64_t k, struct ar_sink *sink);

/* The rounds in which a child of the rank's may act. */
struct ar_activity ar_stages_activity(const struct ar_problem *p, int64_t groups,
                                      const struct ar_stage *stage, int nstages, int rank);

/* One stage after the other, each as in the group where it takes longest: exact where all groups are equal
 * and the children's forms are, else a bound. */
struct ar_cost ar_stages_cost(const struct ar_problem *p, int64_t groups, const struct ar_stage *stage,
                              int nstages);

/* The functions of an algorithm whose first parameter is the groups and whose stages `stages` writes, with
 * `span`, `pause_of` and `prepare`: int stages(const struct ar_problem *p, struct ar_stage
 * stage[AR_MAX_STAGES]) returns how many. */
#define AR_STAGES_OF(stages)                                                                                 \
    static int64_t parts(const struct ar_problem *p)                                                         \
    {                                                                                                        \
        struct ar_stage stage[AR_MAX_STAGES];                                                                \
        int n = stages(p, stage);                                                                            \
        return ar_stages_blocks(p, p->param[0], stage, n);                                                   \
    }                                                                                                        \
    static int64_t rounds(const struct ar_problem *p)                                                        \
    {                                                                                                        \
        struct ar_stage stage[AR_MAX_STAGES];                                                                \
        int n = stages(p, stage);                                                                            \
        return ar_stages_rounds(p, p->param[0], stage, n);                                                   \
    }                                                                                                        \
    static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)              \
    {                                                                                                        \
        struct ar_stage stage[AR_MAX_STAGES];                                                                \
        int n = stages(p, stage);                                                                            \
        ar_stages_round(p, p->param[0], stage, n, rank, k, sink);                                            \
    }                                                                                                        \
    static void *prepare(const struct ar_problem *p)                                                         \
    {                                                                                                        \
        struct ar_stage stage[AR_MAX_STAGES];                                                                \
        int n = stages(p, stage);                                                                            \
        return ar_stages_prepare(p, p->param[0], stage, n);                                                  \
    }                                                                                                        \
    static struct ar_activity activity_of(const struct ar_problem *p, int rank)                              \
    {                                                                                                        \
        struct ar_stage stage[AR_MAX_STAGES];                                                                \
        int n = stages(p, stage);                                                                            \
        return ar_stages_activity(p, p->param[0], stage, n, rank);                                           \
    }                                                                                                        \
    AR_SPAN_AND_PAUSE_OF(activity_of);                                                                       \
    static struct ar_cost cost(const struct ar_problem *p)                                                   \
    {                                                                                                        \
        struct ar_stage stage[AR_MAX_STAGES];                                                                \
        int n = stages(p, stage);                                                                            \
        return ar_stages_cost(p, p->param[0], stage, n);                                                     \
    }                                                                                                        \
    _Static_assert(1, "so that a semicolon may follow")

/* The members of its descriptor that they are. The form is exact only for equal groups. */
#define AR_STAGES_MEMBERS                                                                                    \
    .parts = parts, .rounds = rounds, .round = round_of, .span = span, .pause = pause_of,                    \
    .prepare = prepare, .cost_kind = AR_COST_BOUND, .cost = cost

/* Its first parameter, as an initialiser. */
#define AR_PARAM_OF_GROUPS                                                                                   \
    {                                                                                                        \
        "groups", "ranks per group, or the size of each (3+4+2)", AR_PARAM_GROUPS, 0, 0, INT64_MAX, NULL     \
    }
