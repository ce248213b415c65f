/* Which tasks of a flow must wait for which, found from the bytes they touch: a reader for the last writer, a
 * writer for the last writer and all who have read since. */
#pragma once

#include "collectives/run/flow.h"

/* Bytes first .. last-1 of an area that a task reads or writes. */
struct ar_access {
    int task;
    uint8_t area;
    bool writes;
    size_t first, last;
};

/* Fills in the tasks' successors and for how many they wait. The accesses stand in the order of the tasks, of
 * one task its reads before its writes. Time and memory: O(n log n) for n accesses of like length. */
void ar_find_dependences(struct ar_flow *flow, const struct ar_access *access, size_t naccesses);
