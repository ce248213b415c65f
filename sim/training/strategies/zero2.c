/* ZeRO stage 2: gradients are sharded too, so each layer's are reduced as soon as they exist.
 *
 * Sequence, per layer:
 *     backward   reduce-scatter gradients, keep one part, drop the rest (last layer first)
 *     update     every rank updates its part, all-gather parameters
 *
 * Bytes (n = the model's, N ranks): as stage 1, 2 (N-1)/N n per rank and 2 (N-1) n in all.
 *
 * Memory: parameters whole, everything else 1/N.
 */
#include "sim/training/plan.h"

static void plan(const struct ar_model *model, int nranks, struct ar_training_plan *plan)
{
    (void)nranks;
    for (int l = model->nlayers - 1; l >= 0; l--)
        ar_training_plan_layer(plan, model, AR_PHASE_BACKWARD, l, AR_COLLECTIVE_reduce_scatter, 0,
                               AR_WHAT_GRADIENTS);
    for (int l = 0; l < model->nlayers; l++)
        ar_training_plan_layer(plan, model, AR_PHASE_UPDATE, l, AR_COLLECTIVE_allgather, 0,
                               AR_WHAT_PARAMETERS);
}

const struct ar_strategy ar_strategy_zero2 = {
    .name = "zero2",
    .title = "ZeRO-2",
    .summary = "ZeRO stage 2: optimizer state and gradients sharded",
    .source = "Rajbhandari et al., ZeRO: memory optimizations toward training trillion parameter models, "
              "SC'20, section 5.2",
    .plan = plan,
    .vectors = 2,
    .parameters = AR_WHOLE,
    .gradients = AR_PART,
    .updated = AR_PART,
};
