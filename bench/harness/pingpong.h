/* What a message costs here: Hockney's model of this machine, measured over our own MPI transport.
 *
 * Rank 0 and the last rank send messages of 1 B to 8 MiB to each other in two ways: ping-pong (half the round
 * trip is a message alone on its way) and exchange (both send and receive at once, as in most rounds of
 * collectives). The model is fitted to the exchange, for its cost rule is full duplex: both directions
 * loaded. Other ranks wait in a barrier, which Open MPI spends polling: on fewer cores than ranks that
 * disturbs.
 *
 * gamma is measured on all ranks at once, as they combine in collectives: float32 sums of 1 MiB blocks, which
 * lie in a vector of 8 MiB, with one 1 MiB block that, like a message just received, is in the cache.
 *
 * Every number is the median of batches; a batch is long enough for the clock.
 */
#pragma once

#include "bench/fit/hockney.h"
#include "bench/harness/ranks.h"
#include "bench/report/report.h"
#include "sim/hockney.h"

struct ar_pingpong_point {
    int64_t bytes;
    double pingpong_s; /* half a round trip */
    double exchange_s; /* from both starts to both ends */
};

struct ar_pingpong {
    struct ar_hockney model;         /* alpha and beta of `line`, and gamma; for costing and `auto`, which
                                        chose no better by regimes */
    struct ar_pingpong_point *point; /* npoints, ascending sizes; 2^i and 3 * 2^i B */
    int npoints;
    struct ar_fit_line line;                   /* one for all sizes of the exchange */
    struct ar_fit_line regime[AR_FIT_REGIMES]; /* nregimes of them */
    int nregimes;
    struct ar_fit_line alone; /* one for all sizes of the ping-pong */
};

/* Collective over MPI; every rank gets the same. Takes about `seconds` (> 0), at least what three messages of
 * each size take. AR_INVALID on fewer than two ranks or without MPI; AR_SYSTEM, which one rank may see alone
 * (then end all ranks: ar_mpi_abort). */
enum ar_status ar_pingpong_measure(const struct ar_ranks *ranks, double seconds, struct ar_pingpong *found,
                                   struct ar_error *error);
void ar_pingpong_free(struct ar_pingpong *found); /* a zeroed one too */

/* Adds what was found: "points" and "models" with their notes; for people the model in words above them, for
 * programs also the field gamma_Bps. */
void ar_pingpong_report(const struct ar_pingpong *found, int nranks, bool for_people,
                        struct ar_report *report);
