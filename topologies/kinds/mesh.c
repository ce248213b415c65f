/* A grid of hosts without wrap-around. */
#include "topologies/grid.h"

static const struct ar_topology_param params[] = {
    {"sizes", "hosts along each dimension", AR_TOPOLOGY_LIST, .needed = true, .bare = true, .min = 1,
     .max = AR_TOPOLOGY_MOST_HOSTS},
};

const struct ar_topology_kind ar_topology_mesh = {
    .name = "mesh",
    .summary = "a grid, each host joined to the next in each dimension",
    .source = AR_GRID_SOURCE,
    .example = "mesh:4x4",
    .params = params,
    .nparams = 1,
    .make = ar_grid_make_mesh,
    AR_GRID_FUNCTIONS,
};
