#include "bench/harness/sampling.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/stats/stats.h"
#include "collectives/base/memory.h"
#include "collectives/run/mpi_library.h"

enum { WARM_UPS = 2, BATCH = 64 };

static const double SETTLED = 0.01; /* half the interval of the median, relative */

struct series {
    struct ar_samples samples;
    double spent_s;
    int over; /* takes part no more; rank 0 says so */
};

/* Of one call of ar_sample. */
struct sampler {
    const struct ar_sampling *how;
    const struct ar_contestant *contestant;
    struct series *series;
    int *order;     /* n, reshuffled every round */
    int *word;      /* rank 0's: rounds to come, and who is over */
    double *sorted; /* room for one series */
    int n;
};

static double seconds_of(struct timespec time)
{
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double ar_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return seconds_of(now);
}

double ar_clock_resolution_s(void)
{
    struct timespec resolution;
    clock_getres(CLOCK_MONOTONIC, &resolution);
    return seconds_of(resolution);
}

/* ---- Rounds ------------------------------------------------------------------------------------------ */

static enum ar_status take_sample(struct sampler *s, int i, bool keep, struct ar_error *error)
{
    struct series *series = &s->series[i];
    double begin = ar_clock_s();
    if (s->how->end)
        ar_mpi_meet(s->how->end);
    double start = ar_clock_s();
    enum ar_status status = s->contestant[i].run(s->contestant[i].context, error);
    double end = ar_clock_s();
    if (keep)
        series->samples.time_s[series->samples.n++] = end - start;
    series->spent_s += end - begin;
    return status;
}

static enum ar_status take_round(struct sampler *s, bool keep, struct ar_error *error)
{
    enum ar_status status = AR_OK;
    ar_shuffle(s->order, s->n, s->how->random);
    for (int i = 0; i < s->n && status == AR_OK; i++)
        if (!s->series[s->order[i]].over)
            status = take_sample(s, s->order[i], keep, error);
    return status;
}

/* ---- How many ---------------------------------------------------------------------------------------- */

static bool settled(const struct sampler *s, const struct series *series)
{
    int n = series->samples.n;
    if (n < AR_SAMPLES_ENOUGH)
        return false;
    memcpy(s->sorted, series->samples.time_s, (size_t)n * sizeof *s->sorted);
    struct ar_summary summary = ar_summarise(s->sorted, (size_t)n);
    return summary.high - summary.median <= SETTLED * summary.median &&
           summary.median - summary.low <= SETTLED * summary.median;
}

/* Rounds that this contestant can take before one should look again: a quarter of what its time allows and
 * of what it has taken, so that looking costs little and the time is kept. 0: none any more. */
static int rounds_left(const struct sampler *s, int i)
{
    const struct series *series = &s->series[i];
    int taken = series->samples.n;
    double each_s = (series->spent_s - s->contestant[i].spent_s) / (taken + WARM_UPS);
    double left = (s->how->seconds - series->spent_s) / each_s;
    if (taken >= AR_SAMPLES_MOST || (taken >= AR_SAMPLES_FEWEST && left < 1))
        return 0;
    int most = taken / 4 > BATCH ? taken / 4 : BATCH;
    most = most < AR_SAMPLES_MOST - taken ? most : AR_SAMPLES_MOST - taken;
    if (taken < AR_SAMPLES_FEWEST)
        return AR_SAMPLES_FEWEST - taken;
    return left / 4 > most ? most : left < 4 ? 1 : (int)(left / 4);
}

/* On rank 0. */
static void decide(struct sampler *s)
{
    bool all_settled = true;
    int rounds = AR_SAMPLES_MOST;
    for (int i = 0; i < s->n; i++) {
        int left = s->series[i].over ? 0 : rounds_left(s, i);
        s->word[1 + i] = left == 0;
        if (left == 0)
            continue;
        rounds = left < rounds ? left : rounds;
        all_settled = all_settled && settled(s, &s->series[i]);
    }
    s->word[0] = all_settled ? 0 : rounds; /* also where all are over */
}

static int agree_on_rounds(struct sampler *s)
{
    struct ar_end *end = s->how->end;
    if (!end || end->rank == 0)
        decide(s);
    if (end)
        ar_mpi_tell(end, s->word, (s->n + 1) * (int)sizeof *s->word);
    for (int i = 0; i < s->n; i++)
        s->series[i].over = s->word[1 + i];
    return s->word[0];
}

/* ---- All of it --------------------------------------------------------------------------------------- */

static enum ar_status take_all(struct sampler *s, struct ar_error *error)
{
    enum ar_status status = AR_OK;
    for (int i = 0; i < WARM_UPS && status == AR_OK; i++)
        status = take_round(s, false, error);
    for (int left = status == AR_OK ? agree_on_rounds(s) : 0; left > 0 && status == AR_OK;) {
        status = take_round(s, true, error);
        if (--left == 0 && status == AR_OK)
            left = agree_on_rounds(s);
    }
    return status;
}

/* The largest of any rank, and no time shorter than the clock can tell. */
static void put_together(struct sampler *s)
{
    double resolution = ar_clock_resolution_s();
    for (int i = 0; i < s->n; i++) {
        struct ar_samples *samples = &s->series[i].samples;
        if (s->how->end)
            ar_mpi_maxima(s->how->end, samples->time_s, samples->n);
        for (int j = 0; j < samples->n; j++)
            samples->time_s[j] = samples->time_s[j] > resolution ? samples->time_s[j] : resolution;
    }
}

enum ar_status ar_sample(const struct ar_sampling *how, const struct ar_contestant *contestant, int n,
                         struct ar_samples *samples, struct ar_error *error)
{
    size_t length = (size_t)n;
    struct sampler s = {.how = how, .contestant = contestant, .n = n};
    s.series = ar_alloc(length, sizeof *s.series);
    s.order = ar_alloc(length, sizeof *s.order);
    s.word = ar_alloc(length + 1, sizeof *s.word);
    s.sorted = ar_alloc(AR_SAMPLES_MOST, sizeof *s.sorted);
    for (int i = 0; i < n; i++) {
        s.order[i] = i;
        s.series[i].spent_s = contestant[i].spent_s;
        s.series[i].samples.time_s = ar_alloc(AR_SAMPLES_MOST, sizeof(double));
    }
    enum ar_status status = take_all(&s, error);
    if (status == AR_OK)
        put_together(&s);
    for (int i = 0; i < n; i++)
        if (status == AR_OK)
            samples[i] = s.series[i].samples;
        else
            free(s.series[i].samples.time_s);
    free(s.series);
    free(s.order);
    free(s.word);
    free(s.sorted);
    return status;
}
