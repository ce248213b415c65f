/* Every rank sends each block straight to its owner, which adds them in the order of the ranks.
 *
 * One round: r sends block b to b in the order r+1, r+2, ... (so that no port is hit by all at once); the
 * owner folds from rank 0 on, its own contribution in its place, taken from the untouched input.
 *
 * Cost: (P-1) messages per port and (P-1)/P n (beta + gamma). The left fold in rank order: the operator need
 * not commute, and the result does not depend on how the vector is cut.
 *
 *     $ allround explain reduce_scatter:direct -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R; own: the rank's input;
 *     at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 4 blocks in all
 *     round 1   rank 0    1->1 2->2 3->3 +0<-1 +0<-2 +0<-3          0:{0-3}
 *     round 1   rank 1    2->2 3->3 0->0 =1<-0 +1<-own +1<-2 +1<-3  1:{0-3}
 *     round 1   rank 2    3->3 0->0 1->1 =2<-0 +2<-1 +2<-own +2<-3  2:{0-3}
 *     round 1   rank 3    0->0 1->1 2->2 =3<-0 +3<-1 +3<-2 +3<-own  3:{0-3}
 */
#include "collectives/algorithm.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks > 1;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)k;
    for (int distance = 1; distance < p->nranks; distance++) {
        int owner = (rank + distance) % p->nranks;
        ar_send(sink, owner, ar_block(owner));
    }
    if (rank != 0)
        ar_receive(sink, 0, ar_block(rank));
    for (int source = 1; source < p->nranks; source++)
        if (source == rank)
            ar_fold_input(sink, AR_HELD_FIRST, ar_block(rank));
        else
            ar_receive_reduce(sink, source, AR_HELD_FIRST, ar_block(rank));
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){P - 1, (P - 1) / P, (P - 1) / P};
}

const struct ar_algorithm ar_reduce_scatter_direct = {
    .name = "direct",
    .collective = AR_COLLECTIVE_reduce_scatter,
    .summary = "blocks go straight to their owners, which fold in rank order",
    .source = "folklore; NVIDIA Megatron-LM, reduce-scatter by all-to-all with one accumulation at the owner",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
