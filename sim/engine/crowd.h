/* The messages of a round in which a rank may send and receive several: listed from both ends and matched. */
#pragma once

#include "collectives/exchange.h"
#include "sim/engine/ports.h"

struct ar_crowd_list {
    struct ar_delivery *item;
    int64_t n, capacity;
};

/* Starts zeroed; release with ar_crowd_free. */
struct ar_crowd {
    struct ar_crowd_list out, in; /* as their senders and their receivers see them; grouped by these */
    int64_t *index;               /* of `out`, grouped by receiver, those to the lowest first... */
    int64_t *end;                 /* ...and by receiver the end of its group */
    int64_t *combined;            /* by rank: elements */
    int64_t *expected;
};

/* Lists and matches the messages of round k of all active ranks. AR_FAILED names one that lacks an end. */
enum ar_status ar_crowd_match(struct ar_crowd *crowd, struct ar_exchange *exchange, int64_t k,
                              struct ar_error *error);

/* AR_FAILED: "round 3: 5 elements go from rank 1 to rank 2, which do not agree". */
enum ar_status ar_unmatched(int64_t k, int from, int to, int64_t elements, struct ar_error *error);

void ar_crowd_free(struct ar_crowd *crowd);
