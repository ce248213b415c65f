/* The collectives, as data: who holds a block before, and who must hold it after.
 *
 * A vector is cut into named blocks. Before a collective, some ranks hold each block; afterwards some ranks
 * must. With `reduces`, what they must hold is the combination of every rank's block of that name; without,
 * it is the one contribution that existed. The verifier, the executor and the drawings know nothing else
 * about a collective, so a new one is one line in collectives.def.
 *
 * In an all-to-all every rank has a vector of its own, of which each part is for another rank. Its blocks are
 * named (source, destination), part source * nranks + destination: nranks rows of nranks parts, a row being
 * the vector that one rank starts with. As everywhere, `count` is the elements of the full vector, which here
 * is one row: what one rank sends, and what MPI_Alltoall's and nccl-tests' sizes mean. All rows, one after
 * the other, have a place on every rank, for blocks may pass through ranks on their way.
 *
 * A barrier has a `token` instead of a vector: one block without elements, whose messages exist all the same
 * (the only ones that are empty). Who receives it knows what the sender knew, so combining is a union and may
 * meet a rank's entry twice; afterwards every rank must know that all have entered.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum ar_where {
    AR_AT_ROOT,        /* the root only */
    AR_AT_OWNER,       /* the rank whose number the block's part has: the vector has one part per rank */
    AR_AT_ALL,         /* every rank */
    AR_AT_SOURCE,      /* of a part named (source, destination) the one */
    AR_AT_DESTINATION, /* and the other */
};

/* What becomes of the contributions. */
enum ar_fate {
    AR_MOVED,
    AR_REDUCED, /* combined by an operator */
    AR_TOKEN,   /* there are none but a token */
};

enum ar_collective_id {
#define AR_COLLECTIVE(name, STARTS, ENDS, FATE, SUMMARY) AR_COLLECTIVE_##name,
#include "collectives/collectives.def"
#undef AR_COLLECTIVE
    AR_NCOLLECTIVES
};

struct ar_collective {
    const char *name, *summary;
    enum ar_where starts, ends;
    bool reduces, token;
};

extern const struct ar_collective ar_collectives[AR_NCOLLECTIVES];

static inline bool ar_collective_rooted(enum ar_collective_id id)
{
    return ar_collectives[id].starts == AR_AT_ROOT || ar_collectives[id].ends == AR_AT_ROOT;
}

/* How many vectors of `count` elements have their place on every rank. */
static inline int64_t ar_collective_rows(enum ar_collective_id id, int nranks)
{
    return ar_collectives[id].ends == AR_AT_DESTINATION ? nranks : 1;
}

/* True where blocks belong to ranks, so that counts may differ per rank (all rows are cut alike). */
static inline bool ar_collective_owned(enum ar_collective_id id)
{
    return ar_collectives[id].starts == AR_AT_OWNER || ar_collectives[id].ends == AR_AT_OWNER ||
           ar_collectives[id].ends == AR_AT_DESTINATION;
}

/* Whether receives may combine. */
static inline bool ar_collective_combines(enum ar_collective_id id)
{
    return ar_collectives[id].reduces || ar_collectives[id].token;
}
