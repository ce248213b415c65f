/* ZeRO stage 1: the optimizer state is sharded; every rank updates its part of every layer.
 *
 * Sequence, per layer:
 *     update     reduce-scatter gradients (all of them are kept until the backward pass is over),
 *                every rank updates its part, all-gather parameters
 *
 * Bytes (n = the model's, N ranks): (N-1)/N n each, so 2 (N-1)/N n per rank and 2 (N-1) n in all: an
 * all-reduce with the update between its halves. (Implementations that all-reduce and then all-gather move
 * 1.5 times that.)
 *
 * Memory: parameters and gradients whole, master weights and optimizer state 1/N.
 */
#include "sim/training/plan.h"

static void plan(const struct ar_model *model, int nranks, struct ar_training_plan *plan)
{
    (void)nranks;
    for (int l = 0; l < model->nlayers; l++)
        ar_training_plan_layer(plan, model, AR_PHASE_UPDATE, l, AR_COLLECTIVE_reduce_scatter, 0,
                               AR_WHAT_GRADIENTS);
    for (int l = 0; l < model->nlayers; l++)
        ar_training_plan_layer(plan, model, AR_PHASE_UPDATE, l, AR_COLLECTIVE_allgather, 0,
                               AR_WHAT_PARAMETERS);
}

const struct ar_strategy ar_strategy_zero1 = {
    .name = "zero1",
    .title = "ZeRO-1",
    .summary = "ZeRO stage 1: optimizer state sharded",
    .source = "Rajbhandari et al., ZeRO: memory optimizations toward training trillion parameter models, "
              "SC'20, section 5.1",
    .plan = plan,
    .vectors = 2,
    .parameters = AR_WHOLE,
    .gradients = AR_WHOLE,
    .updated = AR_PART,
};
