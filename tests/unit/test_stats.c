/* Medians, intervals and ratios. */
#include <criterion/criterion.h>
#include <math.h>

#include "bench/stats/stats.h"

Test(stats, medians_are_the_middle_of_odd_and_even_numbers)
{
    double odd[] = {5, 1, 9}, even[] = {4, 1, 3, 2};
    cr_assert_eq(ar_summarise(odd, 3).median, 5);
    cr_assert_eq(ar_summarise(even, 4).median, 2.5);
    cr_assert_eq(ar_summarise(even, 4).min, 1);
    cr_assert_eq(ar_summarise(even, 4).max, 4);
}

/* Ranks counted from 1, by the binomial distribution: n = 6 has 2 * 2^-6 = 3.1 % outside its extremes. */
Test(stats, intervals_have_the_exact_binomial_ranks)
{
    static const struct {
        size_t n, low, high;
    } exact[] = {{6, 1, 6},   {7, 1, 7},    {8, 1, 8},    {9, 2, 8},   {10, 2, 9},
                 {20, 6, 15}, {30, 10, 21}, {50, 18, 33}, {70, 27, 44}};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
        double sample[70];
        for (size_t j = 0; j < exact[i].n; j++)
            sample[j] = (double)j + 1;
        struct ar_summary summary = ar_summarise(sample, exact[i].n);
        cr_assert_eq(summary.low, (double)exact[i].low, "n = %zu: low %g", exact[i].n, summary.low);
        cr_assert_eq(summary.high, (double)exact[i].high, "n = %zu: high %g", exact[i].n, summary.high);
    }
}

Test(stats, the_two_ways_to_the_rank_agree_where_they_meet)
{
    enum { N = 1001 };
    static double sample[N];
    double low[2];
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < N; j++)
            sample[j] = j;
        low[i] = ar_summarise(sample, (size_t)(N - 1 + i)).low;
    }
    cr_assert_leq(fabs(low[0] - low[1]), 1, "%g, %g", low[0], low[1]);
}

Test(stats, quantiles_are_samples)
{
    double sorted[] = {10, 20, 30, 40};
    cr_assert_eq(ar_quantile(sorted, 4, 0), 10);
    cr_assert_eq(ar_quantile(sorted, 4, 0.25), 10);
    cr_assert_eq(ar_quantile(sorted, 4, 0.26), 20);
    cr_assert_eq(ar_quantile(sorted, 4, 1), 40);
}

Test(stats, ratios_cover_the_truth_and_repeat_with_their_seed)
{
    enum { N = 200 };
    static double a[N], b[N];
    uint64_t x = 1;
    int covered = 0;
    for (int trial = 0; trial < 100; trial++) {
        for (int i = 0; i < N; i++) {
            x = x * 6364136223846793005U + 1442695040888963407U;
            a[i] = 2 + (double)(x >> 40) * 0x1p-24;
            x = x * 6364136223846793005U + 1442695040888963407U;
            b[i] = 4 + 2 * (double)(x >> 40) * 0x1p-24;
        }
        struct ar_ratio first = ar_ratio_of_medians(a, N, b, N, 7),
                        again = ar_ratio_of_medians(a, N, b, N, 7);
        cr_assert(first.low <= first.ratio && first.ratio <= first.high);
        cr_assert(first.low == again.low && first.high == again.high);
        covered += first.low <= 0.5 && 0.5 <= first.high;
    }
    cr_assert_geq(covered, 88, "%d of 100 intervals contain the true ratio", covered);
    cr_assert_leq(covered, 100);
}
