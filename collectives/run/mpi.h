/* The MPI transport. The only header through which the program reaches MPI; it does not include <mpi.h>. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collectives/run/transport.h"
#include "collectives/run/execution.h"

/* True when the process was started by a launcher (mpiexec, srun), without initialising MPI; *rank and
 * *nranks, where the launcher says them, else -1. */
bool ar_mpi_launched(int *rank, int *nranks);

/* MPI_Init and the communicator. With `witness` (see witness.h) the monitoring layer is switched on first
 * unless the user set its variable. `version` (static) names the library, e.g. "Open MPI 4.1.4". */
enum ar_status ar_mpi_open(bool witness, struct ar_end **end, const char **version, struct ar_error *error);

/* Closes the end and MPI. */
void ar_mpi_close(struct ar_end *end);

/* Ends all ranks with `exit_code`, for errors that only some ranks see. */
_Noreturn void ar_mpi_abort(int exit_code);

void ar_mpi_barrier(struct ar_end *end);

/* Every rank contributes n values; on return all[r * n + i] at rank 0 (elsewhere untouched). */
void ar_mpi_gather(struct ar_end *end, const int64_t *mine, int n, int64_t *all);

/* The largest of everybody's value, on every rank; for agreeing on errors. */
int64_t ar_mpi_max(struct ar_end *end, int64_t mine);

/* The MPI library's own collective on a full-length vector in place, in float32, for comparison. Parts are
 * the equal layout. */
enum ar_status ar_mpi_library(struct ar_end *end, enum ar_collective_id collective, int root, float *vector,
                              int64_t count, struct ar_error *error);
