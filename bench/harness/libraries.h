/* Which algorithm MPI libraries choose by themselves: the tables compiled into them, as data (openmpi.def,
 * mpich.def).
 *
 * Collectives and numbers of ranks that the data leave out are refused, not guessed.
 */
#pragma once

#include "collectives/schedule.h"

struct ar_library {
    const char *name, *title, *source;
    const char *note; /* what to know of its choices */
};

extern const struct ar_library ar_libraries[]; /* openmpi, mpich */
extern const int ar_nlibraries;

/* What the library (its index) runs for `count` elements of the full vector, and the largest count up to
 * which that holds (INT64_MAX: all). AR_INVALID: it has no rule for the collective on so many ranks, or what
 * it runs does not exist here for so many. */
enum ar_status ar_library_choose(int library, enum ar_collective_id collective, int nranks, int64_t count,
                                 int64_t elem_bytes, struct ar_choice *choice, int64_t *last_count,
                                 struct ar_error *error);
