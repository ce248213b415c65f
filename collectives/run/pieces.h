/* How long messages are cut (flow.h). */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Messages longer than `above` travel in pieces of `bytes`, a multiple of every element's size; the same on
 * every rank. */
struct ar_pieces {
    size_t above, bytes;
};

/* A few pieces stay in the nearest caches together with what they are combined with, and shorter messages do
 * so whole. Measured: all-reduce ring, float32, Open MPI 4.1.4 on two cores of an AMD EPYC with 1 MiB of L2
 * each; pieces of 128 KiB take 1.1, 0.77, 0.67 and 0.65 times as long as strict rounds at 4, 8, 16 and 32
 * MiB; pieces of 64 KiB about the same. */
#define AR_PIECES_DEFAULT ((struct ar_pieces){512 << 10, 128 << 10})

/* Strict rounds: nothing is cut, and no round overlaps another. */
#define AR_STRICT_ROUNDS ((struct ar_pieces){SIZE_MAX, SIZE_MAX})

/* Bytes of a message's pieces, but for its last. */
static inline size_t ar_piece_bytes(struct ar_pieces pieces, size_t message_bytes)
{
    return message_bytes > pieces.above ? pieces.bytes : message_bytes;
}
