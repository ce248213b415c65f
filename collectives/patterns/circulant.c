#include "collectives/patterns/circulant.h"

/* A rank's entries are found among the ranks below it: those in (vrank - skip[k+1], vrank - skip[k]] are the
 * ones from which the block of round k can have come, and it is the largest base block there that no round
 * before has taken. A rank's base block is the smallest skip in the sum of skips that leads to it, so ranks
 * are tried as sums of skips, larger skips first. */
struct search {
    int q, n;
    int64_t skip[AR_CIRCULANT_ROUNDS + 2];
    int64_t above;    /* the rank whose entries these are, one lap on */
    int64_t last;     /* the rank found last; the next lies below it */
    uint32_t untaken; /* base blocks, as bits */
    int8_t *block;
};

static int next_untaken(const struct search *search, int e)
{
    uint32_t below = search->untaken & ((UINT32_C(1) << e) - 1);
    return below ? 31 - __builtin_clz(below) : -1;
}

/* Tries `rank` plus skip[e] and smaller ones for round k and those after; returns the first round left. */
static int search_from(struct search *search, int64_t rank, int e, int k)
{
    for (; e >= 0 && k < search->n; e = next_untaken(search, e)) {
        int64_t next = rank + search->skip[e];
        if (next > search->above - search->skip[k] || next >= search->last)
            continue;
        if (next <= search->above - search->skip[k + 1])
            k = search_from(search, next, e, k);
        if (k == search->n || rank > search->above - search->skip[k + 1])
            return k;
        search->last = next;
        search->block[k++] = (int8_t)e;
        search->untaken &= ~(UINT32_C(1) << e);
    }
    return k;
}

/* The smallest skip in the greedy sum that makes `vrank`; q for the root. */
static int base_block(const struct search *search, int64_t vrank)
{
    int e = search->q;
    for (int k = search->q - 1; vrank > 0; k--)
        if (search->skip[k] <= vrank) {
            vrank -= search->skip[k];
            e = k;
        }
    return e;
}

void ar_circulant_receives(int nranks, int vrank, int n, int8_t *block)
{
    int q = ar_log2_ceil(nranks);
    struct search search = {.q = q, .n = n, .block = block};
    for (int k = 0; k <= q; k++)
        search.skip[k] = ar_circulant_skip(nranks, k);
    int base = base_block(&search, vrank);
    search.above = (int64_t)nranks + vrank;
    search.last = 2 * (int64_t)nranks;
    search.untaken = (uint32_t)(((UINT64_C(2) << q) - 1) & ~(UINT64_C(1) << base));
    search_from(&search, 0, vrank > 0 ? q : q - 1, 0);
    for (int k = 0; k < n; k++)
        block[k] = (int8_t)(block[k] == q ? base : block[k] - q);
}
