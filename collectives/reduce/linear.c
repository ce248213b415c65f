/* Every rank sends its vector to the root, which adds them in the order of the ranks.
 *
 * One round. The root's result is the left fold ((c0 o c1) o c2) o ... whatever the root, so the operator
 * need not commute: contributions before its own are received over its vector, its own comes from the
 * untouched input.
 *
 * Cost: P-1 messages into one port, (P-1)(alpha + n beta + n gamma). The reference for rank order.
 *
 *     $ allround explain reduce:linear -n 4 --root 1
 *     ->R: send to R; +<-R: combine what comes from R; =<-R: store what comes from R;
 *     own: the rank's input; below: ranks in the vector
 *              rank 0  rank 1                 rank 2  rank 3
 *     start    0       1                      2       3
 *     round 1  ->1     =<-0 +<-own +<-2 +<-3  ->1     ->1
 *              0       0123                   2       3
 */
#include "collectives/algorithm.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks > 1;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)k;
    if (rank != p->root) {
        ar_send(sink, p->root, ar_block(0));
        return;
    }
    if (rank != 0)
        ar_receive(sink, 0, ar_block(0));
    for (int source = 1; source < p->nranks; source++)
        if (source == rank)
            ar_fold_input(sink, AR_HELD_FIRST, ar_block(0));
        else
            ar_receive_reduce(sink, source, AR_HELD_FIRST, ar_block(0));
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double others = p->nranks - 1;
    return (struct ar_cost){others, others, others};
}

const struct ar_algorithm ar_reduce_linear = {
    .name = "linear",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "all send to the root, which folds in rank order",
    .source = "folklore; Open MPI, coll_base_reduce.c (basic_linear), here with the left fold",
    .openmpi = "1 linear",
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
