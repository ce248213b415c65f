/* How many elements each named block has, and where they lie in the vector.
 *
 * The vector's `count` elements are cut into `parts` (equal: the first count mod parts are one longer; or
 * as the caller counts them per rank), and each part into `splits` equal ones in the same way. Block
 * split * parts + part is the split-th piece of that part.
 *
 * An all-to-all has `rows` such vectors one after the other, all cut alike: part j of row i is then part
 * i * parts + j of rows * parts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectives/base/error.h"

struct ar_layout {
    int64_t parts, splits, count;
    const int64_t *part_offset; /* NULL: equal parts; else parts + 1 offsets in elements, not owned */
    int64_t rows;               /* vectors of `count` elements; 0 is 1 */
    bool token;                 /* messages exist although no block has elements */
};

static inline int64_t ar_layout_rows(const struct ar_layout *layout)
{
    return layout->rows > 1 ? layout->rows : 1;
}

static inline int64_t ar_layout_nblocks(const struct ar_layout *layout)
{
    return ar_layout_rows(layout) * layout->parts * layout->splits;
}

/* Elements that have their place on every rank. */
static inline int64_t ar_layout_elements(const struct ar_layout *layout)
{
    return ar_layout_rows(layout) * layout->count;
}

/* One element per block: proofs and drawings are made at this level. */
static inline struct ar_layout ar_layout_of_blocks(int64_t nblocks)
{
    return (struct ar_layout){.parts = nblocks, .splits = 1, .count = nblocks};
}

/* Offset and length in elements of one block, 0 <= block < ar_layout_nblocks. */
static inline void ar_layout_block(const struct ar_layout *layout, int64_t block, int64_t *offset,
                                   int64_t *length)
{
    int64_t part = block, split = 0, row = 0, first, size;
    if (layout->splits > 1) { /* divisions are most of what this costs */
        int64_t parts = ar_layout_rows(layout) * layout->parts;
        split = block / parts;
        part = block - split * parts;
    }
    if (layout->rows > 1) {
        row = part / layout->parts;
        part -= row * layout->parts;
    }
    if (layout->part_offset) {
        first = layout->part_offset[part];
        size = layout->part_offset[part + 1] - first;
    } else {
        int64_t each = layout->count / layout->parts, more = layout->count - each * layout->parts;
        first = part * each + (part < more ? part : more);
        size = each + (part < more);
    }
    if (layout->splits > 1) {
        int64_t each = size / layout->splits, more = size % layout->splits;
        first += split * each + (split < more ? split : more);
        size = each + (split < more);
    }
    *offset = row * layout->count + first;
    *length = size;
}
