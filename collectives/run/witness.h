/* A second count of the bytes sent, made by the MPI library and not by us.
 *
 * Open MPI's pml/monitoring component (switched on with pml_monitoring_enable=1 before MPI_Init) calls
 * mca_common_monitoring_record_pml(world_rank, bytes, tag) for every message that the point-to-point layer
 * sends. The program exports that symbol, so the calls arrive here; each is added up and passed on to the
 * component's own function, whose dumps (pml_monitoring_filename) stay what they were.
 *
 * Negative tags are the library's own messages: its collectives, barriers, what making a communicator takes.
 * Tags from 0 on are point-to-point calls of the program; here, the transfers of the mpi transport and the
 * bytes of ar_mpi_meet. Bytes are those of the payload, counted when a send is posted.
 *
 * Nothing is observed under another MPI library, when the user picks the point-to-point layer himself
 * (`--mca pml ob1` leaves the component out), switches the component off, or when the program does not export
 * its symbols (link with -rdynamic). Shared-memory windows and collectives that bypass the point-to-point
 * layer (coll/sm, hcoll) are invisible to it; persistent requests are counted unreliably.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ar_witnessed {
    int64_t messages, bytes;
};

/* Asks Open MPI for the component, unless the user's environment has decided already. Before MPI_Init;
 * ar_mpi_open does it. */
void ar_witness_enable(void);

/* Makes room for counting per peer; once, after MPI_Init and before the first transfer. ar_mpi_open does it.
 */
void ar_witness_expect(int nranks);

/* What this rank has sent to one world rank since the program started, our own tags (>= 0). */
struct ar_witnessed ar_witness_sent_to(int peer);

/* What MPI's own collectives have sent from this rank (tags < 0). */
struct ar_witnessed ar_witness_library(void);

/* False while no call has ever been seen: then nothing was observed, which is not the same as zero bytes. */
bool ar_witness_observed(void);
