/* Distances: a line for every size of the thing that two ranks do not share. Ranks are placed one after the
 * other, a socket, a node, a switch and a group at a time. */
#include <limits.h>

#include "sim/models/gamma.h"

enum { SPAN, ALPHA, BETA, GAMMA };

static const struct ar_cost_param params[] = {
    [SPAN] = {"span", "ranks of a socket, node, switch, group; those not given hold all", AR_QUANTITY_NUMBER,
              AR_NDISTANCES - 1, true, 0},
    [ALPHA] = {"alpha", "of a message to another core, socket, node, switch, group", AR_QUANTITY_TIME,
               AR_NDISTANCES, true, 0},
    [BETA] = {"beta", "of a byte sent, likewise", AR_QUANTITY_PER_BYTE, AR_NDISTANCES, true, 0},
    [GAMMA] = AR_COST_PARAM_GAMMA,
};

static enum ar_status price(const struct ar_cost_values *values, struct ar_prices *prices,
                            struct ar_error *error)
{
    int n = values->n[SPAN];
    const double *span = values->value[SPAN];
    *prices = ar_prices_of_hockney(&(struct ar_hockney){0, 0, values->value[GAMMA][0]});
    prices->ndistances = n + 1;
    if (values->n[ALPHA] != n + 1 || values->n[BETA] != n + 1)
        return ar_fail(error, AR_INVALID,
                       "alpha, beta: expected %d values, one more than span has, got %d and %d", n + 1,
                       values->n[ALPHA], values->n[BETA]);
    for (int i = 0; i < n; i++) {
        if (span[i] < 1 || span[i] > INT_MAX || (i > 0 && (int)span[i] % prices->span[i - 1] != 0))
            return ar_fail(error, AR_INVALID, "span: expected multiples of %d, at most %d, got %.0f",
                           i > 0 ? prices->span[i - 1] : 1, INT_MAX, span[i]);
        prices->span[i] = (int)span[i];
    }
    for (int i = 0; i <= n; i++)
        prices->line[i][0] = (struct ar_line){values->value[ALPHA][i], values->value[BETA][i]};
    return AR_OK;
}

const struct ar_cost_model ar_cost_model_distance = {
    .name = "distance",
    .summary = "latency and bandwidth by how far apart two ranks are",
    .formula = "alpha_d + n beta_d, d the largest thing not shared",
    .source = "latencies by distance as in MPICH, src/mpi/coll/cvars.txt: BCAST_TOPO_OVERHEAD, "
              "BCAST_TOPO_SAME_SWITCHES, BCAST_TOPO_DIFF_SWITCHES, BCAST_TOPO_DIFF_GROUPS",
    .nclocks = 1,
    .params = params,
    .nparams = sizeof params / sizeof *params,
    .price = price,
};
