/* Partners at distance 1, 2, 4, ... exchange all they have.
 *
 * In round k rank r and r xor 2^k swap their groups of 2^k neighbouring blocks. Needs a power of two.
 *
 * Cost: q alpha + (P-1)/P n beta: both terms are the least possible.
 *
 *     $ allround explain allgather:recursive_doubling -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0          rank 1          rank 2          rank 3
 *     start    0 . . .         . 1 . .         . . 2 .         . . . 3
 *     round 1  0->1 =1<-1      1->0 =0<-0      2->3 =3<-3      3->2 =2<-2
 *              0 1 . .         0 1 . .         . . 2 3         . . 2 3
 *     round 2  0,1->2 =2,3<-2  0,1->3 =2,3<-3  2,3->0 =0,1<-0  2,3->1 =0,1<-1
 *              0 1 2 3         0 1 2 3         0 1 2 3         0 1 2 3
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/binomial.h"

static int64_t rounds(const struct ar_problem *p)
{
    return ar_log2_floor(p->nranks);
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)p, (void)i;
    int group = 1 << k;
    *pattern =
        (struct ar_pattern){.kind = AR_XOR, .distance = group, .set = ar_block_run(0, group), .align = group};
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){(double)rounds(p), (P - 1) / P, 0};
}

const struct ar_algorithm ar_allgather_recursive_doubling = {
    .name = "recursive_doubling",
    .collective = AR_COLLECTIVE_allgather,
    .summary = "groups of blocks are exchanged at distance 1, 2, 4, ...",
    .source = "folklore; Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in "
              "MPICH, IJHPCA 19(1), 2005, section 4.1",
    .needs = AR_NEEDS_POWER_OF_TWO,
    .openmpi = "3 recursive_doubling",
    .mpich = "recursive_doubling",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
