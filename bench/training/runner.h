/* Carries out the events of plans on every rank and counts what they move.
 *
 * Each event is a collective on one vector. It is modelled (bytes by arithmetic from its schedule), run with
 * the algorithm chosen for it over real or simulated buffers, counted by the executor, and counted once more
 * by the witness where there is one. On real buffers every event starts from known contributions, and every
 * rank's result is compared with what it must be.
 *
 * Over MPI each rank has a runner of its own and all make the same calls in the same order; every function
 * gives every rank the same answer, but for AR_SYSTEM, which one rank may see alone.
 *
 * What is expensive is kept: schedules and models for the runner's life, prepared executions while one plan
 * runs. With simulated buffers an event is run once and its counts are used again for all like it.
 */
#pragma once

#include "collectives/run/execution.h"
#include "sim/training/plan.h"

struct ar_runner_setup {
    int nranks;
    enum ar_type type;
    bool simulated;
    /* The MPI library's own collectives instead of ours: real float32 buffers over MPI. Nothing is modelled,
     * and what is sent is only what the witness sees. */
    bool library;
    struct ar_end *end; /* this rank's, over MPI; NULL: all ranks in this process */
    int node_ranks;     /* ranks that share this machine's memory; 0: all of them */
    /* Per collective what the user chose; algorithm NULL: the default. */
    struct ar_choice choice[AR_NCOLLECTIVES];
};

enum { AR_UNKNOWN = -1 };

/* Bytes over all ranks. */
struct ar_tally {
    int64_t sent_max, sent_total; /* counted; AR_UNKNOWN with `library` and no witness */
    int64_t modelled_total;       /* AR_UNKNOWN with `library` */
    int64_t witness_total;        /* AR_UNKNOWN where not observed */
    /* Results (real buffers); on every rank counted == modelled, messages and bytes; to every peer counted ==
     * witness. */
    bool right;
    struct ar_error failure; /* the first sentence where not right */
};

struct ar_runner;

/* The setup is copied, except for what it points to. */
struct ar_runner *ar_runner_new(const struct ar_runner_setup *setup);
void ar_runner_free(struct ar_runner *runner);

/* The algorithm for a collective on so many elements: the user's, else the one named `fallback`, else the
 * program's: ring where there is one, chain for broadcast and reduce. Where the user did not choose, long
 * vectors get segments longer than the algorithm's default, so that there are at most a thousand or so. */
enum ar_status ar_runner_choice(const struct ar_runner *runner, enum ar_collective_id collective,
                                const char *fallback, int64_t elements, struct ar_choice *choice,
                                struct ar_error *error);

/* Makes the schedules of a plan and says how many bytes running it will take on this machine, all its ranks
 * together. AR_INVALID with an algorithm's need in words. */
enum ar_status ar_runner_estimate(struct ar_runner *runner, const struct ar_training_plan *plan,
                                  const char *fallback, double *memory_bytes, struct ar_error *error);

/* For what ranks may judge differently, such as their machines' memory: every rank gets the status and the
 * sentence of the first that failed. */
enum ar_status ar_runner_agree(const struct ar_runner *runner, enum ar_status mine, struct ar_error *error);

/* Runs a plan that ar_runner_estimate has seen. `label` begins sentences about wrong results. AR_OK also when
 * results are wrong: see tally->right. */
enum ar_status ar_runner_run(struct ar_runner *runner, const struct ar_training_plan *plan,
                             const char *fallback, const char *label, struct ar_tally *tally,
                             struct ar_error *error);
