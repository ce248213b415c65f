/* Algorithms run over loopback, for the laws. */
#pragma once

#include <criterion/criterion.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/registry.h"
#include "collectives/run/execution.h"

enum { MAX_RANKS = 13, SEGMENT_BYTES = 24 };

/* One run of one algorithm. */
struct run {
    char name[160]; /* for messages */
    int nranks;
    struct ar_schedule schedule;
    int64_t *offsets; /* of uneven parts, or NULL */
    struct ar_execution_setup setup;
    struct ar_end *end[MAX_RANKS];
    struct ar_execution *execution[MAX_RANKS];
    unsigned char *vector[MAX_RANKS];
};

static inline struct ar_choice small_segments(const struct ar_algorithm *algorithm)
{
    struct ar_choice choice = ar_choice_default(algorithm);
    for (int i = 0; i < algorithm->nparams; i++)
        if (algorithm->params[i].unit == AR_PARAM_BYTES)
            choice.value[i] = SEGMENT_BYTES;
    return choice;
}

/* The schedule and the setup, which may be changed before start_run. */
static inline void plan_run(struct run *run, const struct ar_algorithm *algorithm, int nranks, int root,
                            int64_t count, const int64_t *counts, enum ar_type type,
                            const struct ar_operator *op, bool simulated)
{
    struct ar_error error;
    struct ar_choice choice = small_segments(algorithm);
    struct ar_size size = {count, 0, (int64_t)ar_types[type].bytes};
    *run = (struct run){.nranks = nranks};
    if (counts)
        for (int r = 0; r < nranks; r++)
            size.part_count = counts[r] > size.part_count ? counts[r] : size.part_count;
    snprintf(run->name, sizeof run->name, "%s:%s, %d ranks, root %d, %" PRId64 " of %s%s, %s%s",
             ar_collectives[algorithm->collective].name, algorithm->name, nranks, root, count,
             ar_types[type].name, counts ? " unevenly" : "", op->name, simulated ? ", simulated" : "");
    cr_assert_eq(ar_schedule_init(&run->schedule, &choice, nranks, root, size, &error), AR_OK, "%s: %s",
                 run->name, error.text);
    run->setup = (struct ar_execution_setup){
        .schedule = &run->schedule, .type = type, .op = op, .simulated = simulated};
    cr_assert_eq(ar_schedule_layout(&run->schedule, count, counts, &run->offsets, &run->setup.layout, &error),
                 AR_OK, "%s: %s", run->name, error.text);
}

static inline void start_run(struct run *run)
{
    struct ar_error error;
    size_t elem_bytes = ar_types[run->setup.type].bytes;
    ar_loopback_open(run->nranks, run->end);
    for (int r = 0; r < run->nranks; r++) {
        cr_assert_eq(ar_execution_new(&run->execution[r], &run->setup, run->end[r], &error), AR_OK, "%s: %s",
                     run->name, error.text);
        cr_assert_eq(ar_execution_prepare(run->execution[r], &error), AR_OK, "%s: %s", run->name, error.text);
        if (!run->setup.simulated) /* of exactly the vector's size, so that a sanitizer sees a step outside */
            run->vector[r] = ar_alloc((size_t)ar_layout_elements(&run->setup.layout), elem_bytes);
    }
}

static inline void open_run(struct run *run, const struct ar_algorithm *algorithm, int nranks, int root,
                            int64_t count, const int64_t *counts, enum ar_type type,
                            const struct ar_operator *op, bool simulated)
{
    plan_run(run, algorithm, nranks, root, count, counts, type, op, simulated);
    start_run(run);
}

static inline void close_run(struct run *run)
{
    for (int r = 0; r < run->nranks; r++) {
        ar_execution_free(run->execution[r]);
        run->end[r]->transport->close(run->end[r]);
        free(run->vector[r]);
    }
    ar_schedule_free(&run->schedule);
    free(run->offsets);
}

static inline void go(struct run *run)
{
    struct ar_error error;
    enum ar_status status = ar_execution_run_all(
        run->execution, run->setup.simulated ? NULL : (void *const *)run->vector, run->nranks, &error);
    cr_assert_eq(status, AR_OK, "%s: %s", run->name, error.text);
}

/* ---- An operator that does not commute ----------------------------------------------------------------- */

/* x -> a x + b modulo 2^32, composed left to right: associative, not commutative. */
static uint64_t compose(uint64_t left, uint64_t right)
{
    uint32_t a = (uint32_t)(left >> 32), b = (uint32_t)left;
    uint32_t c = (uint32_t)(right >> 32), d = (uint32_t)right;
    return (uint64_t)(a * c) << 32 | (uint32_t)(b * c + d);
}

static void affine(void *restrict held, const void *restrict other, size_t n)
{
    uint64_t *restrict a = held;
    const uint64_t *restrict b = other;
    for (size_t i = 0; i < n; i++)
        a[i] = compose(a[i], b[i]);
}

static void affine_back(void *restrict held, const void *restrict other, size_t n)
{
    uint64_t *restrict a = held;
    const uint64_t *restrict b = other;
    for (size_t i = 0; i < n; i++)
        a[i] = compose(b[i], a[i]);
}

static const struct ar_operator affine_maps __attribute__((unused)) = {
    .name = "affine",
    .values = AR_VALUES_ANY,
    .combine = {[AR_TYPE_uint64] = affine},
    .combine_back = {[AR_TYPE_uint64] = affine_back},
};
