/* What no schedule can beat: one-ported, full-duplex ranks, all connected, a full vector of n bytes.
 *
 *     latency      ceil(log2 P) alpha: in one round a rank's data reaches one more rank
 *     bandwidth    the bytes that some port must carry, as a share of n
 *     computation  the bytes that some rank must combine, as a share of n
 *
 * Each holds by itself, for P > 1 ranks and at least one element (a barrier has none and the latency all the
 * same), whatever the schedule overlaps; the largest is the lower bound of the time. Their sum is not one:
 * the rank that combines most need not be the one whose port is busiest.
 *
 * Source: Chan, Heimlich, Purkayastha, van de Geijn, Collective communication: theory, practice, and
 * experience, CCPE 19(13), 2007, section 3; the bandwidth of all-reduce: Patarasuk, Yuan, JPDC 69(2), 2009.
 */
#pragma once

#include "sim/hockney.h"

/* In seconds. */
struct ar_bounds {
    double latency_s, bandwidth_s, computation_s;
    double time_s;        /* the largest of them */
    struct ar_cost share; /* as factors of a closed form */
};

/* The bounds as the factors of a closed form: latency, bandwidth and computation. Of a scatter and a gather
 * for equal parts. */
struct ar_cost ar_bounds_of(enum ar_collective_id collective, int nranks);

/* For any `count`, the elements of the full vector. */
struct ar_bounds ar_bounds_time(enum ar_collective_id collective, int nranks, int64_t count,
                                int64_t elem_bytes, const struct ar_hockney *model);
