/* How long messages are cut (flow.h). */
#pragma once

#include <stddef.h>

/* Messages longer than `above` travel in pieces of `bytes`, a multiple of every element's size; the same on
 * every rank. */
struct ar_pieces {
    size_t above, bytes;
};

/* A few pieces stay in the nearest caches together with what they are combined with; shorter messages do so
 * whole, and cutting them only costs. Measured on 2 ranks with 1 MiB of L2 each: pieces of 64, 128, 256 and
 * 512 KiB take 1.2, 1.0, 1.05 and 1.2 of the time. */
#define AR_PIECES_DEFAULT ((struct ar_pieces){512 << 10, 128 << 10})

/* Bytes of a message's pieces, but for its last. */
static inline size_t ar_piece_bytes(struct ar_pieces pieces, size_t message_bytes)
{
    return message_bytes > pieces.above ? pieces.bytes : message_bytes;
}
