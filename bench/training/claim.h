/* The claim "ZeRO-3 moves 1.5 times the traffic of plain data parallelism", counted.
 *
 * First the argument that articles give for it, in numbers: a broadcast, a reduce, an all-gather and a
 * reduce-scatter of a vector each move half of what an all-reduce moves. Then one training step of a model
 * under every strategy: bytes really sent per rank, what the plan predicts, what the MPI library itself saw,
 * and the memory that each strategy buys with them.
 *
 * For n bytes of parameters on N ranks, any algorithm that sends nothing twice gives these totals, whatever
 * the sizes of the layers: all-reduce 2 (N-1) n, the other four (N-1) n each; so ps, ddp, zero1 and zero2
 * 2 (N-1) n, and zero3, with pieces or with owners, 3 (N-1) n. (Rajbhandari et al., ZeRO, SC'20, section 7.)
 * Of the strategies this is checked, unless the user chose algorithms.
 */
#pragma once

#include "bench/harness/listener.h"
#include "bench/training/runner.h"

/* One collective on one vector. */
struct ar_claim_primitive {
    enum ar_collective_id collective;
    char algorithm[AR_CHOICE_TEXT]; /* "MPI's own" with `library` */
    struct ar_tally bytes;
    double per_vector;   /* total / ((N-1) n): 2 for a good all-reduce, 1 for the others */
    double to_allreduce; /* total / all-reduce's total */
};

struct ar_claim_strategy {
    const struct ar_strategy *strategy;
    struct ar_tally bytes;
    double to_ddp;        /* total / ddp's total */
    int64_t memory_bytes; /* model states of the rank that keeps most: modelled, not measured */
};

enum { AR_CLAIM_PRIMITIVES = 5 };

/* Ratios are NaN where a total is AR_UNKNOWN. */
struct ar_claim {
    struct ar_claim_primitive primitive[AR_CLAIM_PRIMITIVES]; /* the all-reduce first */
    int64_t elements; /* of the primitives' vector: the largest layer; the whole model when simulated */
    struct ar_claim_strategy *strategy; /* ar_nstrategies of them */
    struct ar_state_bytes state_bytes;  /* Adam: mixed precision for types of 2 bytes or less, else fp32 */
    bool right;                         /* everything that was checked is */
    struct ar_error failure;            /* the first sentence where not */
};

/* Counts everything; `tell` (or NULL) listens. Over MPI every rank calls it and gets the same claim.
 * AR_INVALID on fewer than two ranks, a need of an algorithm, or more than 2^63 bytes of traffic or memory;
 * AR_NO_MEMORY before anything is run. AR_OK also when results are wrong: see claim->right. */
enum ar_status ar_claim_run(const struct ar_runner_setup *setup, const struct ar_model *model,
                            ar_listener *tell, struct ar_claim *claim, struct ar_error *error);

void ar_claim_free(struct ar_claim *claim);
