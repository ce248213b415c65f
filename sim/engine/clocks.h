/* The uncontended simulation: a few clocks per rank, rounds asked for one after the other.
 *
 *     struct ar_prices prices = ar_prices_of_hockney(&model);      or ar_cost_model_price(...)
 *     struct ar_simulation what = {&schedule, &layout, elem_bytes, &prices};
 *     ar_simulate(&what, &clocks, error);
 *
 * What messages and combining do to the clocks is said in sim/models/prices.h. One port each way, full
 * duplex. A rank combines when its transfers of the round are done, and goes on then without waiting for
 * others.
 *
 *   one clock     Where a rank sends or receives several messages in a round they queue for its ports
 *                 (sim/engine/ports.h).
 *   three clocks  A rank first starts what it sends, in the order emitted, then takes what comes to it in
 *                 the order of arrival (of two, the lower rank's); LogGOPSim may take one before it sends,
 *                 where g holds the port back. A large message holds its sender in the round until it is
 *                 met.
 *
 * Every message sent is matched with one received, and every rank does all its rounds: there is no result
 * without that. Memory: O(nranks), and in a round with several messages per port O(its messages). Time: what
 * the ranks do, and only in such a round O(nranks) more, with a logarithm of nranks per message. A round that
 * is one pattern is simulated for all ranks at once, to the same bits, without asking any
 * (collectives/exchange.h).
 */
#pragma once

#include "collectives/layout.h"
#include "collectives/schedule.h"
#include "sim/hockney.h"
#include "sim/models/prices.h"

struct ar_simulation {
    const struct ar_schedule *schedule;
    const struct ar_layout *layout;
    int64_t elem_bytes;
    const struct ar_prices *prices;
    const double *start_s; /* by rank, >= 0: when it begins; NULL: all at 0 */
    /* By rank, > 0: how many times as long it takes; NULL: 1. Of three clocks, what the processor does (o, O,
     * gamma); of one, combining, and transfers as the slower end takes them. */
    const double *slow;
    double noise_s; /* a rank enters a round in which it has messages up to so much late, evenly spread... */
    uint64_t seed;  /* ...by a hash of seed, rank and round */
    bool ends;      /* whether each rank's end is wanted */
};

struct ar_clocks {
    double *end_s;     /* of each rank, or NULL; the caller releases it with ar_clocks_free */
    double time_s;     /* the largest */
    int64_t transfers; /* how many there were */
};

/* AR_FAILED when a message has no counterpart, naming round, sender and receiver; AR_NO_MEMORY before
 * anything is taken. */
enum ar_status ar_simulate(const struct ar_simulation *what, struct ar_clocks *clocks,
                           struct ar_error *error);

/* The same under Hockney's model, with each rank's end. */
enum ar_status ar_clocks_run(const struct ar_schedule *schedule, const struct ar_layout *layout,
                             int64_t elem_bytes, const struct ar_hockney *model, struct ar_clocks *clocks,
                             struct ar_error *error);

void ar_clocks_free(struct ar_clocks *clocks);
