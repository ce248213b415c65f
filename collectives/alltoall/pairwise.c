/* One partner each way at a time: in round k rank r sends its block to r+k+1 and gets one from r-k-1.
 *
 * Cost: (P-1) alpha + (P-1)/P n beta, n what one rank sends: the least traffic, as every block travels once,
 * and never two messages at one port. For long blocks.
 *
 *     $ allround explain alltoall:pairwise -n 4
 *     B->R: send block B to R; =B<-R: store B from R; block B: from rank B / 4 to rank B mod 4;
 *     at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 16 blocks in all
 *     round 1   rank 0    1->1 =12<-3   12:{3}
 *     round 1   rank 1    6->2 =1<-0    1:{0}
 *     round 1   rank 2    11->3 =6<-1   6:{1}
 *     round 1   rank 3    12->0 =11<-2  11:{2}
 *     round 2   rank 0    2->2 =8<-2    8:{2}
 *     round 2   rank 1    7->3 =13<-3   13:{3}
 *     round 2   rank 2    8->0 =2<-0    2:{0}
 *     round 2   rank 3    13->1 =7<-1   7:{1}
 *     round 3   rank 0    3->3 =4<-1    4:{1}
 *     round 3   rank 1    4->0 =9<-2    9:{2}
 *     round 3   rank 2    9->1 =14<-3   14:{3}
 *     round 3   rank 3    14->2 =3<-0   3:{0}
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/alltoall.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks - 1;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    ar_alltoall_shifts(p, rank, (int)k + 1, (int)k + 1, sink);
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){P - 1, (P - 1) / P, 0};
}

const struct ar_algorithm ar_alltoall_pairwise = {
    .name = "pairwise",
    .collective = AR_COLLECTIVE_alltoall,
    .summary = "one partner each way in every round",
    .source =
        "Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in MPICH, IJHPCA "
        "19(1), 2005",
    .openmpi = "2 pairwise",
    .mpich = "pairwise (on powers of two there by xor)",
    .parts = ar_one_part_per_pair,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
