#include "topologies/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/base/random.h"
#include "topologies/kind.h"

const struct ar_topology_kind *const ar_topology_kinds[] = {
#define AR_TOPOLOGY(name) &ar_topology_##name,
#include "topologies/topologies.def"
#undef AR_TOPOLOGY
};

const int ar_ntopology_kinds = sizeof ar_topology_kinds / sizeof *ar_topology_kinds;

void ar_topology_free(struct ar_topology *topology)
{
    if (topology->kind && topology->kind->release)
        topology->kind->release(topology->shape);
    else
        free(topology->shape);
    *topology = (struct ar_topology){0};
}

enum ar_status ar_topology_multiply(int64_t *product, int64_t factor, int64_t most, const char *what,
                                    struct ar_error *error)
{
    int64_t made;
    if (__builtin_mul_overflow(*product, factor, &made) || made > most)
        return ar_fail(error, AR_INVALID, "expected at most %lld %s, got more", (long long)most, what);
    *product = made;
    return AR_OK;
}

struct ar_link ar_topology_link(const struct ar_topology *t, int64_t number)
{
    struct ar_link link = {.bandwidth_Bps = t->bandwidth_Bps, .latency_s = t->latency_s};
    t->kind->cable(t, number / 2, &link);
    link.level += t->first_level;
    if (number % 2 != 0) {
        int64_t from = link.to;
        link.to = link.from;
        link.from = from;
    }
    return link;
}

int64_t ar_topology_links_at(const struct ar_topology *t, int level)
{
    level -= t->first_level;
    if (level < 0 || level >= t->nlevels)
        return 0;
    return t->kind->cables_at ? 2 * t->kind->cables_at(t, level) : t->nlinks;
}

int64_t ar_topology_degree(const struct ar_topology *t, int64_t node)
{
    return t->kind->degree(t, node);
}

int64_t ar_topology_leaving(const struct ar_topology *t, int64_t node, int64_t i)
{
    return t->kind->leaving(t, node, i);
}

const char *ar_topology_node_name(const struct ar_topology *t, int64_t node, char text[AR_NODE_TEXT])
{
    const char *name = t->kind->node_name ? t->kind->node_name(t, node) : NULL;
    if (name)
        snprintf(text, AR_NODE_TEXT, "%s", name);
    else
        snprintf(text, AR_NODE_TEXT, "%s %" PRId64, node < t->nhosts ? "host" : "switch", node);
    return text;
}

/* ---- Routes ------------------------------------------------------------------------------------------ */

void ar_route_add(struct ar_route *route, int64_t link)
{
    AR_GROW(route->link, route->n, route->capacity);
    route->link[route->n++] = link;
}

void ar_route_free(struct ar_route *route)
{
    free(route->link);
    *route = (struct ar_route){0};
}

void ar_topology_route(const struct ar_topology *t, int64_t from, int64_t to, struct ar_route *route)
{
    route->n = 0;
    if (from != to)
        t->kind->route(t, from, to, route);
}

int64_t ar_topology_hops(const struct ar_topology *t, int64_t from, int64_t to, struct ar_route *route)
{
    if (t->kind->hops)
        return t->kind->hops(t, from, to);
    ar_topology_route(t, from, to, route);
    return route->n;
}

int ar_topology_level(const struct ar_topology *t, int64_t from, int64_t to, struct ar_route *route)
{
    int highest = t->first_level;
    ar_topology_route(t, from, to, route);
    for (int i = 0; i < route->n; i++) {
        int level = ar_topology_link(t, route->link[i]).level;
        highest = level > highest ? level : highest;
    }
    return highest;
}

/* ---- Of the whole ------------------------------------------------------------------------------------ */

int64_t ar_topology_diameter(const struct ar_topology *t)
{
    return t->kind->diameter(t);
}

int64_t ar_topology_bisection(const struct ar_topology *t)
{
    return t->kind->bisection ? t->kind->bisection(t) : -1;
}

int64_t ar_topology_walk(const struct ar_topology *t, int64_t i)
{
    return t->kind->walk ? t->kind->walk(t, i) : i;
}

enum { MOST_PAIRS = 1 << 18 };

double ar_topology_mean_hops(const struct ar_topology *t, bool *sampled)
{
    struct ar_route route = {0};
    int64_t n = t->nhosts, sources = t->alike ? 1 : n, pairs = 0;
    double sum = 0;
    uint64_t state = 0;
    *sampled = sources > 1 && (double)n * (double)(n - 1) > MOST_PAIRS;
    if (*sampled) {
        for (; pairs < MOST_PAIRS; pairs++) {
            int64_t from = (int64_t)ar_random_below(&state, (uint64_t)n);
            int64_t to = (int64_t)ar_random_below(&state, (uint64_t)n - 1);
            sum += (double)ar_topology_hops(t, from, to + (to >= from), &route);
        }
    } else {
        for (int64_t from = 0; from < sources; from++)
            for (int64_t to = 0; to < n; to++)
                sum += (double)ar_topology_hops(t, from, to, &route);
        pairs = sources * (n - 1);
    }
    ar_route_free(&route);
    return pairs > 0 ? sum / (double)pairs : 0;
}
