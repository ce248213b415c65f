/* The root sends every rank its part, in the order of the ranks after it.
 *
 * One round, all of it through one port.
 *
 * Cost: (P-1) alpha + (P-1)/P n beta. No part travels twice, so nothing is better for long vectors; short
 * ones wait for P-1 messages in a row.
 *
 *     $ allround explain scatter:linear -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0          rank 1   rank 2   rank 3
 *     start    0 0 0 0         . . . .  . . . .  . . . .
 *     round 1  1->1 2->2 3->3  =1<-0    =2<-0    =3<-0
 *              0 0 0 0         . 0 . .  . . 0 .  . . . 0
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/ring.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks > 1;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)k;
    if (rank != p->root) {
        ar_receive(sink, p->root, ar_block(rank));
        return;
    }
    for (int vrank = 1; vrank < p->nranks; vrank++) {
        int receiver = ar_rank_of(vrank, p->root, p->nranks);
        ar_send(sink, receiver, ar_block(receiver));
    }
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){P - 1, (P - 1) / P, 0};
}

const struct ar_algorithm ar_scatter_linear = {
    .name = "linear",
    .collective = AR_COLLECTIVE_scatter,
    .summary = "the root sends every rank its part",
    .source = "folklore; Open MPI, coll_base_scatter.c (basic_linear)",
    .openmpi = "1 basic_linear",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
