#include "bench/fit/hockney.h"

#include <math.h>

enum { FEWEST_POINTS = 4 }; /* of a regime: two would fit anything */
static const double GOOD = 0.01, GAIN = 0.7;

/* With weights 1 / t^2 the squared errors are relative; centred, so that 8 MiB beside 1 B loses no digits. */
static void fit(const struct ar_fit_point *point, int n, double *alpha_s, double *beta_s_per_byte)
{
    double weights = 0, bytes = 0, time = 0, spread = 0, rise = 0, square = 0, share = 0;
    for (int i = 0; i < n; i++) {
        double x = (double)point[i].bytes, t = point[i].time_s, w = 1 / (t * t);
        weights += w;
        bytes += w * x;
        time += w * t;
        share += w * x * t;
        square += w * x * x;
    }
    bytes /= weights;
    time /= weights;
    for (int i = 0; i < n; i++) {
        double x = (double)point[i].bytes - bytes, t = point[i].time_s, w = 1 / (t * t);
        spread += w * x * x;
        rise += w * x * (t - time);
    }
    *beta_s_per_byte = spread > 0 ? fmax(rise / spread, 0) : 0;
    *alpha_s = time - *beta_s_per_byte * bytes;
    if (*alpha_s < 0) {
        *alpha_s = 0;
        *beta_s_per_byte = share / square;
    }
}

static double error_at(const struct ar_fit_line *line, const struct ar_fit_point *point)
{
    return fabs(ar_fit_time(line, (double)point->bytes) / point->time_s - 1);
}

struct ar_fit_line ar_fit_line(const struct ar_fit_point *point, int n)
{
    struct ar_fit_line line = {.from_bytes = point[0].bytes, .to_bytes = point[n - 1].bytes};
    fit(point, n, &line.alpha_s, &line.beta_s_per_byte);
    for (int i = 0; i < n; i++)
        line.worst_error = fmax(line.worst_error, error_at(&line, &point[i]));
    return line;
}

static double sum_of_squares(const struct ar_fit_line *line, const struct ar_fit_point *point, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += error_at(line, &point[i]) * error_at(line, &point[i]);
    return sum;
}

int ar_fit_regimes(const struct ar_fit_point *point, int n, struct ar_fit_line line[AR_FIT_REGIMES])
{
    line[0] = ar_fit_line(point, n);
    double best = GAIN * sum_of_squares(&line[0], point, n);
    int found = 1;
    if (line[0].worst_error <= GOOD)
        return found;
    for (int cut = FEWEST_POINTS; cut <= n - FEWEST_POINTS; cut++) {
        struct ar_fit_line below = ar_fit_line(point, cut), above = ar_fit_line(point + cut, n - cut);
        double sum = sum_of_squares(&below, point, cut) + sum_of_squares(&above, point + cut, n - cut);
        if (sum < best) {
            best = sum;
            found = 2;
            line[0] = below;
            line[1] = above;
        }
    }
    return found;
}
