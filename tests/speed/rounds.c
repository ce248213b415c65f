/* How fast schedules are asked and simulated: per algorithm, with its default parameters and 16 segments.
 *
 * ns per call of `round`: all ranks of up to 64 rounds. Transfers per second: whole schedules, or as many of
 * their first rounds as hold about 4 million pairs of a rank and a round; every rank asked for its steps, and
 * by pattern where the algorithm has patterns, with blocks of one length and of two. Shortest CPU time of
 * several; 4096 ranks, or 1024 where everybody sends to everybody in one round. Arguments: the names wanted.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collectives/active.h"
#include "collectives/base/memory.h"
#include "collectives/registry.h"
#include "sim/engine/clocks.h"

enum { NRANKS = 4096, FEWER_RANKS = 1024, NSEGMENTS = 16, SAMPLED_ROUNDS = 64, PASSES = 5 };

static const int64_t SIMULATED = 4 << 20; /* pairs of a rank and a round */

struct speed {
    const struct ar_algorithm *algorithm;
    int nranks;
    double call_s, per_round;      /* transfers */
    double by_rank, by_pattern[2]; /* transfers per second; with equal and uneven blocks; 0: none */
};

/* Of this thread: others that use the machine do not count. */
static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static struct ar_schedule schedule_of(const struct ar_algorithm *algorithm, int nranks)
{
    struct ar_schedule schedule;
    struct ar_problem problem = {.nranks = nranks};
    struct ar_error error = {""};
    for (int i = 0; i < algorithm->nparams; i++)
        problem.param[i] =
            algorithm->params[i].unit == AR_PARAM_BYTES ? NSEGMENTS : algorithm->params[i].fallback;
    if (ar_schedule_of_problem(&schedule, algorithm, &problem, &error) != AR_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    return schedule;
}

/* ---- Asking ------------------------------------------------------------------------------------------ */

/* Also whether some rank sends to many others in one round. */
static double seconds_per_call(const struct ar_schedule *schedule, bool *crowded)
{
    struct ar_sink sink = {.full = ar_sink_grow};
    int64_t nrounds = ar_nrounds(schedule), step = nrounds > SAMPLED_ROUNDS ? nrounds / SAMPLED_ROUNDS : 1;
    double best_s = 1e9, spent_s = 0;
    *crowded = false;
    for (int pass = 0; pass < 3 || (pass < PASSES * PASSES && spent_s < 0.05); pass++) {
        int64_t calls = 0;
        double start_s = now_s();
        for (int64_t k = 0; k < nrounds; k += step)
            for (int rank = 0; rank < schedule->problem.nranks; rank++, calls++) {
                sink.n = 0;
                ar_schedule_round(schedule, rank, k, &sink);
                *crowded |= rank == 1 && sink.n > 100;
            }
        double pass_s = now_s() - start_s;
        spent_s += pass_s;
        best_s = smaller(best_s, pass_s / (double)calls);
    }
    free(sink.step);
    return best_s;
}

/* ---- Simulating -------------------------------------------------------------------------------------- */

/* The same schedule without patterns and with fewer rounds; schedule functions are pure, so what they stand
 * for is set here. */
static const struct ar_schedule *asked;
static int64_t first_rounds;

static void asked_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p;
    ar_schedule_round(asked, rank, k, sink);
}

static int64_t few_rounds(const struct ar_problem *p)
{
    (void)p;
    return first_rounds;
}

static double transfers_per_s(const struct ar_schedule *schedule, int64_t count, int64_t *transfers)
{
    const struct ar_hockney model = {2e-6, 1 / 12.5e9, 1 / 10e9};
    struct ar_layout layout;
    struct ar_clocks clocks;
    struct ar_error error = {""};
    double best_s = 1e9, spent_s = 0;
    if (ar_schedule_layout(schedule, count, NULL, NULL, &layout, &error) != AR_OK)
        exit(1);
    for (int pass = 0; pass < 2 || (pass < PASSES && spent_s < 0.25); pass++) {
        double start_s = now_s();
        if (ar_clocks_run(schedule, &layout, 4, &model, &clocks, &error) != AR_OK) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
        double pass_s = now_s() - start_s;
        spent_s += pass_s;
        best_s = smaller(best_s, pass_s);
        *transfers = clocks.transfers;
        ar_clocks_free(&clocks);
    }
    return (double)*transfers / best_s;
}

static struct speed speed_of(const struct ar_algorithm *algorithm)
{
    struct speed speed = {.algorithm = algorithm, .nranks = NRANKS};
    bool crowded;
    struct ar_schedule schedule = schedule_of(algorithm, speed.nranks);
    speed.call_s = seconds_per_call(&schedule, &crowded);
    if (crowded) {
        ar_schedule_free(&schedule);
        schedule = schedule_of(algorithm, speed.nranks = FEWER_RANKS);
    }
    int64_t nblocks = ar_nblocks(&schedule), work = ar_active_work(&schedule), transfers;
    const int64_t count[2] = {3 * nblocks, 3 * nblocks + nblocks / 3};
    first_rounds = ar_nrounds(&schedule);
    if (work > SIMULATED)
        first_rounds = first_rounds * SIMULATED / work;
    struct ar_algorithm shorter = *algorithm, without = *algorithm;
    struct ar_schedule simulated = schedule;
    shorter.rounds = without.rounds = few_rounds;
    without.pattern = NULL;
    if (algorithm->pattern) {
        without.round = asked_round;
        asked = &schedule;
    }
    simulated.algorithm = &without;
    speed.by_rank = transfers_per_s(&simulated, count[1], &transfers);
    speed.per_round = (double)transfers / (double)first_rounds;
    simulated.algorithm = &shorter;
    for (int i = 0; i < 2 && algorithm->pattern; i++)
        speed.by_pattern[i] = transfers_per_s(&simulated, count[i], &transfers);
    ar_schedule_free(&schedule);
    return speed;
}

/* ---- The table --------------------------------------------------------------------------------------- */

static int slowest_first(const void *a, const void *b)
{
    const struct speed *x = a, *y = b;
    return (x->by_rank > y->by_rank) - (x->by_rank < y->by_rank);
}

/* Of the algorithms named, or of all. */
static bool wanted(const char *name, char **names, int nnames)
{
    for (int i = 0; i < nnames; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return nnames == 0;
}

int main(int argc, char **argv)
{
    struct speed *speed = ar_alloc((size_t)ar_nalgorithms, sizeof *speed);
    int n = 0;
    for (int i = 0; i < ar_nalgorithms; i++)
        if (wanted(ar_algorithms[i]->name, argv + 1, argc - 1) &&
            ar_algorithm_admits(ar_algorithms[i], NRANKS, NULL) == AR_OK)
            speed[n++] = speed_of(ar_algorithms[i]);
    qsort(speed, (size_t)n, sizeof *speed, slowest_first);
    printf("%-34s %5s  %13s  %15s  %s\n%-34s %5s  %13s  %15s  %8s %8s %14s\n", "", "", "ns per call",
           "transfers", "million transfers a second", "algorithm", "ranks", "of a round", "per round",
           "by rank", "pattern", "uneven blocks");
    for (int i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s:%s", ar_collectives[speed[i].algorithm->collective].name,
                 speed[i].algorithm->name);
        printf("%-34s %5d  %13.1f  %15.1f  %8.1f", name, speed[i].nranks, 1e9 * speed[i].call_s,
               speed[i].per_round, speed[i].by_rank / 1e6);
        if (speed[i].algorithm->pattern)
            printf(" %8.1f %14.1f", speed[i].by_pattern[0] / 1e6, speed[i].by_pattern[1] / 1e6);
        printf("\n");
    }
    free(speed);
    return 0;
}
