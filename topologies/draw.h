/* Topologies for people: lists of cables, and graphs for Graphviz. */
#pragma once

#include "topologies/topology.h"

/* Larger ones nobody can read. */
enum { AR_DRAW_NODES = 40, AR_DOT_LINKS = 1 << 16 };

/* Appends a line for each node with what it is joined to, for at most AR_DRAW_NODES nodes:
 *
 *     host 0    hosts 1,3,4,12
 *     switch 4  hosts 0-1, switch 6 twice
 */
void ar_topology_draw(const struct ar_topology *topology, struct ar_text *text);

/* Appends an undirected graph in the language of Graphviz, one edge per cable; hosts are boxes. AR_INVALID
 * when there are more than AR_DOT_LINKS links. */
enum ar_status ar_topology_dot(const struct ar_topology *topology, struct ar_text *text,
                               struct ar_error *error);
