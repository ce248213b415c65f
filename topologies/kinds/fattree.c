/* Three levels of switches with k ports each, half of them up: k pods of k/2 edge and k/2 aggregation
 * switches, (k/2)^2 core switches, k^3/4 hosts. XGFT(3; k/2,k/2,k; 1,k/2,k/2).
 */
#include "topologies/tree.h"

enum { MOST_PORTS = 2046 }; /* 2048 ports would make 2^31 hosts */

static const char *const routings[] = {"dmodk", "hashed"};

static const struct ar_topology_param params[] = {
    {"k", "ports of a switch, even", AR_TOPOLOGY_NUMBER, .needed = true, .min = 2, .max = MOST_PORTS},
    {"routing", "which way up: by the destination, or by a hash of source and destination", AR_TOPOLOGY_WORD,
     .max = 1, .words = routings},
};

static enum ar_status make(struct ar_topology *t, struct ar_error *error)
{
    int64_t k = t->value[0].size[0], half = k / 2;
    if (k % 2 != 0)
        return ar_fail(error, AR_INVALID, "k: expected an even number of ports, got %d", (int)k);
    return ar_tree_make(
        t, &(struct ar_tree_shape){3, {half, half, k}, {1, half, half}, {1, 1, 1}, t->value[1].size[0] == 1},
        error);
}

const struct ar_topology_kind ar_topology_fattree = {
    .name = "fattree",
    .summary = "three levels of k-port switches, nothing oversubscribed",
    .source =
        "Al-Fares, Loukissas and Vahdat, A scalable, commodity data center network architecture, SIGCOMM "
        "2008",
    .example = "fattree:k=8",
    .params = params,
    .nparams = 2,
    .make = make,
    AR_TREE_FUNCTIONS,
};
