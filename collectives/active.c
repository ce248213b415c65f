#include "collectives/active.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"

struct ar_active_span {
    int64_t first, last;
    int rank;
};

_Static_assert(AR_ACTIVE_RANK_BYTES >= sizeof(int) + 4 * sizeof(struct ar_active_span),
               "two spans of a rank, while they are sorted");

static void add_span(struct ar_active *active, int64_t first, int64_t last, int rank)
{
    if (first <= last)
        active->span[active->nspans++] = (struct ar_active_span){first, last, rank};
}

/* By first round, of the same round in the order given: digit by digit from the lowest, so that it takes as
 * long as it takes to list them. (Knuth, The Art of Computer Programming 3, section 5.2.5, algorithm R) */
static void sort_spans(struct ar_active_span *span, int n)
{
    enum { BITS = 11, DIGITS = 1 << BITS };
    int64_t most = 0;
    for (int i = 0; i < n; i++)
        most = span[i].first > most ? span[i].first : most;
    struct ar_active_span *sorted = ar_alloc((size_t)n, sizeof *sorted);
    for (int shift = 0; shift < 63 && most >> shift > 0; shift += BITS) {
        int at[DIGITS + 1] = {0};
        for (int i = 0; i < n; i++)
            at[1 + (span[i].first >> shift & (DIGITS - 1))]++;
        for (int digit = 0; digit < DIGITS; digit++)
            at[digit + 1] += at[digit];
        for (int i = 0; i < n; i++)
            sorted[at[span[i].first >> shift & (DIGITS - 1)]++] = span[i];
        memcpy(span, sorted, (size_t)n * sizeof *span);
    }
    free(sorted);
}

void ar_active_init(struct ar_active *active, const struct ar_schedule *schedule)
{
    int nranks = schedule->problem.nranks;
    *active = (struct ar_active){.rank = ar_alloc((size_t)nranks, sizeof *active->rank)};
    if (!schedule->algorithm->span) {
        for (int rank = 0; rank < nranks; rank++)
            active->rank[rank] = rank;
        active->n = nranks;
        return;
    }
    int64_t most = schedule->algorithm->pause ? 2 * (int64_t)nranks : nranks;
    active->span = ar_alloc((size_t)most, sizeof *active->span);
    for (int rank = 0; rank < nranks; rank++) {
        int64_t first, last, pause_first, pause_last;
        ar_schedule_span(schedule, rank, &first, &last);
        ar_schedule_pause(schedule, rank, &pause_first, &pause_last);
        if (pause_first <= pause_last) {
            add_span(active, first, pause_first - 1, rank);
            first = pause_last + 1;
        }
        add_span(active, first, last, rank);
    }
    sort_spans(active->span, active->nspans);
}

void ar_active_round(struct ar_active *active, int64_t k)
{
    if (!active->span || k < active->change)
        return;
    int kept = 0; /* the spans that go on move to the front, where others have ended */
    for (int i = 0; i < active->n; i++)
        if (active->span[i].last >= k)
            active->span[kept++] = active->span[i];
    for (; active->started < active->nspans && active->span[active->started].first <= k; active->started++)
        if (active->span[active->started].last >= k)
            active->span[kept++] = active->span[active->started];
    active->n = kept;
    active->change = active->started < active->nspans ? active->span[active->started].first : INT64_MAX;
    for (int i = 0; i < kept; i++) {
        active->rank[i] = active->span[i].rank;
        if (active->change > active->span[i].last)
            active->change = active->span[i].last + 1;
    }
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
        ar_schedule_pause(schedule, rank, &first, &last);
        work -= first <= last ? last - first + 1 : 0;
    }
    return work;
}

void ar_active_free(struct ar_active *active)
{
    free(active->rank);
    free(active->span);
    *active = (struct ar_active){0};
}
