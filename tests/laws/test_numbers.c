/* Numbers of parameters (a radix, how many rings) beyond the few that the other laws try: every one from the
 * least on is right, and costs what it says. */
#include <criterion/criterion.h>

#include "collectives/base/text.h"
#include "collectives/registry.h"
#include "collectives/verify/verify.h"
#include "sim/engine/clocks.h"

enum { VALUES = 13, MOST_RANKS = 36, ELEM_BYTES = 4 };

static const double SAME = 1e-12; /* relative: sums in another order */

static void is_right(const struct ar_schedule *schedule, const char *name)
{
    struct ar_proof proof;
    struct ar_error error = {""};
    cr_assert_eq(ar_verify(schedule, &proof, &error), AR_OK, "%s: %s", name, error.text);
}

static void costs_what_it_says(const struct ar_schedule *schedule, const char *name)
{
    static const struct ar_hockney models[] = {
        {2e-6, 1 / 12.5e9, 1 / 10e9}, {1e-6, 0, 0}, {0, 1e-9, 0}, {0, 0, 1e-9}, {1e-9, 1e-10, 7e-9}};
    const struct ar_algorithm *algorithm = schedule->algorithm;
    int64_t count = 3 * ar_nblocks(schedule);
    struct ar_layout layout;
    cr_assert_eq(ar_schedule_layout(schedule, count, NULL, NULL, &layout, NULL), AR_OK);
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        struct ar_clocks clocks;
        struct ar_error error = {""};
        cr_assert_eq(ar_clocks_run(schedule, &layout, ELEM_BYTES, &models[m], &clocks, &error), AR_OK,
                     "%s: %s", name, error.text);
        double simulated_s = clocks.time_s;
        double form_s =
            ar_hockney_time(&models[m], algorithm->cost(&schedule->problem), (double)count * ELEM_BYTES);
        ar_clocks_free(&clocks);
        cr_assert_geq(form_s * (1 + SAME), simulated_s, "%s: form %.17g, simulation %.17g", name, form_s,
                      simulated_s);
        if (algorithm->cost_kind == AR_COST_EXACT)
            cr_assert_leq(form_s * (1 - SAME), simulated_s, "%s: form %.17g, simulation %.17g", name, form_s,
                          simulated_s);
    }
}

/* All parameters but the one at their defaults, byte parameters as one segment. */
static void try_value(const struct ar_algorithm *algorithm, int param, int64_t value, int nranks, int root)
{
    struct ar_problem problem = {.nranks = nranks, .root = root};
    struct ar_schedule schedule;
    struct ar_error error = {""};
    for (int i = 0; i < algorithm->nparams; i++)
        problem.param[i] = algorithm->params[i].unit == AR_PARAM_BYTES ? 1 : algorithm->params[i].fallback;
    problem.param[param] = value;
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, &problem, &error), AR_OK, "%s", error.text);
    struct ar_text name = {0};
    ar_text_add(&name, "%s:%s:%s=%d, %d ranks, root %d", ar_collectives[algorithm->collective].name,
                algorithm->name, algorithm->params[param].name, (int)value, nranks, root);
    is_right(&schedule, name.data);
    if (algorithm->cost)
        costs_what_it_says(&schedule, name.data);
    ar_text_free(&name);
    ar_schedule_free(&schedule);
}

Test(numbers, every_one_is_right_and_costs_what_it_says)
{
    for (int i = 0; i < ar_nalgorithms; i++)
        for (int param = 0; param < ar_algorithms[i]->nparams; param++) {
            const struct ar_param *of = &ar_algorithms[i]->params[param];
            if (of->unit != AR_PARAM_NUMBER)
                continue;
            bool rooted = ar_collective_rooted(ar_algorithms[i]->collective);
            for (int nranks = 1; nranks <= MOST_RANKS; nranks++)
                for (int root = 0; root<(rooted ? nranks : 1); root += nranks> 2 ? nranks - 2 : 1)
                    for (int64_t value = of->min; value <= of->max && value < of->min + VALUES; value++)
                        if (ar_algorithm_admits(ar_algorithms[i], nranks, NULL) == AR_OK)
                            try_value(ar_algorithms[i], param, value, nranks, root);
        }
}
