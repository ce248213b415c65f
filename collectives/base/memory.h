/* Allocation. Small things abort when memory runs out (nobody can do better); things whose size comes
 * from the user are estimated first with ar_memory_check and refused in words. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collectives/base/error.h"

/* Zeroed memory for count * size bytes; aborts with a sentence on overflow or when there is none. */
void *ar_alloc(size_t count, size_t size);

/* Grows or shrinks `old` to count * size bytes (new bytes are not zeroed); aborts likewise. */
void *ar_realloc(void *old, size_t count, size_t size);

/* Makes room for one more element: AR_GROW(list->item, list->n, list->capacity). */
#define AR_GROW(pointer, n, capacity)                                                                        \
    do {                                                                                                     \
        if ((size_t)(n) >= (size_t)(capacity)) {                                                             \
            (capacity) = (capacity) ? 2 * (capacity) : 8;                                                    \
            (pointer) = ar_realloc((pointer), (size_t)(capacity), sizeof *(pointer));                        \
        }                                                                                                    \
    } while (0)

/* Makes room for n elements in all, and as many again where it has to grow. */
#define AR_RESERVE(pointer, n, capacity)                                                                     \
    do {                                                                                                     \
        if ((size_t)(n) > (capacity)) {                                                                      \
            (capacity) = 2 * (size_t)(n);                                                                    \
            (pointer) = ar_realloc((pointer), (capacity), sizeof *(pointer));                                \
        }                                                                                                    \
    } while (0)

/* Physical memory of this machine in bytes, lowered by the limits of its cgroup and of this process
 * where there are such. */
uint64_t ar_memory_of_machine(void);

/* AR_NO_MEMORY with "WHAT needs 1.2 TB (1.1 TiB), this machine has 24 GB (...)" when `bytes` exceed the
 * machine. Call it before allocating, with the sum over all ranks of the node. */
enum ar_status ar_memory_check(double bytes, const char *what, struct ar_error *error);
