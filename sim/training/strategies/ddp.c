/* Distributed data parallelism: every rank keeps everything and only gradients are exchanged.
 *
 * Sequence, per layer:
 *     backward   all-reduce gradients, as soon as they exist (last layer first)
 *     update     every rank, the same
 *
 * Bytes (n = the model's, N ranks): 2 (N-1)/N n per rank with a ring, total 2 (N-1) n. The yardstick for all
 * others.
 *
 * Memory: all states on every rank.
 */
#include "sim/training/plan.h"

static void plan(const struct ar_model *model, int nranks, struct ar_training_plan *plan)
{
    (void)nranks;
    for (int l = model->nlayers - 1; l >= 0; l--)
        ar_training_plan_layer(plan, model, AR_PHASE_BACKWARD, l, AR_COLLECTIVE_allreduce, 0,
                               AR_WHAT_GRADIENTS);
}

const struct ar_strategy ar_strategy_ddp = {
    .name = "ddp",
    .title = "DP",
    .summary = "data parallelism: gradients are all-reduced, layer by layer",
    .source = "Li et al., PyTorch Distributed: experiences on accelerating data parallel training, VLDB "
              "13(12), 2020",
    .plan = plan,
    .vectors = 2,
    .parameters = AR_WHOLE,
    .gradients = AR_WHOLE,
    .updated = AR_WHOLE,
};
