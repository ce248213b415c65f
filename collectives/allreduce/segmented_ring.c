/* The ring with the reduce-scatter cut into phases: each phase moves one segment of every block around the
 * ring, and the all-gather moves whole blocks.
 *
 * Cost: for S segments S (P-1)(alpha + s (beta + gamma)) + (P-1)(alpha + n/P beta). The same traffic as the
 * ring with more rounds; shorter messages leave the combining of one segment to overlap with the next. S = 1
 * is the ring.
 *
 *     $ allround explain allreduce:segmented_ring -n 3 --count 18
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R; below: ranks per block
 *              rank 0       rank 1       rank 2
 *     start    0   0   0    1   1   1    2   2   2
 *     round 1  2->1 +1<-2   0->2 +2<-0   1->0 +0<-1
 *              0   02  0    1   1   01   12  2   2
 *     round 2  1->1 +0<-2   2->2 +1<-0   0->0 +2<-1
 *              012 02  0    1   012 01   12  2   012
 *     round 3  0->1 =2<-2   1->2 =0<-0   2->0 =1<-1
 *              012 02  012  012 012 01   12  012 012
 *     round 4  2->1 =1<-2   0->2 =2<-0   1->0 =0<-1
 *              012 012 012  012 012 012  012 012 012
 */
#include "collectives/algorithm.h"

static int64_t splits(const struct ar_problem *p)
{
    return p->param[0];
}

static int64_t rounds(const struct ar_problem *p)
{
    return (p->param[0] + 1) * (p->nranks - 1);
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)i;
    int64_t P = p->nranks, segment = k / (P - 1), step = k % (P - 1);
    *pattern = (struct ar_pattern){.kind = AR_SHIFT, .distance = 1, .align = 1};
    if (segment < p->param[0]) { /* reduce_scatter:ring on the parts of one segment */
        pattern->reduce = true;
        pattern->set = ar_block(-1 - step);
        pattern->base = segment * P;
        pattern->modulus = P;
    } else { /* allgather:ring on parts in all their segments; the stride steps over the segments */
        pattern->set = (struct ar_blocks){-step, 1, P, p->param[0]};
    }
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){(double)rounds(p), 2 * (P - 1) / P, (P - 1) / P};
}

const struct ar_algorithm ar_allreduce_segmented_ring = {
    .name = "segmented_ring",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "the ring, its reduce-scatter in phases of one segment per block",
    .source = "Open MPI, coll_base_allreduce.c (ring_segmented)",
    .params = &ar_param_segment,
    .nparams = 1,
    .openmpi = "5 segmented_ring",
    .parts = ar_one_part_per_rank,
    .splits = splits,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
