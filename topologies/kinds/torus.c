/* A grid of hosts whose lines close to rings. A dimension of size 2 has two parallel cables. */
#include "topologies/grid.h"

static const struct ar_topology_param params[] = {
    {"sizes", "hosts along each dimension", AR_TOPOLOGY_LIST, .needed = true, .bare = true, .min = 1,
     .max = AR_TOPOLOGY_MOST_HOSTS},
};

const struct ar_topology_kind ar_topology_torus = {
    .name = "torus",
    .summary = "a grid whose lines close to rings",
    .source = AR_GRID_SOURCE,
    .example = "torus:4x4x8",
    .params = params,
    .nparams = 1,
    .make = ar_grid_make_torus,
    AR_GRID_FUNCTIONS,
};
