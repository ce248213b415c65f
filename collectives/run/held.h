/* Which elements of the vector a rank holds before or after a collective. */
#pragma once

#include "collectives/layout.h"
#include "collectives/schedule.h"

/* The elements of one row (0 .. ar_layout_rows-1) that `where` gives to `rank`: one range; *length is 0 where
 * there are none. */
static inline void ar_held(const struct ar_schedule *schedule, const struct ar_layout *layout,
                           enum ar_where where, int rank, int64_t row, int64_t *offset, int64_t *length)
{
    struct ar_layout parts = *layout;
    parts.splits = 1;
    *offset = row * layout->count;
    *length = 0;
    if (where == AR_AT_OWNER || where == AR_AT_DESTINATION)
        ar_layout_block(&parts, row * layout->parts + rank, offset, length);
    else if (where == AR_AT_ALL || (where == AR_AT_ROOT && rank == schedule->problem.root) ||
             (where == AR_AT_SOURCE && rank == row))
        *length = layout->count;
}
