/* Regimes by message size, each a line of its own: eager, rendezvous, ... */
#include "sim/models/gamma.h"

enum { FROM, ALPHA, BETA, GAMMA };

static const struct ar_cost_param params[] = {
    [FROM] = {"from", "size from which each regime holds; the first is 0", AR_QUANTITY_SIZE, AR_MOST_REGIMES,
              true, 0},
    [ALPHA] = {"alpha", "of a message, by regime", AR_QUANTITY_TIME, AR_MOST_REGIMES, true, 0},
    [BETA] = {"beta", "of a byte sent, by regime", AR_QUANTITY_PER_BYTE, AR_MOST_REGIMES, true, 0},
    [GAMMA] = AR_COST_PARAM_GAMMA,
};

static enum ar_status price(const struct ar_cost_values *values, struct ar_prices *prices,
                            struct ar_error *error)
{
    int n = values->n[FROM];
    const double *from = values->value[FROM];
    *prices = ar_prices_of_hockney(&(struct ar_hockney){0, 0, values->value[GAMMA][0]});
    prices->nregimes = n;
    if (values->n[ALPHA] != n || values->n[BETA] != n)
        return ar_fail(error, AR_INVALID,
                       "from, alpha, beta: expected one value per regime, got %d, %d and %d", n,
                       values->n[ALPHA], values->n[BETA]);
    for (int i = 0; i < n; i++) {
        if (i == 0 ? from[0] != 0 : from[i] <= from[i - 1])
            return ar_fail(error, AR_INVALID,
                           "from: expected sizes that start at 0 and ascend, got %.0f B %s", from[i],
                           i == 0 ? "first" : "after a larger or equal one");
        prices->from_bytes[i] = from[i];
        prices->line[0][i] = (struct ar_line){values->value[ALPHA][i], values->value[BETA][i]};
    }
    return AR_OK;
}

const struct ar_cost_model ar_cost_model_piecewise = {
    .name = "piecewise",
    .summary = "latency and bandwidth by message size",
    .formula = "alpha_i + n beta_i for n >= from_i",
    .source = "Clauss et al., Single node on-line simulation of MPI applications with SMPI, IPDPS 2011",
    .nclocks = 1,
    .params = params,
    .nparams = sizeof params / sizeof *params,
    .price = price,
};
