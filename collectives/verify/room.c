#include "collectives/verify/room.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/units.h"

enum { LEAST = 16, ALWAYS_THERE = 1 << 26 }; /* elements; bytes for which the machine need not be asked */

enum ar_status ar_room_check(const struct ar_room *room, double bytes, struct ar_error *error)
{
    double sum = room->bytes + bytes;
    return sum <= ALWAYS_THERE ? AR_OK : ar_memory_check(sum, "the proof", error);
}

enum ar_status ar_room_grow(struct ar_room *room, void *address, int64_t n, int64_t *capacity, size_t size,
                            struct ar_error *error)
{
    int64_t wanted = *capacity + *capacity / 2;
    wanted = wanted > n ? wanted : n;
    wanted = wanted > LEAST ? wanted : LEAST;
    double more = (double)(wanted - *capacity) * (double)size;
    enum ar_status status = ar_room_check(room, more, error);
    if (status != AR_OK)
        return status;
    void *old, *made;
    memcpy(&old, address, sizeof old); /* a pointer of any type */
    made = realloc(old, (size_t)wanted * size);
    if (!made) { /* a limit that the machine's memory does not show, such as ulimit -v */
        char text[AR_UNITS_TEXT];
        return ar_fail(error, AR_NO_MEMORY, "the proof needs %s, which the system refuses",
                       ar_format_size(text, (uint64_t)(room->bytes + more)));
    }
    memcpy(address, &made, sizeof made);
    room->bytes += more;
    *capacity = wanted;
    return AR_OK;
}
