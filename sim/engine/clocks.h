/* The uncontended simulation: one clock per rank, rounds asked for one after the other.
 *
 * One port each way, full duplex. A transfer starts when both its ends are in the round and takes
 * alpha_s + bytes * beta_s_per_byte; a rank combines, at gamma_s_per_byte, when its transfers of the round
 * are done, and goes on then without waiting for others. Where a rank sends or receives several messages in a
 * round they queue for its ports (sim/engine/ports.h). Every message sent is matched with one received.
 *
 * Memory: O(nranks), and in a round with several messages per port O(its messages). Time: what the ranks do,
 * with a logarithm of nranks only in such a round. A round that is one pattern is simulated for all ranks at
 * once, to the same bits, without asking any (collectives/exchange.h).
 */
#pragma once

#include "collectives/layout.h"
#include "collectives/schedule.h"
#include "sim/hockney.h"

struct ar_clocks {
    double *end_s;     /* of each rank; the caller releases it with ar_clocks_free */
    double time_s;     /* the largest */
    int64_t transfers; /* how many there were */
};

/* AR_FAILED when a message has no counterpart, in words; AR_NO_MEMORY before anything is taken. */
enum ar_status ar_clocks_run(const struct ar_schedule *schedule, const struct ar_layout *layout,
                             int64_t elem_bytes, const struct ar_hockney *model, struct ar_clocks *clocks,
                             struct ar_error *error);

void ar_clocks_free(struct ar_clocks *clocks);
