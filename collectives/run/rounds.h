/* A rank's rounds with addresses: which bytes are sent and received from where, and what is combined after.
 *
 * A plain receive goes straight to its place where nothing else of the same round touches those elements
 * before it in the order of the schedule; every other receive goes to staging memory, and the work that
 * follows the round's transfers takes it from there, in emission order. A send whose pieces come from several
 * places is packed into staging first.
 *
 * Where a sum or product is rounded (float16 and bfloat16, setup.folds), all that a round combines into one
 * element is one fold, rounded once: such work stands together, cut where its operands begin and end.
 *
 * A data run plans all its rounds once; a simulated one plans each round when it comes to it, without
 * addresses, and then forgets it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectives/layout.h"
#include "collectives/messages.h"
#include "collectives/run/transport.h"

/* Where bytes lie: one of the schedule's three places, or the memory for messages under way. */
enum { AR_STAGING = AR_NPLACES, AR_NAREAS };

/* Whose rounds. */
struct ar_rounds_setup {
    const struct ar_schedule *schedule;
    struct ar_layout layout;
    size_t elem_bytes;
    int rank;
    bool simulated;
    bool folds; /* work on the same elements is put together (see above) */
    /* The first element that each place keeps: input and scratch hold only what the schedule uses. */
    int64_t first[AR_NPLACES];
};

struct ar_transfer {
    int peer;
    bool sent;
    uint8_t area;  /* AR_STAGING: in one piece */
    size_t bytes;  /* all of it */
    size_t extent; /* the first of its nextents: bytes from the area's beginning, in the message's order */
    int nextents;
};

struct ar_work {
    uint8_t kind, order, from, to; /* AR_COPY or AR_FOLD, ar_order, areas */
    bool more;                     /* the next work belongs to the same fold: same `to`, to_at and n */
    int message;           /* of the round's transfers, the one whose staging is read or packed; else -1 */
    size_t from_at, to_at; /* bytes into the areas */
    size_t n;              /* elements */
};

struct ar_round {
    int64_t k;
    size_t transfer, work;           /* the first of each */
    int ntransfers, npacking, nwork; /* packing is the first part of the work, done before the transfers */
    size_t staging_bytes;
};

/* Start zeroed. Rounds are appended; buffers are kept by ar_rounds_clear. */
struct ar_rounds {
    struct ar_transfer *transfer;
    struct ar_work *work;
    struct ar_round *round;
    struct ar_extent *extent;
    size_t ntransfers, transfer_capacity, nwork, work_capacity, nrounds, round_capacity, nextents,
        extent_capacity;
    struct ar_messages messages; /* of the last round planned; transfers have the same order */
    /* For planning one round. */
    struct ar_draft *draft;
    struct ar_touch *touch;
    struct ar_cut *cut;
    int64_t *bound;
    size_t draft_capacity, touch_capacity, cut_capacity, bound_capacity;
};

/* Appends round k. False when the rank is idle in it. */
bool ar_rounds_add(struct ar_rounds *rounds, const struct ar_rounds_setup *setup, int64_t k);

/* Forgets all rounds. */
void ar_rounds_clear(struct ar_rounds *rounds);
void ar_rounds_free(struct ar_rounds *rounds);

/* What all rounds need together. */
struct ar_rounds_needs {
    size_t staging_bytes;
    int nslots;
    size_t ntransfers, nwork, nrounds, nextents;
    size_t bytes, largest_bytes;                  /* of all transfers, of one */
    int most_operands;                            /* of one fold, what is held not counted */
    int64_t first[AR_NPLACES], count[AR_NPLACES]; /* elements used of input and scratch; count 0: none */
};

struct ar_rounds_needs ar_rounds_measure(const struct ar_rounds_setup *setup);

/* Bytes that the lists of all rounds take, shapes and slots included (what a transport keeps for each is an
 * estimate). Short schedules on long vectors need next to nothing; a million segments need hundreds of
 * megabytes. */
double ar_rounds_bytes(const struct ar_rounds_needs *needs);

/* Makes room for exactly these, while there are no rounds yet. */
void ar_rounds_reserve(struct ar_rounds *rounds, const struct ar_rounds_needs *needs);
