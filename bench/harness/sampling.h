/* Times of things that all ranks do together, taken so that they can be compared.
 *
 * The contestants alternate: in every round each runs once, in an order shuffled anew, the same on all ranks
 * (in a fixed order the second of two equal ones measured 3-11 % slower). Before a run the ranks meet
 * (ar_mpi_meet); a rank's duration lasts from leaving the meeting to the end of its own part, and a sample is
 * the largest duration of any rank. Ranks leave the meeting up to about one message apart, which is in the
 * sample. Durations are kept where they are taken and put together once, at the end.
 *
 * Rounds go on until every contestant is settled: at least 50 samples, and on rank 0 the 95 % interval of the
 * median within 1 % of it. A contestant that has used its time leaves earlier (with at least 6 samples, the
 * fewest whose extremes are such an interval), and nobody takes more than AR_SAMPLES_MOST. Rank 0 decides,
 * and tells the others between batches of rounds.
 *
 * What a contestant is, its data and whether its result is right, is the caller's business.
 */
#pragma once

#include <stdint.h>

#include "collectives/run/transport.h"

enum { AR_SAMPLES_FEWEST = 6, AR_SAMPLES_ENOUGH = 50, AR_SAMPLES_MOST = 10000 };

struct ar_contestant {
    /* Once, on this rank. After a failure the other ranks may wait for this one: end them (ar_mpi_abort). */
    enum ar_status (*run)(void *context, struct ar_error *error);
    void *context;
    double spent_s; /* of its time, before; rank 0's counts */
};

struct ar_sampling {
    struct ar_end *end; /* NULL: this process is the only rank */
    double seconds;     /* each contestant may use, meetings included */
    uint64_t *random;   /* the state of ar_random, the same on all ranks */
};

struct ar_samples {
    double
        *time_s; /* n of them, in the order they were taken, at least the clock's resolution; from malloc */
    int n;
};

/* Collective. On success samples[i] is contestant i's, the same on every rank; the first two runs of each are
 * not in it. */
enum ar_status ar_sample(const struct ar_sampling *how, const struct ar_contestant *contestant, int n,
                         struct ar_samples *samples, struct ar_error *error);

/* CLOCK_MONOTONIC, and what it can tell apart. */
double ar_clock_s(void);
double ar_clock_resolution_s(void);
