/* Model states, models, strategies as plans, and the claim: the published numbers, and the law behind them.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/training/claim.h"
#include "collectives/messages.h"
#include "collectives/registry.h"

/* ---- Memory ------------------------------------------------------------------------------------------ */

static int64_t memory_bytes(const char *strategy, double parameters, int nranks)
{
    struct ar_model model = {0};
    cr_assert_eq(ar_model_uniform((int64_t)parameters, 1, &model, NULL), AR_OK);
    struct ar_memory most =
        ar_strategy_memory_max(ar_strategy_find(strategy), &model, nranks, ar_state_bytes(AR_ADAM, AR_MIXED));
    ar_model_free(&model);
    return ar_memory_total(most);
}

Test(training, bytes_per_parameter)
{
    static const struct {
        enum ar_optimizer optimizer;
        enum ar_precision precision;
        int total;
    } cases[] = {{AR_ADAM, AR_MIXED, 16}, {AR_MOMENTUM, AR_MIXED, 12}, {AR_SGD, AR_MIXED, 8},
                 {AR_ADAM, AR_FP32, 16},  {AR_MOMENTUM, AR_FP32, 12},  {AR_SGD, AR_FP32, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ar_state_bytes b = ar_state_bytes(cases[i].optimizer, cases[i].precision);
        cr_expect_eq(b.parameters + b.gradients + b.master + b.optimizer, cases[i].total, "case %zu", i);
        cr_expect_eq(b.master, cases[i].precision == AR_MIXED ? 4 : 0, "case %zu", i);
    }
}

/* ZeRO, SC'20, figure 1 and table 1: 7.5e9 parameters, mixed Adam. */
Test(training, memory_of_the_zero_paper)
{
    static const char *const stages[] = {"ddp", "zero1", "zero2", "zero3"};
    static const int64_t on_64[] = {120000000000, 31406250000, 16640625000, 1875000000};
    for (int stage = 0; stage < 4; stage++)
        cr_expect_eq(memory_bytes(stages[stage], 7.5e9, 64), on_64[stage], "%s", stages[stage]);
    static const struct {
        int nranks;
        double zero1_gb, zero2_gb;
    } cases[] = {{1, 120, 120},
                 {4, 52.5, 41.25},
                 {16, 35.625, 21.5625},
                 {256, 30.352, 15.410},
                 {1024, 30.088, 15.103}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int nranks = cases[i].nranks;
        cr_expect_float_eq((double)memory_bytes("zero1", 7.5e9, nranks) / 1e9, cases[i].zero1_gb, 5e-4, "%d",
                           nranks);
        cr_expect_float_eq((double)memory_bytes("zero2", 7.5e9, nranks) / 1e9, cases[i].zero2_gb, 5e-4, "%d",
                           nranks);
    }
}

/* All ranks together never keep less than one copy of every state; what is divided is there exactly once. */
Test(training, memory_adds_up)
{
    struct ar_model model = {0};
    cr_assert_eq(ar_model_builtin("gpt2-124m", &model, NULL), AR_OK);
    struct ar_state_bytes bytes = ar_state_bytes(AR_ADAM, AR_MIXED);
    int64_t once = 16 * model.parameters;
    for (int nranks = 1; nranks <= 32; nranks++)
        for (int i = 0; i < ar_nstrategies; i++) {
            const struct ar_strategy *strategy = ar_strategies[i];
            int64_t all = 0, most = 0;
            for (int rank = 0; rank < nranks; rank++) {
                int64_t mine = ar_memory_total(ar_strategy_memory(strategy, &model, nranks, bytes, rank));
                all += mine;
                most = mine > most ? mine : most;
            }
            int64_t expected = 0;
            const enum ar_sharding sharding[] = {strategy->parameters, strategy->gradients,
                                                 strategy->updated};
            const int64_t weight[] = {2, 2, 12};
            for (int k = 0; k < 3; k++)
                expected += weight[k] * model.parameters * (sharding[k] == AR_WHOLE ? nranks : 1);
            cr_expect_eq(all, expected, "%s on %d", strategy->name, nranks);
            cr_expect_geq(all, once, "%s on %d", strategy->name, nranks);
            cr_expect_eq(ar_memory_total(ar_strategy_memory_max(strategy, &model, nranks, bytes)), most,
                         "%s on %d", strategy->name, nranks);
        }
    cr_expect_eq(ar_memory_total(ar_strategy_memory(&ar_strategy_ps, &model, 4, bytes, 0)), once);
    cr_expect_eq(ar_memory_total(ar_strategy_memory(&ar_strategy_ps, &model, 4, bytes, 3)), once / 4);
    ar_model_free(&model);
}

/* What every rank keeps is what the collectives leave on it: early parts have one parameter more, layer by
 * layer. */
Test(training, memory_of_parts_is_exact)
{
    static const int64_t sizes[] = {7, 1, 12, 5};
    static const int64_t parts[] = {3 + 1 + 4 + 2, 2 + 0 + 4 + 2, 2 + 0 + 4 + 1}; /* on 3 ranks */
    static const int64_t owned[] = {7 + 5, 1, 12};
    struct ar_model model = {0};
    for (int l = 0; l < 4; l++)
        cr_assert_eq(ar_model_add(&model, "layer", sizes[l], NULL), AR_OK);
    struct ar_state_bytes bytes = ar_state_bytes(AR_ADAM, AR_MIXED);
    for (int rank = 0; rank < 3; rank++) {
        struct ar_memory zero2 = ar_strategy_memory(&ar_strategy_zero2, &model, 3, bytes, rank);
        cr_expect_eq(zero2.parameters, 2 * 25);
        cr_expect_eq(zero2.gradients, 2 * parts[rank], "rank %d", rank);
        cr_expect_eq(zero2.master, 4 * parts[rank], "rank %d", rank);
        cr_expect_eq(zero2.optimizer, 8 * parts[rank], "rank %d", rank);
        struct ar_memory owners = ar_strategy_memory(&ar_strategy_zero3_broadcast, &model, 3, bytes, rank);
        cr_expect_eq(ar_memory_total(owners), 16 * owned[rank], "rank %d", rank);
    }
    ar_model_free(&model);
}

/* ---- Models ------------------------------------------------------------------------------------------ */

Test(training, models)
{
    struct ar_error error;
    struct ar_model model = {0};
    cr_assert_eq(ar_model_builtin("gpt2-124m", &model, &error), AR_OK);
    cr_expect_eq(model.parameters, 124439808);
    cr_expect_eq(model.nlayers, 15);
    cr_expect_eq(ar_model_largest(&model), 38597376);
    cr_expect_str_eq(model.layer[0].name, "wte");
    cr_expect_str_eq(model.layer[14].name, "ln_f");
    ar_model_free(&model);
    for (int i = 0; i < ar_nmodels; i++) {
        cr_assert_eq(ar_model_builtin(ar_model_names[i], &model, &error), AR_OK, "%s", ar_model_names[i]);
        int64_t sum = 0;
        for (int l = 0; l < model.nlayers; l++)
            sum += model.layer[l].parameters;
        cr_expect_eq(sum, model.parameters, "%s", model.name);
        ar_model_free(&model);
    }
    cr_assert_eq(ar_model_uniform(17, 5, &model, &error), AR_OK);
    for (int l = 0; l < 5; l++)
        cr_expect_eq(model.layer[l].parameters, l < 2 ? 4 : 3, "layer %d", l);
    ar_model_free(&model);
}

Test(training, bad_models)
{
    struct ar_error error;
    struct ar_model model = {0};
    cr_expect_eq(ar_model_builtin("gpt2-124n", &model, &error), AR_INVALID);
    cr_expect(strstr(error.text, "gpt2-124m"), "%s", error.text);
    cr_expect_eq(ar_model_uniform(0, 1, &model, &error), AR_INVALID);
    cr_expect_eq(ar_model_uniform(4, 5, &model, &error), AR_INVALID);
    cr_expect_eq(ar_model_uniform(4, 0, &model, &error), AR_INVALID);
    cr_expect_eq(model.nlayers, 0, "a failure leaves its output alone");
    cr_expect_eq(ar_model_add(&model, "most", INT64_MAX, &error), AR_OK);
    cr_expect_eq(ar_model_add(&model, "one more", 1, &error), AR_INVALID);
    cr_expect_eq(ar_model_add(&model, "nothing", 0, &error), AR_INVALID);
    cr_expect_eq(model.parameters, INT64_MAX);
    ar_model_free(&model);
}

/* ---- Plans ------------------------------------------------------------------------------------------- */

static const int64_t layer_sizes[][6] = {
    {1}, {1, 2, 3}, {7, 1, 12, 5, 30, 2}, {1000003, 3}, {4099, 4098, 4097, 17, 1}, {64, 64, 64, 64, 64, 64}};
enum { NMODELS = sizeof layer_sizes / sizeof *layer_sizes };

static struct ar_model odd_model(int i)
{
    struct ar_model model = {0};
    for (int l = 0; l < 6 && layer_sizes[i][l]; l++)
        cr_assert_eq(ar_model_add(&model, "layer", layer_sizes[i][l], NULL), AR_OK);
    return model;
}

Test(training, plans_name_every_layer)
{
    for (int m = 0; m < NMODELS; m++) {
        struct ar_model model = odd_model(m);
        for (int i = 0; i < ar_nstrategies; i++) {
            const struct ar_strategy *strategy = ar_strategies[i];
            cr_expect_eq(ar_strategy_find(strategy->name), strategy);
            struct ar_training_plan plan = {0};
            strategy->plan(&model, 4, &plan);
            enum ar_phase phase = AR_PHASE_FORWARD;
            int *seen = calloc((size_t)model.nlayers, sizeof *seen);
            for (int e = 0; e < plan.nevents; e++) {
                const struct ar_event *event = &plan.event[e];
                cr_expect_geq(event->phase, phase, "%s goes back in time", strategy->name);
                phase = event->phase;
                cr_expect_eq(event->elements, model.layer[event->layer].parameters, "%s", strategy->name);
                cr_expect_lt(event->root, 4);
                cr_expect_eq(ar_collectives[event->collective].reduces, event->what == AR_WHAT_GRADIENTS,
                             "%s reduces parameters, or does not reduce gradients", strategy->name);
                seen[event->layer] |= 1 << event->what;
            }
            for (int l = 0; l < model.nlayers; l++) /* gradients always; parameters unless all keep them */
                cr_expect_eq(seen[l], strategy == &ar_strategy_ddp ? 2 : 3, "%s, layer %d", strategy->name,
                             l);
            free(seen);
            ar_training_plan_free(&plan);
        }
        ar_model_free(&model);
    }
    cr_expect_null(ar_strategy_find("zero4"));
}

Test(training, collectives_in_words)
{
    static const char *const letters[AR_NCOLLECTIVES] = {[AR_COLLECTIVE_allgather] = "AG"};
    struct ar_text text = {0};
    ar_strategy_collectives(&ar_strategy_zero3, NULL, &text);
    ar_text_add(&text, "; ");
    ar_strategy_collectives(&ar_strategy_zero3, letters, &text);
    ar_text_add(&text, "; ");
    ar_strategy_collectives(&ar_strategy_ps, letters, &text);
    cr_expect_str_eq(text.data, "2 allgather, reduce_scatter; 2 AG, reduce_scatter; broadcast, reduce");
    ar_text_free(&text);
}

/* What a strategy moves, modelled and counted by running it. */
static struct ar_tally tally_of(const struct ar_runner_setup *setup, const struct ar_model *model,
                                const struct ar_strategy *strategy)
{
    struct ar_error error = {{0}};
    struct ar_tally tally = {0};
    struct ar_training_plan plan = {0};
    double memory;
    strategy->plan(model, setup->nranks, &plan);
    struct ar_runner *runner = ar_runner_new(setup);
    enum ar_status status = ar_runner_estimate(runner, &plan, strategy->algorithm, &memory, &error);
    if (status == AR_OK)
        status = ar_runner_run(runner, &plan, strategy->algorithm, strategy->name, &tally, &error);
    cr_assert_eq(status, AR_OK, "%s on %d ranks: %s", strategy->name, setup->nranks, error.text);
    ar_runner_free(runner);
    ar_training_plan_free(&plan);
    return tally;
}

/* The law: so many (N-1) n in total as the strategy says, whatever the sizes of the layers, real and
 * simulated alike. */
Test(training, totals_of_every_strategy)
{
    static const int ranks[] = {2, 3, 4, 5, 6, 7, 8, 13};
    for (int m = 0; m < NMODELS; m++) {
        struct ar_model model = odd_model(m);
        for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
            for (int i = 0; i < ar_nstrategies; i++) {
                struct ar_runner_setup setup = {
                    .nranks = ranks[r], .type = AR_TYPE_float32, .simulated = true};
                const struct ar_strategy *strategy = ar_strategies[i];
                int64_t total = strategy->vectors * (ranks[r] - 1) * 4 * model.parameters;
                struct ar_tally simulated = tally_of(&setup, &model, strategy);
                cr_expect_eq(simulated.modelled_total, total, "%s, model %d, %d ranks: %" PRId64,
                             strategy->name, m, ranks[r], simulated.modelled_total);
                cr_expect_eq(simulated.sent_total, total, "%s, model %d, %d ranks", strategy->name, m,
                             ranks[r]);
                cr_expect(simulated.right, "%s", simulated.failure.text);
                if (model.parameters > 100000)
                    continue;
                setup.simulated = false;
                struct ar_tally real = tally_of(&setup, &model, strategy);
                cr_expect(real.right, "%s", real.failure.text);
                cr_expect_eq(real.sent_total, total, "%s, model %d, %d ranks", strategy->name, m, ranks[r]);
                cr_expect_eq(real.sent_max, simulated.sent_max, "%s, model %d, %d ranks", strategy->name, m,
                             ranks[r]);
            }
        ar_model_free(&model);
    }
}

/* ---- The claim --------------------------------------------------------------------------------------- */

/* The articles' case: 7.5e9 parameters in fp16; bytes per rank of ddp, zero1 and zero2, and of zero3. */
Test(training, claim_of_the_articles)
{
    static const struct {
        int nranks;
        double ddp, zero3;
    } cases[] = {
        {2, 15e9, 22.5e9}, {4, 22.5e9, 33.75e9}, {8, 26.25e9, 39.375e9}, {64, 29.53125e9, 44.296875e9}};
    struct ar_model model = {0};
    cr_assert_eq(ar_model_uniform(7500000000, 1, &model, NULL), AR_OK);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int nranks = cases[c].nranks;
        struct ar_runner_setup setup = {.nranks = nranks, .type = AR_TYPE_float16, .simulated = true};
        struct ar_claim claim;
        struct ar_error error = {{0}};
        cr_assert_eq(ar_claim_run(&setup, &model, NULL, &claim, &error), AR_OK, "%s", error.text);
        cr_expect(claim.right, "%s", claim.failure.text);
        for (int i = 0; i < AR_CLAIM_PRIMITIVES; i++) {
            const struct ar_claim_primitive *p = &claim.primitive[i];
            cr_expect_eq(p->to_allreduce, i ? 0.5 : 1.0, "%s", ar_collectives[p->collective].name);
            cr_expect_eq(p->per_vector, i ? 1.0 : 2.0, "%s", ar_collectives[p->collective].name);
        }
        for (int i = 0; i < ar_nstrategies; i++) {
            const struct ar_claim_strategy *s = &claim.strategy[i];
            bool zero3 = s->strategy == &ar_strategy_zero3 || s->strategy == &ar_strategy_zero3_broadcast;
            double mean = zero3 ? cases[c].zero3 : cases[c].ddp;
            cr_expect_eq((double)s->bytes.sent_total, nranks * mean, "%s on %d", s->strategy->name, nranks);
            cr_expect_eq(s->bytes.modelled_total, s->bytes.sent_total, "%s on %d", s->strategy->name, nranks);
            cr_expect_eq(s->bytes.witness_total, AR_UNKNOWN);
            cr_expect_eq(s->to_ddp, zero3 ? 1.5 : 1.0, "%s on %d", s->strategy->name, nranks);
            if (s->strategy->name[0] != 'p' && s->strategy != &ar_strategy_zero3_broadcast)
                cr_expect_eq((double)s->bytes.sent_max, mean, "%s on %d", s->strategy->name, nranks);
        }
        /* ZeRO-1 by all-reduce and all-gather, as DeepSpeed first had it, moves as much as ZeRO-3. */
        cr_expect_eq((double)(claim.primitive[0].bytes.sent_total + claim.primitive[3].bytes.sent_total),
                     nranks * cases[c].zero3);
        /* The parameter server sends N-1 copies. */
        cr_expect_eq(claim.strategy[0].bytes.sent_max, (nranks - 1) * INT64_C(15000000000));
        ar_claim_free(&claim);
    }
    ar_model_free(&model);
}

Test(training, claim_with_other_algorithms)
{
    struct ar_model model = odd_model(4);
    struct ar_error error = {{0}};
    struct ar_claim claim;
    struct ar_runner_setup setup = {.nranks = 5, .type = AR_TYPE_float32};
    struct ar_choice choice;
    cr_assert_eq(ar_choice_parse("allreduce:reduce_broadcast", &choice, &error), AR_OK);
    setup.choice[AR_COLLECTIVE_allreduce] = choice;
    cr_assert_eq(ar_choice_parse("broadcast:chain:segment=64", &choice, &error), AR_OK);
    setup.choice[AR_COLLECTIVE_broadcast] = choice;
    cr_assert_eq(ar_claim_run(&setup, &model, NULL, &claim, &error), AR_OK, "%s", error.text);
    cr_expect(claim.right, "%s", claim.failure.text);
    cr_expect_str_eq(claim.primitive[0].algorithm, "reduce_broadcast");
    char name[AR_CHOICE_TEXT];
    cr_expect_str_eq(claim.primitive[1].algorithm, ar_choice_name(&choice, name));
    cr_expect_eq(claim.strategy[4].to_ddp, 1.5);
    ar_claim_free(&claim);
    ar_model_free(&model);
}

/* An all-reduce that forgets to hand the result to the last rank. */
static void broken_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    if (k == 0 && rank != 0)
        ar_send(sink, 0, ar_block(0));
    for (int r = 1; k == 0 && rank == 0 && r < p->nranks; r++)
        ar_receive_reduce(sink, r, AR_BY_RANK, ar_block(0));
    for (int r = 1; k == 1 && rank == 0 && r < p->nranks - 1; r++)
        ar_send(sink, r, ar_block(0));
    if (k == 1 && rank != 0 && rank != p->nranks - 1)
        ar_receive(sink, 0, ar_block(0));
}

static int64_t two_rounds(const struct ar_problem *p)
{
    (void)p;
    return 2;
}

Test(training, claim_sees_wrong_results)
{
    static const struct ar_algorithm broken = {
        .name = "broken", .collective = AR_COLLECTIVE_allreduce, .rounds = two_rounds, .round = broken_round};
    struct ar_model model = odd_model(2);
    struct ar_error error = {{0}};
    struct ar_claim claim;
    struct ar_runner_setup setup = {.nranks = 4, .type = AR_TYPE_float16};
    setup.choice[AR_COLLECTIVE_allreduce] = ar_choice_default(&broken);
    cr_assert_eq(ar_claim_run(&setup, &model, NULL, &claim, &error), AR_OK, "%s", error.text);
    cr_expect_not(claim.right);
    cr_expect(strstr(claim.failure.text, "allreduce") && strstr(claim.failure.text, "rank 3"), "%s",
              claim.failure.text);
    for (int i = 0; i < ar_nstrategies; i++)
        cr_expect_eq(claim.strategy[i].bytes.right, claim.strategy[i].strategy != &ar_strategy_ddp, "%s",
                     claim.strategy[i].strategy->name);
    ar_claim_free(&claim);
    ar_model_free(&model);
}

static int told;

static void listen(const char *what, int now, int of)
{
    cr_expect_eq(now, ++told, "%s", what);
    cr_expect_eq(of, AR_CLAIM_PRIMITIVES + ar_nstrategies);
}

Test(training, claim_says_how_far_it_is)
{
    struct ar_model model = odd_model(1);
    struct ar_claim claim;
    struct ar_runner_setup setup = {.nranks = 2, .type = AR_TYPE_float16};
    cr_assert_eq(ar_claim_run(&setup, &model, listen, &claim, NULL), AR_OK);
    cr_expect_eq(told, AR_CLAIM_PRIMITIVES + ar_nstrategies);
    ar_claim_free(&claim);
    ar_model_free(&model);
}

Test(training, claim_refuses)
{
    struct ar_model small = odd_model(1), large = {0}, huge = {0};
    cr_assert_eq(ar_model_uniform(INT64_C(1) << 50, 1, &large, NULL), AR_OK);
    cr_assert_eq(ar_model_uniform(INT64_MAX, 1, &huge, NULL), AR_OK);
    struct ar_error error;
    struct ar_claim claim;
    struct ar_runner_setup one = {.nranks = 1, .type = AR_TYPE_float16};
    cr_expect_eq(ar_claim_run(&one, &small, NULL, &claim, &error), AR_INVALID);
    cr_expect_str_eq(error.text, "claim needs at least 2 ranks: on one nothing is sent");
    struct ar_runner_setup real = {.nranks = 4, .type = AR_TYPE_float16};
    cr_expect_eq(ar_claim_run(&real, &large, NULL, &claim, &error), AR_NO_MEMORY);
    cr_expect_eq(ar_claim_run(&real, &huge, NULL, &claim, &error), AR_INVALID, "%s", error.text);
    struct ar_model heavy = {0}; /* its bytes can be counted, its states not */
    struct ar_runner_setup bytes = {.nranks = 2, .type = AR_TYPE_int8, .simulated = true};
    cr_assert_eq(ar_model_uniform(INT64_C(1) << 59, 1, &heavy, NULL), AR_OK);
    cr_expect_eq(ar_claim_run(&bytes, &heavy, NULL, &claim, &error), AR_INVALID, "%s", error.text);
    ar_model_free(&heavy);
    struct ar_runner_setup library = {.nranks = 4, .type = AR_TYPE_float32, .library = true};
    cr_expect_eq(ar_claim_run(&library, &small, NULL, &claim, &error), AR_INVALID, "it needs MPI");
    ar_model_free(&small);
    ar_model_free(&large);
    ar_model_free(&huge);
}

/* ---- Per-rank bytes of single collectives ------------------------------------------------------------ */

static void expect_traffic(const char *choice_text, int64_t count, int nranks, int64_t least, int64_t most,
                           int64_t total)
{
    struct ar_choice choice;
    struct ar_schedule schedule;
    struct ar_layout layout;
    cr_assert_eq(ar_choice_parse(choice_text, &choice, NULL), AR_OK);
    cr_assert_eq(ar_schedule_init(&schedule, &choice, nranks, 0, (struct ar_size){count, 0, 4}, NULL), AR_OK);
    cr_assert_eq(ar_schedule_layout(&schedule, count, NULL, NULL, &layout, NULL), AR_OK);
    int64_t sum = 0, received = 0, lowest = INT64_MAX, highest = 0;
    for (int rank = 0; rank < nranks; rank++) {
        struct ar_traffic traffic = ar_traffic_of_rank(&schedule, &layout, rank);
        int64_t bytes = 4 * traffic.elements_sent;
        sum += bytes;
        received += 4 * traffic.elements_received;
        lowest = bytes < lowest ? bytes : lowest;
        highest = bytes > highest ? bytes : highest;
    }
    cr_expect_eq(sum, total, "%s: total %" PRId64, choice_text, sum);
    cr_expect_eq(received, total, "%s: received %" PRId64, choice_text, received);
    if (least) {
        cr_expect_eq(lowest, least, "%s: min %" PRId64, choice_text, lowest);
        cr_expect_eq(highest, most, "%s: max %" PRId64, choice_text, highest);
    }
    ar_schedule_free(&schedule);
}

Test(training, uneven_blocks)
{
    expect_traffic("allreduce:ring", 1000003, 3, 5333348, 5333352, 16000048);
    expect_traffic("allreduce:ring", 3282, 4, 19688, 19696, 78768);
    expect_traffic("reduce_scatter:direct", 1000003, 8, 0, 0, 28000084);
}
