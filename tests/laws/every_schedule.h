/* Calling a law for every schedule worth trying: what the files of this folder share. */
#pragma once

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/text.h"
#include "collectives/registry.h"
#include "collectives/schedule.h"

enum { MANY_VALUES = 12, SMALL_RANGE = 8 };

/* Values worth trying for one parameter. */
static inline int values_of(const struct ar_param *param, int64_t value[MANY_VALUES])
{
    int n = 0;
    if (param->unit == AR_PARAM_BYTES) { /* a number of segments in the problem */
        static const int64_t nsegments[] = {1, 2, 5, 8};
        memcpy(value, nsegments, sizeof nsegments);
        return 4;
    }
    value[n++] = param->fallback;
    if (param->min != param->fallback)
        value[n++] = param->min;
    if (param->max <= SMALL_RANGE && param->max != param->fallback)
        value[n++] = param->max;
    return n;
}

static inline void for_params(void (*law)(const struct ar_schedule *schedule, const char *name),
                              const struct ar_algorithm *algorithm, struct ar_problem *problem, int param)
{
    if (param < algorithm->nparams && param < AR_MAX_PARAMS) {
        int64_t value[MANY_VALUES];
        int n = values_of(&algorithm->params[param], value);
        for (int i = 0; i < n; i++) {
            problem->param[param] = value[i];
            for_params(law, algorithm, problem, param + 1);
        }
        return;
    }
    struct ar_schedule schedule;
    struct ar_error error = {""};
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, problem, &error), AR_OK, "%s", error.text);
    struct ar_text name = {0};
    ar_text_add(&name, "%s:%s, %d ranks, root %d, params", ar_collectives[algorithm->collective].name,
                algorithm->name, problem->nranks, problem->root);
    for (int i = 0; i < algorithm->nparams; i++)
        ar_text_add(&name, " %s=%lld", algorithm->params[i].name, (long long)problem->param[i]);
    law(&schedule, name.data);
    ar_text_free(&name);
    ar_schedule_free(&schedule);
}

/* Calls `law` for every algorithm, nranks up to `most`, and root (every `stride`-th). */
static inline void for_every_schedule(void (*law)(const struct ar_schedule *schedule, const char *name),
                                      int most, int stride)
{
    for (int i = 0; i < ar_nalgorithms; i++)
        for (int nranks = 1; nranks <= most; nranks++) {
            if (ar_algorithm_admits(ar_algorithms[i], nranks, NULL) != AR_OK)
                continue;
            int nroots = ar_collective_rooted(ar_algorithms[i]->collective) ? nranks : 1;
            for (int root = 0; root < nroots; root += stride) {
                struct ar_problem problem = {.nranks = nranks, .root = root};
                for_params(law, ar_algorithms[i], &problem, 0);
            }
        }
}

static inline bool same_step(const struct ar_step *a, const struct ar_step *b)
{
    return a->kind == b->kind && a->order == b->order && a->from == b->from && a->to == b->to &&
           a->peer == b->peer && a->set.first == b->set.first && a->set.length == b->set.length &&
           a->set.stride == b->set.stride && a->set.count == b->set.count && a->base == b->base &&
           a->modulus == b->modulus;
}
