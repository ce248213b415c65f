/* How fast the combining kernels are, per type, operator and level, beside memcpy in the same run.
 *
 * GB/s are bytes read and written per second: a combination reads two arrays and writes one, 3 x n x size; a
 * fold of k others reads k + 1 and writes one; memcpy moves 2 x n x size. The time is the shortest of
 * several. The others of a fold are the parts of one array.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collectives/run/types.h"
#include "collectives/run/wide.h"

enum { NOTHERS = 8, NSIZES = 2 };

/* Bytes per array. With two arrays the first stays in the core's own cache, the second leaves all. */
static const size_t sizes[NSIZES] = {(size_t)32 << 10, (size_t)64 << 20};

struct work {
    ar_combine *combine; /* both NULL: memcpy */
    ar_fold *fold;       /* not NULL: instead of combine */
    unsigned char *held, *other;
    size_t bytes, size; /* of an array, of an element */
};

/* Time of the processor: the kernels never wait, and other programs on the machine count less. */
static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void work_once(const struct work *work)
{
    if (work->fold) {
        const void *others[NOTHERS];
        for (size_t k = 0; k < NOTHERS; k++)
            others[k] = work->other + k * work->bytes / NOTHERS;
        work->fold(work->held, others, NOTHERS, work->bytes / NOTHERS / work->size);
    } else if (work->combine) {
        work->combine(work->held, work->other, work->bytes / work->size);
    } else {
        memcpy(work->held, work->other, work->bytes);
    }
}

static double speed_GBps(const struct work *work)
{
    double arrays = work->fold ? 1 + 2.0 / NOTHERS : work->combine ? 3 : 2, best_s = 1e9;
    size_t calls = 1 + ((size_t)1 << 20) / work->bytes; /* per reading of the clock */
    double end_s = now_s() + 0.02;
    for (int pass = 0; pass < 3 || (pass < 100 && now_s() < end_s); pass++) {
        double start_s = now_s();
        for (size_t i = 0; i < calls; i++)
            work_once(work);
        double spent_s = (now_s() - start_s) / (double)calls;
        best_s = spent_s < best_s ? spent_s : best_s;
    }
    return 1e-9 * arrays * (double)work->bytes / best_s;
}

/* Ones everywhere: no operator makes infinities or subnormals of them, which may be slow. */
static void fill_ones(unsigned char *array, enum ar_type type)
{
    uint64_t exponent = ar_types[type].exponent_bits, one = exponent ? exponent & exponent >> 1 : 1;
    for (size_t i = 0; i < sizes[NSIZES - 1]; i += ar_types[type].bytes)
        memcpy(array + i, &one, ar_types[type].bytes); /* x86, the only one with levels, is little endian */
}

/* One row: all levels, in each size. */
static void print_row(const char *type, const char *op, struct work work)
{
    printf("%-9s %-7s", type, op);
    for (int s = 0; s < NSIZES; s++)
        for (int level = 0; level < AR_NLEVELS; level++) {
            bool has = ar_level_limit((enum ar_level)level) == (enum ar_level)level;
            work.bytes = sizes[s];
            if (has && (level == 0 || work.combine))
                printf(" %8.1f", speed_GBps(&work));
            else
                printf(" %8s", "-");
        }
    printf("\n");
    fflush(stdout);
}

static void print_type(enum ar_type type, struct work work)
{
    fill_ones(work.held, type);
    fill_ones(work.other, type);
    for (int i = 0; i < ar_noperators; i++) {
        const struct ar_operator *op = &ar_operators[i];
        if (op->finish[type])
            continue; /* combines as another one does */
        work.combine = op->combine[type];
        work.fold = NULL;
        work.size = ar_types[type].bytes;
        print_row(ar_types[type].name, op->name, work);
        work.fold = op->fold[type];
        if (work.fold)
            print_row("", "  fold", work);
    }
}

/* An argument: only this type. */
int main(int argc, char **argv)
{
    size_t largest = sizes[NSIZES - 1];
    struct work work = {.held = aligned_alloc(64, largest), .other = aligned_alloc(64, largest)};
    if (!work.held || !work.other)
        return EXIT_FAILURE;
    memset(work.held, 1, largest);
    memset(work.other, 1, largest);
    printf("GB/s read and written. Arrays of 32 KiB (in cache), then of 64 MiB (beyond); a fold is of %d "
           "others\n",
           NOTHERS);
    printf("%-17s %8s %8s %8s %8s %8s %8s\n", "", "plain", "avx2", "avx512", "plain", "avx2", "avx512");
    print_row("", "memcpy", work);
    for (int type = 0; type < AR_NTYPES; type++)
        if (argc < 2 || strcmp(argv[1], ar_types[type].name) == 0)
            print_type((enum ar_type)type, work);
    free(work.held);
    free(work.other);
    return 0;
}
