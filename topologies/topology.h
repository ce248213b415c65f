/* A topology: hosts, switches, the cables between them, and the way a message takes.
 *
 * Hosts are nodes 0 .. nhosts-1, switches follow up to nnodes-1. A cable carries traffic both ways at once; a
 * link is ONE direction of it. Links 2c and 2c+1 are the two directions of cable c, so link ^ 1 leads back.
 * Parallel cables are cables of their own. Regular kinds compute links and routes from numbers: nothing is
 * kept per host or link, and a million hosts cost no more than ten. All functions but parse and free only
 * read, so threads may share a topology.
 *
 * A description makes one, as in hwloc's synthetic ones:
 *
 *     torus:4x4x8    fattree:k=8    dragonfly:p=2,a=4,h=2    xgft:m=4x4,w=1x2,routing=hashed
 *     ring:8,bandwidth=25GB/s,latency=500ns                  hgx:8,nic=50GB/s/fattree:k=4
 *
 * that is KIND:VALUES, values separated by commas and named but for the first of some kinds. Every kind takes
 * bandwidth=RATE (of each link) and latency=TIME (of passing each link). NODE/NETWORK puts a whole NODE where
 * the network has a host: that host becomes the node's adapter, a switch joined to each host of the node by
 * one cable of nic=RATE. NETWORK may itself be such a pair. `csv:FILE`, whose name takes all of the rest, is
 * a graph that somebody else reads (bench/import/topology_file.h).
 *
 *     struct ar_topology torus;
 *     struct ar_route route = {0};
 *     status = ar_topology_parse("torus:4x4x8", NULL, &torus, error);
 *     ar_topology_route(&torus, 0, 127, &route);
 *     for (int i = 0; i < route.n; i++)
 *         use(ar_topology_link(&torus, route.link[i]));
 *     ar_route_free(&route);
 *     ar_topology_free(&torus);
 *
 * A new kind is one file in topologies/kinds with its descriptor at the bottom (kind.h), one line in
 * topologies.def and one in meson.build; listings and laws pick it up.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collectives/base/error.h"
#include "collectives/base/text.h"

/* How far apart what a link joins is, from near to far; kinds with more distances go on counting. */
enum { AR_LEVEL_CORE, AR_LEVEL_NODE, AR_LEVEL_SWITCH, AR_LEVEL_GROUP };

struct ar_link {
    int64_t from, to; /* nodes */
    int level;        /* first_level .. first_level+nlevels-1 of the topology */
    /* NAN: not described, the machine's model says. A message's latency is the sum over its links. */
    double bandwidth_Bps, latency_s;
};

enum { AR_TOPOLOGY_PARAMS = 6, AR_TOPOLOGY_SIZES = 8 };

struct ar_topology_value {
    int n; /* 0: not given */
    int64_t size[AR_TOPOLOGY_SIZES];
    double real; /* a rate in bytes per second or a time in seconds */
};

struct ar_topology {
    const struct ar_topology_kind *kind;
    int64_t nhosts, nnodes, nlinks;
    int64_t node_hosts; /* consecutive hosts that make one node, or else share their first switch */
    int first_level, nlevels;
    int64_t detour; /* routes are at most so many links longer than the shortest way; mostly 0 */
    bool symmetric; /* the route from b to a is that from a to b, backwards */
    bool alike;     /* every host sees the same numbers of hosts at each distance */
    double bandwidth_Bps, latency_s;                    /* of links that say nothing else; NAN */
    struct ar_topology_value value[AR_TOPOLOGY_PARAMS]; /* of the kind's parameters */
    void *shape;                                        /* the kind's own, owned */
};

/* ---- Making ------------------------------------------------------------------------------------------ */

/* A graph as arrays: cable c joins nodes a[c] and b[c], which differ; hosts are 0 .. nhosts-1, the rest
 * switches. */
struct ar_graph {
    int64_t nhosts, nnodes, ncables;
    int64_t *a, *b;
    double *bandwidth_Bps, *latency_s; /* per cable; NAN: not described */
    char **name;                       /* per node, for sentences and drawings; NULL: none */
};

void ar_graph_free(struct ar_graph *graph);

/* AR_INVALID with the place and what was expected: "topology 'torus:4xq', at 9: sizes: expected ...".
 * `reader` reads the file of csv:FILE and leaves nothing behind when it fails; NULL: csv is refused. Release
 * with ar_topology_free after success. At most 2^31-1 hosts. */
enum ar_status ar_topology_parse(const char *description,
                                 enum ar_status (*reader)(const char *path, struct ar_graph *graph,
                                                          struct ar_error *error),
                                 struct ar_topology *topology, struct ar_error *error);

/* `csv:NAME` of a graph, whose arrays the topology takes over also when it fails (and empties `graph`).
 * Routes are shortest in links; of equally short ways the one numbered (destination mod their number). Takes
 * 4 B for every pair of host and node. AR_INVALID when hosts cannot reach each other, AR_NO_MEMORY. */
enum ar_status ar_topology_of_graph(struct ar_graph *graph, const char *name, struct ar_topology *topology,
                                    struct ar_error *error);

/* Appends the description in its one canonical form, which parses to the same topology. */
void ar_topology_write(const struct ar_topology *topology, struct ar_text *text);

void ar_topology_free(struct ar_topology *topology);

/* ---- Asking ------------------------------------------------------------------------------------------ */

struct ar_link ar_topology_link(const struct ar_topology *topology, int64_t link);

/* How many links have that level. O(levels). */
int64_t ar_topology_links_at(const struct ar_topology *topology, int level);

/* The links that leave a node are ar_topology_leaving(topology, node, 0 .. degree-1). */
int64_t ar_topology_degree(const struct ar_topology *topology, int64_t node);
int64_t ar_topology_leaving(const struct ar_topology *topology, int64_t node, int64_t i);

struct ar_route {
    int64_t *link; /* numbers, from the source on; starts NULL */
    int n, capacity;
};

/* The links from one host to another, the same at every call; replaces what was in the route, whose memory is
 * kept. None for a host and itself. O(links of the route). */
void ar_topology_route(const struct ar_topology *topology, int64_t from, int64_t to, struct ar_route *route);
void ar_route_free(struct ar_route *route);

/* Of two hosts: links on the route, and the highest level among them (first_level for a host and itself).
 * `route` is room to work in. Hops are O(1) where routes may be long by a formula. */
int64_t ar_topology_hops(const struct ar_topology *topology, int64_t from, int64_t to,
                         struct ar_route *route);
int ar_topology_level(const struct ar_topology *topology, int64_t from, int64_t to, struct ar_route *route);

/* Links on the longest route. */
int64_t ar_topology_diameter(const struct ar_topology *topology);

/* The fewest cables between two halves of the hosts (which differ by one host where their number is odd),
 * wherever the switches stand; -1 where no closed form is known. */
int64_t ar_topology_bisection(const struct ar_topology *topology);

/* The mean of hops over all pairs of different hosts; 0 for one host. Exact, or a sample of 2^18 pairs drawn
 * with a fixed seed where hosts are not alike and there are more pairs; *sampled says which. */
double ar_topology_mean_hops(const struct ar_topology *topology, bool *sampled);

/* What a drawing calls the node: its name in a graph's file, or "host 3", "switch 17". Returns `text`. */
enum { AR_NODE_TEXT = 64 };
const char *ar_topology_node_name(const struct ar_topology *topology, int64_t node, char text[AR_NODE_TEXT]);

/* The host at place i of an order in which neighbours are near: on grids a closed walk over neighbours where
 * there is one (placement.h), elsewhere the hosts' own order. */
int64_t ar_topology_walk(const struct ar_topology *topology, int64_t i);
