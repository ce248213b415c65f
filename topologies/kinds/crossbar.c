/* All hosts on one switch that never blocks: two links from any host to any other. */
#include "topologies/tree.h"

static const struct ar_topology_param params[] = {
    {"hosts", "hosts on the switch", AR_TOPOLOGY_NUMBER, .needed = true, .bare = true, .min = 1,
     .max = AR_TOPOLOGY_MOST_HOSTS},
};

const struct ar_topology_kind ar_topology_crossbar = {
    .name = "crossbar",
    .summary = "hosts on one switch that never blocks",
    .source = "Dally and Towles, Principles and Practices of Interconnection Networks, 2004, chapter 6",
    .example = "crossbar:16",
    .params = params,
    .nparams = 1,
    .make = ar_tree_make_switch,
    AR_TREE_FUNCTIONS,
};
