/* Where ranks run: rank r on host[r].
 *
 *     block            in the order of the hosts, node after node
 *     cyclic           one rank on each node in turn, then a second on each, ... (round-robin by node); where
 *                      hosts are no part of nodes, by those that share their first switch
 *     ring             so that consecutive ranks are near: on grids along a snake (ar_topology_walk)
 *     random[:SEED]    any hosts in any order, the same for the same seed (0)
 *     list:0,4,8..11   these
 *     file:FILE        a rank file: a host's number on each line; empty lines and what follows # do not count
 *
 * Only `list` and `file` may put several ranks on one host.
 */
#pragma once

#include "topologies/topology.h"

struct ar_placement {
    int64_t nranks, *host;
};

struct ar_placement_kind {
    const char *name, *summary;
};

extern const struct ar_placement_kind ar_placement_kinds[];
extern const int ar_nplacement_kinds;

/* AR_INVALID when the words are wrong, name a host that there is not, or give fewer hosts than ranks; a
 * file's mistakes begin with "FILE:LINE: ". AR_SYSTEM when it cannot be read. The caller frees the placement.
 */
enum ar_status ar_placement_parse(const char *text, const struct ar_topology *topology, int64_t nranks,
                                  struct ar_placement *placement, struct ar_error *error);

void ar_placement_free(struct ar_placement *placement);
