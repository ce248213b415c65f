/* Groups of routers: p hosts on each router, the a routers of a group joined each to each, and one cable
 * between any two of the g groups. A router has up to h of those: a group's neighbours, in the order of their
 * numbers, are dealt to its routers in equal runs. Balanced is a = 2p = 2h; g is at most, and unless said,
 * a h + 1.
 *
 * Routes are minimal as the paper's: to the router with the cable to the destination's group, across, and to
 * the destination's router; at most 3 links between routers. Two cables by way of a third group would
 * sometimes be one link shorter than local, global, local.
 */
#include "collectives/base/memory.h"
#include "topologies/clique.h"
#include "topologies/kind.h"

enum { HOSTS, ROUTERS, GLOBAL, GROUPS };
enum { MOST = 1 << 20 };

static const struct ar_topology_param params[] = {
    {"p", "hosts on a router", AR_TOPOLOGY_NUMBER, .needed = true, .min = 1, .max = MOST},
    {"a", "routers of a group", AR_TOPOLOGY_NUMBER, .needed = true, .min = 1, .max = MOST},
    {"h", "cables from a router to other groups, at most", AR_TOPOLOGY_NUMBER, .needed = true, .min = 1,
     .max = MOST},
    {"g", "groups; a h + 1", AR_TOPOLOGY_NUMBER, .min = 1, .max = INT32_MAX},
};

struct dragonfly {
    int64_t p, a, g;
    int64_t local, global; /* numbers of the first cable within, and of the first between groups */
};

static enum ar_status make(struct ar_topology *t, struct ar_error *error)
{
    struct dragonfly *d = t->shape = ar_alloc(1, sizeof *d);
    int64_t most = t->value[ROUTERS].size[0] * t->value[GLOBAL].size[0] + 1;
    d->p = t->nhosts = t->value[HOSTS].size[0];
    d->a = t->value[ROUTERS].size[0];
    d->g = t->value[GROUPS].n ? t->value[GROUPS].size[0] : most;
    if (d->g > most)
        return ar_fail(error, AR_INVALID, "g: expected at most a h + 1 = %lld groups, got %lld",
                       (long long)most, (long long)d->g);
    if (d->g == most)
        t->value[GROUPS].n = 0;
    enum ar_status status = ar_topology_multiply(&t->nhosts, d->a, AR_TOPOLOGY_MOST_HOSTS, "hosts", error);
    if (status == AR_OK)
        status = ar_topology_multiply(&t->nhosts, d->g, AR_TOPOLOGY_MOST_HOSTS, "hosts", error);
    if (status != AR_OK)
        return status;
    d->local = t->nhosts;
    d->global = d->local + d->g * ar_clique_cables(d->a);
    t->nnodes = t->nhosts + d->a * d->g;
    t->nlinks = 2 * (d->global + ar_clique_cables(d->g));
    t->node_hosts = d->p;
    t->nlevels = d->g > 1 ? 3 : d->a > 1 ? 2 : 1;
    t->detour = d->g > 2;
    t->symmetric = true;
    t->alike = (d->g - 1) % d->a == 0;
    return AR_OK;
}

/* The router, of all, that has its group's cable to another. */
static int64_t gateway(const struct dragonfly *d, int64_t group, int64_t other)
{
    return group * d->a + (other - (other > group)) * d->a / (d->g - 1);
}

static void cable(const struct ar_topology *t, int64_t number, struct ar_link *link)
{
    const struct dragonfly *d = t->shape;
    int64_t from, to;
    if (number < d->local) {
        link->from = number;
        link->to = t->nhosts + number / d->p;
    } else if (number < d->global) {
        int64_t each = ar_clique_cables(d->a), first = t->nhosts + (number - d->local) / each * d->a;
        ar_clique_ends(d->a, (number - d->local) % each, &from, &to);
        link->from = first + from;
        link->to = first + to;
        link->level = 1;
    } else {
        ar_clique_ends(d->g, number - d->global, &from, &to);
        link->from = t->nhosts + gateway(d, from, to);
        link->to = t->nhosts + gateway(d, to, from);
        link->level = 2;
    }
}

static int64_t cables_at(const struct ar_topology *t, int level)
{
    const struct dragonfly *d = t->shape;
    const int64_t end[] = {d->local, d->global, t->nlinks / 2};
    return level ? end[level] - end[level - 1] : end[0];
}

/* Of two routers of one group. */
static int64_t local_link(const struct dragonfly *d, int64_t from, int64_t to)
{
    return 2 * (d->local + from / d->a * ar_clique_cables(d->a)) +
           ar_clique_link(d->a, from % d->a, to % d->a);
}

static int64_t global_link(const struct dragonfly *d, int64_t from, int64_t to)
{
    return 2 * d->global + ar_clique_link(d->g, from, to);
}

/* How many of its group's cables the routers before this one have. */
static int64_t dealt(const struct dragonfly *d, int64_t router)
{
    return (router * (d->g - 1) + d->a - 1) / d->a;
}

static int64_t degree(const struct ar_topology *t, int64_t node)
{
    const struct dragonfly *d = t->shape;
    int64_t router = (node - t->nhosts) % d->a;
    return node < t->nhosts ? 1 : d->p + d->a - 1 + dealt(d, router + 1) - dealt(d, router);
}

/* A router's hosts, its group, the other groups. */
static int64_t leaving(const struct ar_topology *t, int64_t node, int64_t i)
{
    const struct dragonfly *d = t->shape;
    int64_t router = node - t->nhosts, group = router / d->a, first = group * d->a;
    if (node < t->nhosts)
        return 2 * node;
    if (i < d->p)
        return 2 * (router * d->p + i) + 1;
    i -= d->p;
    if (i < d->a - 1)
        return local_link(d, router, first + i + (i >= router - first));
    int64_t other = i - (d->a - 1) + dealt(d, router - first);
    return global_link(d, group, other + (other >= group));
}

static void find_route(const struct ar_topology *t, int64_t from, int64_t to, struct ar_route *route)
{
    const struct dragonfly *d = t->shape;
    int64_t router = from / d->p, last = to / d->p, group = router / d->a, other = last / d->a;
    ar_route_add(route, 2 * from);
    if (group != other) {
        int64_t gate = gateway(d, group, other);
        if (router != gate)
            ar_route_add(route, local_link(d, router, gate));
        ar_route_add(route, global_link(d, group, other));
        router = gateway(d, other, group);
    }
    if (router != last)
        ar_route_add(route, local_link(d, router, last));
    ar_route_add(route, 2 * to + 1);
}

static int64_t diameter(const struct ar_topology *t)
{
    const struct dragonfly *d = t->shape;
    int64_t local = d->a > 1, routers = d->g > 1 ? 2 * local + 1 : local;
    return t->nhosts > 1 ? routers + 2 : 0;
}

/* Between halves of the groups, or at the hosts where that is less. */
static int64_t bisection(const struct ar_topology *t)
{
    const struct dragonfly *d = t->shape;
    int64_t across = d->g / 2 * (d->g / 2), hosts = t->nhosts / 2;
    if (d->g % 2 != 0)
        return -1;
    return across < hosts ? across : hosts;
}

const struct ar_topology_kind ar_topology_dragonfly = {
    .name = "dragonfly",
    .summary = "groups of routers, each joined to each, one cable between any two groups",
    .source = "Kim, Dally, Scott and Abts, Technology-driven, highly-scalable dragonfly topology, ISCA 2008",
    .example = "dragonfly:p=2,a=4,h=2",
    .params = params,
    .nparams = 4,
    .make = make,
    .cable = cable,
    .cables_at = cables_at,
    .degree = degree,
    .leaving = leaving,
    .route = find_route,
    .diameter = diameter,
    .bisection = bisection,
};
