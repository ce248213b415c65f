#include "collectives/active.h"

#include <stdlib.h>

#include "collectives/base/memory.h"

struct ar_active_span {
    int64_t first, last;
    int rank;
};

static int by_first(const void *a, const void *b)
{
    const struct ar_active_span *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

void ar_active_init(struct ar_active *active, const struct ar_schedule *schedule)
{
    int nranks = schedule->problem.nranks;
    *active = (struct ar_active){.nranks = nranks};
    active->rank = ar_alloc((size_t)nranks, sizeof *active->rank);
    if (!schedule->algorithm->span) {
        for (int rank = 0; rank < nranks; rank++)
            active->rank[rank] = rank;
        active->n = nranks;
        return;
    }
    active->span = ar_alloc((size_t)nranks, sizeof *active->span);
    for (int rank = 0; rank < nranks; rank++) {
        struct ar_active_span *span = &active->span[rank];
        span->rank = rank;
        ar_schedule_span(schedule, rank, &span->first, &span->last);
    }
    qsort(active->span, (size_t)nranks, sizeof *active->span, by_first);
}

void ar_active_round(struct ar_active *active, int64_t k)
{
    if (!active->span)
        return;
    int kept = 0; /* the spans that go on move to the front, where others have ended */
    for (int i = 0; i < active->n; i++)
        if (active->span[i].last >= k)
            active->span[kept++] = active->span[i];
    while (active->started < active->nranks && active->span[active->started].first <= k) {
        struct ar_active_span next = active->span[active->started++];
        if (next.last >= k)
            active->span[kept++] = next;
    }
    active->n = kept;
    for (int i = 0; i < kept; i++)
        active->rank[i] = active->span[i].rank;
}

int64_t ar_active_work(const struct ar_schedule *schedule)
{
    int nranks = schedule->problem.nranks;
    if (!schedule->algorithm->span)
        return nranks * ar_nrounds(schedule);
    int64_t work = 0;
    for (int rank = 0; rank < nranks; rank++) {
        int64_t first, last;
        ar_schedule_span(schedule, rank, &first, &last);
        work += first <= last ? last - first + 1 : 0;
    }
    return work;
}

void ar_active_free(struct ar_active *active)
{
    free(active->rank);
    free(active->span);
    *active = (struct ar_active){0};
}
