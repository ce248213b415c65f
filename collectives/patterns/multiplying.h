/* Groups of k ranks that exchange whole vectors, at distance 1, k, k^2, ...: recursive doubling to the base
 * k.
 *
 * In round j rank r belongs to the group of those that differ from it only in digit j to the base k. All
 * members combine from the group's first one on, or they would not get the same bits.
 */
#pragma once

#include "collectives/algorithm.h"

/* A radix above nranks counts as nranks; at least 2. */
static inline int ar_multiplying_radix(int64_t radix, int nranks)
{
    return radix > nranks ? (nranks < 2 ? 2 : nranks) : (int)radix;
}

/* floor(log_radix nranks), in integers: a library's logarithm may fall short of a whole number. */
static inline int ar_multiplying_levels(int nranks, int radix)
{
    int levels = 0;
    for (int64_t reach = radix; reach <= nranks; reach *= radix)
        levels++;
    return levels;
}

/* vector[set] := x_0 o x_1 o ... o x_(n-1), x_i what rank first + i * stride sends, x_mine what is held.
 * From mine = 2 on the own operand cannot wait in the vector: it must be in `own` too. */
static inline void ar_left_fold(struct ar_sink *sink, int first, int stride, int n, int mine,
                                enum ar_place own, struct ar_blocks set)
{
    for (int i = 0; i < n; i++) {
        int peer = first + i * stride;
        if (i == mine && mine > 1)
            ar_emit(sink, (struct ar_step){AR_FOLD, AR_HELD_FIRST, (uint8_t)own, AR_VECTOR, -1, set, 0,
                                           sink->nblocks});
        else if (i != mine && i == 0 && mine > 1)
            ar_receive(sink, peer, set);
        else if (i != mine)
            ar_receive_reduce(sink, peer, i == 0 && mine == 1 ? AR_OTHER_FIRST : AR_HELD_FIRST, set);
    }
}

/* What `rank` of radix^m ranks does with the whole vector, one block, in the round of distance `stride`, a
 * power of the radix. */
static inline void ar_multiplying_round(int rank, int radix, int stride, struct ar_sink *sink)
{
    int mine = rank / stride % radix, first = rank - mine * stride;
    for (int i = 1; i < radix; i++)
        ar_send(sink, first + (mine + i) % radix * stride, ar_block(0));
    if (mine > 1)
        ar_emit(sink, (struct ar_step){AR_COPY, AR_HELD_FIRST, AR_VECTOR, AR_SCRATCH, -1, ar_block(0), 0,
                                       sink->nblocks});
    ar_left_fold(sink, first, stride, radix, mine, AR_SCRATCH, ar_block(0));
}

/* An upper bound for m rounds among radix^m ranks after at most `folded` others gave each its vector, which
 * get the result back: while ranks begin at different times, messages leave out of turn, and a round may take
 * those of both its ports. */
static inline struct ar_cost ar_multiplying_cost(int radix, int levels, int folded)
{
    int sent = levels * (folded > 0 ? 2 * radix - 3 : radix - 1) + 2 * folded;
    return (struct ar_cost){sent, sent, levels * (radix - 1) + folded};
}
