/* Trees of switches: crossbars, fat trees and XGFT(h; m_1..m_h; w_1..w_h) with p_l parallel cables.
 *
 * Level 0 are the hosts. A node of level l has m_l children (l >= 1) and w_{l+1} parents, each over p_{l+1}
 * parallel cables. With W_l = w_1 ... w_l and M_l = m_1 ... m_l, level l has N / M_l * W_l nodes; number
 * s * W_l + y of it is the y-th of the switches above subtree s, hosts s * M_l .. (s+1) * M_l - 1, and its
 * parents are the ones numbered y + W_l * j, j < w_{l+1}, above the subtree around. (Ohring, Ibel, Das and
 * Kumar, On generalized fat trees, IPPS 1995)
 *
 * Routes go up to the lowest common subtree and down. D-mod-K takes, from level l up, port
 * (destination / W_l) mod (w_{l+1} p_{l+1}), and the cable of the same number down: all ways to one host
 * come together as soon as they can, and shifts share no link where nothing is oversubscribed. (Zahavi,
 * Fat-tree routing and node ordering providing contention free traffic for MPI global collectives, JPDC 2012;
 * SimGrid FatTreeZone.cpp)
 *
 * The functions are those of a kind (kind.h).
 */
#pragma once

#include "topologies/kind.h"

struct ar_tree_shape {
    int levels; /* h, 1 .. AR_TOPOLOGY_SIZES */
    int64_t m[AR_TOPOLOGY_SIZES], w[AR_TOPOLOGY_SIZES], p[AR_TOPOLOGY_SIZES];
    bool hashed; /* ports from a hash of source and destination rather than D-mod-K */
};

enum ar_status ar_tree_make(struct ar_topology *topology, const struct ar_tree_shape *shape,
                            struct ar_error *error);

/* make for value[0] hosts on one switch. */
enum ar_status ar_tree_make_switch(struct ar_topology *topology, struct ar_error *error);

void ar_tree_cable(const struct ar_topology *topology, int64_t cable, struct ar_link *link);
int64_t ar_tree_cables_at(const struct ar_topology *topology, int level);
int64_t ar_tree_degree(const struct ar_topology *topology, int64_t node);
int64_t ar_tree_leaving(const struct ar_topology *topology, int64_t node, int64_t i);
void ar_tree_route(const struct ar_topology *topology, int64_t from, int64_t to, struct ar_route *route);
int64_t ar_tree_diameter(const struct ar_topology *topology);

/* The thinnest level: cables above half of its subtrees. -1 where these do not halve (m_h odd), but for one
 * level of switches. */
int64_t ar_tree_bisection(const struct ar_topology *topology);

#define AR_TREE_FUNCTIONS                                                                                    \
    .cable = ar_tree_cable, .cables_at = ar_tree_cables_at, .degree = ar_tree_degree,                        \
    .leaving = ar_tree_leaving, .route = ar_tree_route, .diameter = ar_tree_diameter,                        \
    .bisection = ar_tree_bisection
