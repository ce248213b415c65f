/* A rail-optimised fabric: GPU i of every node hangs on leaf switch i, its rail; the leaves are joined by
 * spines, one cable each; inside a node the GPUs are joined by NVSwitch. Messages stay in their node or on
 * their rail where they can. To another rail they go over NVSwitch to the GPU of that rail in their own node
 * (PXN), or over a spine.
 */
#include "topologies/kind.h"

static const char *const routings[] = {"pxn", "spine"};

enum { NODES, GPUS, SPINES, NVLINK, ROUTING };
enum { MOST = 1 << 20 };

static const struct ar_topology_param params[] = {
    {"nodes", "nodes", AR_TOPOLOGY_NUMBER, .needed = true, .min = 1, .max = MOST},
    {"gpus", "GPUs of a node, and rails", AR_TOPOLOGY_NUMBER, .needed = true, .min = 1, .max = MOST},
    {"spines", "switches between the rails, 0 for none; as many as nodes", AR_TOPOLOGY_NUMBER, .min = 0,
     .max = MOST},
    {"nvlink", "rate between a GPU and NVSwitch; bandwidth's", AR_TOPOLOGY_RATE},
    {"routing", "to another rail: by the GPU of that rail in the node, or over a spine", AR_TOPOLOGY_WORD,
     .max = 1, .words = routings},
};

static int64_t nodes(const struct ar_topology *t)
{
    return t->value[NODES].size[0];
}

static int64_t rails(const struct ar_topology *t)
{
    return t->value[GPUS].size[0];
}

static int64_t spines(const struct ar_topology *t)
{
    return t->value[SPINES].n ? t->value[SPINES].size[0] : nodes(t);
}

/* Node numbers. */
static int64_t nvswitch(const struct ar_topology *t, int64_t node)
{
    return t->nhosts + node;
}

static int64_t leaf(const struct ar_topology *t, int64_t rail)
{
    return t->nhosts + nodes(t) + rail;
}

static int64_t spine(const struct ar_topology *t, int64_t number)
{
    return t->nhosts + nodes(t) + rails(t) + number;
}

static enum ar_status make(struct ar_topology *t, struct ar_error *error)
{
    t->nhosts = nodes(t);
    enum ar_status status =
        ar_topology_multiply(&t->nhosts, rails(t), AR_TOPOLOGY_MOST_HOSTS, "hosts", error);
    if (status != AR_OK)
        return status;
    if (t->value[ROUTING].size[0] == 1 && spines(t) == 0)
        return ar_fail(error, AR_INVALID, "routing=spine needs spines");
    if (spines(t) == nodes(t))
        t->value[SPINES].n = 0;
    t->nnodes = spine(t, spines(t));
    t->nlinks = 2 * (2 * t->nhosts + rails(t) * spines(t));
    t->node_hosts = rails(t);
    t->first_level = AR_LEVEL_NODE;
    t->nlevels = spines(t) ? 3 : 2;
    t->alike = true;
    return AR_OK;
}

/* GPU to NVSwitch, GPU to leaf, leaf to spine. */
static int64_t nv_link(int64_t host)
{
    return 2 * host;
}

static int64_t nic_link(const struct ar_topology *t, int64_t host)
{
    return 2 * (t->nhosts + host);
}

static int64_t spine_link(const struct ar_topology *t, int64_t rail, int64_t number)
{
    return 2 * (2 * t->nhosts + rail * spines(t) + number);
}

static void cable(const struct ar_topology *t, int64_t number, struct ar_link *link)
{
    int64_t n = t->nhosts;
    link->from = number % n;
    if (number < n) {
        link->to = nvswitch(t, number / rails(t));
        if (t->value[NVLINK].n)
            link->bandwidth_Bps = t->value[NVLINK].real;
    } else if (number < 2 * n) {
        link->to = leaf(t, (number - n) % rails(t));
        link->level = 1;
    } else {
        link->from = leaf(t, (number - 2 * n) / spines(t));
        link->to = spine(t, (number - 2 * n) % spines(t));
        link->level = 2;
    }
}

static int64_t cables_at(const struct ar_topology *t, int level)
{
    return level < 2 ? t->nhosts : rails(t) * spines(t);
}

static int64_t degree(const struct ar_topology *t, int64_t node)
{
    if (node < t->nhosts)
        return 2;
    if (node < leaf(t, 0))
        return rails(t);
    return node < spine(t, 0) ? nodes(t) + spines(t) : rails(t);
}

static int64_t leaving(const struct ar_topology *t, int64_t node, int64_t i)
{
    if (node < t->nhosts)
        return i == 0 ? nv_link(node) : nic_link(t, node);
    if (node < leaf(t, 0))
        return nv_link((node - nvswitch(t, 0)) * rails(t) + i) + 1;
    if (node >= spine(t, 0))
        return spine_link(t, i, node - spine(t, 0)) + 1;
    int64_t rail = node - leaf(t, 0);
    return i < nodes(t) ? nic_link(t, i * rails(t) + rail) + 1 : spine_link(t, rail, i - nodes(t));
}

static void find_route(const struct ar_topology *t, int64_t from, int64_t to, struct ar_route *route)
{
    int64_t g = rails(t);
    bool same_node = from / g == to / g, same_rail = from % g == to % g;
    if (!same_node && !same_rail && t->value[ROUTING].size[0] == 1) {
        int64_t by = to / g % spines(t);
        ar_route_add(route, nic_link(t, from));
        ar_route_add(route, spine_link(t, from % g, by));
        ar_route_add(route, spine_link(t, to % g, by) + 1);
        ar_route_add(route, nic_link(t, to) + 1);
        return;
    }
    int64_t relay = from / g * g + to % g; /* the GPU of the destination's rail in this node */
    if (!same_rail) {
        ar_route_add(route, nv_link(from));
        ar_route_add(route, nv_link(relay) + 1);
    }
    if (!same_node) {
        ar_route_add(route, nic_link(t, relay));
        ar_route_add(route, nic_link(t, to) + 1);
    }
}

static int64_t diameter(const struct ar_topology *t)
{
    return 2 * (nodes(t) > 1) + 2 * (rails(t) > 1);
}

/* Half of the nodes: half of the cables of every leaf. */
static int64_t bisection(const struct ar_topology *t)
{
    return nodes(t) % 2 == 0 ? nodes(t) / 2 * rails(t) : -1;
}

const struct ar_topology_kind ar_topology_rail = {
    .name = "rail",
    .summary = "GPU i of every node on leaf switch i, NVSwitch in the nodes, spines between the leaves",
    .source = "NVIDIA, DGX SuperPOD reference architecture, 2023; PXN: NVIDIA, NCCL 2.12 release notes, 2022",
    .example = "rail:nodes=4,gpus=8",
    .params = params,
    .nparams = 5,
    .make = make,
    .cable = cable,
    .cables_at = cables_at,
    .degree = degree,
    .leaving = leaving,
    .route = find_route,
    .diameter = diameter,
    .bisection = bisection,
};
