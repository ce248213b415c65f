/* A token goes round twice: when it is back at rank 0 all have entered, and the second lap tells them.
 *
 * In round k rank k mod P passes it on. The last hop tells rank 0 nothing new; the published form has it.
 *
 * Cost: 2P alpha. One message at a time, so for a handful of ranks only.
 *
 *     $ allround explain barrier:double_ring -n 3
 *     ->R: send to R; +<-R: combine what comes from R; =<-R: store what comes from R;
 *     below: ranks known to have entered
 *              rank 0  rank 1  rank 2
 *     start    0       1       2
 *     round 1  ->1     +<-0    -
 *              0       01      2
 *     round 2  -       ->2     +<-1
 *              0       01      012
 *     round 3  =<-2    -       ->0
 *              012     01      012
 *     round 4  ->1     =<-0    -
 *              012     012     012
 *     round 5  -       ->2     =<-1
 *     round 6  =<-2    -       ->0
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/ring.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks > 1 ? 2 * (int64_t)p->nranks : 0;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int holder = (int)(k % p->nranks), next = ar_rank_of(1, holder, p->nranks);
    if (rank == holder)
        ar_send(sink, next, ar_block(0));
    else if (rank == next && k < p->nranks - 1) /* it does not know of this rank yet */
        ar_receive_reduce(sink, holder, AR_BY_RANK, ar_block(0));
    else if (rank == next)
        ar_receive(sink, holder, ar_block(0));
}

static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    *first = rank > 0 ? rank - 1 : 0;
    *last = rank > 0 ? p->nranks + rank : rounds(p) - 1;
}

static void pause_of(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    *first = rank + 1;
    *last = rank > 0 ? p->nranks + rank - 2 : p->nranks - 2;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    return (struct ar_cost){(double)rounds(p), 0, 0};
}

const struct ar_algorithm ar_barrier_double_ring = {
    .name = "double_ring",
    .collective = AR_COLLECTIVE_barrier,
    .summary = "a token goes round twice",
    .source = "folklore; Open MPI, coll_base_barrier.c (doublering)",
    .openmpi = "2 double_ring",
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .pause = pause_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
