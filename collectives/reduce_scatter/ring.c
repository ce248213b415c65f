/* Every block travels once around the ring and grows by each rank's contribution, ending with its owner.
 *
 * In round k rank r sends block r-1-k to r+1 and combines block r-2-k from r-1.
 *
 * Cost: (P-1) alpha + (P-1)/P n (beta + gamma): every rank sends, receives and combines the least possible,
 * to one neighbour only. Operands are combined in ring order, so the operator must commute.
 *
 *     $ allround explain reduce_scatter:ring -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; below: ranks per block
 *              rank 0               rank 1               rank 2               rank 3
 *     start    0    0    0    0     1    1    1    1     2    2    2    2     3    3    3    3
 *     round 1  3->1 +2<-3           0->2 +3<-0           1->3 +0<-1           2->0 +1<-2
 *              0    0    03   0     1    1    1    01    12   2    2    2     3    23   3    3
 *     round 2  2->1 +1<-3           3->2 +2<-0           0->3 +3<-1           1->0 +0<-2
 *              0    023  03   0     1    1    013  01    12   2    2    012   123  23   3    3
 *     round 3  1->1 +0<-3           2->2 +1<-0           3->3 +2<-1           0->0 +3<-2
 *              0123 023  03   0     1    0123 013  01    12   2    0123 012   123  23   3    0123
 */
#include "collectives/algorithm.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks - 1;
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)p, (void)i;
    *pattern = (struct ar_pattern){
        .kind = AR_SHIFT, .distance = 1, .reduce = true, .set = ar_block(-1 - k), .align = 1};
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){P - 1, (P - 1) / P, (P - 1) / P};
}

const struct ar_algorithm ar_reduce_scatter_ring = {
    .name = "ring",
    .collective = AR_COLLECTIVE_reduce_scatter,
    .summary = "blocks travel around a ring and are combined at each rank",
    .source = "Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC "
              "69(2), 2009",
    .openmpi = "3 ring",
    .nccl = "Ring",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
