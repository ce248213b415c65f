/* Inputs whose result is known exactly, and the comparison.
 *
 * A vector repeats a tile of AR_TILE elements (a prime, so that misplaced data shows). The values are chosen
 * per type and operator so that every partial result, in any order, is exact in the type and never saturates;
 * results can then be compared bitwise. Every rank's contribution changes the result at some elements of the
 * tile, where it has enough of them (only the mean of integers may round it away). The operator's
 * `values` (types.h) say by which rule; avg is the exact sum and then the operator's own finish.
 *
 * Where blocks belong to ranks or to the root, the tile of the contributing rank is expected unchanged.
 */
#pragma once

#include <stdint.h>

#include "collectives/run/execution.h"

enum { AR_TILE = 4099 };

struct ar_check; /* the tiles for one (schedule, layout, type, operator) */

struct ar_check *ar_check_new(const struct ar_execution_setup *setup);
void ar_check_free(struct ar_check *check);

/* Writes the contribution of `rank` into the blocks it starts with and poison (bytes of 0xa5) everywhere
 * else. */
void ar_check_fill(const struct ar_check *check, int rank, void *vector);

/* Compares the blocks that `rank` must hold afterwards. AR_FAILED with the first wrong element: "rank 2,
 * element 17 (block 1): expected 6, got 4". */
enum ar_status ar_check_result(const struct ar_check *check, int rank, const void *vector,
                               struct ar_error *error);
