/* Every rank exchanges with every other in turn: in round k rank r sends block r+k+1 as it is to its owner,
 * and combines what arrives for its own block.
 *
 * Cost: (P-1) alpha + (P-1)/P n (beta + gamma). As the ring, but with P-1 partners and no partial results
 * under way.
 *
 *     $ allround explain reduce_scatter:pairwise -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; below: ranks per block
 *              rank 0               rank 1               rank 2               rank 3
 *     start    0    0    0    0     1    1    1    1     2    2    2    2     3    3    3    3
 *     round 1  1->1 +0<-3           2->2 +1<-0           3->3 +2<-1           0->0 +3<-2
 *              03   0    0    0     1    01   1    1     2    2    12   2     3    3    3    23
 *     round 2  2->2 +0<-2           3->3 +1<-3           0->0 +2<-0           1->1 +3<-1
 *              023  0    0    0     1    013  1    1     2    2    012  2     3    3    3    123
 *     round 3  3->3 +0<-1           0->0 +1<-2           1->1 +2<-3           2->2 +3<-0
 *              0123 0    0    0     1    0123 1    1     2    2    0123 2     3    3    3    0123
 */
#include "collectives/algorithm.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks - 1;
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)p, (void)i;
    int distance = (int)k + 1;
    *pattern = (struct ar_pattern){
        .kind = AR_SHIFT, .distance = distance, .reduce = true, .set = ar_block(distance), .align = 1};
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){P - 1, (P - 1) / P, (P - 1) / P};
}

const struct ar_algorithm ar_reduce_scatter_pairwise = {
    .name = "pairwise",
    .collective = AR_COLLECTIVE_reduce_scatter,
    .summary = "each block goes to its owner, one partner a round",
    .source = "folklore; Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in "
              "MPICH, IJHPCA 19(1), 2005, section 4.3",
    .mpich = "pairwise",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
