/* Hosts in a ring, each joined to the next: a torus of one dimension. */
#include "topologies/grid.h"

static const struct ar_topology_param params[] = {
    {"hosts", "hosts around the ring", AR_TOPOLOGY_NUMBER, .needed = true, .bare = true, .min = 1,
     .max = AR_TOPOLOGY_MOST_HOSTS},
};

const struct ar_topology_kind ar_topology_ring = {
    .name = "ring",
    .summary = "each host joined to the next, the last to the first",
    .source = AR_GRID_SOURCE,
    .example = "ring:8",
    .params = params,
    .nparams = 1,
    .make = ar_grid_make_torus,
    AR_GRID_FUNCTIONS,
};
