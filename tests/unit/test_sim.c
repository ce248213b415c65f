/* The simulation on schedules made for it, the models in words, the lower bounds. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "collectives/base/units.h"
#include "collectives/cost.h"
#include "collectives/registry.h"
#include "sim/bounds.h"
#include "sim/engine/clocks.h"

static int64_t one(const struct ar_problem *p)
{
    (void)p;
    return 1;
}

static int64_t two(const struct ar_problem *p)
{
    (void)p;
    return 2;
}

static int64_t nranks_of(const struct ar_problem *p)
{
    return p->nranks;
}

static struct ar_schedule schedule_of(const struct ar_algorithm *algorithm, int nranks)
{
    struct ar_schedule schedule;
    struct ar_problem problem = {.nranks = nranks};
    struct ar_error error = {""};
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, &problem, &error), AR_OK, "%s", error.text);
    return schedule;
}

static struct ar_layout layout_of(const struct ar_schedule *schedule, int64_t count)
{
    struct ar_layout layout;
    cr_assert_eq(ar_schedule_layout(schedule, count, NULL, NULL, &layout, NULL), AR_OK);
    return layout;
}

static double time_of(const struct ar_algorithm *algorithm, int nranks, int64_t count,
                      const struct ar_hockney *model)
{
    struct ar_schedule schedule = schedule_of(algorithm, nranks);
    struct ar_layout layout = layout_of(&schedule, count);
    struct ar_clocks clocks;
    struct ar_error error = {""};
    cr_assert_eq(ar_clocks_run(&schedule, &layout, 1, model, &clocks, &error), AR_OK, "%s", error.text);
    double time_s = clocks.time_s;
    ar_clocks_free(&clocks);
    return time_s;
}

/* ---- Ports ------------------------------------------------------------------------------------------- */

/* Everybody sends to rank 0 first, then to rank 1, ... */
static void crowd(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)k;
    for (int peer = 0; peer < p->nranks; peer++)
        if (peer != rank)
            ar_send(sink, peer, ar_block(peer));
    for (int peer = 0; peer < p->nranks; peer++)
        if (peer != rank)
            ar_receive_reduce(sink, peer, AR_HELD_FIRST, ar_block(rank));
}

static const struct ar_algorithm crowding = {.name = "crowd",
                                             .collective = AR_COLLECTIVE_reduce_scatter,
                                             .parts = nranks_of,
                                             .rounds = one,
                                             .round = crowd};

Test(clocks, emission_order_is_cost)
{
    const struct ar_hockney model = {1, 0, 0};
    cr_assert_eq(time_of(&ar_reduce_scatter_direct, 64, 64, &model), 63, "rotated peers never wait");
    cr_assert_eq(time_of(&crowding, 64, 64, &model), 125, "%g", time_of(&crowding, 64, 64, &model));
}

Test(clocks, combining_follows_the_transfers_of_a_round)
{
    const struct ar_hockney model = {1, 0.5, 0.25};
    cr_assert_eq(time_of(&ar_reduce_linear, 4, 8, &model), 3 * (1 + 8 * 0.5 + 8 * 0.25));
}

/* ---- Nobody waits for others ------------------------------------------------------------------------- */

/* Block 0 is long: ranks 0 and 1 exchange it in one round, ranks 2 and 3 in the other. */
static void in_turns(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p;
    struct ar_blocks set = ar_block(rank / 2 == k ? 0 : 1);
    ar_send(sink, rank ^ 1, set);
    ar_receive(sink, rank ^ 1, set);
}

static const struct ar_algorithm turns = {
    .name = "turns", .collective = AR_COLLECTIVE_allreduce, .parts = two, .rounds = two, .round = in_turns};

Test(clocks, a_rank_goes_on_when_its_own_transfers_are_done)
{
    const struct ar_hockney model = {0, 1, 0};
    struct ar_schedule schedule = schedule_of(&turns, 4);
    struct ar_layout layout = layout_of(&schedule, 3); /* blocks of 2 and 1 */
    cr_assert_eq(ar_cost_of_schedule(&schedule, &layout).critical_elements, 4);
    cr_assert_eq(time_of(&turns, 4, 3, &model), 3);
}

/* ---- Messages without counterpart -------------------------------------------------------------------- */

static int wrong; /* which mistake the next round has */

static void mistaken(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p, (void)k;
    if (rank == 0)
        ar_send(sink, wrong == 3 ? 7 : 1, ar_block_run(0, wrong == 1 ? 2 : 1));
    if (rank == 0 && wrong >= 4)
        ar_send(sink, 2, ar_block(0));
    if (rank == 1 && wrong != 2)
        ar_receive(sink, wrong == 5 ? 2 : 0, ar_block(0));
    if (rank == 2 && wrong == 5)
        ar_receive(sink, 0, ar_block(0));
    if (rank == 2 && wrong == 6)
        ar_receive(sink, 0, ar_block_run(0, 2));
}

Test(clocks, refuse_a_message_with_one_end)
{
    const struct ar_algorithm algorithm = {.name = "mistaken",
                                           .collective = AR_COLLECTIVE_broadcast,
                                           .parts = two,
                                           .rounds = one,
                                           .round = mistaken};
    const struct ar_hockney model = {1, 1, 1};
    struct ar_schedule schedule = schedule_of(&algorithm, 3);
    struct ar_layout layout = layout_of(&schedule, 2);
    for (wrong = 1; wrong <= 6; wrong++) {
        struct ar_clocks clocks = {.time_s = -1};
        struct ar_error error = {""};
        cr_expect_eq(ar_clocks_run(&schedule, &layout, 4, &model, &clocks, &error), AR_FAILED, "mistake %d",
                     wrong);
        cr_expect(strncmp(error.text, "round 1: ", 9) == 0, "%s", error.text);
        cr_expect_eq(clocks.time_s, -1, "no time");
    }
}

/* ---- Models and bounds ------------------------------------------------------------------------------- */

Test(hockney, words_become_a_model)
{
    const struct ar_hockney_machine *machine;
    struct ar_hockney model;
    struct ar_error error;
    struct ar_hockney_words words = {.alpha = "2us", .beta_Bps = "12.5GB/s", .gamma_Bps = "10GB/s"};
    cr_assert_eq(ar_hockney_parse(&words, &model, &machine, &error), AR_OK);
    cr_assert(model.alpha_s == 2 * 1e-6 && model.beta_s_per_byte == 1 / 12.5e9 &&
              model.gamma_s_per_byte == 1 / 10e9 && !machine);
    words = (struct ar_hockney_words){.machine = ar_hockney_machines[1].name, .alpha = "0"};
    cr_assert_eq(ar_hockney_parse(&words, &model, &machine, &error), AR_OK);
    cr_assert(model.alpha_s == 0 && model.beta_s_per_byte == ar_hockney_machines[1].model.beta_s_per_byte &&
              machine == &ar_hockney_machines[1]);
    words = (struct ar_hockney_words){.beta_Bps = "0"};
    cr_assert_eq(ar_hockney_parse(&words, &model, &machine, &error), AR_INVALID);
    cr_assert_str_eq(error.text, "--beta-Bps: expected a rate above 0, got '0'");
}

Test(bounds, are_those_of_the_literature)
{
    struct ar_cost cost = ar_bounds_of(AR_COLLECTIVE_allreduce, 8);
    cr_assert(cost.alpha == 3 && cost.beta == 1.75 && cost.gamma == 0.875);
    cost = ar_bounds_of(AR_COLLECTIVE_reduce, 5);
    cr_assert(cost.alpha == 3 && cost.beta == 1 && cost.gamma == 0.8);
    for (int i = 0; i < AR_NCOLLECTIVES; i++) {
        cost = ar_bounds_of((enum ar_collective_id)i, 1);
        cr_assert(cost.alpha == 0 && cost.beta == 0 && cost.gamma == 0);
    }
}

/* ---- Times and rates ----------------------------------------------------------------------------------- */

Test(units, times_and_rates)
{
    static const struct {
        const char *text;
        double value; /* -1: refused */
    } times[] = {{"2us", 2e-6},  {"1.7us", 1.7e-6}, {"300ns", 3e-7}, {"5ms", 5e-3},  {"1s", 1},
                 {"2e-6", 2e-6}, {"0", 0},          {"3µs", 3e-6},   {"-2us", -1},   {"2 us", -1},
                 {"2min", -1},   {"", -1},          {"us", -1},      {"1e999s", -1}, {"nan", -1},
                 {"0x1s", -1},   {"2usec", -1},     {"+2us", -1}},
      rates[] = {{"12.5GB/s", 12.5e9},
                 {"100Gbit/s", 12.5e9},
                 {"10GiB/s", 10.0 * (1 << 30)},
                 {"800MB/s", 8e8},
                 {"5", 5},
                 {"0", -1},
                 {"0GB/s", -1},
                 {"-1GB/s", -1},
                 {"12.5GB", -1},
                 {"12.5GBps", -1},
                 {"", -1},
                 {"1e-999", -1}};
    struct ar_error error;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        double value = -1;
        enum ar_status status = ar_parse_time(times[i].text, "alpha", &value, &error);
        cr_expect_eq(status, times[i].value < 0 ? AR_INVALID : AR_OK, "'%s'", times[i].text);
        cr_expect(fabs(value - times[i].value) <= 1e-15 * fabs(value), "'%s': %g", times[i].text, value);
    }
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double value = -1;
        enum ar_status status = ar_parse_rate(rates[i].text, "beta", &value, &error);
        cr_expect_eq(status, rates[i].value < 0 ? AR_INVALID : AR_OK, "'%s'", rates[i].text);
        cr_expect(fabs(value - rates[i].value) <= 1e-15 * fabs(value), "'%s': %g", rates[i].text, value);
    }
    char text[AR_UNITS_TEXT];
    cr_expect_str_eq(ar_format_time(text, 1.7e-6), "1.7 us");
    cr_expect_str_eq(ar_format_time(text, 0), "0 s");
    cr_expect_str_eq(ar_format_time(text, 2.5e-10), "0.25 ns");
    cr_expect_str_eq(ar_format_time(text, 0.99999e-3), "1 ms");
    cr_expect_str_eq(ar_format_time(text, 300), "300 s");
    cr_expect_str_eq(ar_format_rate(text, 12.5e9), "12.5 GB/s");
    cr_expect_str_eq(ar_format_rate(text, 1 / 0.000046e-6), "21.74 GB/s");
}
