/* Inside the simulation (sim/engine/clocks.h): one round, by the way its model keeps time.
 *
 * A round comes in one of three shapes: one message per port, rank by rank; the same as one pattern; several
 * messages per port. Each is a few loops over ranks in which a rank writes only its own clocks and its own
 * message, so that ranges of ranks could be done side by side.
 */
#pragma once

#include "collectives/exchange.h"
#include "sim/engine/clocks.h"
#include "sim/engine/crowd.h"

/* A simulation under way. */
struct ar_engine {
    const struct ar_simulation *what;
    struct ar_prices prices; /* one clock: per element instead of per byte */
    struct ar_exchange exchange;
    double *clock[AR_MOST_CLOCKS]; /* by rank */
    double *message_s;             /* by sender: when its transfer ends, or its first byte arrives */
    double *met_s;                 /* three clocks, by receiver: when its message met its match */
    int64_t k, transfers;
    struct ar_crowd crowd;  /* several messages per port */
    struct ar_ports *ports; /* one clock, and so */
};

struct ar_round_ways {
    void (*by_rank)(struct ar_engine *rounds);
    void (*by_pattern)(struct ar_engine *rounds);
    void (*crowded)(struct ar_engine *rounds); /* the messages of `crowd` are matched */
};

extern const struct ar_round_ways ar_one_clock_ways, ar_three_clock_ways;

static inline double ar_slow(const struct ar_engine *rounds, int rank)
{
    return rounds->what->slow ? rounds->what->slow[rank] : 1;
}
