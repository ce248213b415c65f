#include "bench/training/claim.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectives/base/memory.h"

static const enum ar_collective_id primitives[AR_CLAIM_PRIMITIVES] = {
    AR_COLLECTIVE_allreduce, AR_COLLECTIVE_broadcast, AR_COLLECTIVE_reduce, AR_COLLECTIVE_allgather,
    AR_COLLECTIVE_reduce_scatter};

/* Every plan of the claim: the primitives' and the strategies'. */
struct plans {
    struct ar_training_plan primitive[AR_CLAIM_PRIMITIVES];
    struct ar_training_plan *strategy;
};

static void make_plans(const struct ar_model *model, int nranks, int64_t elements, struct plans *plans)
{
    for (int i = 0; i < AR_CLAIM_PRIMITIVES; i++)
        ar_training_plan_add(&plans->primitive[i], (struct ar_event){.phase = AR_PHASE_BACKWARD,
                                                                     .collective = primitives[i],
                                                                     .elements = elements,
                                                                     .what = AR_WHAT_GRADIENTS});
    plans->strategy = ar_alloc((size_t)ar_nstrategies, sizeof *plans->strategy);
    for (int i = 0; i < ar_nstrategies; i++)
        ar_strategies[i]->plan(model, nranks, &plans->strategy[i]);
}

static void free_plans(struct plans *plans)
{
    for (int i = 0; i < AR_CLAIM_PRIMITIVES; i++)
        ar_training_plan_free(&plans->primitive[i]);
    for (int i = 0; i < ar_nstrategies; i++)
        ar_training_plan_free(&plans->strategy[i]);
    free(plans->strategy);
}

static double ratio(int64_t total, double unit)
{
    return total == AR_UNKNOWN || !(unit > 0) ? NAN : (double)total / unit;
}

enum { MOST_STATE_BYTES = 16 }; /* per parameter (sim/training/memory.h) */

/* ---- Before anything runs ---------------------------------------------------------------------------- */

static enum ar_status refuse(const struct ar_runner_setup *setup, const struct ar_model *model,
                             struct ar_error *error)
{
    if (setup->nranks < 2)
        return ar_fail(error, AR_INVALID, "claim needs at least 2 ranks: on one nothing is sent");
    if (setup->library && (setup->simulated || !setup->end || setup->type != AR_TYPE_float32))
        return ar_fail(error, AR_INVALID,
                       "the MPI library's own collectives are run on real float32 buffers over MPI only");
    if (setup->library && ar_model_largest(model) > INT32_MAX)
        return ar_fail(error, AR_INVALID,
                       "MPI's own collectives take at most 2^31-1 elements, the largest layer has %" PRId64,
                       ar_model_largest(model));
    int64_t bytes;
    int64_t most = 4 * (int64_t)setup->nranks * (int64_t)ar_types[setup->type].bytes;
    if (__builtin_mul_overflow(model->parameters, most > MOST_STATE_BYTES ? most : MOST_STATE_BYTES, &bytes))
        return ar_fail(error, AR_INVALID,
                       "%" PRId64 " parameters on %d ranks would move or keep more than 2^63 bytes",
                       model->parameters, setup->nranks);
    return AR_OK;
}

/* Makes every schedule and refuses what this machine has no memory for. */
static enum ar_status admit(struct ar_runner *runner, const struct plans *plans, const char *what,
                            struct ar_error *error)
{
    double bytes, most = 0;
    for (int i = 0; i < AR_CLAIM_PRIMITIVES + ar_nstrategies; i++) {
        int s = i - AR_CLAIM_PRIMITIVES; /* after the primitives the strategies */
        const struct ar_training_plan *plan = s < 0 ? &plans->primitive[i] : &plans->strategy[s];
        const char *fallback = s < 0 ? NULL : ar_strategies[s]->algorithm;
        enum ar_status status = ar_runner_estimate(runner, plan, fallback, &bytes, error);
        if (status != AR_OK)
            return status;
        most = fmax(most, bytes);
    }
    return ar_runner_agree(runner, ar_memory_check(most, what, error), error);
}

/* ---- Counting ---------------------------------------------------------------------------------------- */

static void judge(struct ar_claim *claim, const struct ar_tally *tally)
{
    if (tally->right || !claim->right)
        return;
    claim->right = false;
    claim->failure = tally->failure;
}

/* Tells whoever listens. */
static void say(ar_listener *tell, const char *name, int before)
{
    char what[64];
    snprintf(what, sizeof what, "claim: %s", name);
    if (tell)
        tell(what, before + 1, AR_CLAIM_PRIMITIVES + ar_nstrategies);
}

static enum ar_status count_primitives(const struct ar_runner_setup *setup, struct ar_runner *runner,
                                       const struct plans *plans, ar_listener *tell, struct ar_claim *claim,
                                       struct ar_error *error)
{
    double unit = (double)(setup->nranks - 1) * (double)claim->elements * (double)ar_types[setup->type].bytes;
    for (int i = 0; i < AR_CLAIM_PRIMITIVES; i++) {
        struct ar_claim_primitive *primitive = &claim->primitive[i];
        struct ar_choice choice;
        say(tell, ar_collectives[primitives[i]].name, i);
        enum ar_status status =
            ar_runner_choice(runner, primitives[i], NULL, claim->elements, &choice, error);
        if (status == AR_OK)
            status = ar_runner_run(runner, &plans->primitive[i], NULL, ar_collectives[primitives[i]].name,
                                   &primitive->bytes, error);
        if (status != AR_OK)
            return status;
        primitive->collective = primitives[i];
        if (setup->library)
            snprintf(primitive->algorithm, sizeof primitive->algorithm, "MPI's own");
        else
            ar_choice_name(&choice, primitive->algorithm);
        primitive->per_vector = ratio(primitive->bytes.sent_total, unit);
        primitive->to_allreduce =
            ratio(primitive->bytes.sent_total, (double)claim->primitive[0].bytes.sent_total);
        judge(claim, &primitive->bytes);
    }
    return AR_OK;
}

/* The claim itself, where the algorithms are the program's own. */
static void check_total(const struct ar_runner_setup *setup, const struct ar_model *model,
                        struct ar_claim_strategy *row)
{
    bool chosen = setup->library;
    for (int i = 0; i < AR_NCOLLECTIVES; i++)
        chosen |= setup->choice[i].algorithm != NULL;
    int64_t expected = row->strategy->vectors * (setup->nranks - 1) * model->parameters *
                       (int64_t)ar_types[setup->type].bytes;
    if (chosen || !row->bytes.right || row->bytes.sent_total == expected)
        return;
    row->bytes.right = false;
    ar_fail(&row->bytes.failure, AR_FAILED,
            "%s: expected %d (N-1) n = %" PRId64 " B sent in total, got %" PRId64 " B", row->strategy->name,
            row->strategy->vectors, expected, row->bytes.sent_total);
}

static enum ar_status count_strategies(const struct ar_runner_setup *setup, const struct ar_model *model,
                                       struct ar_runner *runner, const struct plans *plans, ar_listener *tell,
                                       struct ar_claim *claim, struct ar_error *error)
{
    double ddp = NAN;
    for (int i = 0; i < ar_nstrategies; i++) {
        const struct ar_strategy *strategy = ar_strategies[i];
        struct ar_claim_strategy *row = &claim->strategy[i];
        say(tell, strategy->name, AR_CLAIM_PRIMITIVES + i);
        enum ar_status status = ar_runner_run(runner, &plans->strategy[i], strategy->algorithm,
                                              strategy->name, &row->bytes, error);
        if (status != AR_OK)
            return status;
        row->strategy = strategy;
        row->memory_bytes =
            ar_memory_total(ar_strategy_memory_max(strategy, model, setup->nranks, claim->state_bytes));
        if (strategy == &ar_strategy_ddp)
            ddp = (double)row->bytes.sent_total;
        check_total(setup, model, row);
        judge(claim, &row->bytes);
    }
    for (int i = 0; i < ar_nstrategies; i++)
        claim->strategy[i].to_ddp = ratio(claim->strategy[i].bytes.sent_total, ddp);
    return AR_OK;
}

enum ar_status ar_claim_run(const struct ar_runner_setup *setup, const struct ar_model *model,
                            ar_listener *tell, struct ar_claim *claim, struct ar_error *error)
{
    enum ar_status status = refuse(setup, model, error);
    if (status != AR_OK)
        return status;
    struct ar_claim made = {.right = true};
    made.elements = setup->simulated ? model->parameters : ar_model_largest(model);
    made.state_bytes = ar_state_bytes(AR_ADAM, ar_types[setup->type].bytes <= 2 ? AR_MIXED : AR_FP32);
    made.strategy = ar_alloc((size_t)ar_nstrategies, sizeof *made.strategy);
    struct plans plans = {0};
    make_plans(model, setup->nranks, made.elements, &plans);
    struct ar_runner *runner = ar_runner_new(setup);
    status =
        admit(runner, &plans,
              setup->simulated ? "claim" : "claim on real buffers (--buffers simulated needs none)", error);
    if (status == AR_OK)
        status = count_primitives(setup, runner, &plans, tell, &made, error);
    if (status == AR_OK)
        status = count_strategies(setup, model, runner, &plans, tell, &made, error);
    ar_runner_free(runner);
    free_plans(&plans);
    if (status == AR_OK)
        *claim = made;
    else
        ar_claim_free(&made);
    return status;
}

void ar_claim_free(struct ar_claim *claim)
{
    free(claim->strategy);
    *claim = (struct ar_claim){0};
}
