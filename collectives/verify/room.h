/* Arrays that grow within what the machine has: all memory of one proof, counted. Private to
 * collectives/verify.
 *
 *     struct ar_room room = {0};
 *     status = AR_ROOM(&room, list->item, list->n + 1, list->capacity, error);
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collectives/base/error.h"

struct ar_room {
    double bytes; /* of all arrays that grew in it */
};

/* AR_OK when `pointer` has room for n elements (new ones are not zeroed); the caller frees it. AR_NO_MEMORY
 * in words when the machine has not, or does not give, so much; the array is then as it was. `capacity` is an
 * int64_t. */
#define AR_ROOM(room, pointer, n, capacity, error)                                                           \
    ((n) <= (capacity) ? AR_OK                                                                               \
                       : ar_room_grow((room), &(pointer), (n), &(capacity), sizeof *(pointer), (error)))

/* `address` is that of the pointer. */
enum ar_status ar_room_grow(struct ar_room *room, void *address, int64_t n, int64_t *capacity, size_t size,
                            struct ar_error *error);

/* AR_NO_MEMORY when `bytes` more would be too much. */
enum ar_status ar_room_check(const struct ar_room *room, double bytes, struct ar_error *error);
