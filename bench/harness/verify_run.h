/* Sweeps: one algorithm proved, and on request run, for many numbers of ranks, roots, parameters, counts,
 * types and operators.
 *
 * Each (ranks, root, number of segments) is proved symbolically (collectives/verify). A run on real buffers,
 * over loopback or MPI, starts from known contributions; every rank's result is compared bitwise, and the
 * messages and bytes counted on the transport with those the schedule says. What is not proved is not run.
 *
 * Over MPI every rank makes the same calls, walks the same cases in the same order and gets the same rows and
 * statuses, but for AR_SYSTEM, which one rank may see alone.
 */
#pragma once

#include "bench/import/schedule_file.h"
#include "collectives/run/pieces.h"
#include "collectives/run/transport.h"
#include "collectives/run/types.h"

enum { AR_REQUIRE_ORDER = 1, AR_REQUIRE_BITS = 2 };

struct ar_sweep {
    const int64_t *ranks; /* nranks numbers of ranks, each >= 1; over MPI one, the launcher's */
    int nranks;
    int root;  /* -1: every root */
    bool skip; /* numbers of ranks and roots that an algorithm does not admit are counted, not refused */
    unsigned require; /* properties whose absence is a failure too */

    bool run;           /* also on real buffers */
    struct ar_end *end; /* this rank's, over MPI; NULL: loopback */
    int node_ranks;     /* ranks that share this machine's memory; 0: all of them */
    struct ar_pieces pieces;

    /* Vectors. counts NULL: 0, 1, P-1, P, P+1 and 3P+2 elements for the first type, P+1 and 3P+2 for the
     * others. Where blocks belong to ranks, each count is run with equal and with unequal parts. */
    const int64_t *counts;
    int ncounts;
    const enum ar_type *types;
    int ntypes;
    const struct ar_operator *const *operators; /* for collectives that reduce */
    int noperators;
};

/* What was found for one algorithm. Release with ar_swept_free. */
struct ar_swept {
    const struct ar_algorithm *algorithm;
    char name[AR_CHOICE_TEXT];    /* with the parameters that were given */
    struct ar_text ranks;         /* that were looked at: "1-64" */
    int64_t proved, ran;          /* cases that are proved; runs on real buffers */
    int64_t proved_root_0;        /* of the cases proved, those with root 0 */
    int64_t failed;               /* proofs, runs and required properties */
    struct ar_error failure;      /* the first */
    struct ar_text skipped;       /* numbers of ranks that are not admitted: "3,5-7" */
    int64_t nskipped;             /* how many */
    struct ar_error skipped_why;  /* the first */
    bool ordered, ordered_root_0; /* operands in rank order: in all cases; in those with root 0 */
    bool same_bits;               /* in all cases */
};

/* An algorithm with parameters. Byte parameters that are not given are proved with 1, 2, 5 and 8 segments,
 * words with all there are; given bytes need counts, for they become segments only with them. AR_OK also when
 * cases fail: see swept->failed. AR_INVALID: something explicitly asked for is not admitted; AR_NO_MEMORY:
 * before running. */
enum ar_status ar_sweep_choice(const struct ar_sweep *sweep, const struct ar_choice *choice,
                               struct ar_swept *swept, struct ar_error *error);

/* A schedule somebody wrote: ranks and root are the file's. */
enum ar_status ar_sweep_file(const struct ar_sweep *sweep, const struct ar_schedule_file *file,
                             struct ar_swept *swept, struct ar_error *error);

/* What `subject` names: every algorithm of a collective, or one ("COLL:ALG:param=value"); NULL: every one
 * there is. The caller releases the n rows with ar_swept_free_all. */
enum ar_status ar_sweep_registry(const struct ar_sweep *sweep, const char *subject, struct ar_swept **swept,
                                 int *n, struct ar_error *error);

void ar_swept_free(struct ar_swept *swept);
void ar_swept_free_all(struct ar_swept *swept, int n); /* and the array */
