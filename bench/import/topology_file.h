/* Networks that people write, as CSV: one cable a row.
 *
 *     a,b,bandwidth,latency
 *     node1,switch1,25GB/s,500ns
 *     node2,switch1,25GB/s,500ns
 *     switch1,switch2,,
 *
 * What begins with `switch` is one, everything else a host, numbered in the order of first appearance. The
 * bandwidth is each way's; empty ones, and latencies, are not described. The same pair twice is two parallel
 * cables.
 */
#pragma once

#include "topologies/topology.h"

/* For --help. */
#define AR_TOPOLOGY_FILE_HELP                                                                                \
    "csv:FILE reads a cable a row; what begins with `switch` is one, all else hosts:\n"                      \
    "  a,b,bandwidth,latency\n"                                                                              \
    "  node1,switch1,25GB/s,500ns\n"

/* The reader of ar_topology_parse: AR_INVALID with "FILE:LINE:COLUMN: ..." for what is wrong in the file. */
enum ar_status ar_topology_file_read(const char *path, struct ar_graph *graph, struct ar_error *error);

/* ar_topology_parse with this reader. */
enum ar_status ar_topology_read(const char *description, struct ar_topology *topology,
                                struct ar_error *error);
