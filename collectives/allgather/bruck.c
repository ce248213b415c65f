/* In round k every rank passes the first 2^k blocks it has, its own first, to the rank 2^k below.
 *
 * Rank r then holds the blocks r, r+1, ..., r + 2^(k+1) - 1 (mod P); the last round sends only what is
 * missing. Named blocks make the final rotation of the published form unnecessary.
 *
 * Cost: q alpha + (P-1)/P n beta with q = ceil(log2 P): both terms are the least possible, for every P.
 *
 *     $ allround explain allgather:bruck -n 5
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0          rank 1          rank 2          rank 3          rank 4
 *     start    0 . . . .       . 1 . . .       . . 2 . .       . . . 3 .       . . . . 4
 *     round 1  0->4 =1<-1      1->0 =2<-2      2->1 =3<-3      3->2 =4<-4      4->3 =0<-0
 *              0 1 . . .       . 1 2 . .       . . 2 3 .       . . . 3 4       0 . . . 4
 *     round 2  0,1->3 =2,3<-2  1,2->4 =3,4<-3  2,3->0 =4,0<-4  3,4->1 =0,1<-0  4,0->2 =1,2<-1
 *              0 1 2 3 .       . 1 2 3 4       0 . 2 3 4       0 1 . 3 4       0 1 2 . 4
 *     round 3  0->1 =4<-4      1->2 =0<-0      2->3 =1<-1      3->4 =2<-2      4->0 =3<-3
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
    int held = 1 << k, missing = p->nranks - held;
    *pattern = (struct ar_pattern){.kind = AR_SHIFT,
                                   .distance = missing,
                                   .set = ar_block_run(0, held < missing ? held : missing),
                                   .align = 1};
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){(double)rounds(p), (P - 1) / P, 0};
}

const struct ar_algorithm ar_allgather_bruck = {
    .name = "bruck",
    .collective = AR_COLLECTIVE_allgather,
    .summary = "1, 2, 4, ... blocks go to the rank as far below",
    .source = "Bruck, Ho, Kipnis, Upfal, Weathersby, Efficient algorithms for all-to-all communications in "
              "multiport "
              "message-passing systems, IEEE TPDS 8(11), 1997",
    .openmpi = "2 bruck",
    .mpich = "brucks",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
