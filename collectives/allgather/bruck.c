/* In round j every rank passes the first k^j blocks it has, its own first, to the ranks k^j, 2 k^j, ...,
 * (k-1) k^j below.
 *
 * Rank r then holds the blocks r, r+1, ..., r + k^(j+1) - 1 (mod P); the last round sends only what is
 * missing. Named blocks make the final rotation of the published form unnecessary.
 *
 * Cost: (P-1)/P n beta, the least possible for every P, and for k = 2 the fewest messages too: q alpha, q =
 * ceil(log2 P). A larger k takes fewer rounds of up to k-1 messages each.
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
#include "collectives/patterns/knomial.h"

static int64_t rounds(const struct ar_problem *p)
{
    return ar_knomial_levels(p->nranks, (int)p->param[0]);
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    int64_t held = ar_knomial_stride((int)k, (int)p->param[0]);
    int64_t below = (i + 1) * held, missing = p->nranks - below;
    *pattern = (struct ar_pattern){.kind = AR_SHIFT,
                                   .distance = (int)missing,
                                   .more = i + 2 < p->param[0] && below + held < p->nranks,
                                   .set = ar_block_run(0, held < missing ? held : missing),
                                   .align = 1};
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    int64_t messages = 0;
    for (int64_t held = 1; held < p->nranks; held *= p->param[0]) {
        int64_t groups = (p->nranks - 1) / held; /* that are missing, the last perhaps in part */
        messages += groups < p->param[0] - 1 ? groups : p->param[0] - 1;
    }
    return (struct ar_cost){(double)messages, (P - 1) / P, 0};
}

static const struct ar_param params[] = {
    {"radix", "how many times as many blocks a round leaves", AR_PARAM_NUMBER, 2, 2, 64, NULL},
};

const struct ar_algorithm ar_allgather_bruck = {
    .name = "bruck",
    .collective = AR_COLLECTIVE_allgather,
    .summary = "1, k, k^2, ... blocks go to the k-1 ranks as far below",
    .source = "Bruck, Ho, Kipnis, Upfal, Weathersby, Efficient algorithms for all-to-all communications in "
              "multiport message-passing systems, IEEE TPDS 8(11), 1997",
    .params = params,
    .nparams = 1,
    .openmpi = "2 bruck",
    .mpich = "brucks, k_brucks",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
