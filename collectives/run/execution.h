/* Running a schedule: the executor.
 *
 * new asks what the schedule needs on one rank; prepare lays out message lists, shapes, staging memory and
 * counters once; start and progress then only start transfers, wait for them and combine, and allocate
 * nothing. The vector has the full length on every rank (ar_layout_elements: in an all-to-all all rows, of
 * which a rank touches those whose blocks it has or passes on) and lies in place: before, this rank's
 * contribution is in the blocks it starts with; afterwards, the result is in the blocks that the collective
 * promises, and the rest is undefined.
 *
 * With `simulated` there is no data and no memory for it: the same rounds, messages, matching and counts, so
 * counts of 2^40 elements and a thousand ranks run in one process. Each round is then worked out when it
 * comes (so memory may still grow during the first run) and local work is left out. Only over loopback.
 *
 * Long messages are cut into pieces (pieces.h), and combining overlaps receiving and sending (flow.h); with
 * AR_STRICT_ROUNDS, and where no message of the rank is that long, each round's transfers are finished before
 * its combining begins, and that before the next round (strict.h). The bits are the same. Sentences count
 * rounds from 1.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "collectives/layout.h"
#include "collectives/run/counter.h"
#include "collectives/run/pieces.h"
#include "collectives/run/transport.h"
#include "collectives/run/types.h"
#include "collectives/schedule.h"

struct ar_execution;

struct ar_execution_setup {
    const struct ar_schedule *schedule; /* must outlive the execution */
    struct ar_layout layout;
    enum ar_type type;
    const struct ar_operator *op; /* unused, may be NULL, where the collective does not reduce */
    bool simulated;
    struct ar_pieces pieces; /* the same on every rank; zero: AR_PIECES_DEFAULT */
};

/* The end must outlive the execution; executions on one end run one after the other. AR_INVALID when a
 * reducing collective has no operator for the type, or layout, end and schedule do not belong together. */
enum ar_status ar_execution_new(struct ar_execution **execution, const struct ar_execution_setup *setup,
                                struct ar_end *end, struct ar_error *error);
void ar_execution_free(struct ar_execution *execution);

/* Bytes that prepare takes, besides the vector: the lists of all rounds, staging, a copy of the input where
 * the schedule reads it, scratch. For ar_memory_check. */
double ar_execution_memory(const struct ar_execution *execution);

/* Takes what running needs; nothing when it has been taken. AR_NO_MEMORY when the machine is too small,
 * AR_INVALID when pieces are so short that there are more of them than can be numbered (2^30 or so). */
enum ar_status ar_execution_prepare(struct ar_execution *execution, struct ar_error *error);

/* Gives it back, and the counters; prepare may follow. */
void ar_execution_release(struct ar_execution *execution);

/* Begins a run of a prepared execution on `vector` (NULL when simulated or without elements); may be called
 * again when the run is done. */
void ar_execution_start(struct ar_execution *execution, void *vector);

/* Goes as far as it can. *done: the result is in the vector; else (loopback only) call again after another
 * rank's. A broken transfer has the transport's status. */
enum ar_status ar_execution_progress(struct ar_execution *execution, bool *done, struct ar_error *error);

/* Over an end that waits (mpi): start and progress to the end. */
enum ar_status ar_execution_run(struct ar_execution *execution, void *vector, struct ar_error *error);

/* Over loopback: runs the n ranks' executions together. AR_FAILED with who waits for whom in which round when
 * nobody can go on; the loopback is of no further use then. `vector` is NULL when simulated. */
enum ar_status ar_execution_run_all(struct ar_execution *const *execution, void *const *vector, int n,
                                    struct ar_error *error);

/* Counters of the last run, one per peer that this rank exchanges messages with (when simulated: has
 * exchanged), by ascending rank. Valid until the execution goes on. */
const struct ar_counter *ar_execution_counters(struct ar_execution *execution, int *n);

/* Their sum; peer is -1. */
struct ar_counter ar_execution_total(const struct ar_execution *execution);
