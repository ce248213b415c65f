/* The root scatters the vector down a binomial tree, one part per rank, and a ring gathers the parts
 * everywhere.
 *
 * Parts are numbered by the rank relative to the root: in round k of the scatter, v passes the parts of its
 * child's subtree, v+m .. v+2m-1; then the ring of allgather:ring runs on the relative ranks.
 *
 * Cost: (q + P - 1) alpha + 2(P-1)/P n beta, q = ceil(log2 P): twice the least traffic whatever P, against q
 * times for the binomial tree. For long vectors.
 *
 *     $ allround explain broadcast:scatter_allgather -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0      rank 1      rank 2      rank 3
 *     start    0 0 0 0     . . . .     . . . .     . . . .
 *     round 1  2,3->2      -           =2,3<-0     -
 *              0 0 0 0     . . . .     . . 0 0     . . . .
 *     round 2  1->1        =1<-0       3->3        =3<-2
 *              0 0 0 0     . 0 . .     . . 0 0     . . . 0
 *     round 3  0->1 =3<-3  1->2 =0<-0  2->3 =1<-1  3->0 =2<-2
 *              0 0 0 0     0 0 . .     . 0 0 0     . . 0 0
 *     round 4  3->1 =2<-3  0->2 =3<-0  1->3 =0<-1  2->0 =1<-2
 *              0 0 0 0     0 0 . 0     0 0 0 0     . 0 0 0
 *     round 5  2->1 =1<-3  3->2 =2<-0  0->3 =3<-1  1->0 =0<-2
 *              0 0 0 0     0 0 0 0     0 0 0 0     0 0 0 0
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/binomial.h"
#include "collectives/patterns/ring.h"

static int64_t rounds(const struct ar_problem *p)
{
    return ar_log2_ceil(p->nranks) + p->nranks - 1;
}

/* The parts of the subtree that hangs below `vrank` at `level`. */
static struct ar_blocks subtree(int vrank, int level, int nranks)
{
    int size = 1 << level;
    return ar_block_run(vrank, vrank + size <= nranks ? size : nranks - vrank);
}

static void scatter_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int level = ar_log2_ceil(p->nranks) - 1 - (int)k, vrank = ar_vrank(rank, p->root, p->nranks);
    int child = ar_binomial_child(vrank, level, p->nranks);
    if (child >= 0)
        ar_send(sink, ar_rank_of(child, p->root, p->nranks), subtree(child, level, p->nranks));
    else if (vrank > 0 && ar_binomial_level(vrank) == level)
        ar_receive(sink, ar_rank_of(ar_binomial_parent(vrank), p->root, p->nranks),
                   subtree(vrank, level, p->nranks));
}

static bool ring_pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)i;
    int64_t step = k - ar_log2_ceil(p->nranks);
    *pattern =
        (struct ar_pattern){.kind = AR_SHIFT, .distance = 1, .set = ar_block(-p->root - step), .align = 1};
    return step >= 0;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){(double)rounds(p), 2 * (P - 1) / P, 0};
}

const struct ar_algorithm ar_broadcast_scatter_allgather = {
    .name = "scatter_allgather",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "binomial scatter, then all-gather ring",
    .source = "Barnett, Gupta, Payne, Shuler, van de Geijn, Watts, Interprocessor collective communication "
              "library, SHPCC "
              "1994; Thakur, Rabenseifner, Gropp, IJHPCA 19(1), 2005, section 4.4",
    .openmpi = "9 scatter_allgather_ring",
    .mpich = "scatter_ring_allgather",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .round = scatter_round,
    .pattern = ring_pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
