/* Grids of hosts: rings, meshes, tori and hypercubes. Host x_0 + d_0 (x_1 + d_1 (x_2 + ...)) has a cable to
 * its next neighbour in each dimension; with wrap also from the last to the first. A dimension of size 1 has
 * no cables; one of size 2 that wraps has two parallel ones (Dally and Towles, Principles and Practices of
 * Interconnection Networks, 2004, chapter 5). Routes go dimension by dimension, first to last, the shorter
 * way round, upwards where both are as short: then consecutive ranks on a ring never share a link.
 *
 * The functions are those of a kind (kind.h).
 */
#pragma once

#include "topologies/kind.h"

/* `size` has n <= 31 sizes. */
enum ar_status ar_grid_make(struct ar_topology *topology, const int64_t *size, int n, bool wrap,
                            struct ar_error *error);

/* make for a kind whose value 0 is the list of sizes. */
enum ar_status ar_grid_make_mesh(struct ar_topology *topology, struct ar_error *error);
enum ar_status ar_grid_make_torus(struct ar_topology *topology, struct ar_error *error);

void ar_grid_cable(const struct ar_topology *topology, int64_t cable, struct ar_link *link);
int64_t ar_grid_degree(const struct ar_topology *topology, int64_t node);
int64_t ar_grid_leaving(const struct ar_topology *topology, int64_t node, int64_t i);
void ar_grid_route(const struct ar_topology *topology, int64_t from, int64_t to, struct ar_route *route);
int64_t ar_grid_hops(const struct ar_topology *topology, int64_t from, int64_t to);
int64_t ar_grid_diameter(const struct ar_topology *topology);

/* 2N / d_max with wrap, N / d_max without, where d_max is even; else -1, but for a ring or line. */
int64_t ar_grid_bisection(const struct ar_topology *topology);

/* A snake: each host is next to the one before. The last is next to the first, too, in one dimension with
 * wrap, and in more than one where some size is even. */
int64_t ar_grid_walk(const struct ar_topology *topology, int64_t i);

/* Of two dimensions, the first's size; else 0. */
int64_t ar_grid_row(const struct ar_topology *topology);

#define AR_GRID_FUNCTIONS                                                                                    \
    .cable = ar_grid_cable, .degree = ar_grid_degree, .leaving = ar_grid_leaving, .route = ar_grid_route,    \
    .diameter = ar_grid_diameter, .bisection = ar_grid_bisection, .hops = ar_grid_hops,                      \
    .walk = ar_grid_walk, .row = ar_grid_row

#define AR_GRID_SOURCE                                                                                       \
    "Dally and Towles, Principles and Practices of Interconnection Networks, 2004, chapter 5"
