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
#include "collectives/combinators.h"
#include "collectives/registry.h"

static int64_t splits(const struct ar_problem *p)
{
    return p->param[0];
}

static int64_t rounds(const struct ar_problem *p)
{
    return (p->param[0] + 1) * (p->nranks - 1);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int64_t phase_rounds = p->nranks - 1, phases = p->param[0] * phase_rounds;
    if (k < phases) {
        struct ar_schedule phase = ar_child(&ar_reduce_scatter_ring, p);
        ar_segments_round(&phase, p->param[0], phase_rounds, rank, k, sink);
        return;
    }
    k -= phases;
    /* Part rank - k in all its segments; the stride steps over the segments, so any part number will do. */
    int next = (rank + 1) % p->nranks, previous = (rank + p->nranks - 1) % p->nranks;
    ar_send(sink, next, (struct ar_blocks){rank - k, 1, p->nranks, p->param[0]});
    ar_receive(sink, previous, (struct ar_blocks){previous - k, 1, p->nranks, p->param[0]});
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
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
