/* One schedule run once on real buffers and checked: every rank's result bitwise, and the messages and bytes
 * counted on the transport against those the schedule says. */
#pragma once

#include "collectives/run/transport.h"
#include "collectives/run/pieces.h"
#include "collectives/run/types.h"
#include "collectives/schedule.h"

struct ar_case {
    const struct ar_schedule *schedule;
    int64_t count; /* elements of the vector */
    enum ar_type type;
    bool uneven;                  /* parts of ar_case_counts; only where blocks belong to ranks */
    const struct ar_operator *op; /* NULL where the collective does not reduce */
    struct ar_end *end;           /* this rank's, over MPI; NULL: all ranks in this process, over loopback */
    struct ar_pieces pieces;
    int node_ranks; /* over MPI: ranks that share this machine's memory; 0: all of them */
};

/* AR_FAILED names the case: "allreduce:ring, 4 ranks, 5 elements, float32, sum: rank 2, element 3 ...".
 * AR_NO_MEMORY before anything is taken. Over MPI all ranks call it; each answers for itself. */
enum ar_status ar_case_run(const struct ar_case *run, struct ar_error *error);

/* Unequal parts, nranks of them in the caller's free(): the last rank has half of the elements, the one
 * before half of the rest, and so on; the first what is left. */
int64_t *ar_case_counts(int64_t count, int nranks);

/* The largest of those parts. */
int64_t ar_case_largest(int64_t count, int nranks);
