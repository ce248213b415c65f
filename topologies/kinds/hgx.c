/* A node of GPUs on NVSwitch: a crossbar as far as messages can tell, each GPU with a port of its own. Rates
 * per GPU and direction are 300 GB/s for A100 and 450 GB/s for H100 (NVIDIA, NVLink and NVSwitch product
 * pages, 2020 and 2022); give bandwidth= to use one.
 */
#include "topologies/tree.h"

static const struct ar_topology_param params[] = {
    {"gpus", "GPUs in the node", AR_TOPOLOGY_NUMBER, .needed = true, .bare = true, .min = 1,
     .max = AR_TOPOLOGY_MOST_HOSTS},
};

static enum ar_status make(struct ar_topology *t, struct ar_error *error)
{
    t->first_level = AR_LEVEL_NODE;
    return ar_tree_make_switch(t, error);
}

const struct ar_topology_kind ar_topology_hgx = {
    .name = "hgx",
    .summary = "GPUs of one node on NVSwitch",
    .source = "NVIDIA, DGX A100 system architecture, 2020",
    .example = "hgx:8",
    .params = params,
    .nparams = 1,
    .make = make,
    AR_TREE_FUNCTIONS,
};
