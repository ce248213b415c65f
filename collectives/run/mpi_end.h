/* The MPI transport's end for what else talks MPI over it (mpi_library.c). Private to this folder. */
#pragma once

#include "collectives/run/transport.h"

/* The address of our own communicator, an MPI_Comm (headers do without <mpi.h>). Errors on it come back; the
 * tag of a transport's message is its lane. */
void *ar_mpi_comm(struct ar_end *end);

/* AR_SYSTEM: "rank 2: WHAT: " and MPI's words for the code. */
enum ar_status ar_mpi_fail(struct ar_error *error, const struct ar_end *end, int code, const char *what);

/* For calls that cannot report: where the code is an error, MPI's own handler names it and ends all ranks. */
void ar_mpi_must(struct ar_end *end, int code);
