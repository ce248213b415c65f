/* What a kind of topology is: parameters as data and a few pure functions. For the files in topologies/kinds
 * and what reads the registry; users need only topology.h.
 */
#pragma once

#include "topologies/topology.h"

enum ar_topology_unit {
    AR_TOPOLOGY_NUMBER,
    AR_TOPOLOGY_LIST, /* sizes with x between: 4x4x8, or *3 for how many the shape has */
    AR_TOPOLOGY_WORD, /* one of `words`, by index in size[0] */
    AR_TOPOLOGY_RATE,
    AR_TOPOLOGY_TIME,
};

struct ar_topology_param {
    const char *name, *help;
    enum ar_topology_unit unit;
    bool needed;
    bool bare;                /* written without its name; the first parameter may always be given so */
    int64_t min, max;         /* of each number */
    const char *const *words; /* max + 1 of them; the first is the default */
};

struct ar_topology_kind {
    const char *name, *summary, *source; /* one line each */
    const char *example;                 /* a description */
    const struct ar_topology_param *params;
    int nparams;

    /* Takes topology->value and fills in the numbers (nhosts .. alike) and `shape`; all are zero before, but
     * node_hosts and nlevels, which are 1, and first_level, AR_LEVEL_SWITCH. What a value's default says need
     * not be in the description: such a value may be set to n = 0. */
    enum ar_status (*make)(struct ar_topology *topology, struct ar_error *error);
    void (*release)(void *shape); /* NULL: free */

    /* Fills in the link 2 * cable; its level is counted from 0, and its rate and latency are the topology's
     * before. */
    void (*cable)(const struct ar_topology *topology, int64_t cable, struct ar_link *link);
    int64_t (*cables_at)(const struct ar_topology *topology, int level); /* NULL: all are at level 0 */
    int64_t (*degree)(const struct ar_topology *topology, int64_t node);
    int64_t (*leaving)(const struct ar_topology *topology, int64_t node, int64_t i);
    void (*route)(const struct ar_topology *topology, int64_t from, int64_t to, struct ar_route *route);
    /* Links on the route, without walking it; NULL: it is short. */
    int64_t (*hops)(const struct ar_topology *topology, int64_t from, int64_t to);
    int64_t (*diameter)(const struct ar_topology *topology);
    int64_t (*bisection)(const struct ar_topology *topology);       /* NULL: never known */
    int64_t (*walk)(const struct ar_topology *topology, int64_t i); /* NULL: i */
    int64_t (*row)(
        const struct ar_topology *topology); /* NULL: 0. Hosts in a row of a drawing as a grid, or 0 */
    const char *(*node_name)(const struct ar_topology *topology, int64_t node); /* NULL: by number */
    void (*write)(const struct ar_topology *topology, struct ar_text *text);    /* NULL: from the values */
};

#define AR_TOPOLOGY(name) extern const struct ar_topology_kind ar_topology_##name;
#include "topologies/topologies.def"
#undef AR_TOPOLOGY

extern const struct ar_topology_kind *const ar_topology_kinds[]; /* in the order of topologies.def */
extern const int ar_ntopology_kinds;

/* bandwidth, latency and nic: what every kind takes besides its own. */
enum { AR_ATTRIBUTE_BANDWIDTH, AR_ATTRIBUTE_LATENCY, AR_ATTRIBUTE_NIC, AR_NATTRIBUTES };
extern const struct ar_topology_param ar_topology_attributes[AR_NATTRIBUTES];

/* NODE/NETWORK; takes over both (topologies/pair.c). */
enum ar_status ar_topology_pair(struct ar_topology *inner, struct ar_topology *outer, double nic_Bps,
                                struct ar_topology *pair, struct ar_error *error);

/* Appends a value as it is parsed; true for rates and times that read back to the bit. */
void ar_topology_write_value(const struct ar_topology_param *param, const struct ar_topology_value *value,
                             struct ar_text *text);

void ar_route_add(struct ar_route *route, int64_t link);

enum { AR_TOPOLOGY_MOST_HOSTS = INT32_MAX };

/* *product *= factor (all at least 1). AR_INVALID "expected at most 100 WHAT, got more". */
enum ar_status ar_topology_multiply(int64_t *product, int64_t factor, int64_t most, const char *what,
                                    struct ar_error *error);
