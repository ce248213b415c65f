/* What algorithms say they cost, against the sum over their rounds, the simulation and the lower bounds. Over
 * the whole registry and without naming an algorithm. Beyond 16 ranks a few numbers of them, or with
 * ALLROUND_DENSE (suite long) every one up to 40. */
#include <criterion/criterion.h>
#include <criterion/logging.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/cost.h"
#include "collectives/registry.h"
#include "sim/bounds.h"
#include "sim/engine/clocks.h"

enum { MOST_RANKS = 40, ALL_RANKS = 16, ALL_ROOTS = 8, ELEM_BYTES = 4 };

static const double SAME = 1e-12; /* relative: sums of up to some thousand terms in another order */

static const struct ar_hockney models[] = {
    {2e-6, 1 / 12.5e9, 1 / 10e9}, {1e-6, 0, 0}, {0, 1e-9, 0}, {0, 0, 1e-9}, {3e-7, 2e-8, 0},
    {1e-9, 1e-10, 7e-9},
};

enum { NMODELS = sizeof models / sizeof *models };

/* ---- Every case -------------------------------------------------------------------------------------- */

typedef void law_of(const struct ar_schedule *schedule, const char *name);

/* Every combination of parameters: 1, 2, 5 and 8 segments, every word, the default of a number. */
static void for_params(law_of *law, const struct ar_algorithm *algorithm, struct ar_problem *problem,
                       int param)
{
    static const int64_t segments[] = {1, 2, 5, 8};
    if (param < algorithm->nparams) {
        const struct ar_param *of = &algorithm->params[param];
        int n = of->unit == AR_PARAM_BYTES ? 4 : of->unit == AR_PARAM_WORD ? (int)of->max + 1 : 1;
        for (int i = 0; i < n; i++) {
            problem->param[param] = of->unit == AR_PARAM_BYTES  ? segments[i]
                                    : of->unit == AR_PARAM_WORD ? i
                                                                : of->fallback;
            for_params(law, algorithm, problem, param + 1);
        }
        return;
    }
    struct ar_schedule schedule;
    struct ar_error error = {""};
    char name[160];
    int length =
        snprintf(name, sizeof name, "%s:%s, %d ranks, root %d", ar_collectives[algorithm->collective].name,
                 algorithm->name, problem->nranks, problem->root);
    for (int i = 0; i < algorithm->nparams; i++)
        length += snprintf(name + length, sizeof name - (size_t)length, ", %s %" PRId64,
                           algorithm->params[i].name, problem->param[i]);
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, problem, &error), AR_OK, "%s", error.text);
    law(&schedule, name);
    ar_schedule_free(&schedule);
}

static bool wanted_root(int nranks, int root)
{
    return nranks <= ALL_ROOTS || root == 0 || root == 1 || root == nranks / 2 || root == nranks - 1;
}

/* Besides the small ones: around and between powers of two, powers of three, squares, primes. */
static bool wanted_ranks(int nranks)
{
    static const int few[] = {17, 24, 27, 31, 32, 33, 36};
    bool wanted = nranks <= ALL_RANKS || getenv("ALLROUND_DENSE");
    for (size_t i = 0; i < sizeof few / sizeof *few && !wanted; i++)
        wanted = nranks == few[i];
    return wanted;
}

static void for_every_schedule(law_of *law)
{
    for (int i = 0; i < ar_nalgorithms; i++)
        for (int nranks = 1; nranks <= MOST_RANKS; nranks++) {
            if (!wanted_ranks(nranks))
                continue;
            int nroots = ar_collective_rooted(ar_algorithms[i]->collective) ? nranks : 1;
            for (int root = 0; root < nroots; root++)
                if (wanted_root(nranks, root) &&
                    ar_algorithm_admits(ar_algorithms[i], nranks, NULL) == AR_OK) {
                    struct ar_problem problem = {.nranks = nranks, .root = root};
                    for_params(law, ar_algorithms[i], &problem, 0);
                }
        }
}

/* ---- The three prices of one case -------------------------------------------------------------------- */

static struct ar_layout layout_of(const struct ar_schedule *schedule, int64_t count)
{
    struct ar_layout layout;
    cr_assert_eq(ar_schedule_layout(schedule, count, NULL, NULL, &layout, NULL), AR_OK);
    return layout;
}

static double simulated(const struct ar_schedule *schedule, int64_t count, const struct ar_hockney *model,
                        const char *name)
{
    struct ar_layout layout = layout_of(schedule, count);
    struct ar_clocks clocks;
    struct ar_error error = {""};
    cr_assert_eq(ar_clocks_run(schedule, &layout, ELEM_BYTES, model, &clocks, &error), AR_OK, "%s: %s", name,
                 error.text);
    double time_s = clocks.time_s;
    ar_clocks_free(&clocks);
    return time_s;
}

static double summed(const struct ar_schedule_cost *cost, const struct ar_hockney *model)
{
    return (double)cost->alpha_count * model->alpha_s +
           (double)cost->critical_elements * ELEM_BYTES * model->beta_s_per_byte +
           (double)cost->gamma_elements * ELEM_BYTES * model->gamma_s_per_byte;
}

static double formed(const struct ar_schedule *schedule, int64_t count, const struct ar_hockney *model)
{
    return ar_hockney_time(model, schedule->algorithm->cost(&schedule->problem), (double)count * ELEM_BYTES);
}

static double difference(double a, double b)
{
    return a == b ? 0 : fabs(a - b) / fmax(fabs(a), fabs(b));
}

/* What the laws met, for the log. */
static int64_t ncases, nsame;
static double largest;
static char where[160];

static void keep_largest(double value, const char *name)
{
    ncases++;
    nsame += value <= SAME;
    if (value > largest) {
        largest = value;
        snprintf(where, sizeof where, "%s", name);
    }
}

/* ---- Both ways to simulate --------------------------------------------------------------------------- */

/* The schedule under test, whose rounds `asked_round` gives rank by rank. */
static const struct ar_schedule *asked;
static int64_t npatterns;

static void asked_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p;
    ar_schedule_round(asked, rank, k, sink);
}

static void same_clocks(const struct ar_schedule *schedule, const char *name)
{
    struct ar_algorithm by_rank = *schedule->algorithm;
    struct ar_schedule hidden = *schedule;
    int64_t nblocks = ar_nblocks(schedule);
    const int64_t counts[] = {1, schedule->problem.nranks - 1, nblocks, 3 * nblocks + nblocks / 3, 1000};
    if (!by_rank.pattern)
        return;
    npatterns++;
    asked = schedule;
    by_rank.pattern = NULL;
    by_rank.round = asked_round;
    hidden.algorithm = &by_rank;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int m = 0; m < NMODELS; m++) {
            struct ar_layout layout = layout_of(schedule, counts[i]);
            struct ar_clocks a, b;
            cr_assert_eq(ar_clocks_run(schedule, &layout, ELEM_BYTES, &models[m], &a, NULL), AR_OK);
            cr_assert_eq(ar_clocks_run(&hidden, &layout, ELEM_BYTES, &models[m], &b, NULL), AR_OK);
            cr_assert_eq(a.transfers, b.transfers, "%s, count %" PRId64, name, counts[i]);
            for (int rank = 0; rank < schedule->problem.nranks; rank++)
                cr_assert_eq(a.end_s[rank], b.end_s[rank], "%s, count %" PRId64 ", rank %d: %.17g, %.17g",
                             name, counts[i], rank, a.end_s[rank], b.end_s[rank]);
            ar_clocks_free(&a);
            ar_clocks_free(&b);
        }
}

Test(clocks, by_pattern_are_to_the_bit_those_by_rank)
{
    for_every_schedule(same_clocks);
    cr_assert_gt(npatterns, 5 * MOST_RANKS);
}

/* ---- The laws ---------------------------------------------------------------------------------------- */

Test(cost, every_descriptor_has_a_form_exactly_where_it_says_so)
{
    for (int i = 0; i < ar_nalgorithms; i++)
        cr_assert_eq(ar_algorithms[i]->cost == NULL, ar_algorithms[i]->cost_kind == AR_COST_ABSENT, "%s:%s",
                     ar_collectives[ar_algorithms[i]->collective].name, ar_algorithms[i]->name);
}

static void equal_blocks(const struct ar_schedule *schedule, const char *name)
{
    int64_t count = 3 * ar_nblocks(schedule);
    struct ar_layout layout = layout_of(schedule, count);
    struct ar_schedule_cost cost = ar_cost_of_schedule(schedule, &layout);
    for (int m = 0; m < NMODELS; m++) {
        double time_s = simulated(schedule, count, &models[m], name), sum_s = summed(&cost, &models[m]);
        if (schedule->problem.nranks == 1)
            cr_assert(time_s == 0 && sum_s == 0, "%s: one rank has nothing to do", name);
        if (cost.one_port || schedule->algorithm->cost_kind == AR_COST_EXACT)
            cr_assert_geq(sum_s * (1 + SAME), time_s, "%s: sum %.17g, simulation %.17g", name, sum_s, time_s);
        if (schedule->algorithm->cost_kind == AR_COST_ABSENT)
            continue;
        double form_s = formed(schedule, count, &models[m]);
        if (schedule->algorithm->cost_kind == AR_COST_BOUND) {
            cr_assert_geq(form_s * (1 + SAME), time_s, "%s: bound %.17g, simulation %.17g", name, form_s,
                          time_s);
            continue;
        }
        keep_largest(fmax(difference(form_s, sum_s), difference(form_s, time_s)), name);
        cr_assert(difference(form_s, sum_s) <= SAME && difference(form_s, time_s) <= SAME,
                  "%s, model %d: form %.17g, sum %.17g, simulation %.17g", name, m, form_s, sum_s, time_s);
    }
}

Test(cost, exact_forms_are_the_sum_and_the_simulation_and_bounds_are_above)
{
    for_every_schedule(equal_blocks);
    cr_log_info("exact forms: %" PRId64 " cases, largest difference %.2g (%s)\n", ncases, largest, where);
}

/* Any count: also fewer elements than blocks, where messages without elements drop out. */
static void any_blocks(const struct ar_schedule *schedule, const char *name)
{
    int64_t nblocks = ar_nblocks(schedule), P = schedule->problem.nranks;
    const int64_t counts[] = {0, 1, 2, P - 1, P, P + 1, nblocks - 1, nblocks + 1, 3 * P + 2, 1000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct ar_layout layout = layout_of(schedule, counts[i]);
        struct ar_schedule_cost cost = ar_cost_of_schedule(schedule, &layout);
        for (int m = 0; m < NMODELS; m++) {
            double time_s = simulated(schedule, counts[i], &models[m], name),
                   sum_s = summed(&cost, &models[m]);
            if (!cost.one_port)
                continue;
            cr_assert_geq(sum_s * (1 + SAME), time_s, "%s, count %" PRId64 ": sum %.17g, simulation %.17g",
                          name, counts[i], sum_s, time_s);
            keep_largest(sum_s > 0 ? 1 - time_s / sum_s : 0, name);
        }
    }
}

Test(cost, the_sum_is_an_upper_bound_for_every_count)
{
    for_every_schedule(any_blocks);
    cr_log_info("sum over simulation: %" PRId64 " cases, in %" PRId64
                " the same, else at most %.3g above (%s)\n",
                ncases, nsame, largest, where);
}

static void between_multiples(const struct ar_schedule *schedule, const char *name)
{
    int64_t nblocks = ar_nblocks(schedule);
    if (schedule->algorithm->cost_kind == AR_COST_BOUND)
        return;
    for (int64_t quotient = 1; quotient <= 3; quotient++) {
        const int64_t rest[] = {1, nblocks / 3, nblocks / 2, nblocks - 1};
        for (int m = 0; m < NMODELS; m++) {
            double low_s = simulated(schedule, quotient * nblocks, &models[m], name);
            double high_s = simulated(schedule, (quotient + 1) * nblocks, &models[m], name);
            for (size_t i = 0; i < 4; i++) {
                if (rest[i] < 1 || rest[i] >= nblocks)
                    continue;
                double time_s = simulated(schedule, quotient * nblocks + rest[i], &models[m], name);
                cr_assert(low_s <= time_s * (1 + SAME) && time_s <= high_s * (1 + SAME),
                          "%s, %" PRId64 " of %" PRId64 " blocks and %" PRId64 ": %.17g, %.17g, %.17g", name,
                          quotient, nblocks, rest[i], low_s, time_s, high_s);
                ncases++;
            }
        }
    }
}

Test(cost, the_time_lies_between_those_of_the_neighbouring_multiples)
{
    for_every_schedule(between_multiples);
    cr_log_info("between the neighbouring multiples: %" PRId64 " cases\n", ncases);
}

static void above_bounds(const struct ar_schedule *schedule, const char *name)
{
    int64_t nblocks = ar_nblocks(schedule), nranks = schedule->problem.nranks;
    const int64_t counts[] = {1, 2, nranks - 1, nranks, nranks + 1, nblocks, 3 * nblocks, 1000};
    if (nranks == 1)
        return;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int m = 0; m < NMODELS; m++) {
            double time_s = simulated(schedule, counts[i], &models[m], name);
            struct ar_bounds bounds = ar_bounds_time(schedule->algorithm->collective, (int)nranks, counts[i],
                                                     ELEM_BYTES, &models[m]);
            cr_assert_geq(time_s * (1 + SAME), bounds.time_s, "%s, count %" PRId64 ": %.17g beats %.17g",
                          name, counts[i], time_s, bounds.time_s);
            keep_largest(time_s > 0 ? bounds.time_s / time_s : 0, name);
        }
}

Test(cost, nothing_beats_a_lower_bound)
{
    for_every_schedule(above_bounds);
    cr_log_info("lower bounds: %" PRId64 " cases, the nearest at %.3g of the time (%s)\n", ncases, largest,
                where);
}

/* Rounds of several messages per port: how far the three are apart is for the log. */
static int64_t nmulti;
static double form_most, sum_most, sum_least;

static void multi_port(const struct ar_schedule *schedule, const char *name)
{
    const int64_t counts[] = {3 * ar_nblocks(schedule), 3 * ar_nblocks(schedule) + 1, 1000};
    for (int i = 0; i < 3; i++) {
        struct ar_layout layout = layout_of(schedule, counts[i]);
        struct ar_schedule_cost cost = ar_cost_of_schedule(schedule, &layout);
        double time_s = simulated(schedule, counts[i], &models[0], name);
        if (cost.one_port || time_s == 0)
            continue;
        nmulti++;
        sum_most = fmax(sum_most, summed(&cost, &models[0]) / time_s - 1);
        sum_least = fmin(sum_least, summed(&cost, &models[0]) / time_s - 1);
        if (schedule->algorithm->cost && i == 0)
            form_most = fmax(form_most, formed(schedule, counts[i], &models[0]) / time_s - 1);
    }
}

Test(cost, several_messages_per_port_are_reported)
{
    for_every_schedule(multi_port);
    cr_log_info("several messages per port: %" PRId64
                " cases; with equal blocks the form is at most %.3g above "
                "the simulation; the sum differs by %.3g to %.3g\n",
                nmulti, form_most, sum_least, sum_most);
}
