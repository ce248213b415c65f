/* Parameter server: one rank keeps the weights, the others compute with copies. Here rank 0 serves and works.
 *
 * Sequence, per layer:
 *     forward    broadcast parameters from rank 0
 *     backward   reduce gradients to rank 0 (last layer first)
 *     update     rank 0 alone
 *
 * Bytes (n = the model's, N ranks): rank 0 sends (N-1) n, every other n; total 2 (N-1) n, like any all-reduce
 * without waste, but half of it through one rank, so the algorithm is `linear`: everybody talks to the
 * server.
 *
 * Memory: workers keep parameters and gradients, the server all states.
 */
#include "sim/training/plan.h"

static void plan(const struct ar_model *model, int nranks, struct ar_training_plan *plan)
{
    (void)nranks;
    for (int l = 0; l < model->nlayers; l++)
        ar_training_plan_layer(plan, model, AR_PHASE_FORWARD, l, AR_COLLECTIVE_broadcast, 0,
                               AR_WHAT_PARAMETERS);
    for (int l = model->nlayers - 1; l >= 0; l--)
        ar_training_plan_layer(plan, model, AR_PHASE_BACKWARD, l, AR_COLLECTIVE_reduce, 0, AR_WHAT_GRADIENTS);
}

const struct ar_strategy ar_strategy_ps = {
    .name = "ps",
    .title = "parameter server",
    .summary = "parameter server: rank 0 sends parameters, collects gradients",
    .source = "Li et al., Scaling distributed machine learning with the parameter server, OSDI 2014",
    .plan = plan,
    .vectors = 2,
    .parameters = AR_WHOLE,
    .gradients = AR_WHOLE,
    .updated = AR_SERVER,
    .algorithm = "linear",
};
