/* What to measure, in words: sizes, and who takes part. */
#pragma once

#include <stdbool.h>

#include "bench/harness/costing.h"

/* Sizes of the full vector in bytes. NULL: not given. */
struct ar_size_words {
    const char *list;   /* "8,64K,1e6": these */
    const char *from;   /* else from this one (8) ... */
    const char *to;     /* ... to this one (64M), ... */
    int64_t factor;     /* ... each so many times (>= 2) the one before; 0: not given (2) */
    int64_t elem_bytes; /* that every size must be a multiple of */
};

enum { AR_BENCH_MOST_SIZES = 1024 };

/* The caller frees *size. K, M and G are powers of 1024, as everywhere (collectives/base/units.h). After 0
 * comes one element. */
enum ar_status ar_bench_sizes(const struct ar_size_words *words, int64_t **size, int *n,
                              struct ar_error *error);

enum ar_contender_kind {
    AR_CONTENDER_ALGORITHM,
    AR_CONTENDER_LIBRARY, /* the MPI library's own */
    AR_CONTENDER_AUTO,    /* chosen for every size by the model */
    AR_CONTENDER_ALL,     /* every algorithm that admits the ranks, and the library */
};

struct ar_contender {
    enum ar_contender_kind kind;
    struct ar_choice choice; /* of an algorithm */
    char typed[AR_CHOICE_TEXT];
};

enum { AR_BENCH_MOST_CONTENDERS = 64 };

struct ar_contenders {
    struct ar_contender contender[AR_BENCH_MOST_CONTENDERS];
    int n;
};

/* "ring,segmented_ring:segment=64KiB,library,auto,all": names are separated by commas, and so are parameters:
 * a piece with '=' and without ':' goes on with the algorithm before it ("ring:channels=2,segment=64KiB" is
 * one). NULL: "library,auto". */
enum ar_status ar_bench_contenders(const char *list, enum ar_collective_id collective,
                                   struct ar_contenders *contenders, struct ar_error *error);

/* Replaces `all` by those that are not there yet: of `problem` those that ar_costing_choices has, whose
 * choice.algorithm is NULL, and the library, for an operator that may be NULL. Leaves the library out, with a
 * note, where MPI has no such call and `all`, or no list at all (`usual`), brought it. AR_INVALID where it
 * was asked for by name. */
enum ar_status ar_bench_settle(struct ar_contenders *contenders, const struct ar_costing *problem,
                               const struct ar_operator *op, bool usual, struct ar_text *notes,
                               struct ar_error *error);
