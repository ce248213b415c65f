/* LogGOPS: processor and ports apart, small messages sent at once and large ones when they are met. */
#include <math.h>

#include "sim/models/gamma.h"

enum { LATENCY, OVERHEAD, GAP, GAP_BYTE, OVERHEAD_BYTE, EAGER, GAMMA };

static const struct ar_cost_param params[] = {
    [LATENCY] = {"L", "latency of the wire", AR_QUANTITY_TIME, 1, true, 0},
    [OVERHEAD] = {"o", "of the processor, for a message sent or received", AR_QUANTITY_TIME, 1, true, 0},
    [GAP] = {"g", "between messages of a port", AR_QUANTITY_TIME, 1, true, 0},
    [GAP_BYTE] = {"G", "of a byte on the wire", AR_QUANTITY_PER_BYTE, 1, true, 0},
    [OVERHEAD_BYTE] = {"O", "of the processor, for a byte", AR_QUANTITY_PER_BYTE, 1, false, 0},
    [EAGER] = {"S", "largest message that does not wait for its receiver", AR_QUANTITY_SIZE, 1, false,
               INFINITY},
    [GAMMA] = AR_COST_PARAM_GAMMA,
};

static enum ar_status price(const struct ar_cost_values *values, struct ar_prices *prices,
                            struct ar_error *error)
{
    (void)error;
    *prices = (struct ar_prices){.clocking = AR_THREE_CLOCKS,
                                 .gamma_s_per_byte = values->value[GAMMA][0],
                                 .loggops = {values->value[LATENCY][0], values->value[OVERHEAD][0],
                                             values->value[GAP][0], values->value[GAP_BYTE][0],
                                             values->value[OVERHEAD_BYTE][0], values->value[EAGER][0]}};
    return AR_OK;
}

const struct ar_cost_model ar_cost_model_loggops = {
    .name = "loggops",
    .summary = "processor and ports keep time apart; large messages wait for their receiver",
    .formula = "2 o + L + (n-1) max(G, O); the next one leaves after g + (n-1) G",
    .source = "Alexandrov, Ionescu, Schauser, Scheiman, LogGP, SPAA 1995; Ino, Fujimoto, Hagihara, LogGPS, "
              "PPoPP 2001; Hoefler, Schneider, Lumsdaine, LogGOPSim, HPDC 2010",
    .nclocks = 3,
    .params = params,
    .nparams = sizeof params / sizeof *params,
    .price = price,
};
