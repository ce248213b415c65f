/* Every rank halves the run of blocks it still works on: it sends the far half, as far as it is long.
 *
 * Rank r starts with the blocks r, r+1, ..., r+P-1 (mod P). With s of them left, it sends the last s - m,
 * m = ceil(s/2), to r + m, for which they are the first, and combines what comes from r - m into its own
 * first s - m.
 *
 * Cost: q alpha + (P-1)/P n (beta + gamma), q = ceil(log2 P): all three terms are the least possible, for
 * every P. The operator must commute.
 *
 *     $ allround explain reduce_scatter:circulant -n 5
 *     B->R: send block B to R; +B<-R: combine B from R; at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 5 blocks in all
 *     round 1   rank 0    3,4->3 +0,1<-2  0,1:{0,2}
 *     round 1   rank 1    4,0->4 +1,2<-3  1,2:{1,3}
 *     round 1   rank 2    0,1->0 +2,3<-4  2,3:{2,4}
 *     round 1   rank 3    1,2->1 +3,4<-0  3,4:{0,3}
 *     round 1   rank 4    2,3->2 +4,0<-1  0:{1,4} 4:{1,4}
 *     round 2   rank 0    2->2 +0<-3      0:{0,2,3}
 *     round 2   rank 1    3->3 +1<-4      1:{1,3,4}
 *     round 2   rank 2    4->4 +2<-0      2:{0,2,4}
 *     round 2   rank 3    0->0 +3<-1      3:{0,1,3}
 *     round 2   rank 4    1->1 +4<-2      4:{1,2,4}
 *     round 3   rank 0    1->1 +0<-4      0:{0-4}
 *     round 3   rank 1    2->2 +1<-0      1:{0-4}
 *     round 3   rank 2    3->3 +2<-1      2:{0-4}
 *     round 3   rank 3    4->4 +3<-2      3:{0-4}
 *     round 3   rank 4    0->0 +4<-3      4:{0-4}
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
    int left = (int)(rounds(p) - k), s = ar_circulant_skip(p->nranks, left);
    int kept = ar_circulant_skip(p->nranks, left - 1);
    *pattern = (struct ar_pattern){
        .kind = AR_SHIFT, .distance = kept, .reduce = true, .set = ar_block_run(kept, s - kept), .align = 1};
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){(double)rounds(p), (P - 1) / P, (P - 1) / P};
}

const struct ar_algorithm ar_reduce_scatter_circulant = {
    .name = "circulant",
    .collective = AR_COLLECTIVE_reduce_scatter,
    .summary = "runs of blocks are halved, for any number of ranks",
    .source = "Traeff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, arXiv 2410.14234, "
              "2024",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
