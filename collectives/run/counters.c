#include "collectives/run/counters.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"

static int *index_of(struct ar_counters *counters, int peer)
{
    unsigned mask = (unsigned)counters->nindex - 1;
    for (unsigned at = (unsigned)peer & mask;; at = (at + 1) & mask) {
        int *index = &counters->index[at];
        if (*index == 0 || counters->item[*index - 1].peer == peer)
            return index;
    }
}

static void fill_index(struct ar_counters *counters)
{
    memset(counters->index, 0, (size_t)counters->nindex * sizeof *counters->index);
    for (int i = 0; i < counters->n; i++)
        *index_of(counters, counters->item[i].peer) = i + 1;
}

struct ar_counter *ar_counters_of(struct ar_counters *counters, int peer)
{
    if (2 * (counters->n + 1) > counters->nindex) {
        counters->nindex = counters->nindex ? 2 * counters->nindex : 8;
        counters->index = ar_realloc(counters->index, (size_t)counters->nindex, sizeof *counters->index);
        fill_index(counters);
    }
    int *index = index_of(counters, peer);
    if (*index == 0) {
        AR_GROW(counters->item, counters->n, counters->capacity);
        counters->item[counters->n] = (struct ar_counter){.peer = peer};
        *index = ++counters->n;
        counters->sorted = false;
    }
    return &counters->item[*index - 1];
}

static int by_peer(const void *left, const void *right)
{
    const struct ar_counter *a = left, *b = right;
    return (a->peer > b->peer) - (a->peer < b->peer);
}

void ar_counters_sort(struct ar_counters *counters)
{
    if (counters->sorted || counters->n == 0)
        return;
    qsort(counters->item, (size_t)counters->n, sizeof *counters->item, by_peer);
    fill_index(counters);
    counters->sorted = true;
}

void ar_counters_clear(struct ar_counters *counters)
{
    for (int i = 0; i < counters->n; i++)
        counters->item[i] = (struct ar_counter){.peer = counters->item[i].peer};
}

void ar_counters_free(struct ar_counters *counters)
{
    free(counters->item);
    free(counters->index);
    *counters = (struct ar_counters){0};
}
