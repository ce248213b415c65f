/* A barrier is an all-reduce of nothing. */
#pragma once

#include "collectives/combinators.h"

/* The functions of a barrier that is `child`, an all-reduce of one block, with its defaults: `rounds`,
 * `round_of`, `span`, `pause_of`, and `cost`, of which only the messages remain. */
#define AR_BARRIER_OF(child)                                                                                 \
    static int64_t rounds(const struct ar_problem *p)                                                        \
    {                                                                                                        \
        struct ar_schedule made = ar_child(&(child), p);                                                     \
        return ar_nrounds(&made);                                                                            \
    }                                                                                                        \
    static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)              \
    {                                                                                                        \
        struct ar_schedule made = ar_child(&(child), p);                                                     \
        ar_schedule_round(&made, rank, k, sink);                                                             \
    }                                                                                                        \
    AR_MAYBE_UNUSED static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)    \
    {                                                                                                        \
        struct ar_schedule made = ar_child(&(child), p);                                                     \
        ar_schedule_span(&made, rank, first, last);                                                          \
    }                                                                                                        \
    AR_MAYBE_UNUSED static void pause_of(const struct ar_problem *p, int rank, int64_t *first,               \
                                         int64_t *last)                                                      \
    {                                                                                                        \
        struct ar_schedule made = ar_child(&(child), p);                                                     \
        ar_schedule_pause(&made, rank, first, last);                                                         \
    }                                                                                                        \
    static struct ar_cost cost(const struct ar_problem *p)                                                   \
    {                                                                                                        \
        struct ar_schedule made = ar_child(&(child), p);                                                     \
        return (struct ar_cost){.alpha = made.algorithm->cost(&made.problem).alpha};                         \
    }                                                                                                        \
    _Static_assert(1, "so that a semicolon may follow")
