/* The ranks of this process, and schedules run on them.
 *
 * Over MPI there is one, over loopback all of them live here; who runs, checks or measures schedules through
 * this header need not care which it is:
 *
 *     ar_ranks_open(&ranks, nranks, end, node_ranks);
 *     status = ar_job_open(&job, &ranks, &setup, error);
 *     if (status == AR_OK) {
 *         ar_job_fill(&job);
 *         status = ar_job_run(&job, error);
 *     }
 *     for (int i = 0; i < ranks.n && status == AR_OK; i++)
 *         status = ar_job_check(&job, i, error);
 *     ar_job_close(&job);
 *     ar_ranks_close(&ranks);
 *
 * Every rank has one vector, which all jobs use in turn. Over MPI every rank makes the same calls.
 */
#pragma once

#include "collectives/messages.h"
#include "collectives/run/check.h"
#include "collectives/run/execution.h"

struct ar_ranks {
    int nranks, first, n; /* of them, first .. first+n-1 are here; local rank i is rank first + i */
    struct ar_end *mpi;   /* this rank's, not owned; NULL: loopback */
    int processes;        /* that share this machine's memory, this one included */
    struct ar_end **end;  /* per local rank, as the next */
    void **vector;        /* vector_bytes long each; NULL before the first */
    size_t vector_bytes;
};

/* `mpi` NULL: all nranks over loopback. node_ranks: over MPI the ranks that share this machine; 0: all. */
void ar_ranks_open(struct ar_ranks *ranks, int nranks, struct ar_end *mpi, int node_ranks);
void ar_ranks_close(struct ar_ranks *ranks);

/* Makes the vectors at least so long; their contents are lost. */
void ar_ranks_reserve(struct ar_ranks *ranks, size_t bytes);

/* What this machine's ranks need together where each process needs its own `bytes`: each as much as the
 * neediest, but never more than all of them do. Collective over MPI. */
double ar_ranks_on_machine(const struct ar_ranks *ranks, double bytes);

/* For what ranks may judge differently, such as their machines' memory: every rank gets the status and the
 * sentence of the first that failed. Collective over MPI. */
enum ar_status ar_ranks_agree(const struct ar_ranks *ranks, enum ar_status mine, struct ar_error *error);

/* One schedule on all ranks. */
struct ar_job {
    struct ar_ranks *ranks;
    struct ar_execution_setup setup;
    struct ar_traffic *modelled;     /* of one run, per local rank */
    struct ar_execution **execution; /* per local rank; NULL: none yet (simulated) */
    struct ar_check *check;          /* NULL: none yet, or simulated */
    bool ran;                        /* by ar_job_run, since the last release */
};

/* Takes little memory. AR_INVALID when schedule, layout, type and operator do not belong together. The ranks
 * and what the setup points to must outlive the job. */
enum ar_status ar_job_open(struct ar_job *job, struct ar_ranks *ranks, const struct ar_execution_setup *setup,
                           struct ar_error *error);
void ar_job_close(struct ar_job *job); /* a zeroed one too */

/* Bytes that running takes in this process, besides the vectors; 0 when simulated. */
double ar_job_memory(const struct ar_job *job);

/* Writes every rank's contribution into its vector; nothing when simulated. */
void ar_job_fill(struct ar_job *job);

/* Runs the schedule once, on the vectors as they are; the first time takes the memory. The status is the
 * transport's. Over MPI a failure is seen by one rank alone and is AR_SYSTEM: then end all ranks
 * (ar_mpi_abort). */
enum ar_status ar_job_run(struct ar_job *job, struct ar_error *error);

/* After a run: local rank i's result to the bit (not when simulated), and, if it was ar_job_run that ran it,
 * what was counted on the transport against what the schedule says. AR_FAILED with the difference. */
enum ar_status ar_job_check(const struct ar_job *job, int i, struct ar_error *error);

/* Gives back what running took; another run takes it again. */
void ar_job_release(struct ar_job *job);
