/* ZeRO stage 3 as its figures draw it: every layer has one owner, layer l rank l mod N.
 *
 * Sequence, per layer:
 *     forward    the owner broadcasts parameters; the others drop them after use
 *     backward   the owner broadcasts again, gradients are reduced to the owner (last layer first)
 *     update     the owner; nothing is sent
 *
 * Bytes (n = the model's, N ranks): 3 (N-1) n in all, as with parts, whatever the trees; who sends how much
 * depends on them and on who owns what.
 *
 * Memory: all states of the owned layers, nothing of the others. Uneven layers make uneven ranks, and with
 * fewer layers than ranks some own nothing.
 */
#include "sim/training/plan.h"

static void plan(const struct ar_model *model, int nranks, struct ar_training_plan *plan)
{
    for (int l = 0; l < model->nlayers; l++)
        ar_training_plan_layer(plan, model, AR_PHASE_FORWARD, l, AR_COLLECTIVE_broadcast, ar_owner(l, nranks),
                               AR_WHAT_PARAMETERS);
    for (int l = model->nlayers - 1; l >= 0; l--) {
        ar_training_plan_layer(plan, model, AR_PHASE_BACKWARD, l, AR_COLLECTIVE_broadcast,
                               ar_owner(l, nranks), AR_WHAT_PARAMETERS);
        ar_training_plan_layer(plan, model, AR_PHASE_BACKWARD, l, AR_COLLECTIVE_reduce, ar_owner(l, nranks),
                               AR_WHAT_GRADIENTS);
    }
}

const struct ar_strategy ar_strategy_zero3_broadcast = {
    .name = "zero3-broadcast",
    .title = "ZeRO-3 by owners",
    .summary = "ZeRO stage 3 by owners, who broadcast and collect their layers",
    .source = "Rajbhandari et al., ZeRO: memory optimizations toward training trillion parameter models, "
              "SC'20, section 7.2.2",
    .plan = plan,
    .vectors = 3,
    .parameters = AR_OWNER,
    .gradients = AR_OWNER,
    .updated = AR_OWNER,
};
