/* ZeRO stage 3: parameters are sharded as well; a layer exists whole only while it is computed with.
 *
 * Sequence, per layer:
 *     forward    all-gather parameters, compute, drop them
 *     backward   all-gather parameters again, compute, drop them, reduce-scatter gradients (last layer first)
 *     update     every rank, its part; nothing is sent
 *
 * Bytes (n = the model's, N ranks): 3 (N-1)/N n per rank and 3 (N-1) n in all: 1.5 times ddp, for every N.
 *
 * Memory: everything 1/N (and a layer or two while they are in use, not counted here).
 */
#include "sim/training/plan.h"

static void plan(const struct ar_model *model, int nranks, struct ar_training_plan *plan)
{
    (void)nranks;
    for (int l = 0; l < model->nlayers; l++)
        ar_training_plan_layer(plan, model, AR_PHASE_FORWARD, l, AR_COLLECTIVE_allgather, 0,
                               AR_WHAT_PARAMETERS);
    for (int l = model->nlayers - 1; l >= 0; l--) {
        ar_training_plan_layer(plan, model, AR_PHASE_BACKWARD, l, AR_COLLECTIVE_allgather, 0,
                               AR_WHAT_PARAMETERS);
        ar_training_plan_layer(plan, model, AR_PHASE_BACKWARD, l, AR_COLLECTIVE_reduce_scatter, 0,
                               AR_WHAT_GRADIENTS);
    }
}

const struct ar_strategy ar_strategy_zero3 = {
    .name = "zero3",
    .title = "ZeRO-3",
    .summary = "ZeRO stage 3: layers sharded over all ranks, gathered for use",
    .source = "Rajbhandari et al., ZeRO: memory optimizations toward training trillion parameter models, "
              "SC'20, sections 5.3 and 7",
    .plan = plan,
    .vectors = 3,
    .parameters = AR_PART,
    .gradients = AR_PART,
    .updated = AR_PART,
};
