#include "bench/harness/automatic.h"

#include <math.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/registry.h"

static const double SAME = 1e-12; /* relative; times nearer than that are equal, as in crossover.c */

enum ar_status ar_choose_automatically(const struct ar_costing *problem, struct ar_choice *choice,
                                       double *time_s, struct ar_error *error)
{
    struct ar_choice *choices = ar_alloc((size_t)ar_nalgorithms, sizeof *choices);
    struct ar_text left_out = {0};
    double least_s = INFINITY, now_s;
    int n = 0, best = -1;
    enum ar_status status = ar_costing_choices(problem, choices, &n, &left_out, error);
    for (int i = 0; i < n && status == AR_OK; i++) {
        status = ar_quick_price(problem, &choices[i], problem->count, &now_s, error);
        if (status == AR_OK && now_s < least_s * (1 - SAME)) {
            least_s = now_s;
            best = i;
        }
    }
    if (status == AR_OK && best < 0)
        status = ar_fail(error, AR_INVALID, "%s on %d ranks: no algorithm can be priced",
                         ar_collectives[problem->collective].name, problem->nranks);
    if (status == AR_OK) {
        *choice = choices[best];
        if (time_s)
            *time_s = least_s;
    }
    ar_text_free(&left_out);
    free(choices);
    return status;
}
