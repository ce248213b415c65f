/* Hockney's alpha and beta from measured times of messages.
 *
 *     time of a message = alpha_s + bytes * beta_s_per_byte
 *
 * fitted by least squares of the relative error, so that 1 B counts as much as 8 MiB. One line seldom fits
 * all sizes: MPI libraries change protocol (eager, rendezvous) and buffers leave caches, so there is also a
 * fit by regimes, one line each. Where a fit would make alpha or beta negative, the best one with a zero is
 * taken. (Hockney, The communication challenge for MPP: Intel Paragon and Meiko CS-2, Parallel Computing
 * 20(3), 1994)
 */
#pragma once

#include <stdint.h>

struct ar_fit_point {
    int64_t bytes;
    double time_s; /* > 0 */
};

struct ar_fit_line {
    int64_t from_bytes, to_bytes; /* of the first and the last point it was fitted to */
    double alpha_s, beta_s_per_byte;
    double worst_error; /* the largest |fitted / measured - 1| */
};

enum { AR_FIT_REGIMES = 2 };

/* n >= 1 points of ascending, different sizes; of one point the time is alpha. */
struct ar_fit_line ar_fit_line(const struct ar_fit_point *point, int n);

/* One line, or one below and one above the best breakpoint (a change of protocol), of 4 points or more each:
 * two only if one is off by more than 1 % somewhere and two take away 30 % of the sum of squared relative
 * errors, more than a breakpoint gains on noise. Returns how many. */
int ar_fit_regimes(const struct ar_fit_point *point, int n, struct ar_fit_line line[AR_FIT_REGIMES]);

static inline double ar_fit_time(const struct ar_fit_line *line, double bytes)
{
    return line->alpha_s + bytes * line->beta_s_per_byte;
}
