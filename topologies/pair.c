/* NODE/NETWORK: a node where the network has a host. Hosts of the nodes first, then the nodes' switches, then
 * all nodes of the network, whose hosts are the adapters. Cables likewise: the nodes', one from each host to
 * its adapter, the network's. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "topologies/kind.h"

struct pair {
    struct ar_topology inner, outer;
    double nic_Bps;
    int64_t switches;        /* of a node */
    int64_t network;         /* number of the network's first node */
    int64_t nic_link, links; /* numbers of the first link to an adapter, and of the network's first */
    int lift;                /* added to the network's levels */
};

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void release(void *shape)
{
    struct pair *pair = shape;
    ar_topology_free(&pair->inner);
    ar_topology_free(&pair->outer);
    free(pair);
}

/* ---- Links ------------------------------------------------------------------------------------------- */

static int64_t place(const struct pair *pair, const struct ar_topology *t, int64_t copy, int64_t node)
{
    int64_t hosts = pair->inner.nhosts;
    return node < hosts ? copy * hosts + node : t->nhosts + copy * pair->switches + node - hosts;
}

static void cable(const struct ar_topology *t, int64_t number, struct ar_link *link)
{
    const struct pair *pair = t->shape;
    int64_t at = 2 * number;
    if (at < pair->nic_link) {
        int64_t copy = at / pair->inner.nlinks;
        *link = ar_topology_link(&pair->inner, at % pair->inner.nlinks);
        link->from = place(pair, t, copy, link->from);
        link->to = place(pair, t, copy, link->to);
    } else if (at < pair->links) {
        link->from = (at - pair->nic_link) / 2;
        link->to = pair->network + link->from / pair->inner.nhosts;
        link->level = t->first_level + pair->inner.nlevels - 1;
        link->bandwidth_Bps = pair->nic_Bps;
    } else {
        *link = ar_topology_link(&pair->outer, at - pair->links);
        link->from += pair->network;
        link->to += pair->network;
        link->level += pair->lift;
    }
    link->level -= t->first_level;
}

static int64_t cables_at(const struct ar_topology *t, int level)
{
    const struct pair *pair = t->shape;
    int absolute = level + t->first_level;
    int64_t nodes = ar_topology_links_at(&pair->inner, absolute) / 2 * pair->outer.nhosts;
    int64_t adapters = level == pair->inner.nlevels - 1 ? t->nhosts : 0;
    return nodes + adapters + ar_topology_links_at(&pair->outer, absolute - pair->lift) / 2;
}

static int64_t degree(const struct ar_topology *t, int64_t node)
{
    const struct pair *pair = t->shape;
    if (node < t->nhosts)
        return ar_topology_degree(&pair->inner, node % pair->inner.nhosts) + 1;
    if (node < pair->network)
        return ar_topology_degree(&pair->inner, pair->inner.nhosts + (node - t->nhosts) % pair->switches);
    node -= pair->network;
    return ar_topology_degree(&pair->outer, node) + (node < pair->outer.nhosts ? pair->inner.nhosts : 0);
}

static int64_t leaving(const struct ar_topology *t, int64_t node, int64_t i)
{
    const struct pair *pair = t->shape;
    const struct ar_topology *inner = &pair->inner;
    if (node < pair->network) {
        bool host = node < t->nhosts;
        int64_t each = host ? inner->nhosts : pair->switches, at = host ? node : node - t->nhosts;
        int64_t copy = at / each, own = at % each + (host ? 0 : inner->nhosts);
        if (i == ar_topology_degree(inner, own))
            return pair->nic_link + 2 * node;
        return copy * inner->nlinks + ar_topology_leaving(inner, own, i);
    }
    node -= pair->network;
    int64_t degree = ar_topology_degree(&pair->outer, node);
    if (i < degree)
        return pair->links + ar_topology_leaving(&pair->outer, node, i);
    return pair->nic_link + 2 * (node * inner->nhosts + i - degree) + 1;
}

/* Adds the route of one half, its links' numbers moved by `first`. */
static void add_route(const struct ar_topology *half, int64_t from, int64_t to, int64_t first,
                      struct ar_route *route)
{
    int begun = route->n;
    if (from != to)
        half->kind->route(half, from, to, route);
    for (int i = begun; i < route->n; i++)
        route->link[i] += first;
}

static void find_route(const struct ar_topology *t, int64_t from, int64_t to, struct ar_route *route)
{
    const struct pair *pair = t->shape;
    int64_t hosts = pair->inner.nhosts, copy = from / hosts;
    if (copy == to / hosts) {
        add_route(&pair->inner, from % hosts, to % hosts, copy * pair->inner.nlinks, route);
        return;
    }
    ar_route_add(route, pair->nic_link + 2 * from);
    add_route(&pair->outer, copy, to / hosts, pair->links, route);
    ar_route_add(route, pair->nic_link + 2 * to + 1);
}

static int64_t hops(const struct ar_topology *t, int64_t from, int64_t to)
{
    const struct pair *pair = t->shape;
    int64_t hosts = pair->inner.nhosts, n;
    bool inside = from / hosts == to / hosts;
    struct ar_route route = {0};
    n = inside ? ar_topology_hops(&pair->inner, from % hosts, to % hosts, &route)
               : ar_topology_hops(&pair->outer, from / hosts, to / hosts, &route) + 2;
    ar_route_free(&route);
    return n;
}

/* ---- Of the whole ------------------------------------------------------------------------------------ */

static int64_t diameter(const struct ar_topology *t)
{
    const struct pair *pair = t->shape;
    int64_t within = ar_topology_diameter(&pair->inner);
    return pair->outer.nhosts > 1 ? max(within, ar_topology_diameter(&pair->outer) + 2) : within;
}

/* Half of the nodes, cut off in the network or at their adapters. */
static int64_t bisection(const struct ar_topology *t)
{
    const struct pair *pair = t->shape;
    int64_t across = ar_topology_bisection(&pair->outer), adapters = t->nhosts / 2;
    if (pair->outer.nhosts % 2 != 0 || across < 0)
        return -1;
    return across < adapters ? across : adapters;
}

static int64_t walk(const struct ar_topology *t, int64_t i)
{
    const struct pair *pair = t->shape;
    int64_t hosts = pair->inner.nhosts;
    return ar_topology_walk(&pair->outer, i / hosts) * hosts + ar_topology_walk(&pair->inner, i % hosts);
}

static void write(const struct ar_topology *t, struct ar_text *text)
{
    const struct pair *pair = t->shape;
    ar_topology_write(&pair->inner, text);
    if (!isnan(pair->nic_Bps)) {
        ar_text_add(text, ",nic=");
        ar_topology_write_value(&ar_topology_attributes[AR_ATTRIBUTE_NIC],
                                &(struct ar_topology_value){.real = pair->nic_Bps}, text);
    }
    ar_text_add(text, "/");
    ar_topology_write(&pair->outer, text);
}

static const struct ar_topology_kind kind = {
    .name = "pair",
    .release = release,
    .cable = cable,
    .cables_at = cables_at,
    .degree = degree,
    .leaving = leaving,
    .route = find_route,
    .hops = hops,
    .diameter = diameter,
    .bisection = bisection,
    .walk = walk,
    .write = write,
};

enum ar_status ar_topology_pair(struct ar_topology *inner, struct ar_topology *outer, double nic_Bps,
                                struct ar_topology *made, struct ar_error *error)
{
    const int64_t most = INT64_C(1) << 60;
    int64_t copies = outer->nhosts, within = inner->nlinks, hosts = inner->nhosts;
    struct pair *pair = ar_alloc(1, sizeof *pair);
    *pair = (struct pair){.inner = *inner, .outer = *outer, .nic_Bps = nic_Bps};
    *inner = *outer = (struct ar_topology){0};
    inner = &pair->inner, outer = &pair->outer;
    enum ar_status status = ar_topology_multiply(&hosts, copies, AR_TOPOLOGY_MOST_HOSTS, "hosts", error);
    if (status == AR_OK)
        status = ar_topology_multiply(&within, copies, most, "links", error);
    if (status != AR_OK) {
        release(pair);
        return status;
    }
    pair->switches = inner->nnodes - inner->nhosts;
    pair->network = hosts + copies * pair->switches;
    pair->nic_link = within;
    pair->links = within + 2 * hosts;
    pair->lift = (int)max(inner->first_level + inner->nlevels - outer->first_level, 0);
    *made = (struct ar_topology){
        .kind = &kind,
        .nhosts = hosts,
        .nnodes = pair->network + outer->nnodes,
        .nlinks = pair->links + outer->nlinks,
        .node_hosts = inner->nhosts,
        .first_level = inner->first_level,
        .nlevels = outer->first_level + pair->lift + outer->nlevels - inner->first_level,
        /* Inside a node a way over the adapter may be shorter. */
        .detour = max(max(inner->detour, outer->detour), ar_topology_diameter(inner) - 2),
        .symmetric = inner->symmetric && outer->symmetric,
        .alike = inner->alike && outer->alike,
        .bandwidth_Bps = NAN,
        .latency_s = NAN,
        .shape = pair};
    return AR_OK;
}
