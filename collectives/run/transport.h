/* How messages travel: the interface under the executor.
 *
 * A transport connects nranks ranks. Each rank opens an end of its own with room for a number of transfers in
 * flight, and transfers are started in a slot. Messages between two ranks match in the order in which they
 * were started, in each of AR_LANES lanes by itself. There are two: `loopback` (all ranks in one process) and
 * `mpi`.
 *
 * A message is a list of extents of one buffer (a gather on the sending, a scatter on the receiving side),
 * fixed when the schedule is prepared; only the buffer's address is new at each start. Simulated messages are
 * a number of bytes and nothing else: they are matched and their sizes checked.
 *
 * Errors of a transfer keep the transport's own status: AR_SYSTEM over mpi, AR_FAILED for a mismatch over
 * loopback, AR_INVALID for a peer or slot that does not exist. The end is of no further use then.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectives/base/error.h"

enum { AR_LANES = 2 };

struct ar_extent {
    size_t offset, length; /* bytes from the base address */
};

/* What a message looks like in a buffer. Made by shape(), released by forget(); contents are the transport's.
 */
struct ar_shape;

/* One rank's end. Transports embed it at the start of their own struct. */
struct ar_end {
    const struct ar_transport *transport;
    int rank, nranks;
};

struct ar_transport {
    const char *name;

    /* Describes n extents. The extents are copied. */
    struct ar_shape *(*shape)(struct ar_end *end, const struct ar_extent *extent, int n);
    void (*forget)(struct ar_end *end, struct ar_shape *shape);

    /* Makes sure that slots 0 .. nslots-1 exist. Called while preparing, so that running allocates nothing;
     * never while a transfer of this end is in flight. */
    void (*reserve)(struct ar_end *end, int nslots);

    /* Starts one transfer in `slot`. */
    enum ar_status (*send)(struct ar_end *end, int slot, int peer, int lane, const void *base,
                           const struct ar_shape *shape, struct ar_error *error);
    enum ar_status (*receive)(struct ar_end *end, int slot, int peer, int lane, void *base,
                              const struct ar_shape *shape, struct ar_error *error);

    /* Finishes the transfers in slots 0 .. nslots-1. *done is false while some peer has not yet done its
     * part; only loopback says so, mpi waits. */
    enum ar_status (*finish)(struct ar_end *end, int nslots, bool *done, struct ar_error *error);

    /* Finishes some of the transfers in slots 0 .. nslots-1, and says which: *n slots in `finished`, which
     * has room for nslots. With `wait` at least one, where the transport can wait (mpi) and one is under way.
     */
    enum ar_status (*finish_some)(struct ar_end *end, int nslots, bool wait, int *finished, int *n,
                                  struct ar_error *error);

    /* Optional. Whether pieces between this rank and `peer` are faster with their second half before the
     * first (mpi.c says why). Both ends give the same answer. */
    bool (*prefers_halves)(const struct ar_end *end, int peer);

    void (*close)(struct ar_end *end);

    /* Optional: a simulated transfer of so many bytes, in lane 0. NULL: the transport always moves data
     * (mpi). */
    enum ar_status (*send_bytes)(struct ar_end *end, int slot, int peer, size_t bytes,
                                 struct ar_error *error);
    enum ar_status (*receive_bytes)(struct ar_end *end, int slot, int peer, size_t bytes,
                                    struct ar_error *error);

    /* Whether the transfer in `slot` has been started and not finished, to say who waits for whom. NULL where
     * finish() waits. */
    bool (*pending)(const struct ar_end *end, int slot);
};

/* All ranks of one process: ends[0 .. nranks-1] receive one end each. Close every one. A send is finished
 * when its receive has been started too; the data is copied then, straight from one buffer to the other. A
 * send and a receive that match with different sizes break the whole loopback: every finish() says so
 * from then on. Memory grows with the slots reserved, not with pairs of ranks. Single-threaded. */
void ar_loopback_open(int nranks, struct ar_end **ends);
