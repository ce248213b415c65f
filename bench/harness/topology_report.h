/* Topologies as tables. */
#pragma once

#include "bench/report/report.h"
#include "topologies/topology.h"

/* Adds the field "topology" (the description), the tables "topology" and "levels", for small ones the list of
 * cables as the body, and notes on what is not exact or not known. */
void ar_topology_report(const struct ar_topology *topology, struct ar_report *report);

/* For ar_listings: the kinds, their parameters and sources. */
enum ar_status ar_list_topologies(struct ar_report *report, bool for_people, struct ar_error *error);
