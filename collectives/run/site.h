/* What both ways of executing a schedule work with: a rank's end, memory, operator and counters. */
#pragma once

#include "collectives/run/counters.h"
#include "collectives/run/rounds.h"
#include "collectives/run/types.h"

struct ar_site {
    struct ar_end *end;
    enum ar_type type;
    const struct ar_operator *op; /* NULL: the collective does not reduce */
    size_t elem_bytes;
    unsigned char *area[AR_NAREAS];
    struct ar_counters counters;
};

/* to := to o other[0] o ... o other[n-1], `bytes` of each; `order` where n is 1. */
void ar_site_fold(const struct ar_site *site, unsigned char *to, const void *const *other, int n,
                  enum ar_order order, size_t bytes);

/* The lane of the next message to or from `peer`: they take turns, whoever executes them (flow.h). */
int ar_site_lane(struct ar_site *site, int peer, bool sent);

/* Counts a transfer that was started: one message on the wire, and if it is the `first` piece the schedule's,
 * of message_bytes. */
void ar_site_count(struct ar_site *site, int peer, bool sent, bool first, size_t message_bytes);
