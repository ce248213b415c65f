/* A second count of the bytes sent, made by the MPI library and not by us.
 *
 * Open MPI's pml/monitoring component (switched on with pml_monitoring_enable=1 before MPI_Init) calls
 * mca_common_monitoring_record_pml(world_rank, bytes, tag) for every message of the point-to-point layer. The
 * program exports that symbol, so the calls arrive here; each is added up and passed on to the component's
 * own function. Negative tags are the library's own messages (collectives). Persistent requests and
 * shared-memory windows are invisible to it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ar_witness {
    int64_t user_messages, user_bytes;       /* tags >= 0: ours */
    int64_t library_messages, library_bytes; /* tags < 0: MPI's own collectives */
};

/* Totals since the program started, as sent by this rank. */
struct ar_witness ar_witness_total(void);

/* The bytes and messages sent to one world rank, our own tags. */
void ar_witness_peer(int peer, int64_t *messages, int64_t *bytes);

/* False while no call has ever been seen: then nothing was observed, which is not the same as zero bytes. */
bool ar_witness_observed(void);
