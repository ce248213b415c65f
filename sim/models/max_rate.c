/* The max-rate model: the ranks of a node send at once and share its port to the network. */
#include "sim/models/gamma.h"

enum { ALPHA, NODE_RATE, RANK_RATE, RANKS, GAMMA };

static const struct ar_cost_param params[] = {
    [ALPHA] = {"alpha", "of a message", AR_QUANTITY_TIME, 1, true, 0},
    [NODE_RATE] = {"R_N", "what the port of a node moves", AR_QUANTITY_RATE, 1, true, 0},
    [RANK_RATE] = {"R_C", "what one rank moves", AR_QUANTITY_RATE, 1, true, 0},
    [RANKS] = {"k", "ranks of a node that send at once", AR_QUANTITY_NUMBER, 1, false, 1},
    [GAMMA] = AR_COST_PARAM_GAMMA,
};

static enum ar_status price(const struct ar_cost_values *values, struct ar_prices *prices,
                            struct ar_error *error)
{
    double k = values->value[RANKS][0], together_Bps = k * values->value[RANK_RATE][0];
    double node_Bps = values->value[NODE_RATE][0];
    if (k < 1)
        return ar_fail(error, AR_INVALID, "k: expected at least 1, got %g", k);
    *prices = ar_prices_of_hockney(
        &(struct ar_hockney){values->value[ALPHA][0], k / (node_Bps < together_Bps ? node_Bps : together_Bps),
                             values->value[GAMMA][0]});
    return AR_OK;
}

const struct ar_cost_model ar_cost_model_max_rate = {
    .name = "max_rate",
    .summary = "the ranks of a node share its port",
    .formula = "alpha + k n / min(R_N, k R_C)",
    .source = "Gropp, Olson, Samfass, Modeling MPI communication performance on SMP nodes, EuroMPI 2016",
    .nclocks = 1,
    .params = params,
    .nparams = sizeof params / sizeof *params,
    .price = price,
};
