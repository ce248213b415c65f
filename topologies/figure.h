/* A topology as a figure. */
#pragma once

#include "topologies/topology.h"

enum { AR_FIGURE_NODES = 512 }; /* more nobody can tell apart */

/* Appends an SVG document: hosts as squares, switches as flat boxes, a line for each cable, thicker and
 * darker the farther it reaches. With switches, the hosts stand in a row and each switch as far above as it
 * is from the nearest host; grids of two dimensions as grids, with stubs for the cables around their ends;
 * all else in a circle. AR_INVALID when there are more than AR_FIGURE_NODES nodes. */
enum ar_status ar_topology_figure(const struct ar_topology *topology, struct ar_text *svg,
                                  struct ar_error *error);
