#include "sim/training/plan.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"

const struct ar_strategy *const ar_strategies[] = {
#define AR_STRATEGY(name) &ar_strategy_##name,
#include "sim/training/strategies.def"
#undef AR_STRATEGY
};

const int ar_nstrategies = sizeof ar_strategies / sizeof ar_strategies[0];

const struct ar_strategy *ar_strategy_find(const char *name)
{
    for (int i = 0; i < ar_nstrategies; i++)
        if (strcmp(ar_strategies[i]->name, name) == 0)
            return ar_strategies[i];
    return NULL;
}

double ar_strategy_memory_max(const struct ar_strategy *strategy, const struct ar_model *model, int nranks,
                              struct ar_state_bytes bytes)
{
    double most = 0;
    for (int rank = 0; rank < nranks; rank++) {
        double total = ar_memory_total(strategy->memory(model, nranks, bytes, rank));
        if (total > most)
            most = total;
    }
    return most;
}

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
