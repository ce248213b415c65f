/* 2^d hosts, joined where their numbers differ in one bit: a mesh of d dimensions of size 2. Routes correct
 * the lowest bit first (e-cube). */
#include "topologies/grid.h"

enum { MOST = 30 };

static const struct ar_topology_param params[] = {
    {"dimensions", "bits of a host's number", AR_TOPOLOGY_NUMBER, .needed = true, .bare = true, .min = 0,
     .max = MOST},
};

static enum ar_status make(struct ar_topology *t, struct ar_error *error)
{
    int64_t size[MOST];
    for (int d = 0; d < MOST; d++)
        size[d] = 2;
    return ar_grid_make(t, size, (int)t->value[0].size[0], false, error);
}

const struct ar_topology_kind ar_topology_hypercube = {
    .name = "hypercube",
    .summary = "2^d hosts, joined where one bit of their numbers differs",
    .source =
        "Sullivan and Bashkow, A large scale, homogeneous, fully distributed parallel machine, ISCA 1977",
    .example = "hypercube:4",
    .params = params,
    .nparams = 1,
    .make = make,
    AR_GRID_FUNCTIONS,
};
