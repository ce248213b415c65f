/* One round in which a rank may send and receive several messages: who waits for whose port.
 *
 * A rank's transfers leave in the order given, one at a time; a port receives one at a time, and of those
 * that wait for it the one that could have left first (of two, the lower rank's). A transfer starts as soon
 * as both ports are free.
 */
#pragma once

#include <stdint.h>

struct ar_delivery {
    int from, to;
    int64_t elements;
    double takes_s;
};

/* For nranks ranks; release with ar_ports_free. O(nranks) memory. */
struct ar_ports *ar_ports_new(int nranks);
void ar_ports_free(struct ar_ports *ports);

/* Runs n transfers, grouped by sender. ready_s: when each rank enters the round; of the ranks that occur,
 * done_s[rank] becomes the time when its last transfer ends. */
void ar_ports_run(struct ar_ports *ports, const struct ar_delivery *transfer, int64_t n,
                  const double *ready_s, double *done_s);
