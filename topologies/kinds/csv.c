/* A graph that somebody else has read, as arrays; routes from a table of the next link to every host. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "topologies/kind.h"

static const struct ar_topology_param params[] = {
    {"file", "cables as rows a,b,bandwidth,latency; the name is all of the rest", AR_TOPOLOGY_WORD,
     .needed = true, .bare = true},
};

struct graph {
    struct ar_graph arrays;
    char *file;
    int64_t *first,
        *leaving;  /* the links that leave node v are leaving[first[v] .. first[v+1]-1], ascending */
    int32_t *next; /* nhosts x nnodes: on the way to a host, the link to take from a node */
    int64_t diameter;
};

void ar_graph_free(struct ar_graph *graph)
{
    for (int64_t i = 0; graph->name && i < graph->nnodes; i++)
        free(graph->name[i]);
    free(graph->name);
    free(graph->a);
    free(graph->b);
    free(graph->bandwidth_Bps);
    free(graph->latency_s);
    *graph = (struct ar_graph){0};
}

static void release(void *shape)
{
    struct graph *graph = shape;
    if (!graph)
        return;
    ar_graph_free(&graph->arrays);
    free(graph->file);
    free(graph->first);
    free(graph->leaving);
    free(graph->next);
    free(graph);
}

/* The node that a link leaves. */
static int64_t from_of(const struct graph *graph, int64_t link)
{
    return (link % 2 ? graph->arrays.b : graph->arrays.a)[link / 2];
}

static void sort_links(struct graph *graph)
{
    int64_t n = graph->arrays.nnodes, nlinks = 2 * graph->arrays.ncables;
    graph->first = ar_alloc((size_t)n + 2, sizeof *graph->first);
    graph->leaving = ar_alloc((size_t)nlinks, sizeof *graph->leaving);
    int64_t *end = graph->first + 1; /* becomes the ends of the lists while they are filled */
    for (int64_t link = 0; link < nlinks; link++)
        end[from_of(graph, link) + 1]++;
    for (int64_t v = 0; v < n; v++)
        end[v + 1] += end[v];
    for (int64_t link = 0; link < nlinks; link++)
        graph->leaving[end[from_of(graph, link)]++] = link;
}

/* Links to `host` from every node, -1 where there is no way. */
static void measure(const struct graph *graph, int64_t host, int32_t *distance, int64_t *queue)
{
    int64_t n = 1;
    for (int64_t v = 0; v < graph->arrays.nnodes; v++)
        distance[v] = -1;
    distance[host] = 0;
    queue[0] = host;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = graph->first[queue[i]]; k < graph->first[queue[i] + 1]; k++) {
            int64_t other = from_of(graph, graph->leaving[k] ^ 1);
            if (distance[other] < 0) {
                distance[other] = distance[queue[i]] + 1;
                queue[n++] = other;
            }
        }
}

/* Whether the k-th link of all leads nearer. */
static bool nearer(const struct graph *graph, int64_t k, const int32_t *distance)
{
    int64_t link = graph->leaving[k];
    return distance[from_of(graph, link ^ 1)] < distance[from_of(graph, link)];
}

/* Of the links from a node that lead nearer, number (host mod how many); -1 at the host itself. */
static int32_t choose(const struct graph *graph, int64_t host, int64_t node, const int32_t *distance)
{
    int64_t first = graph->first[node], end = graph->first[node + 1], n = 0;
    for (int64_t k = first; k < end; k++)
        n += nearer(graph, k, distance);
    int64_t left = n ? host % n : 0;
    for (int64_t k = first; k < end; k++)
        if (nearer(graph, k, distance) && left-- == 0)
            return (int32_t)graph->leaving[k];
    return -1;
}

static enum ar_status find_ways(struct graph *graph, struct ar_error *error)
{
    const struct ar_graph *arrays = &graph->arrays;
    size_t n = (size_t)arrays->nnodes;
    enum ar_status status =
        ar_memory_check(4.0 * (double)arrays->nhosts * (double)n, "the table of routes", error);
    if (status != AR_OK)
        return status;
    graph->next = ar_alloc((size_t)arrays->nhosts * n, sizeof *graph->next);
    int32_t *distance = ar_alloc(n, sizeof *distance);
    int64_t *queue = ar_alloc(n, sizeof *queue);
    for (int64_t host = 0; host < arrays->nhosts && status == AR_OK; host++) {
        measure(graph, host, distance, queue);
        for (int64_t v = 0; v < arrays->nnodes && status == AR_OK; v++) {
            if (distance[v] < 0)
                status = arrays->name ? ar_fail(error, AR_INVALID, "'%.60s' and '%.60s' are not connected",
                                                arrays->name[host], arrays->name[v])
                                      : ar_fail(error, AR_INVALID, "nodes %lld and %lld are not connected",
                                                (long long)host, (long long)v);
            graph->next[(size_t)host * n + (size_t)v] = choose(graph, host, v, distance);
            if (v < arrays->nhosts && distance[v] > graph->diameter)
                graph->diameter = distance[v];
        }
    }
    free(distance);
    free(queue);
    return status;
}

enum ar_status ar_topology_of_graph(struct ar_graph *arrays, const char *name, struct ar_topology *topology,
                                    struct ar_error *error)
{
    struct graph *graph = ar_alloc(1, sizeof *graph);
    graph->arrays = *arrays;
    graph->file = strdup(name);
    *arrays = (struct ar_graph){0};
    arrays = &graph->arrays;
    enum ar_status status = AR_OK;
    if (arrays->nhosts < 1 || arrays->nhosts > arrays->nnodes)
        status = ar_fail(error, AR_INVALID, "expected at least one host");
    else if (arrays->nnodes > INT32_MAX || arrays->ncables > INT32_MAX / 2)
        status = ar_fail(error, AR_INVALID, "expected at most 2^31 nodes and 2^30 cables");
    if (status == AR_OK) {
        sort_links(graph);
        status = find_ways(graph, error);
    }
    if (status != AR_OK) {
        release(graph);
        return status;
    }
    *topology = (struct ar_topology){.kind = &ar_topology_csv,
                                     .nhosts = arrays->nhosts,
                                     .nnodes = arrays->nnodes,
                                     .nlinks = 2 * arrays->ncables,
                                     .node_hosts = 1,
                                     .first_level = AR_LEVEL_SWITCH,
                                     .nlevels = 1,
                                     .bandwidth_Bps = NAN,
                                     .latency_s = NAN,
                                     .shape = graph};
    return AR_OK;
}

static void cable(const struct ar_topology *t, int64_t number, struct ar_link *link)
{
    const struct graph *graph = t->shape;
    link->from = graph->arrays.a[number];
    link->to = graph->arrays.b[number];
    link->bandwidth_Bps = graph->arrays.bandwidth_Bps[number];
    link->latency_s = graph->arrays.latency_s[number];
}

static int64_t degree(const struct ar_topology *t, int64_t node)
{
    const struct graph *graph = t->shape;
    return graph->first[node + 1] - graph->first[node];
}

static int64_t leaving(const struct ar_topology *t, int64_t node, int64_t i)
{
    const struct graph *graph = t->shape;
    return graph->leaving[graph->first[node] + i];
}

static void find_route(const struct ar_topology *t, int64_t from, int64_t to, struct ar_route *route)
{
    const struct graph *graph = t->shape;
    while (from != to) {
        int64_t link = graph->next[to * t->nnodes + from];
        ar_route_add(route, link);
        from = from_of(graph, link ^ 1);
    }
}

static int64_t diameter(const struct ar_topology *t)
{
    return ((const struct graph *)t->shape)->diameter;
}

static const char *node_name(const struct ar_topology *t, int64_t node)
{
    const struct graph *graph = t->shape;
    return graph->arrays.name ? graph->arrays.name[node] : NULL;
}

static void write(const struct ar_topology *t, struct ar_text *text)
{
    ar_text_add(text, "csv:%s", ((const struct graph *)t->shape)->file);
}

const struct ar_topology_kind ar_topology_csv = {
    .name = "csv",
    .summary = "a graph from a file; shortest routes",
    .source = "Moore, The shortest path through a maze, 1959 (breadth-first search)",
    .example = "csv:network.csv",
    .params = params,
    .nparams = 1,
    .release = release,
    .cable = cable,
    .degree = degree,
    .leaving = leaving,
    .route = find_route,
    .diameter = diameter,
    .node_name = node_name,
    .write = write,
};
