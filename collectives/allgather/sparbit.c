/* Binomial trees from every rank at once, the farthest hop first: distance 2^(q-1), ..., 2, 1.
 *
 * In the round of distance d rank r has the blocks r, r-2d, r-4d, ... and passes them to r+d, as far as the
 * tree needs it. Few blocks travel far and many near, where Bruck does the opposite. One message per pair and
 * round; Open MPI sends every block by itself. NCCL's PAT is this with as many blocks in a message as its
 * buffers hold, here all.
 *
 * Cost: q alpha + (P-1)/P n beta with q = ceil(log2 P): both terms are the least possible, for every P.
 *
 *     $ allround explain allgather:sparbit -n 5
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0          rank 1          rank 2          rank 3          rank 4
 *     start    0 . . . .       . 1 . . .       . . 2 . .       . . . 3 .       . . . . 4
 *     round 1  0->4 =1<-1      1->0 =2<-2      2->1 =3<-3      3->2 =4<-4      4->3 =0<-0
 *              0 1 . . .       . 1 2 . .       . . 2 3 .       . . . 3 4       0 . . . 4
 *     round 2  0->2 =3<-3      1->3 =4<-4      2->4 =0<-0      3->0 =1<-1      4->1 =2<-2
 *              0 1 . 3 .       . 1 2 . 4       0 . 2 3 .       . 1 . 3 4       0 . 2 . 4
 *     round 3  0,3->1 =4,2<-4  1,4->2 =0,3<-0  2,0->3 =1,4<-1  3,1->4 =2,0<-2  4,2->0 =3,1<-3
 *              0 1 2 3 4       0 1 2 3 4       0 1 2 3 4       0 1 2 3 4       0 1 2 3 4
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/binomial.h"

static int64_t rounds(const struct ar_problem *p)
{
    return ar_log2_ceil(p->nranks);
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)i;
    int shift = (int)(rounds(p) - 1 - k), distance = 1 << shift;
    /* Multiples of the distance below P, less those of twice the distance. */
    int64_t count = ((p->nranks - 1) >> shift) - ((p->nranks - 1) >> (shift + 1));
    *pattern = (struct ar_pattern){
        .kind = AR_SHIFT, .distance = distance, .set = {0, 1, -2 * (int64_t)distance, count}, .align = 1};
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){(double)rounds(p), (P - 1) / P, 0};
}

const struct ar_algorithm ar_allgather_sparbit = {
    .name = "sparbit",
    .collective = AR_COLLECTIVE_allgather,
    .summary = "binomial trees from all ranks at once, the farthest hop first",
    .source =
        "Loch, Koslovski, Sparbit: a new logarithmic-cost and data locality-aware MPI allgather algorithm, "
        "2021; Jeaugey, PAT: a new algorithm for all-gather and reduce-scatter operations at scale, 2025",
    .openmpi = "7 sparbit",
    .nccl = "PAT",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
