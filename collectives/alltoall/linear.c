/* Every rank sends every other its block, in one round.
 *
 * Rank r serves r+1, r+2, ..., so that no port is hit by all at once.
 *
 * Cost: (P-1) messages per port and (P-1)/P n beta, n what one rank sends. Good where every pair of ranks has
 * its own path; else all messages are under way at once and get in each other's way (linear_sync).
 *
 *     $ allround explain alltoall:linear -n 4
 *     B->R: send block B to R; =B<-R: store B from R; block B: from rank B / 4 to rank B mod 4;
 *     at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 16 blocks in all
 *     round 1   rank 0    1->1 2->2 3->3 =12<-3 =8<-2 =4<-1     4:{1} 8:{2} 12:{3}
 *     round 1   rank 1    6->2 7->3 4->0 =1<-0 =13<-3 =9<-2     1:{0} 9:{2} 13:{3}
 *     round 1   rank 2    11->3 8->0 9->1 =6<-1 =2<-0 =14<-3    2:{0} 6:{1} 14:{3}
 *     round 1   rank 3    12->0 13->1 14->2 =11<-2 =7<-1 =3<-0  3:{0} 7:{1} 11:{2}
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/alltoall.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks > 1;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)k;
    ar_alltoall_shifts(p, rank, 1, p->nranks - 1, sink);
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){P - 1, (P - 1) / P, 0};
}

const struct ar_algorithm ar_alltoall_linear = {
    .name = "linear",
    .collective = AR_COLLECTIVE_alltoall,
    .summary = "every rank sends every other its block at once",
    .source = "folklore; Open MPI, coll_base_alltoall.c (basic_linear)",
    .openmpi = "1 linear",
    .parts = ar_one_part_per_pair,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
