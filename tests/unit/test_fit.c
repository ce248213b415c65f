/* Hockney's model from points, what pingpong says about it, and the choice that follows from a model. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "bench/fit/hockney.h"
#include "bench/harness/automatic.h"
#include "bench/harness/pingpong.h"
#include "collectives/registry.h"

enum { POINTS = 46 };

/* 1, 2, 3, 4, 6, 8, ... 8 MiB. */
static int64_t size_of(int i)
{
    return i == 0 ? 1 : i % 2 ? INT64_C(1) << (i + 1) / 2 : INT64_C(3) << (i / 2 - 1);
}

/* Between -1 and 1. */
static double noise(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (double)(*state >> 33) / (double)(UINT64_C(1) << 30) - 1;
}

static void make_line(struct ar_fit_point *point, int n, double alpha_s, double beta_s_per_byte)
{
    for (int i = 0; i < n; i++) {
        int64_t bytes = size_of(i);
        point[i] = (struct ar_fit_point){bytes, alpha_s + (double)bytes * beta_s_per_byte};
    }
}

static bool near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fabs(b);
}

Test(fit, a_line_is_found_exactly)
{
    static const double alpha_s[] = {3e-8, 1.7e-6, 28e-6, 1e-3}, beta[] = {4e-12, 4.6e-11, 1.7e-10, 8e-9};
    struct ar_fit_point point[POINTS];
    struct ar_fit_line regime[AR_FIT_REGIMES];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            make_line(point, POINTS, alpha_s[a], beta[b]);
            struct ar_fit_line line = ar_fit_line(point, POINTS);
            cr_assert(near(line.alpha_s, alpha_s[a], 1e-9), "alpha %g, got %g", alpha_s[a], line.alpha_s);
            cr_assert(near(line.beta_s_per_byte, beta[b], 1e-9), "beta %g, got %g", beta[b],
                      line.beta_s_per_byte);
            cr_assert_lt(line.worst_error, 1e-9);
            cr_assert_eq(line.from_bytes, point[0].bytes);
            cr_assert_eq(line.to_bytes, point[POINTS - 1].bytes);
            cr_assert_eq(ar_fit_regimes(point, POINTS, regime), 1);
        }
}

Test(fit, a_breakpoint_is_found_where_it_is)
{
    struct ar_fit_point point[POINTS];
    struct ar_fit_line regime[AR_FIT_REGIMES];
    for (int cut = 6; cut <= POINTS - 6; cut++) {
        make_line(point, POINTS, 1e-6, 1e-9);
        for (int i = cut; i < POINTS; i++)
            point[i].time_s = 2 * point[i].time_s + 5e-6;
        cr_assert_eq(ar_fit_regimes(point, POINTS, regime), 2, "cut %d", cut);
        cr_assert_eq(regime[0].to_bytes, point[cut - 1].bytes, "cut %d", cut);
        cr_assert_eq(regime[1].from_bytes, point[cut].bytes, "cut %d", cut);
        cr_assert(near(regime[0].alpha_s, 1e-6, 1e-9) && near(regime[0].beta_s_per_byte, 1e-9, 1e-9));
        cr_assert(near(regime[1].alpha_s, 7e-6, 1e-6) && near(regime[1].beta_s_per_byte, 2e-9, 1e-6));
    }
}

Test(fit, noise_moves_the_line_little_and_makes_no_breakpoint)
{
    struct ar_fit_point point[POINTS];
    struct ar_fit_line regime[AR_FIT_REGIMES];
    int broken = 0;
    uint64_t state = 1;
    for (int trial = 0; trial < 200; trial++) {
        make_line(point, POINTS, 2e-6, 1e-10);
        for (int i = 0; i < POINTS; i++)
            point[i].time_s *= 1 + 0.1 * noise(&state);
        struct ar_fit_line line = ar_fit_line(point, POINTS);
        cr_assert(near(line.alpha_s, 2e-6, 0.06) && near(line.beta_s_per_byte, 1e-10, 0.06),
                  "trial %d: %g, %g", trial, line.alpha_s, line.beta_s_per_byte);
        cr_assert_lt(line.worst_error, 0.2);
        broken += ar_fit_regimes(point, POINTS, regime) > 1;
    }
    cr_assert_leq(broken, 10, "%d of 200", broken);
}

/* No other line is better: least squares, where it is inside the bounds and where it is on them. */
Test(fit, no_neighbour_has_a_smaller_error_and_nothing_is_negative)
{
    struct ar_fit_point point[12];
    uint64_t state = 7;
    int at_zero = 0;
    for (int trial = 0; trial < 500; trial++) {
        int n = 1 + trial % 12;
        for (int i = 0; i < n; i++)
            point[i] = (struct ar_fit_point){size_of(i), exp(noise(&state) * 3 + (trial % 3 - 1) * i)};
        struct ar_fit_line line = ar_fit_line(point, n);
        double sum[3][3];
        cr_assert(line.alpha_s >= 0 && line.beta_s_per_byte >= 0);
        at_zero += line.alpha_s <= 0 || line.beta_s_per_byte <= 0;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                double step = 1e-3, alpha_s = fmax(line.alpha_s + (a - 1) * step * point[0].time_s, 0);
                double beta = fmax(line.beta_s_per_byte + (b - 1) * step * point[0].time_s, 0);
                sum[a][b] = 0;
                for (int i = 0; i < n; i++)
                    sum[a][b] += pow((alpha_s + beta * (double)point[i].bytes) / point[i].time_s - 1, 2);
            }
        for (int i = 0; i < 9; i++)
            cr_assert_geq(sum[i / 3][i % 3], sum[1][1] * (1 - 1e-12), "trial %d, neighbour %d", trial, i);
    }
    cr_assert_gt(at_zero, 50);
}

static struct ar_pingpong two_regimes(struct ar_pingpong_point *points)
{
    static struct ar_fit_point point[POINTS];
    struct ar_pingpong made = {.point = points, .npoints = POINTS, .model.gamma_s_per_byte = 1e-10};
    make_line(point, POINTS, 1e-6, 1e-9);
    for (int i = 0; i < POINTS; i++) {
        point[i].time_s += i >= POINTS / 2 ? 50e-6 : 0;
        points[i] = (struct ar_pingpong_point){point[i].bytes, 0.5e-6, point[i].time_s};
    }
    made.line = made.alone = ar_fit_line(point, POINTS);
    made.nregimes = ar_fit_regimes(point, POINTS, made.regime);
    made.model.alpha_s = made.line.alpha_s;
    made.model.beta_s_per_byte = made.line.beta_s_per_byte;
    return made;
}

Test(pingpong, the_line_that_the_notes_give_to_cost_is_the_model)
{
    struct ar_pingpong_point points[POINTS];
    struct ar_pingpong found = two_regimes(points);
    struct ar_report report = {0};
    struct ar_hockney model;
    const struct ar_hockney_machine *machine;
    char alpha[64], beta[64], gamma[64];
    ar_pingpong_report(&found, 2, true, &report);
    cr_assert_eq(sscanf(report.notes.data, "For cost: --alpha %63s --beta-Bps %63s --gamma-Bps %63s", alpha,
                        beta, gamma),
                 3, "%s", report.notes.data);
    struct ar_hockney_words words = {.alpha = alpha, .beta_Bps = beta, .gamma_Bps = gamma};
    cr_assert_eq(ar_hockney_parse(&words, &model, &machine, NULL), AR_OK);
    cr_assert(near(model.alpha_s, found.model.alpha_s, 1e-3));
    cr_assert(near(model.beta_s_per_byte, found.model.beta_s_per_byte, 1e-3));
    cr_assert(near(model.gamma_s_per_byte, found.model.gamma_s_per_byte, 1e-3));
    cr_assert(strstr(report.notes.data, "One line for all sizes is up to"), "%s", report.notes.data);
    cr_assert_eq(report.table[0].nrows, POINTS);
    cr_assert_eq(report.table[1].nrows, 4); /* one line, its two parts, the ping-pong */
    ar_report_free(&report);
}

Test(pingpong, one_rank_or_one_process_is_refused)
{
    struct ar_ranks ranks;
    struct ar_pingpong found;
    struct ar_error error;
    for (int nranks = 1; nranks <= 2; nranks++) {
        ar_ranks_open(&ranks, nranks, NULL, 0);
        cr_assert_eq(ar_pingpong_measure(&ranks, 1, &found, &error), AR_INVALID);
        cr_assert(strstr(error.text, "at least 2 ranks over MPI"), "%s", error.text);
        ar_ranks_close(&ranks);
    }
}

/* ---- auto -------------------------------------------------------------------------------------------- */

/* The crossover table's choice for its range is that of both its ends. */
static void check_crossover(const struct ar_costing *problem)
{
    struct ar_report report = {0};
    cr_assert_eq(ar_crossover_report(problem, &report, NULL), AR_OK);
    const struct ar_table *table = &report.table[0];
    cr_assert_gt(table->nrows, 0);
    for (int row = 0; row < table->nrows; row++)
        for (int end = 0; end < 2; end++) {
            struct ar_costing at = *problem;
            struct ar_choice choice;
            struct ar_error error;
            char name[AR_CHOICE_TEXT];
            double time_s;
            at.count = ar_table_cell(table, row, end)->integer / ar_costing_elem_bytes(problem);
            cr_assert_eq(ar_choose_automatically(&at, &choice, &time_s, &error), AR_OK, "%s", error.text);
            cr_assert_str_eq(ar_choice_name(&choice, name), ar_table_cell(table, row, 4)->text,
                             "%s, %d ranks, %lld elements", ar_collectives[at.collective].name, at.nranks,
                             (long long)at.count);
            cr_assert_float_eq(time_s, ar_table_cell(table, row, 5 + end)->real, 1e-12 * time_s);
        }
    ar_report_free(&report);
}

Test(automatic, chooses_what_the_crossover_table_says)
{
    static const int nranks[] = {1, 2, 3, 8, 1000};
    for (int c = 0; c < AR_NCOLLECTIVES; c++)
        for (int m = 0; m < ar_nhockney_machines; m++)
            for (int i = 0; i < 5; i++)
                check_crossover(&(struct ar_costing){.collective = (enum ar_collective_id)c,
                                                     .nranks = nranks[i],
                                                     .type = AR_TYPE_float32,
                                                     .model = ar_hockney_machines[m].model});
}

/* By another way than ar_quick_price: of all algorithms with exact forms and equal blocks none is faster. */
Test(automatic, no_algorithm_is_modelled_faster)
{
    for (int nranks = 1; nranks <= 16; nranks++)
        for (int a = 0; a < ar_nalgorithms; a++) {
            struct ar_costing problem = {.collective = ar_algorithms[a]->collective,
                                         .nranks = nranks,
                                         .count = 720720,
                                         .type = AR_TYPE_float32,
                                         .model = {2e-6, 1e-10, 5e-11}};
            struct ar_choice auto_choice, choice = ar_choice_default(ar_algorithms[a]);
            struct ar_price price;
            double time_s;
            if (ar_price_of(&problem, &choice, &price, NULL) != AR_OK || price.source != AR_PRICE_FORM)
                continue;
            cr_assert_eq(ar_choose_automatically(&problem, &auto_choice, &time_s, NULL), AR_OK);
            cr_assert_eq(auto_choice.algorithm->collective, problem.collective);
            cr_assert_leq(time_s, price.time_s * (1 + 1e-9), "%s, %d ranks", ar_algorithms[a]->name, nranks);
        }
}

Test(automatic, a_given_algorithm_is_kept_and_a_root_that_is_none_refused)
{
    struct ar_costing problem = {.collective = AR_COLLECTIVE_broadcast,
                                 .nranks = 4,
                                 .count = 100,
                                 .type = AR_TYPE_float32,
                                 .model = {1e-6, 1e-9, 0}};
    struct ar_choice choice;
    struct ar_error error;
    cr_assert_eq(ar_choice_parse("broadcast:linear", &problem.choice, &error), AR_OK);
    cr_assert_eq(ar_choose_automatically(&problem, &choice, NULL, &error), AR_OK);
    cr_assert_str_eq(choice.algorithm->name, "linear");
    problem.choice.algorithm = NULL;
    problem.root = 4;
    cr_assert_eq(ar_choose_automatically(&problem, &choice, NULL, &error), AR_INVALID);
    cr_assert_str_eq(error.text, "root: expected 0..3, got 4");
}
