#include "sim/training/plan.h"

#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/base/names.h"

const struct ar_strategy *const ar_strategies[] = {
#define AR_STRATEGY(name) &ar_strategy_##name,
#include "sim/training/strategies.def"
#undef AR_STRATEGY
};

const int ar_nstrategies = sizeof ar_strategies / sizeof ar_strategies[0];

const struct ar_strategy *ar_strategy_find(const char *name)
{
    int i = ar_names_find(AR_NAMES_POINTED(ar_strategies, ar_nstrategies), name);
    return i < 0 ? NULL : ar_strategies[i];
}

void ar_strategy_collectives(const struct ar_strategy *strategy, const char *const names[AR_NCOLLECTIVES],
                             struct ar_text *text)
{
    struct ar_model model = {0};
    struct ar_training_plan plan = {0};
    int times[AR_NCOLLECTIVES] = {0};
    if (ar_model_uniform(1, 1, &model, NULL) == AR_OK)
        strategy->plan(&model, 2, &plan);
    for (int e = 0; e < plan.nevents; e++)
        times[plan.event[e].collective]++;
    for (int e = 0, named = 0; e < plan.nevents; e++) {
        enum ar_collective_id collective = plan.event[e].collective;
        int *left = &times[collective];
        if (*left == 0)
            continue; /* named before */
        ar_text_add(text, named++ ? ", " : "");
        if (*left > 1)
            ar_text_add(text, "%d ", *left);
        ar_text_add(text, "%s",
                    names && names[collective] ? names[collective] : ar_collectives[collective].name);
        *left = 0;
    }
    ar_training_plan_free(&plan);
    ar_model_free(&model);
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

/* Of how many parameters `rank` keeps a state that is shared like this. */
static int64_t kept(enum ar_sharding sharding, const struct ar_model *model, int nranks, int rank)
{
    int64_t sum = 0;
    for (int l = 0; l < model->nlayers; l++) {
        int64_t n = model->layer[l].parameters;
        switch (sharding) {
        case AR_WHOLE:
            sum += n;
            break;
        case AR_PART:
            sum += n / nranks + (rank < n % nranks);
            break;
        case AR_SERVER:
            sum += rank == 0 ? n : 0;
            break;
        case AR_OWNER:
            sum += rank == ar_owner(l, nranks) ? n : 0;
            break;
        }
    }
    return sum;
}

struct ar_memory ar_strategy_memory(const struct ar_strategy *strategy, const struct ar_model *model,
                                    int nranks, struct ar_state_bytes bytes, int rank)
{
    int64_t updated = kept(strategy->updated, model, nranks, rank);
    return (struct ar_memory){.parameters =
                                  bytes.parameters * kept(strategy->parameters, model, nranks, rank),
                              .gradients = bytes.gradients * kept(strategy->gradients, model, nranks, rank),
                              .master = bytes.master * updated,
                              .optimizer = bytes.optimizer * updated};
}

struct ar_memory ar_strategy_memory_max(const struct ar_strategy *strategy, const struct ar_model *model,
                                        int nranks, struct ar_state_bytes bytes)
{
    struct ar_memory most = {0};
    for (int rank = 0; rank < nranks; rank++) {
        struct ar_memory memory = ar_strategy_memory(strategy, model, nranks, bytes, rank);
        if (ar_memory_total(memory) > ar_memory_total(most))
            most = memory;
    }
    return most;
}

/* ---- Plans ------------------------------------------------------------------------------------------- */

void ar_training_plan_layer(struct ar_training_plan *plan, const struct ar_model *model, enum ar_phase phase,
                            int layer, enum ar_collective_id collective, int root, enum ar_what what)
{
    ar_training_plan_add(
        plan, (struct ar_event){phase, layer, collective, root, model->layer[layer].parameters, what});
}

void ar_training_plan_add(struct ar_training_plan *plan, struct ar_event event)
{
    AR_GROW(plan->event, plan->nevents, plan->capacity);
    plan->event[plan->nevents++] = event;
}

void ar_training_plan_free(struct ar_training_plan *plan)
{
    free(plan->event);
    *plan = (struct ar_training_plan){0};
}
