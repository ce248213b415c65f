/* The collectives, as data: who holds a block before, and who must hold it after.
 *
 * A vector is cut into named blocks. Before a collective, some ranks hold each block; afterwards some ranks
 * must. With `reduces`, what they must hold is the combination of every rank's block of that name; without,
 * it is the one contribution that existed. The verifier, the executor and the drawings know nothing else
 * about a collective, so a new one is one line in collectives.def.
 */
#pragma once

#include <stdbool.h>

enum ar_where {
    AR_AT_ROOT,  /* the root only */
    AR_AT_OWNER, /* the rank whose number the block's part has: the vector has one part per rank */
    AR_AT_ALL,   /* every rank */
};

enum ar_collective_id {
#define AR_COLLECTIVE(name, STARTS, ENDS, REDUCES, SUMMARY) AR_COLLECTIVE_##name,
#include "collectives/collectives.def"
#undef AR_COLLECTIVE
    AR_NCOLLECTIVES
};

struct ar_collective {
    const char *name, *summary;
    enum ar_where starts, ends;
    bool reduces;
};

extern const struct ar_collective ar_collectives[AR_NCOLLECTIVES];

static inline bool ar_collective_rooted(enum ar_collective_id id)
{
    return ar_collectives[id].starts == AR_AT_ROOT || ar_collectives[id].ends == AR_AT_ROOT;
}

/* True where blocks belong to ranks, so that counts may differ per rank. */
static inline bool ar_collective_owned(enum ar_collective_id id)
{
    return ar_collectives[id].starts == AR_AT_OWNER || ar_collectives[id].ends == AR_AT_OWNER;
}
