/* Numbers for the cables of a clique: cable (s - 1) n + v joins v and v + s mod n, for shifts s below n/2
 * and, with n even, for s = n/2 and v < n/2. */
#pragma once

#include <stdint.h>

static inline int64_t ar_clique_cables(int64_t n)
{
    return n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
}

/* The ends of link 2 * cable. */
static inline void ar_clique_ends(int64_t n, int64_t cable, int64_t *from, int64_t *to)
{
    *from = cable % n;
    *to = (*from + cable / n + 1) % n;
}

/* The number of the link between two that differ. */
static inline int64_t ar_clique_link(int64_t n, int64_t from, int64_t to)
{
    int64_t shift = to > from ? to - from : to - from + n;
    if (2 * shift > n || (2 * shift == n && from > to))
        return 2 * ((n - shift - 1) * n + to) + 1;
    return 2 * ((shift - 1) * n + from);
}
