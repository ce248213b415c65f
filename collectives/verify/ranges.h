/* Lists of numbers as people write them: "0,2-4". Shared by the proof's sentences and the drawings.
 *
 *     struct ar_ranges ranges = {&text};
 *     for (...) ar_ranges_add(&ranges, number);
 *     ar_ranges_end(&ranges);
 *
 * Numbers keep the order they are added in; three or more that ascend by one become "first-last".
 */
#pragma once

#include <inttypes.h>
#include <stdint.h>

#include "collectives/base/text.h"

struct ar_ranges {
    struct ar_text *text;
    int64_t n;           /* numbers added so far */
    int64_t first, last; /* the run that is not written yet */
    int written;         /* whether a comma must come first */
};

static inline void ar_ranges_write(struct ar_ranges *ranges)
{
    const char *comma = ranges->written ? "," : "";
    if (ranges->last == ranges->first)
        ar_text_add(ranges->text, "%s%" PRId64, comma, ranges->first);
    else
        ar_text_add(ranges->text, "%s%" PRId64 "%c%" PRId64, comma, ranges->first,
                    ranges->last == ranges->first + 1 ? ',' : '-', ranges->last);
    ranges->written = 1;
}

static inline void ar_ranges_add(struct ar_ranges *ranges, int64_t number)
{
    if (ranges->n > 0 && number == ranges->last + 1) {
        ranges->last = number;
    } else {
        if (ranges->n > 0)
            ar_ranges_write(ranges);
        ranges->first = ranges->last = number;
    }
    ranges->n++;
}

static inline void ar_ranges_end(struct ar_ranges *ranges)
{
    if (ranges->n > 0)
        ar_ranges_write(ranges);
}
