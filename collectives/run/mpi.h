/* The MPI transport: starting and ending MPI, and messages. What else the program wants of MPI is in
 * mpi_library.h and witness.h; none of the three includes <mpi.h>.
 *
 * Messages travel with MPI_Isend and MPI_Irecv on a communicator of our own, in requests made by reserve();
 * finish() waits for them. A shape of one extent up to 2 GiB is plain bytes, every other one a committed
 * datatype, so any length works with MPI-3's int counts. The transport moves real data only (simulated
 * buffers run on loopback).
 *
 * MPI's errors come back as sentences naming rank and peer, as does a message shorter than its receiver
 * expects. All are AR_SYSTEM. Other transfers may still be under way then, so the way on is ar_mpi_abort.
 *
 * The functions from ar_mpi_barrier to ar_mpi_max are collective. When MPI fails in one that returns nothing,
 * MPI itself names the error and ends all ranks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectives/run/transport.h"

/* True when the process was started by a launcher (mpiexec, srun), without initialising MPI; *rank and
 * *nranks (either may be NULL), where the launcher says them, else -1. A shell in a Slurm allocation is not a
 * launched process. */
bool ar_mpi_launched(int *rank, int *nranks);

/* MPI_Init and the communicator; once per process. With `witness` (see witness.h) the monitoring layer is
 * switched on first unless the user set its variable. `version` (static) names the library, e.g. "Open MPI
 * 4.1.4". */
enum ar_status ar_mpi_open(bool witness, struct ar_end **end, const char **version, struct ar_error *error);

/* Closes the end and MPI. Its shapes must have been forgotten. */
void ar_mpi_close(struct ar_end *end);

/* Ends all ranks with `exit_code`, for errors that only some ranks see. */
_Noreturn void ar_mpi_abort(int exit_code);

void ar_mpi_barrier(struct ar_end *end);

/* Every rank contributes `bytes` bytes, the same number everywhere; on return every rank has all of them, in
 * the order of ranks. */
void ar_mpi_share(struct ar_end *end, const void *mine, int bytes, void *all);

/* The largest of everybody's value, on every rank; for agreeing on errors. */
int64_t ar_mpi_max(struct ar_end *end, int64_t mine);
