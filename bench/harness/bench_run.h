/* Collectives measured over MPI: every contender at every size, with its result checked, its bytes counted
 * and its modelled time beside it.
 *
 * At each size every contender first runs once on known inputs: every rank compares its result bitwise, and
 * what was counted on the transport with what the schedule says; the library's bytes are those the witness
 * saw. Then all are sampled together (sampling.h) on one vector per rank, in place, all of it zero: every
 * operator makes zeros of zeros, so no sample depends on those before it, nothing overflows or becomes
 * subnormal (slow on many processors), and no filling in between changes what is in the caches. (OSU's and
 * IMB's buffers also stay as the calls before left them.)
 *
 * Every rank makes the same calls and gets the same rows.
 */
#pragma once

#include "bench/harness/bench_words.h"
#include "bench/harness/listener.h"
#include "bench/harness/ranks.h"
#include "bench/harness/sampling.h"
#include "bench/stats/stats.h"

struct ar_bench {
    struct ar_ranks *ranks;    /* over MPI */
    struct ar_costing problem; /* choice and count are not used */
    bool measured;             /* problem.model was, by ar_bench_prepare */
    const struct ar_operator *op;
    struct ar_contenders contenders; /* settled */
    const int64_t *size;             /* nsizes, bytes of the full vector */
    int nsizes;
    struct ar_pieces pieces;
    double seconds; /* at most per size and contender, but for AR_SAMPLES_FEWEST */
    uint64_t seed;
};

struct ar_bench_row {
    const struct ar_contender *contender; /* of the ar_bench */
    struct ar_choice ran;                 /* algorithm NULL: the library */
    int64_t count, part_count;            /* elements of the vector; of its largest part where parts belong to
                                             ranks, else of the vector */
    struct ar_samples samples;            /* as they were taken */
    struct ar_summary time;
    double p25_s, p75_s;
    struct ar_ratio to_library;               /* NaN where the library does not take part */
    double sent_mean, modelled_mean;          /* bytes per rank; NaN: not observed, not modelled */
    double messages_mean, wire_messages_mean; /* sent per rank, the schedule's and the transport's */
    double modelled_s, lower_bound_s;         /* NaN: not modelled */
    bool valid, fastest;                      /* fastest: by the median, of the valid ones of its size */
    struct ar_error why;                      /* unless valid: what the first rank that failed says */
};

/* Over MPI, once sizes and contenders are read: settles the contenders (`usual`: nobody named them), and with
 * `measure` makes problem.model what this machine shows in a second; on one rank, which sends nothing, 0.
 * AR_INVALID: there is no such root, or a contender that is not admitted. */
enum ar_status ar_bench_prepare(struct ar_bench *bench, bool usual, bool measure, struct ar_text *notes,
                                struct ar_error *error);

/* Checks all sizes, and their memory, before the first is run. *rows: *n, size by size, contenders in their
 * order; release with ar_bench_free. AR_NO_MEMORY before anything is taken; AR_INVALID where a contender does
 * not admit the problem; AR_SYSTEM may be seen by one rank alone (then ar_mpi_abort). A wrong result is no
 * failure of this call. `tell` (may be NULL) listens. */
enum ar_status ar_bench_run(const struct ar_bench *bench, ar_listener *tell, struct ar_bench_row **rows,
                            int *n, struct ar_error *error);
void ar_bench_free(struct ar_bench_row *rows, int n);
