/* Partners at distance 1, 2, 4, ... exchange all that the other's side may still need.
 *
 * In round k rank r and r xor 2^k, of neighbouring groups of 2^k ranks, send each other their partial results
 * of every block but those of the own group. Needs a power of two.
 *
 * Cost: q alpha + (q - (P-1)/P) n (beta + gamma), q = log2 P. Keeps the operands' order; for short vectors,
 * since each block is combined on many ranks.
 *
 *     $ allround explain reduce_scatter:recursive_doubling -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; below: ranks per block
 *              rank 0               rank 1               rank 2               rank 3
 *     start    0    0    0    0     1    1    1    1     2    2    2    2     3    3    3    3
 *     round 1  1-3->1 +2,3,0<-1     2,3,0->0 +1-3<-0     3,0,1->3 +0-2<-3     0-2->2 +3,0,1<-2
 *              01   0    01   01    1    01   01   01    23   23   23   2     23   23   3    23
 *     round 2  2,3->2 +0,1<-2       2,3->3 +0,1<-3       0,1->0 +2,3<-0       0,1->1 +2,3<-1
 *              0123 023  01   01    123  0123 01   01    23   23   0123 012   23   23   013  0123
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/binomial.h"

static int64_t rounds(const struct ar_problem *p)
{
    return ar_log2_floor(p->nranks);
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)i;
    int group = 1 << k;
    *pattern = (struct ar_pattern){.kind = AR_XOR,
                                   .distance = group,
                                   .reduce = true,
                                   .set = ar_block_run(group, p->nranks - group),
                                   .align = group};
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks, q = (double)rounds(p);
    return (struct ar_cost){q, q - (P - 1) / P, q - (P - 1) / P};
}

const struct ar_algorithm ar_reduce_scatter_recursive_doubling = {
    .name = "recursive_doubling",
    .collective = AR_COLLECTIVE_reduce_scatter,
    .summary = "all blocks but the own group's are exchanged at distance 1, 2, 4, ...",
    .source = "Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in MPICH, "
              "IJHPCA 19(1), 2005, section 4.3",
    .needs = AR_NEEDS_POWER_OF_TWO,
    .openmpi = "2 recursive_doubling (of reduce_scatter_block)",
    .mpich = "recursive_doubling",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
