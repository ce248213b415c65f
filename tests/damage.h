/* Right schedules with one step damaged, for the tests of the verifier. */
#pragma once

#include <criterion/criterion.h>
#include <stdlib.h>

#include "collectives/registry.h"
#include "collectives/verify/verify.h"

enum kind {
    NOTHING,
    DROP,      /* the step is left out */
    PEER,      /* its peer becomes `value` */
    BLOCK,     /* its blocks move by one */
    STORE,     /* RECEIVE_REDUCE -> RECEIVE, FOLD -> COPY */
    COMBINE,   /* RECEIVE -> RECEIVE_REDUCE */
    DUPLICATE, /* it is emitted twice */
    RECEIVE,   /* SEND -> RECEIVE */
    ORDER,     /* its operand order becomes `value` */
    FROM,      /* it reads the place `value` */
    TO,        /* it writes to the place `value` */
    BASE,      /* its window of blocks starts at `value` */
    MODULUS,   /* ...and has `value` blocks */
    FIRST,     /* these four change its set to `value` */
    LENGTH,
    STRIDE,
    COUNT,
    NKINDS
};

struct damage {
    enum kind kind;
    int rank;
    int64_t k;
    int step;
    int64_t value;
};

/* Schedule functions are pure, so what the damaged one does is set here. */
static const struct ar_algorithm *right_algorithm;
static struct damage damage;
static int root_shift;

/* The steps of the right schedule; the caller frees sink.step. */
static inline struct ar_sink right_steps(const struct ar_problem *p, int rank, int64_t k)
{
    struct ar_schedule right = {.algorithm = right_algorithm, .problem = *p};
    struct ar_sink sink = {.full = ar_sink_grow};
    right.problem.root = (p->root + root_shift) % p->nranks;
    ar_schedule_round(&right, rank, k, &sink);
    return sink;
}

static inline struct ar_step moved_block(struct ar_step step, int64_t nblocks)
{
    if (step.modulus > 1)
        step.set.first++;
    else
        step.base = (step.base + 1) % nblocks;
    return step;
}

static inline void emit_damaged(struct ar_sink *sink, struct ar_step step)
{
    int64_t nblocks = sink->nblocks;
    switch (damage.kind) {
    case DROP:
        return;
    case PEER:
        step.peer = (int)damage.value;
        break;
    case BLOCK:
        step = moved_block(step, nblocks);
        break;
    case STORE:
        step.kind = step.kind == AR_FOLD ? AR_COPY : AR_RECEIVE;
        break;
    case COMBINE:
        step.kind = AR_RECEIVE_REDUCE;
        break;
    case DUPLICATE:
        ar_emit(sink, step);
        break;
    case RECEIVE:
        step.kind = AR_RECEIVE;
        break;
    case ORDER:
        step.order = (uint8_t)damage.value;
        break;
    case FROM:
        step.from = (uint8_t)damage.value;
        break;
    case TO:
        step.to = (uint8_t)damage.value;
        break;
    case BASE:
        step.base = damage.value;
        break;
    case MODULUS:
        step.modulus = damage.value;
        break;
    case FIRST:
        step.set.first = damage.value;
        break;
    case LENGTH:
        step.set.length = damage.value;
        break;
    case STRIDE:
        step.set.stride = damage.value;
        break;
    case COUNT:
        step.set.count = damage.value;
        break;
    default:
        break;
    }
    ar_emit(sink, step);
}

static inline void damaged_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct ar_sink right = right_steps(p, rank, k);
    for (int i = 0; i < right.n; i++)
        if (damage.kind != NOTHING && damage.rank == rank && damage.k == k && damage.step == i)
            emit_damaged(sink, right.step[i]);
        else
            ar_emit(sink, right.step[i]);
    free(right.step);
}

/* `algorithm` with `damaged_round`; everything else as it was. */
static inline struct ar_algorithm damaged(const struct ar_algorithm *algorithm)
{
    struct ar_algorithm made = *algorithm;
    right_algorithm = algorithm;
    made.round = damaged_round;
    made.pattern = NULL;
    made.span = NULL;
    return made;
}

static inline enum ar_status verify(const struct ar_algorithm *algorithm, int nranks, int root,
                                    int64_t nsegments, struct ar_proof *proof, struct ar_error *error)
{
    struct ar_problem problem = {.nranks = nranks, .root = root};
    for (int i = 0; i < algorithm->nparams; i++)
        problem.param[i] =
            algorithm->params[i].unit == AR_PARAM_BYTES ? nsegments : algorithm->params[i].fallback;
    struct ar_schedule schedule;
    enum ar_status status = ar_schedule_of_problem(&schedule, algorithm, &problem, error);
    cr_assert_eq(status, AR_OK, "%s", error->text);
    status = ar_verify(&schedule, proof, error);
    ar_schedule_free(&schedule);
    return status;
}
