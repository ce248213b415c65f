/* Every algorithm there is, in the order of algorithms.def. */
#pragma once

#include "collectives/algorithm.h"

/* The descriptors by name, for combinators: ar_broadcast_chain, ar_allgather_ring, ... */
#define AR_ALGORITHM(collective, name) extern const struct ar_algorithm ar_##collective##_##name;
#include "collectives/algorithms.def"
#undef AR_ALGORITHM

extern const struct ar_algorithm *const ar_algorithms[];
extern const int ar_nalgorithms;

/* NULL when there is none of that name. */
const struct ar_algorithm *ar_algorithm_find(enum ar_collective_id collective, const char *name);

/* AR_NCOLLECTIVES when there is none of that name. */
enum ar_collective_id ar_collective_find(const char *name);
