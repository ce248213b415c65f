/* The MPI library's own: its collectives for comparison, and what measuring over MPI takes besides them.
 *
 *     ar_library_open(&call, &setup, end, error);      once: types, operators and parts are looked up
 *     ar_library_take(call, vector);                   where the contribution matters
 *     ar_library_run(call, vector, error);             as often as wanted; allocates nothing of ours
 *     ar_library_settle(call, vector);                 where the result is looked at
 *     ar_library_close(call);
 *
 * Every function but admits, memory, open, take, settle and close is collective.
 */
#pragma once

#include <stdint.h>

#include "collectives/collective.h"
#include "collectives/run/transport.h"
#include "collectives/run/types.h"

struct ar_library_call;

struct ar_library_setup {
    enum ar_collective_id collective;
    int root;
    int64_t count; /* elements of the full vector; of a barrier whatever */
    enum ar_type type;
    const struct ar_operator *op; /* unused, may be NULL, where the collective does not reduce */
};

/* Whether MPI has it. AR_INVALID: MPI has no average, and no float16 or bfloat16 to combine (it moves them);
 * its counts are ints, so beyond 2^31-1 elements. */
enum ar_status ar_library_admits(const struct ar_library_setup *setup, struct ar_error *error);

/* Bytes that a call takes, with what MPI's reductions are reckoned to; for ar_memory_check. */
double ar_library_memory(const struct ar_library_setup *setup, int nranks);

/* The same refusals. The end must outlive the call. */
enum ar_status ar_library_open(struct ar_library_call **call, const struct ar_library_setup *setup,
                               struct ar_end *end, struct ar_error *error);
void ar_library_close(struct ar_library_call *call); /* NULL too */

/* On a full-length vector in place. Parts are those of the equal layout, and the result lies where ours
 * would, but for two: reduce_scatter leaves the rank's part at the start of the vector, since MPI has no
 * other place for it in place; and alltoall, which MPI has in place only with other contents, goes from one
 * buffer of the call to another. AR_SYSTEM when MPI fails: then end all ranks (ar_mpi_abort). */
enum ar_status ar_library_run(struct ar_library_call *call, void *vector, struct ar_error *error);

/* Before a run: fills that first buffer from the vector. After it: moves the result to where it belongs. */
void ar_library_take(struct ar_library_call *call, const void *vector);
void ar_library_settle(const struct ar_library_call *call, void *vector);

/* ---- For measuring ----------------------------------------------------------------------------------- */

/* A barrier of known shape, whatever the library's is: in round k every rank sends one byte 2^k ranks on and
 * hears from as far below (Hensgen, Finkel, Manber, Two algorithms for barrier synchronization, International
 * Journal of Parallel Programming 17(1), 1988). Ranks leave it within about one message of one another. */
void ar_mpi_meet(struct ar_end *end);

/* Rank 0's bytes to all. */
void ar_mpi_tell(struct ar_end *end, void *bytes, int n);

/* Each of n values becomes the largest that any rank has of it. */
void ar_mpi_maxima(struct ar_end *end, double *value, int n);
