/* Every rank sends its block to every other, in one round.
 *
 * Rank r serves r+1, r+2, ..., so that no port is hit by all at once.
 *
 * Cost: (P-1) messages per port and (P-1)/P n beta. Good where every pair of ranks has its own path, as
 * inside a node.
 *
 *     $ allround explain allgather:direct -n 4
 *     B->R: send block B to R; =B<-R: store B from R; at the end: ranks in the blocks that changed
 *     start: every rank has its own part, 4 blocks in all
 *     round 1   rank 0    0->1 0->2 0->3 =3<-3 =2<-2 =1<-1  1:{1} 2:{2} 3:{3}
 *     round 1   rank 1    1->2 1->3 1->0 =0<-0 =3<-3 =2<-2  0:{0} 2:{2} 3:{3}
 *     round 1   rank 2    2->3 2->0 2->1 =1<-1 =0<-0 =3<-3  0:{0} 1:{1} 3:{3}
 *     round 1   rank 3    3->0 3->1 3->2 =2<-2 =1<-1 =0<-0  0:{0} 1:{1} 2:{2}
 */
#include "collectives/algorithm.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks > 1;
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)k;
    *pattern = (struct ar_pattern){
        .kind = AR_SHIFT, .distance = i + 1, .more = i + 2 < p->nranks, .set = ar_block(0), .align = 1};
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){P - 1, (P - 1) / P, 0};
}

const struct ar_algorithm ar_allgather_direct = {
    .name = "direct",
    .collective = AR_COLLECTIVE_allgather,
    .summary = "every rank sends its block to every other",
    .source = "folklore; Open MPI, coll_base_allgather.c (direct messaging, from 6.0)",
    .openmpi = "8 direct-messaging (6.0)",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
