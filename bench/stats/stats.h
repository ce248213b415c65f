/* Statistics of samples that are not normal: medians, intervals without assumptions, ratios.
 *
 * Times of collectives are skewed and have outliers, so nothing here uses means or standard deviations.
 * Sources: Hoefler, Belli, Scientific benchmarking of parallel computing systems, SC'15 (rules 5-8); Le
 * Boudec, Performance evaluation of computer and communication systems, 2010, section 2.2 (order statistics
 * as an interval).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* What is known of one set of samples. */
struct ar_summary {
    size_t n;
    double min, max, median;
    double low,
        high; /* 95 % interval of the median by order statistics; the extremes where n < 6 decides less */
};

/* Sorts `sample` (n >= 1 of them, none NaN) and summarises it. */
struct ar_summary ar_summarise(double *sample, size_t n);

/* The q-quantile (0..1) of sorted samples: the smallest that at least q of them do not exceed. */
double ar_quantile(const double *sorted, size_t n, double q);

struct ar_ratio {
    double ratio;     /* median of a / median of b */
    double low, high; /* 95 % interval by bootstrap */
};

/* Of two independent sets (n, m >= 1; positive). Deterministic: the resampling is seeded by `seed`. */
struct ar_ratio ar_ratio_of_medians(const double *a, size_t n, const double *b, size_t m, uint64_t seed);

/* The next of a sequence of 64 random bits that `state` begins and goes on with: SplitMix64 (Steele, Lea,
 * Flood, Fast splittable pseudorandom number generators, OOPSLA 2014). */
uint64_t ar_random(uint64_t *state);

/* Every order of n equally likely, to 2^-56 (Fisher, Yates, 1938). */
void ar_shuffle(int *order, int n, uint64_t *state);
