/* The circulant reduce-scatter backwards: the run of blocks that a rank has doubles, for any number of ranks.
 *
 * With m blocks r, r+1, ..., r+m-1 (mod P), rank r sends the first s - m to the rank m below, where s is the
 * next skip, about 2m (patterns/circulant.h), and then has s.
 *
 * Cost: q alpha + (P-1)/P n beta, q = ceil(log2 P): both terms are the least possible, for every P.
 *
 *     $ allround explain allgather:circulant -n 5
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0          rank 1          rank 2          rank 3          rank 4
 *     start    0 . . . .       . 1 . . .       . . 2 . .       . . . 3 .       . . . . 4
 *     round 1  0->4 =1<-1      1->0 =2<-2      2->1 =3<-3      3->2 =4<-4      4->3 =0<-0
 *              0 1 . . .       . 1 2 . .       . . 2 3 .       . . . 3 4       0 . . . 4
 *     round 2  0->3 =2<-2      1->4 =3<-3      2->0 =4<-4      3->1 =0<-0      4->2 =1<-1
 *              0 1 2 . .       . 1 2 3 .       . . 2 3 4       0 . . 3 4       0 1 . . 4
 *     round 3  0,1->2 =3,4<-3  1,2->3 =4,0<-4  2,3->4 =0,1<-0  3,4->0 =1,2<-1  4,0->1 =2,3<-2
 *              0 1 2 3 4       0 1 2 3 4       0 1 2 3 4       0 1 2 3 4       0 1 2 3 4
 */
#include "collectives/patterns/circulant.h"

#include "collectives/algorithm.h"

static int64_t rounds(const struct ar_problem *p)
{
    return ar_log2_ceil(p->nranks);
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)i;
    int held = ar_circulant_skip(p->nranks, (int)k), next = ar_circulant_skip(p->nranks, (int)k + 1);
    *pattern = (struct ar_pattern){
        .kind = AR_SHIFT, .distance = p->nranks - held, .set = ar_block_run(0, next - held), .align = 1};
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){(double)rounds(p), (P - 1) / P, 0};
}

const struct ar_algorithm ar_allgather_circulant = {
    .name = "circulant",
    .collective = AR_COLLECTIVE_allgather,
    .summary = "runs of blocks are doubled, for any number of ranks",
    .source = "Traeff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, arXiv 2410.14234, "
              "2024",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
