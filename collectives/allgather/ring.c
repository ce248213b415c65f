/* Every block travels once around the ring and is kept by each rank it passes.
 *
 * In round k rank r sends block r-k to r+1 and receives block r-1-k from r-1.
 *
 * Cost: (P-1) alpha + (P-1)/P n beta: the least possible traffic, to one neighbour only.
 *
 *     $ allround explain allgather:ring -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0      rank 1      rank 2      rank 3
 *     start    0 . . .     . 1 . .     . . 2 .     . . . 3
 *     round 1  0->1 =3<-3  1->2 =0<-0  2->3 =1<-1  3->0 =2<-2
 *              0 . . 3     0 1 . .     . 1 2 .     . . 2 3
 *     round 2  3->1 =2<-3  0->2 =3<-0  1->3 =0<-1  2->0 =1<-2
 *              0 . 2 3     0 1 . 3     0 1 2 .     . 1 2 3
 *     round 3  2->1 =1<-3  3->2 =2<-0  0->3 =3<-1  1->0 =0<-2
 *              0 1 2 3     0 1 2 3     0 1 2 3     0 1 2 3
 */
#include "collectives/algorithm.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks - 1;
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)p, (void)i;
    *pattern = (struct ar_pattern){.kind = AR_SHIFT, .distance = 1, .set = ar_block(-k), .align = 1};
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){P - 1, (P - 1) / P, 0};
}

const struct ar_algorithm ar_allgather_ring = {
    .name = "ring",
    .collective = AR_COLLECTIVE_allgather,
    .summary = "blocks travel around a ring and are kept by each rank",
    .source =
        "folklore; Chan, Heimlich, Purkayastha, van de Geijn, Collective communication: theory, practice, "
        "and experience, CCPE 19(13), 2007, section 4 (bucket)",
    .openmpi = "4 ring",
    .mpich = "ring",
    .nccl = "Ring",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
