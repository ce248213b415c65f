/* The simulation under every cost model: against each other over the whole registry, and against values that
 * others published or measured. */
#include <criterion/criterion.h>
#include <criterion/logging.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "collectives/registry.h"
#include "sim/engine/clocks.h"
#include "sim/models/model.h"

enum { MOST_RANKS = 33, ELEM_BYTES = 4 };

static const double SAME = 1e-12; /* relative: sums in another order */
static const struct ar_hockney hockney = {2e-6, 1 / 12.5e9, 1 / 10e9};

/* The defaults of LogGOPSim, in seconds. */
static const struct ar_loggops published = {2500e-9, 1500e-9, 1000e-9, 6e-9, 0, 65535};

static struct ar_prices of_loggops(struct ar_loggops loggops)
{
    return (struct ar_prices){.clocking = AR_THREE_CLOCKS, .loggops = loggops};
}

static bool near(double a, double b)
{
    return fabs(a - b) <= SAME * fmax(fabs(a), fabs(b));
}

/* ---- Every case -------------------------------------------------------------------------------------- */

typedef void law_of(const struct ar_schedule *schedule, const struct ar_layout *layout, const char *name);

/* Every algorithm, ranks, counts; defaults of parameters, two segments. */
static void for_every_case(law_of *law)
{
    for (int a = 0; a < ar_nalgorithms; a++)
        for (int nranks = 1; nranks <= MOST_RANKS; nranks++) {
            struct ar_problem problem = {.nranks = nranks};
            struct ar_schedule schedule;
            char name[160];
            if (ar_algorithm_admits(ar_algorithms[a], nranks, NULL) != AR_OK)
                continue;
            for (int i = 0; i < ar_algorithms[a]->nparams; i++)
                problem.param[i] = ar_algorithms[a]->params[i].unit == AR_PARAM_BYTES
                                       ? 2
                                       : ar_algorithms[a]->params[i].fallback;
            if (ar_schedule_of_problem(&schedule, ar_algorithms[a], &problem, NULL) != AR_OK)
                continue;
            int64_t nblocks = ar_nblocks(&schedule);
            const int64_t counts[] = {1, 3 * nblocks, 3 * nblocks + nblocks / 3};
            for (int c = 0; c < 3; c++) {
                struct ar_layout layout;
                snprintf(name, sizeof name, "%s:%s, %d ranks, count %" PRId64,
                         ar_collectives[ar_algorithms[a]->collective].name, ar_algorithms[a]->name, nranks,
                         counts[c]);
                cr_assert_eq(ar_schedule_layout(&schedule, counts[c], NULL, NULL, &layout, NULL), AR_OK);
                law(&schedule, &layout, name);
            }
            ar_schedule_free(&schedule);
        }
}

static struct ar_clocks simulated(const struct ar_simulation *what, const char *name)
{
    struct ar_clocks clocks;
    struct ar_error error = {""};
    cr_assert_eq(ar_simulate(what, &clocks, &error), AR_OK, "%s: %s", name, error.text);
    return clocks;
}

static void expect_same(const struct ar_simulation *a, const struct ar_simulation *b, const char *name)
{
    struct ar_clocks x = simulated(a, name), y = simulated(b, name);
    cr_assert_eq(x.transfers, y.transfers, "%s", name);
    for (int rank = 0; rank < a->schedule->problem.nranks; rank++)
        cr_assert_eq(x.end_s[rank], y.end_s[rank], "%s, rank %d: %.17g, %.17g", name, rank, x.end_s[rank],
                     y.end_s[rank]);
    ar_clocks_free(&x);
    ar_clocks_free(&y);
}

/* ---- Models that say the same ------------------------------------------------------------------------ */

static void special_cases(const struct ar_schedule *schedule, const struct ar_layout *layout,
                          const char *name)
{
    struct ar_prices plain = ar_prices_of_hockney(&hockney), same = plain;
    struct ar_simulation what = {schedule, layout, ELEM_BYTES, &plain, .ends = true}, other = what;
    other.prices = &same;
    same.nregimes = 3; /* whose lines are one */
    same.from_bytes[1] = 8;
    same.from_bytes[2] = 40;
    same.line[0][1] = same.line[0][2] = same.line[0][0];
    expect_same(&what, &other, name);
    same.ndistances = AR_NDISTANCES;
    for (int d = 0; d < AR_NDISTANCES; d++)
        for (int i = 0; i < 3; i++)
            same.line[d][i] = same.line[0][0];
    for (int d = 0; d < AR_NDISTANCES - 1; d++)
        same.span[d] = 2 << d;
    expect_same(&what, &other, name);
}

Test(models, regimes_and_distances_that_are_alike_are_hockney)
{
    for_every_case(special_cases);
}

/* Without overheads LogGP lets a sender go on before its message is there, so it is never later; where all
 * ranks send and receive in every round it is Hockney up to a byte per message. */
static void loggp_and_hockney(const struct ar_schedule *schedule, const struct ar_layout *layout,
                              const char *name)
{
    struct ar_prices one = ar_prices_of_hockney(&(struct ar_hockney){2e-6, 1e-9, 0});
    struct ar_prices three = of_loggops((struct ar_loggops){2e-6, 0, 0, 1e-9, 0, INFINITY});
    struct ar_simulation what = {schedule, layout, ELEM_BYTES, &one},
                         other = {schedule, layout, ELEM_BYTES, &three};
    struct ar_clocks x = simulated(&what, name), y = simulated(&other, name);
    cr_assert_eq(x.transfers, y.transfers, "%s", name);
    cr_assert_leq(y.time_s, x.time_s * (1 + SAME), "%s", name);
    int64_t nblocks = layout->parts * layout->splits, nrounds = 0, P = schedule->problem.nranks;
    struct ar_pattern pattern = {0};
    for (; nrounds < ar_nrounds(schedule) && schedule->algorithm->pattern; nrounds++)
        if (!schedule->algorithm->pattern(&schedule->problem, nrounds, 0, &pattern) || pattern.more ||
            (pattern.kind == AR_XOR && (P & (P - 1)) != 0))
            return;
    if (nrounds > 0 && nrounds == ar_nrounds(schedule) && layout->count % nblocks == 0 && layout->count > 0)
        cr_assert(near(x.time_s - (double)nrounds * 1e-9, y.time_s), "%s: %.17g, %.17g", name, x.time_s,
                  y.time_s);
}

Test(models, loggp_without_overheads_is_hockney_up_to_a_byte)
{
    for_every_case(loggp_and_hockney);
}

/* ---- By pattern and by rank --------------------------------------------------------------------------- */

static const struct ar_schedule *asked;
static int64_t npatterns;

static void asked_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p;
    ar_schedule_round(asked, rank, k, sink);
}

static void both_ways(const struct ar_schedule *schedule, const struct ar_layout *layout, const char *name)
{
    struct ar_algorithm by_rank = *schedule->algorithm;
    struct ar_schedule hidden = *schedule;
    if (!by_rank.pattern)
        return;
    npatterns++;
    asked = schedule;
    by_rank.pattern = NULL;
    by_rank.round = asked_round;
    hidden.algorithm = &by_rank;
    double start_s[MOST_RANKS], slow[MOST_RANKS];
    for (int rank = 0; rank < MOST_RANKS; rank++) {
        start_s[rank] = rank * rank % 7 * 1e-6;
        slow[rank] = 1 + rank * 5 % 3 * 0.5;
    }
    struct ar_prices prices[4] = {of_loggops(published), of_loggops(published),
                                  ar_prices_of_hockney(&hockney), ar_prices_of_hockney(&hockney)};
    prices[1].loggops = (struct ar_loggops){1e-6, 2e-7, 3e-7, 1e-9, 2e-9, 20};
    prices[0].gamma_s_per_byte = prices[1].gamma_s_per_byte = 1e-9;
    prices[3].nregimes = 2;
    prices[3].from_bytes[1] = 13;
    prices[3].line[0][1] = (struct ar_line){5e-6, 1e-10};
    for (int p = 0; p < 4; p++)
        for (int way = 0; way < 4; way++) {
            struct ar_simulation what = {schedule, layout, ELEM_BYTES, &prices[p], .ends = true, .seed = 7};
            what.start_s = way & 1 ? start_s : NULL;
            what.slow = way & 2 ? slow : NULL;
            what.noise_s = way == 3 ? 1e-6 : 0;
            struct ar_simulation other = what;
            other.schedule = &hidden;
            expect_same(&what, &other, name);
        }
}

Test(models, by_pattern_are_to_the_bit_those_by_rank)
{
    for_every_case(both_ways);
    cr_assert_gt(npatterns, 5 * MOST_RANKS);
}

/* ---- Uneven ranks ------------------------------------------------------------------------------------ */

static void uneven(const struct ar_schedule *schedule, const struct ar_layout *layout, const char *name)
{
    struct ar_prices prices[2] = {ar_prices_of_hockney(&hockney), of_loggops(published)};
    double late[MOST_RANKS], twice[MOST_RANKS];
    for (int rank = 0; rank < MOST_RANKS; rank++) {
        late[rank] = 5e-6;
        twice[rank] = 2;
    }
    for (int p = 0; p < 2; p++) {
        struct ar_simulation what = {schedule, layout, ELEM_BYTES, &prices[p]};
        struct ar_clocks even = simulated(&what, name);
        what.start_s = late;
        cr_assert(near(simulated(&what, name).time_s, even.time_s + 5e-6), "%s: all late alike", name);
        what.start_s = NULL;
        what.slow = twice;
        if (p == 0)
            cr_assert(near(simulated(&what, name).time_s, 2 * even.time_s), "%s: all twice as slow", name);
        what.slow = NULL;
        what.noise_s = 1e-6;
        double seven_s = (what.seed = 7, simulated(&what, name).time_s);
        cr_assert_eq(simulated(&what, name).time_s, seven_s, "%s: one seed, one time", name);
        if (p == 1 || !schedule->algorithm->pattern) /* queues may profit */
            continue;
        cr_assert(seven_s >= even.time_s * (1 - SAME), "%s: noise delays", name);
        cr_assert_leq(seven_s, even.time_s + 1e-6 * (double)ar_nrounds(schedule) + 1e-15, "%s", name);
    }
}

Test(models, late_slow_and_noisy_ranks)
{
    for_every_case(uneven);
}

/* ---- What others published --------------------------------------------------------------------------- */

static struct ar_schedule schedule_of(const struct ar_algorithm *algorithm, int nranks)
{
    struct ar_schedule schedule;
    struct ar_problem problem = {.nranks = nranks};
    for (int i = 0; i < algorithm->nparams; i++)
        problem.param[i] = algorithm->params[i].unit == AR_PARAM_BYTES ? 1 : algorithm->params[i].fallback;
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, &problem, NULL), AR_OK);
    return schedule;
}

/* Of vectors of `bytes`. */
static struct ar_clocks published_clocks(const struct ar_algorithm *algorithm, int nranks, int64_t bytes,
                                         struct ar_loggops loggops)
{
    struct ar_schedule schedule = schedule_of(algorithm, nranks);
    struct ar_prices prices = of_loggops(loggops);
    struct ar_layout layout;
    cr_assert_eq(ar_schedule_layout(&schedule, bytes, NULL, NULL, &layout, NULL), AR_OK);
    struct ar_simulation what = {&schedule, &layout, 1, &prices, .ends = true};
    struct ar_clocks clocks = simulated(&what, algorithm->name);
    ar_schedule_free(&schedule);
    return clocks;
}

/* The README of LogGOPSim: a binomial reduction of 1024 B over 8 ranks, when each is done, in ns. */
Test(loggops, binomial_reduction_of_the_readme)
{
    const double end_ns[8] = {34914, 1500, 13138, 1500, 24776, 1500, 13138, 1500};
    struct ar_clocks clocks = published_clocks(&ar_reduce_binomial, 8, 1024, published);
    for (int rank = 0; rank < 8; rank++)
        cr_expect(fabs(clocks.end_s[rank] * 1e9 - end_ns[rank]) < 1e-6, "rank %d: %.6f", rank,
                  clocks.end_s[rank] * 1e9);
    ar_clocks_free(&clocks);
}

/* The README of LogGOPSim: dissemination of 1 B over 16 ranks takes 22000 ns. A reduction by doubling sends
 * as much in as many rounds. */
Test(loggops, dissemination_of_the_readme)
{
    struct ar_clocks clocks = published_clocks(&ar_allreduce_recursive_doubling, 16, 1, published);
    cr_expect(fabs(clocks.time_s * 1e9 - 22000) < 1e-6, "%.6f", clocks.time_s * 1e9);
    ar_clocks_free(&clocks);
}

/* What LogGOPSim says for 1 MiB with its defaults, to the digits at hand. */
Test(loggops, what_its_simulator_says)
{
    static const struct {
        const struct ar_algorithm *algorithm;
        int nranks;
        double time_ms;
    } cases[] = {
        {&ar_broadcast_binomial, 16, 25.19},
        {&ar_broadcast_binomial, 1024, 62.97},
        {&ar_broadcast_binomial, 4096, 75.56},
        {&ar_allreduce_rabenseifner, 16, 11.84},
        {&ar_allreduce_rabenseifner, 64, 12.45},
        {&ar_allreduce_rabenseifner, 1024, 12.68},
        {&ar_allreduce_rabenseifner, 4096, 12.71},
        {&ar_allreduce_recursive_doubling, 1024, 62.97},
        {&ar_allreduce_recursive_doubling, 4096, 75.56},
        {&ar_allreduce_ring, 16, 11.96},
        {&ar_allreduce_ring, 64, 13.08},
        {&ar_allreduce_ring, 256, 15.34},
        {&ar_allreduce_ring, 1024, 23.81},
        {&ar_allreduce_ring, 4096, 57.58},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ar_clocks clocks = published_clocks(cases[i].algorithm, cases[i].nranks, 1 << 20, published);
        cr_expect(fabs(clocks.time_s * 1e3 - cases[i].time_ms) <= 0.0051, "%s, %d ranks: %.6f ms",
                  cases[i].algorithm->name, cases[i].nranks, clocks.time_s * 1e3);
        ar_clocks_free(&clocks);
    }
}

/* m(n) = 2o + L + (n-1) G: a ring takes 2(P-1) m(n/P), halving and doubling twice the sum of m(n/2^k). */
Test(loggops, closed_forms_of_rings_and_halving)
{
    const int64_t n = 3 << 20;
    for (int log = 1, P = 2; log <= 6; log++, P *= 2) {
        double ring_s = 2 * (P - 1) * (5500e-9 + ((double)n / P - 1) * 6e-9), halving_s = 0;
        for (int k = 1; k <= log; k++)
            halving_s += 2 * (5500e-9 + ((double)n / (1 << k) - 1) * 6e-9);
        struct ar_clocks ring = published_clocks(&ar_allreduce_ring, P, n, published);
        struct ar_clocks halving = published_clocks(&ar_allreduce_rabenseifner, P, n, published);
        cr_expect(near(ring.time_s, ring_s), "%d ranks: %.17g, %.17g", P, ring.time_s, ring_s);
        cr_expect(near(halving.time_s, halving_s), "%d ranks: %.17g, %.17g", P, halving.time_s, halving_s);
        ar_clocks_free(&ring);
        ar_clocks_free(&halving);
    }
}

/* The optimal broadcast of Culler et al., LogP, PPoPP 1993, figure 3: P = 8, L = 6, o = 2, g = 4. Who is told
 * by whom, in the order of the tellers' rounds. */
static void told(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p;
    static const struct {
        int from, to, round;
    } tree[] = {{0, 1, 0}, {0, 2, 1}, {0, 3, 2}, {0, 4, 3}, {1, 5, 1}, {1, 6, 2}, {2, 7, 2}};
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++)
        if (tree[i].round == k && tree[i].from == rank)
            ar_send(sink, tree[i].to, ar_block(0));
        else if (tree[i].round == k && tree[i].to == rank)
            ar_receive(sink, tree[i].from, ar_block(0));
}

static int64_t four(const struct ar_problem *p)
{
    (void)p;
    return 4;
}

Test(loggops, the_optimal_broadcast_of_logp)
{
    const struct ar_algorithm algorithm = {
        .name = "told", .collective = AR_COLLECTIVE_broadcast, .rounds = four, .round = told};
    const double arrival[8] = {0, 10, 14, 18, 22, 20, 24, 24};
    struct ar_clocks clocks =
        published_clocks(&algorithm, 8, 1, (struct ar_loggops){6, 2, 4, 0, 0, INFINITY});
    for (int rank = 3; rank < 8; rank++) /* the others send afterwards */
        cr_expect_eq(clocks.end_s[rank], arrival[rank], "rank %d: %g", rank, clocks.end_s[rank]);
    cr_expect_eq(clocks.end_s[0], 14, "four sends, one every g");
    cr_expect_eq(clocks.end_s[1], 16, "told at 10, then two sends");
    cr_expect_eq(clocks.end_s[2], 16, "told at 14, then one");
    ar_clocks_free(&clocks);
}

/* A large message holds its sender until the receiver is there, a small one does not. */
Test(loggops, large_messages_wait_for_their_receiver)
{
    const double start_s[2] = {0, 100};
    struct ar_schedule schedule = schedule_of(&ar_broadcast_binomial, 2);
    struct ar_layout layout;
    cr_assert_eq(ar_schedule_layout(&schedule, 11, NULL, NULL, &layout, NULL), AR_OK);
    for (int large = 0; large < 2; large++) {
        struct ar_prices prices = of_loggops((struct ar_loggops){6, 2, 4, 1, 0, large ? 10 : 11});
        struct ar_simulation what = {&schedule, &layout, 1, &prices, .start_s = start_s, .ends = true};
        struct ar_clocks clocks = simulated(&what, "broadcast");
        cr_expect_eq(clocks.end_s[0], large ? 100 : 2);
        cr_expect_eq(clocks.end_s[1], 112);
        ar_clocks_free(&clocks);
    }
    ar_schedule_free(&schedule);
}

/* ---- Messages without counterpart -------------------------------------------------------------------- */

/* Rank 0 sends to all others; the last does not listen. */
static void unheard(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)k;
    for (int peer = 1; rank == 0 && peer < p->nranks; peer++)
        ar_send(sink, peer, ar_block(0));
    if (rank > 0 && rank < p->nranks - 1)
        ar_receive(sink, 0, ar_block(0));
}

Test(models, a_message_with_one_end_is_named_under_every_one)
{
    const struct ar_algorithm algorithm = {
        .name = "unheard", .collective = AR_COLLECTIVE_broadcast, .rounds = four, .round = unheard};
    const struct ar_prices prices[2] = {ar_prices_of_hockney(&hockney), of_loggops(published)};
    struct ar_layout layout;
    for (int nranks = 2; nranks < 6; nranks++)
        for (int p = 0; p < 2; p++) {
            struct ar_schedule schedule = schedule_of(&algorithm, nranks);
            struct ar_clocks clocks = {.time_s = -1};
            struct ar_error error = {""};
            char expected[100];
            cr_assert_eq(ar_schedule_layout(&schedule, 3, NULL, NULL, &layout, NULL), AR_OK);
            struct ar_simulation what = {&schedule, &layout, 1, &prices[p]};
            snprintf(expected, sizeof expected,
                     "round 1: 3 elements go from rank 0 to rank %d, which do not agree", nranks - 1);
            cr_expect_eq(ar_simulate(&what, &clocks, &error), AR_FAILED);
            cr_expect_str_eq(error.text, expected);
            cr_expect_eq(clocks.time_s, -1, "no time");
            ar_schedule_free(&schedule);
        }
}

/* ---- Sizes and distances ----------------------------------------------------------------------------- */

Test(models, transfers_are_priced_by_their_bytes_and_ranks)
{
    struct ar_prices prices = {.nregimes = 2,
                               .ndistances = 2,
                               .from_bytes = {0, 12},
                               .span = {2},
                               .line = {{{1, 1}, {100, 1}}, {{1000, 1}, {2000, 1}}}};
    static const struct {
        int nranks;
        int64_t count;
        double time_s; /* when the last rank has it from the first */
    } cases[] = {{2, 2, 1 + 8}, {2, 3, 100 + 12}, {3, 2, 1000 + 8}, {3, 3, 2000 + 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ar_schedule schedule = schedule_of(&ar_broadcast_binomial, cases[i].nranks);
        struct ar_layout layout;
        cr_assert_eq(ar_schedule_layout(&schedule, cases[i].count, NULL, NULL, &layout, NULL), AR_OK);
        struct ar_simulation what = {&schedule, &layout, ELEM_BYTES, &prices, .ends = true};
        struct ar_clocks clocks = simulated(&what, "broadcast");
        cr_expect_eq(clocks.end_s[cases[i].nranks - 1], cases[i].time_s, "%d ranks, count %" PRId64 ": %g",
                     cases[i].nranks, cases[i].count, clocks.end_s[cases[i].nranks - 1]);
        ar_clocks_free(&clocks);
        ar_schedule_free(&schedule);
    }
}

/* ---- Who is waited for ------------------------------------------------------------------------------- */

static double time_of(const struct ar_algorithm *algorithm, int nranks, struct ar_simulation what)
{
    struct ar_schedule schedule = schedule_of(algorithm, nranks);
    struct ar_layout layout;
    cr_assert_eq(ar_schedule_layout(&schedule, 1, NULL, NULL, &layout, NULL), AR_OK);
    what.schedule = &schedule;
    what.layout = &layout;
    what.elem_bytes = 1;
    double time_s = simulated(&what, algorithm->name).time_s;
    ar_schedule_free(&schedule);
    return time_s;
}

Test(models, the_slower_end_of_a_transfer_decides)
{
    const struct ar_prices prices = ar_prices_of_hockney(&(struct ar_hockney){5, 1, 0});
    const double slow[2][2] = {{1, 3}, {3, 1}};
    for (int i = 0; i < 2; i++)
        cr_expect_eq(
            time_of(&ar_broadcast_binomial, 2, (struct ar_simulation){.prices = &prices, .slow = slow[i]}),
            18);
}

static void exchanged(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p, (void)k;
    ar_send(sink, rank ^ 1, ar_block(0));
    ar_receive(sink, rank ^ 1, ar_block(0));
}

static int64_t one(const struct ar_problem *p)
{
    (void)p;
    return 1;
}

Test(models, noise_is_another_in_every_round)
{
    const struct ar_prices prices = ar_prices_of_hockney(&(struct ar_hockney){0, 0, 0});
    const struct ar_simulation what = {.prices = &prices, .noise_s = 1, .seed = 3};
    struct ar_algorithm algorithm = {
        .name = "exchanged", .collective = AR_COLLECTIVE_allreduce, .rounds = one, .round = exchanged};
    double once_s = time_of(&algorithm, 2, what);
    algorithm.rounds = four;
    double often_s = time_of(&algorithm, 2, what);
    cr_expect(once_s > 0 && once_s < 1 && often_s > once_s && often_s < 4 && often_s != 4 * once_s);
}

Test(loggops, who_comes_first_is_taken_first)
{
    const struct ar_prices prices = of_loggops((struct ar_loggops){6, 2, 0, 0, 0, INFINITY});
    const double start_s[3] = {0, 1000, 0};
    cr_expect_eq(time_of(&ar_reduce_linear, 3, (struct ar_simulation){.prices = &prices, .start_s = start_s}),
                 1000 + 2 + 6 + 2);
}
