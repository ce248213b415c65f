/* Messages and bytes per peer: a growing array with a hash, so that a look-up costs a few nanoseconds for two
 * peers as for a thousand. */
#pragma once

#include <stdbool.h>

#include "collectives/run/counter.h"

/* Start zeroed. */
struct ar_counters {
    struct ar_counter *item;
    int n, capacity;
    int *index; /* hash: peer -> item + 1, 0 is empty */
    int nindex; /* a power of two, at least twice n; or 0 */
    bool sorted;
};

/* The counter of `peer`, made when there is none yet. Valid until the next call. */
struct ar_counter *ar_counters_of(struct ar_counters *counters, int peer);

/* Puts the items in the order of their peers. */
void ar_counters_sort(struct ar_counters *counters);

/* Sets all to zero; the peers stay. */
void ar_counters_clear(struct ar_counters *counters);

void ar_counters_free(struct ar_counters *counters);
