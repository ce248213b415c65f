/* A symbolic walk from inside, and its sentences. Private to collectives/verify: symbolic.c walks, faults.c
 * says what went wrong. */
#pragma once

#include "collectives/messages.h"
#include "collectives/verify/verify.h"

/* One block on its way: its name, and what it held when the round began. */
struct ar_carried {
    int64_t block;
    int expression;
};

struct ar_sent {
    int rank, peer;
    int64_t first, n; /* its blocks: carried[first .. first + n - 1] */
    int64_t taken;    /* how many of them the receiver has taken */
};

/* What remains to be done once all sends are known: receives and local work, in emission order. */
struct ar_pending {
    int rank, peer;
    struct ar_action action;
};

struct ar_symbolic {
    const struct ar_schedule *schedule;
    const struct ar_collective *collective;
    struct ar_layout layout; /* one element per block, so offsets are names of blocks */
    int nranks;
    int64_t nblocks;
    struct ar_room room; /* holds all that follows */
    struct ar_expressions expressions;
    int *vector, *scratch; /* [rank * nblocks + block]; scratch is made when it is first written */
    int64_t *first, *last; /* the span of every rank */
    int64_t vector_capacity, scratch_capacity;
    struct ar_messages messages;

    /* The round being applied. */
    int64_t round;
    struct ar_sent *sent;
    struct ar_carried *carried;
    struct ar_pending *pending;
    int64_t nsent, ncarried, npending;
    int64_t sent_capacity, carried_capacity, pending_capacity;
    int64_t *sent_of; /* message of the rank being collected -> index in sent */
    int64_t sent_of_capacity;
    int64_t *slot; /* hash of (rank, peer) -> 1 + index in sent; a power of two */
    int64_t nslots, slot_capacity;
};

/* Each returns AR_FAILED with "SCHEDULE, round 3: " and the rest in `error`. */

enum ar_status ar_fault(const struct ar_symbolic *s, struct ar_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The receiver of `sent` expects other blocks, or no message at all. */
enum ar_status ar_fault_blocks_differ(const struct ar_symbolic *s, const struct ar_sent *sent,
                                      struct ar_error *error);
enum ar_status ar_fault_never_received(const struct ar_symbolic *s, const struct ar_sent *sent,
                                       struct ar_error *error);

/* `rank` expects a message from `peer` in vain; `stray` (or NULL) is one that nobody expects. */
enum ar_status ar_fault_never_sent(const struct ar_symbolic *s, int rank, int peer,
                                   const struct ar_sent *stray, struct ar_error *error);

/* Both expressions contain some rank's contribution. */
enum ar_status ar_fault_counts_twice(const struct ar_symbolic *s, int rank, int64_t block, int held,
                                     int other, struct ar_error *error);

/* AR_OK for a step that may be expanded and applied. */
enum ar_status ar_fault_of_step(const struct ar_symbolic *s, int rank, const struct ar_step *step,
                                struct ar_error *error);
