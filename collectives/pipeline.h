/* Pipelined algorithms from what one segment does: all the functions of one, over ar_segments_round. */
#pragma once

#include "collectives/combinators.h"

/* For `splits`, where the number of segments is the first parameter. */
static inline int64_t ar_segments_param(const struct ar_problem *p)
{
    return p->param[0];
}

/* For `parts`, where the halves of the vector take different ways. */
static inline int64_t ar_two_halves(const struct ar_problem *p)
{
    (void)p;
    return 2;
}

/* The functions of an algorithm that starts `one` for one segment after the other, every period(p) rounds, a
 * function of the file: `splits`, `rounds`, `round_of`, `span`, `cost`. `one` is a schedule of one block and
 * sees the parent's problem, with the number of segments as the first parameter. `cost` is right where no
 * round is idle and no rank waits for another in vain: then every round costs one segment. */
#define AR_SEGMENTS_OF(one, period)                                                                          \
    static struct ar_schedule of_one(const struct ar_problem *p)                                             \
    {                                                                                                        \
        struct ar_schedule made = {.algorithm = &(one), .problem = *p};                                      \
        made.problem.prepared = NULL;                                                                        \
        return made;                                                                                         \
    }                                                                                                        \
    static int64_t splits(const struct ar_problem *p)                                                        \
    {                                                                                                        \
        return ar_segments_param(p);                                                                         \
    }                                                                                                        \
    static int64_t rounds(const struct ar_problem *p)                                                        \
    {                                                                                                        \
        struct ar_schedule child = of_one(p);                                                                \
        return ar_segments_rounds(&child, p->param[0], period(p));                                           \
    }                                                                                                        \
    static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)              \
    {                                                                                                        \
        struct ar_schedule child = of_one(p);                                                                \
        ar_segments_round(&child, p->param[0], period(p), rank, k, sink);                                    \
    }                                                                                                        \
    static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)                    \
    {                                                                                                        \
        struct ar_schedule child = of_one(p);                                                                \
        ar_schedule_span(&child, rank, first, last);                                                         \
        *last += *first <= *last ? (p->param[0] - 1) * period(p) : 0;                                        \
    }                                                                                                        \
    static struct ar_cost cost(const struct ar_problem *p)                                                   \
    {                                                                                                        \
        double all = (double)rounds(p), of_vector = all / (double)p->param[0];                               \
        return (struct ar_cost){all, of_vector, (one).collective == AR_COLLECTIVE_reduce ? of_vector : 0};   \
    }                                                                                                        \
    _Static_assert(1, "so that a semicolon may follow")
