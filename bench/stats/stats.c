#include "bench/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/random.h"

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_of_sorted(const double *sorted, size_t n)
{
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* The largest k with P(at most k of n samples lie below the median) <= 2.5 %, -1 where there is none: the
 * interval is sorted[k] .. sorted[n-1-k] (counted from 0 as k = 0: the extremes). Exact binomial up to 1000
 * samples, then its normal approximation, which is within one rank there. */
static long rank_of_interval(size_t n)
{
    if (n > 1000)
        return (long)floor((double)n / 2 - 0.98 * sqrt((double)n)) - 1;
    double log_term = -(double)n * log(2), tail = exp(log_term);
    long k = -1;
    for (size_t i = 0; tail <= 0.025 && i < n / 2; i++) {
        k = (long)i;
        log_term += log((double)(n - i)) - log((double)(i + 1));
        tail += exp(log_term);
    }
    return k;
}

struct ar_summary ar_summarise(double *sample, size_t n)
{
    qsort(sample, n, sizeof *sample, by_value);
    long k = rank_of_interval(n);
    size_t from_end = k < 0 ? 0 : (size_t)k;
    return (struct ar_summary){.n = n,
                               .min = sample[0],
                               .max = sample[n - 1],
                               .median = median_of_sorted(sample, n),
                               .low = sample[from_end],
                               .high = sample[n - 1 - from_end]};
}

double ar_quantile(const double *sorted, size_t n, double q)
{
    double at = ceil(q * (double)n) - 1;
    return sorted[at < 0 ? 0 : at >= (double)n ? n - 1 : (size_t)at];
}

uint64_t ar_random(uint64_t *state)
{
    return ar_mix(*state += 0x9e3779b97f4a7c15U);
}

/* The median of n draws with replacement. Drawing from sorted samples by rank keeps it O(n): counts per rank,
 * then a walk to the middle. */
static double median_of_draws(const double *sorted, size_t n, uint32_t *count, uint64_t *state)
{
    memset(count, 0, n * sizeof *count);
    for (size_t i = 0; i < n; i++)
        count[(size_t)((double)(ar_random(state) >> 11) * 0x1p-53 * (double)n)]++;
    size_t seen = 0, at = 0;
    while (seen + count[at] <= (n - 1) / 2)
        seen += count[at++];
    double lower = sorted[at];
    while (seen + count[at] <= n / 2)
        seen += count[at++];
    return (lower + sorted[at]) / 2;
}

struct ar_ratio ar_ratio_of_medians(const double *a, size_t n, const double *b, size_t m, uint64_t seed)
{
    enum { RESAMPLES = 2000 };
    double *x = ar_alloc(n, sizeof *x), *y = ar_alloc(m, sizeof *y),
           *ratio = ar_alloc(RESAMPLES, sizeof *ratio);
    uint32_t *count = ar_alloc(n > m ? n : m, sizeof *count);
    memcpy(x, a, n * sizeof *x);
    memcpy(y, b, m * sizeof *y);
    qsort(x, n, sizeof *x, by_value);
    qsort(y, m, sizeof *y, by_value);
    for (int i = 0; i < RESAMPLES; i++)
        ratio[i] = median_of_draws(x, n, count, &seed) / median_of_draws(y, m, count, &seed);
    qsort(ratio, RESAMPLES, sizeof *ratio, by_value);
    struct ar_ratio found = {median_of_sorted(x, n) / median_of_sorted(y, m),
                             ar_quantile(ratio, RESAMPLES, 0.025), ar_quantile(ratio, RESAMPLES, 0.975)};
    free(x);
    free(y);
    free(ratio);
    free(count);
    return found;
}

void ar_shuffle(int *order, int n, uint64_t *state)
{
    for (int i = n - 1; i > 0; i--) {
        int other = (int)(ar_random(state) % (uint64_t)(i + 1)), held = order[i];
        order[i] = order[other];
        order[other] = held;
    }
}
