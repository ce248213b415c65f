/* A cable between any two hosts. */
#include "topologies/clique.h"
#include "topologies/kind.h"

static const struct ar_topology_param params[] = {
    {"hosts", "hosts, each joined to all", AR_TOPOLOGY_NUMBER, .needed = true, .bare = true, .min = 1,
     .max = AR_TOPOLOGY_MOST_HOSTS},
};

static enum ar_status make(struct ar_topology *t, struct ar_error *error)
{
    (void)error;
    t->nhosts = t->nnodes = t->value[0].size[0];
    t->nlinks = 2 * ar_clique_cables(t->nhosts);
    t->symmetric = t->alike = true;
    return AR_OK;
}

static void cable(const struct ar_topology *t, int64_t number, struct ar_link *link)
{
    ar_clique_ends(t->nhosts, number, &link->from, &link->to);
}

static int64_t degree(const struct ar_topology *t, int64_t node)
{
    (void)node;
    return t->nhosts - 1;
}

static int64_t leaving(const struct ar_topology *t, int64_t node, int64_t i)
{
    return ar_clique_link(t->nhosts, node, i + (i >= node));
}

static void find_route(const struct ar_topology *t, int64_t from, int64_t to, struct ar_route *route)
{
    ar_route_add(route, ar_clique_link(t->nhosts, from, to));
}

static int64_t diameter(const struct ar_topology *t)
{
    return t->nhosts > 1;
}

static int64_t bisection(const struct ar_topology *t)
{
    return t->nhosts / 2 * (t->nhosts - t->nhosts / 2);
}

const struct ar_topology_kind ar_topology_full = {
    .name = "full",
    .summary = "a cable between any two hosts",
    .source = "Dally and Towles, Principles and Practices of Interconnection Networks, 2004, chapter 3",
    .example = "full:8",
    .params = params,
    .nparams = 1,
    .make = make,
    .cable = cable,
    .degree = degree,
    .leaving = leaving,
    .route = find_route,
    .diameter = diameter,
    .bisection = bisection,
};
