/* Hockney's model: one line for all messages. */
#include "sim/models/gamma.h"

enum { ALPHA, BETA, GAMMA };

static const struct ar_cost_param params[] = {
    [ALPHA] = {"alpha", "of a message", AR_QUANTITY_TIME, 1, true, 0},
    [BETA] = {"beta", "of a byte sent", AR_QUANTITY_PER_BYTE, 1, true, 0},
    [GAMMA] = AR_COST_PARAM_GAMMA,
};

struct ar_prices ar_prices_of_hockney(const struct ar_hockney *model)
{
    return (struct ar_prices){.clocking = AR_ONE_CLOCK,
                              .gamma_s_per_byte = model->gamma_s_per_byte,
                              .nregimes = 1,
                              .ndistances = 1,
                              .line = {{{model->alpha_s, model->beta_s_per_byte}}}};
}

static enum ar_status price(const struct ar_cost_values *values, struct ar_prices *prices,
                            struct ar_error *error)
{
    (void)error;
    *prices = ar_prices_of_hockney(
        &(struct ar_hockney){values->value[ALPHA][0], values->value[BETA][0], values->value[GAMMA][0]});
    return AR_OK;
}

const struct ar_cost_model ar_cost_model_hockney = {
    .name = "hockney",
    .summary = "latency and bandwidth",
    .formula = "alpha + n beta",
    .source =
        "Hockney, The communication challenge for MPP: Intel Paragon and Meiko CS-2, Parallel Computing "
        "20(3), 1994",
    .nclocks = 1,
    .params = params,
    .nparams = sizeof params / sizeof *params,
    .price = price,
};
