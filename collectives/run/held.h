/* Which elements of the vector a rank holds before or after a collective. */
#pragma once

#include "collectives/layout.h"
#include "collectives/schedule.h"

/* The next part, from *part on, that `where` gives to `rank`: its number in *part and its elements; false
 * when there is none. Start with *part = 0 and add one after each. */
static inline bool ar_held_part(const struct ar_schedule *schedule, const struct ar_layout *layout,
                                enum ar_where where, int rank, int64_t *part, int64_t *offset,
                                int64_t *length)
{
    struct ar_layout parts = *layout;
    parts.splits = 1;
    while (*part < layout->parts && !ar_schedule_at(schedule, where, rank, *part))
        ++*part;
    if (*part == layout->parts)
        return false;
    ar_layout_block(&parts, *part, offset, length);
    return true;
}
