/* Where and how a run takes place: the first line of its report, and the facts under "environment".
 *
 *     allround 0.1.0 on myhost: AMD EPYC, 2 cores; 4 ranks over mpi (Open MPI 4.1.4), not bound,
 *     oversubscribed (4 ranks on 2 cores)
 *
 * Oversubscribed means that more ranks share a set of cores than the set has: then times say little about a
 * machine with a core for each. Hosts that share one running kernel (containers, network namespaces) count as
 * one machine for this.
 */
#pragma once

#include <stdbool.h>

#include "bench/report/report.h"
#include "collectives/base/error.h"
#include "collectives/run/transport.h"
#include "topologies/machine.h"

struct ar_environment {
    struct ar_machine machine;    /* of this rank */
    int nranks;                   /* 0: nothing is run */
    int ranks_here;               /* on this machine, this one counted; all of them without MPI */
    int hosts, machines;          /* host names, and running kernels behind them */
    const char *transport;        /* "mpi", "loopback", "simulated", or "none" */
    const char *mpi_version;      /* as ar_mpi_open gave it; NULL without MPI */
    bool launched;                /* by mpiexec or srun */
    bool oversubscribed;          /* only MPI's ranks need a core each */
    int crowd_ranks, crowd_cores; /* the fullest set of cores anywhere */
    char binding[96];             /* of all ranks in words, e.g. "each bound to 1 core" */
};

/* With `mpi` collective, and every rank gets the same but for machine and ranks_here. Without (NULL): nranks
 * ranks in this process, without data when `simulated`; 0 ranks for a command that runs nothing.
 * AR_SYSTEM, on every rank, when one cannot read its machine. */
enum ar_status ar_environment_read(struct ar_environment *environment, struct ar_end *mpi,
                                   const char *mpi_version, int nranks, bool simulated,
                                   struct ar_error *error);

/* Adds the line to the report's heading and the facts to its environment: version, host, processor, cores,
 * hardware_threads, memory_bytes, and where something runs nranks, transport, binding, mpi, hosts, machines,
 * oversubscribed. */
void ar_environment_report(const struct ar_environment *environment, struct ar_report *report);
