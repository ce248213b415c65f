/* A window of partners each way at a time: in round k rank r exchanges with the next `window` ranks on either
 * side that it has not met.
 *
 * Between linear (all at once) and pairwise (window 1). The published form starts the next message when any
 * of the window is done; here a round ends when all of its own are.
 *
 * Cost: (P-1) messages per port and (P-1)/P n beta, n what one rank sends, in ceil((P-1) / window) rounds.
 *
 *     $ allround explain alltoall:linear_sync:window=2 -n 4
 *     B->R: send block B to R; =B<-R: store B from R; block B: from rank B / 4 to rank B mod 4;
 *     at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 16 blocks in all
 *     round 1   rank 0    1->1 2->2 =12<-3 =8<-2    8:{2} 12:{3}
 *     round 1   rank 1    6->2 7->3 =1<-0 =13<-3    1:{0} 13:{3}
 *     round 1   rank 2    11->3 8->0 =6<-1 =2<-0    2:{0} 6:{1}
 *     round 1   rank 3    12->0 13->1 =11<-2 =7<-1  7:{1} 11:{2}
 *     round 2   rank 0    3->3 =4<-1                4:{1}
 *     round 2   rank 1    4->0 =9<-2                9:{2}
 *     round 2   rank 2    9->1 =14<-3               14:{3}
 *     round 2   rank 3    14->2 =3<-0               3:{0}
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/alltoall.h"

static int64_t rounds(const struct ar_problem *p)
{
    return (p->nranks - 1 + p->param[0] - 1) / p->param[0];
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int64_t before = k * p->param[0], left = p->nranks - 1 - before;
    int64_t n = left < p->param[0] ? left : p->param[0];
    ar_alltoall_shifts(p, rank, (int)before + 1, (int)(before + n), sink);
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){P - 1, (P - 1) / P, 0};
}

static const struct ar_param params[] = {
    {"window", "partners each way at a time", AR_PARAM_NUMBER, 4, 1, 1 << 20, NULL},
};

const struct ar_algorithm ar_alltoall_linear_sync = {
    .name = "linear_sync",
    .collective = AR_COLLECTIVE_alltoall,
    .summary = "a window of partners each way in every round",
    .source = "Open MPI, coll_base_alltoall.c (linear_sync); MPICH, alltoall_intra_scattered.c",
    .params = params,
    .nparams = 1,
    .openmpi = "4 linear_sync",
    .mpich = "scattered",
    .parts = ar_one_part_per_pair,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
