/* Every rank sends its whole vector to every other, and each combines all of them in rank order.
 *
 * One round, the least of any all-reduce, for vectors so short that nothing but start-up counts. Open MPI
 * folds from the last rank down, which is wrong where the operator does not commute.
 *
 * Cost: (P-1) messages per port, (P-1) n (beta + gamma).
 *
 *     $ allround explain allreduce:allgather_reduce -n 4
 *     ->R: send to R; +<-R: combine what comes from R; =<-R: store what comes from R;
 *     own: the rank's input; at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 1 block in all
 *     round 1   rank 0    ->1 ->2 ->3 +<-1 +<-2 +<-3         {0-3}
 *     round 1   rank 1    ->2 ->3 ->0 +<-0 +<-2 +<-3         {0-3}
 *     round 1   rank 2    ->3 ->0 ->1 =<-0 +<-1 +<-own +<-3  {0-3}
 *     round 1   rank 3    ->0 ->1 ->2 =<-0 +<-1 +<-2 +<-own  {0-3}
 */
#include "collectives/patterns/multiplying.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks > 1;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)k;
    for (int distance = 1; distance < p->nranks; distance++)
        ar_send(sink, (rank + distance) % p->nranks, ar_block(0));
    ar_left_fold(sink, 0, 1, p->nranks, rank, AR_INPUT, ar_block(0));
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double others = p->nranks - 1;
    return (struct ar_cost){others, others, others};
}

const struct ar_algorithm ar_allreduce_allgather_reduce = {
    .name = "allgather_reduce",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "whole vectors go to everybody, who folds them in rank order",
    .source = "folklore; Open MPI, coll_base_allreduce.c (allgather_reduce)",
    .openmpi = "7 allgather_reduce",
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
