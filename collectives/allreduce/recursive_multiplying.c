/* Recursive doubling to the base k: groups of k ranks at distance 1, k, k^2, ... exchange whole vectors.
 *
 * Of P ranks the first k^m take part, k^m the largest power up to P; rank r >= k^m gives its vector to rank r
 * mod k^m before and gets the result after. Every rank of a group combines from the group's first rank on, so
 * that all get the same bits. A radix above P counts as P. k = 2 differs from recursive doubling only in who
 * folds in.
 *
 * Cost: on k^m ranks (k-1) m (alpha + n (beta + gamma)). Else with at most f ranks folding into one: f (alpha
 * + n beta) before and after and f n gamma before; and since those who wait for nobody send out of turn, an
 * exchange may take up to 2k-3 messages' time instead of k-1.
 *
 *     $ allround explain allreduce:recursive_multiplying:radix=3 -n 4
 *     ->R: send to R; +<-R: combine what comes from R; =<-R: store what comes from R; tmp: scratch;
 *     below: ranks in the vector
 *              rank 0             rank 1             rank 2                               rank 3
 *     start    0                  1                  2                                    3
 *     round 1  +<-3               -                  -                                    ->0
 *              03                 1                  2                                    3
 *     round 2  ->1 ->2 +<-1 +<-2  ->2 ->0 +<-0 +<-2  ->0 ->1 =tmp:<-vec =<-0 +<-1 +<-tmp  -
 *              0123               0123               0123                                 3
 *     round 3  ->3                -                  -                                    =<-0
 *              0123               0123               0123                                 0123
 */
#include "collectives/patterns/multiplying.h"
#include "collectives/patterns/knomial.h"

static int radix_of(const struct ar_problem *p)
{
    return ar_multiplying_radix(p->param[0], p->nranks);
}

static int levels_of(const struct ar_problem *p)
{
    return ar_multiplying_levels(p->nranks, radix_of(p));
}

static int survivors(const struct ar_problem *p)
{
    return (int)ar_knomial_stride(levels_of(p), radix_of(p));
}

static int64_t rounds(const struct ar_problem *p)
{
    return levels_of(p) + (survivors(p) < p->nranks ? 2 : 0);
}

static void fold(const struct ar_problem *p, int rank, bool before, struct ar_sink *sink)
{
    int n = survivors(p);
    if (rank >= n && before)
        ar_send(sink, rank % n, ar_block(0));
    else if (rank >= n)
        ar_receive(sink, rank % n, ar_block(0));
    else
        for (int extra = rank + n; extra < p->nranks; extra += n)
            if (before)
                ar_receive_reduce(sink, extra, AR_HELD_FIRST, ar_block(0));
            else
                ar_send(sink, extra, ar_block(0));
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    bool folds = survivors(p) < p->nranks;
    if (folds && (k == 0 || k == rounds(p) - 1))
        fold(p, rank, k == 0, sink);
    else if (rank < survivors(p))
        ar_multiplying_round(rank, radix_of(p), (int)ar_knomial_stride((int)k - folds, radix_of(p)), sink);
}

static struct ar_cost cost(const struct ar_problem *p)
{
    return ar_multiplying_cost(radix_of(p), levels_of(p), (p->nranks - 1) / survivors(p));
}

static const struct ar_param params[] = {
    {"radix", "ranks that exchange at once", AR_PARAM_NUMBER, 4, 2, 64, NULL},
};

const struct ar_algorithm ar_allreduce_recursive_multiplying = {
    .name = "recursive_multiplying",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "groups of k exchange whole vectors at distance 1, k, k^2, ...",
    .source =
        "Wilkins, Guo, Thakur, Dinda, Hardavellas, Generalized collective algorithms for the exascale era, "
        "CLUSTER 2023; MPICH 4.3, allreduce_intra_recursive_multiplying.c",
    .params = params,
    .nparams = 1,
    .mpich = "recursive_multiplying",
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_BOUND,
    .cost = cost,
};
