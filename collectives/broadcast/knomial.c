/* Whoever has the vector passes it on to radix - 1 others per level: a binomial tree of a larger radix.
 *
 * The tree with contiguous subtrees (patterns/knomial.h), a round serving one child of each rank: the top
 * level first, and on a level the farthest child first (Open MPI: the nearest), so that backwards, as
 * reduce:knomial, neighbours combine. Radix 2 is the binomial tree.
 *
 * Cost: c + (radix - 1)(q - 1) times alpha + n beta, q = ceil(log_radix P) and c <= radix - 1 the root's
 * children on the top level: what the root sends. Fewer levels than binomial and more messages in a row, so
 * for networks on which starting a message is cheap and its way long (and on one that LogP describes).
 *
 *     $ allround explain broadcast:knomial:radix=3 -n 5
 *     ->R: send to R; =<-R: store what comes from R; below: ranks in the vector (. nothing)
 *              rank 0  rank 1  rank 2  rank 3  rank 4
 *     start    0       .       .       .       .
 *     round 1  ->3     -       -       =<-0    -
 *              0       .       .       0       .
 *     round 2  ->2     -       =<-0    -       -
 *              0       .       0       0       .
 *     round 3  ->1     =<-0    -       ->4     =<-3
 *              0       0       0       0       0
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/knomial.h"
#include "collectives/patterns/ring.h"

/* The top level may have fewer children than radix - 1; the others are full at the root. */
static int64_t rounds(const struct ar_problem *p)
{
    int radix = (int)p->param[0], levels = ar_knomial_levels(p->nranks, radix);
    if (levels == 0)
        return 0;
    return (p->nranks - 1) / ar_knomial_stride(levels - 1, radix) + (levels - 1) * ((int64_t)radix - 1);
}

/* The round that serves the c-th children on a level. */
static int64_t round_of_child(const struct ar_problem *p, int level, int64_t c)
{
    return rounds(p) - level * (p->param[0] - 1) - c;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int radix = (int)p->param[0], vrank = ar_vrank(rank, p->root, p->nranks);
    int64_t left = rounds(p) - 1 - k; /* rounds to come */
    int level = (int)(left / (radix - 1)), c = 1 + (int)(left % (radix - 1));
    int child = ar_knomial_child(vrank, level, c, radix, p->nranks);
    if (child >= 0)
        ar_send(sink, ar_rank_of(child, p->root, p->nranks), ar_block(0));
    else if (vrank > 0 &&
             ar_knomial_child(ar_knomial_parent(vrank, radix), level, c, radix, p->nranks) == vrank)
        ar_receive(sink, ar_rank_of(ar_knomial_parent(vrank, radix), p->root, p->nranks), ar_block(0));
}

static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    int radix = (int)p->param[0], vrank = ar_vrank(rank, p->root, p->nranks);
    *first = 0;
    *last = rounds(p) - 1;
    if (vrank == 0)
        return;
    int level = ar_knomial_level(vrank, radix);
    *first = round_of_child(p, level, vrank / ar_knomial_stride(level, radix) % radix);
    *last = level > 0 ? *last : *first;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    return (struct ar_cost){(double)rounds(p), (double)rounds(p), 0};
}

static const struct ar_param params[] = {
    {"radix", "most ranks that one level makes of one", AR_PARAM_NUMBER, 4, 2, INT32_MAX, NULL},
};

const struct ar_algorithm ar_broadcast_knomial = {
    .name = "knomial",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "k-nomial tree with contiguous subtrees, largest first",
    .source = "folklore; Open MPI, coll_base_bcast.c (knomial), coll_base_topo.c (build_kmtree)",
    .params = params,
    .nparams = 1,
    .openmpi = "7 knomial",
    .mpich = "tree (knomial_2)",
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
