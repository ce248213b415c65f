/* The root sends the whole vector to one rank after the other.
 *
 * Cost: (P-1)(alpha + n beta), all of it at the root. The baseline, and good for 2 or 3 ranks only.
 *
 *     $ allround explain broadcast:linear -n 4
 *     ->R: send to R; =<-R: store what comes from R; below: ranks in the vector (. nothing)
 *              rank 0  rank 1  rank 2  rank 3
 *     start    0       .       .       .
 *     round 1  ->1     =<-0    -       -
 *              0       0       .       .
 *     round 2  ->2     -       =<-0    -
 *              0       0       0       .
 *     round 3  ->3     -       -       =<-0
 *              0       0       0       0
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/ring.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks - 1;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int receiver = ar_rank_of((int)k + 1, p->root, p->nranks);
    if (rank == p->root)
        ar_send(sink, receiver, ar_block(0));
    else if (rank == receiver)
        ar_receive(sink, p->root, ar_block(0));
}

/* The root serves vrank v in round v - 1. */
static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    int vrank = ar_vrank(rank, p->root, p->nranks);
    *first = vrank > 0 ? vrank - 1 : 0;
    *last = vrank > 0 ? vrank - 1 : rounds(p) - 1;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double others = p->nranks - 1;
    return (struct ar_cost){others, others, 0};
}

const struct ar_algorithm ar_broadcast_linear = {
    .name = "linear",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "the root sends to one rank after the other",
    .source =
        "folklore; Chan, Heimlich, Purkayastha, van de Geijn, Collective communication: theory, practice, "
        "and experience, CCPE 19(13), 2007, section 3",
    .openmpi = "1 basic_linear",
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
