/* Recursive exchange: recursive doubling to the base k, with neighbours folding in.
 *
 * Of P ranks k^m take part, k^m the largest power up to P. So many of the first ranks form runs of k (the
 * last may be shorter) that the last rank of each run, for all of it, and the ranks behind them are k^m. So
 * operands stay in rank order, which recursive_multiplying's far ranks break. Every rank of an exchanging
 * group combines from the first one on, so that all get the same bits. A radix above P counts as P.
 *
 * Cost: on k^m ranks (k-1) m (alpha + n (beta + gamma)). Else with up to f = k-1 ranks folding into one: f
 * (alpha + n beta) before and after and f n gamma before; and since those who wait for nobody send out of
 * turn, an exchange may take up to 2k-3 messages' time instead of k-1.
 *
 * Longer than 120 lines because who takes part, in groups of k, is arithmetic of its own.
 *
 *     $ allround explain allreduce:recexch:radix=3 -n 4
 *     ->R: send to R; +<-R: combine what comes from R; =<-R: store what comes from R; tmp: scratch;
 *     below: ranks in the vector
 *              rank 0  rank 1             rank 2             rank 3
 *     start    0       1                  2                  3
 *     round 1  ->1     +<-0               -                  -
 *              0       01                 2                  3
 *     round 2  -       ->2 ->3 +<-2 +<-3  ->3 ->1 +<-1 +<-3  ->1 ->2 =tmp:<-vec =<-1 +<-2 +<-tmp
 *              0       0123               0123               0123
 *     round 3  =<-1    ->0                -                  -
 *              0123    0123               0123               0123
 */
#include "collectives/combinators.h"
#include "collectives/patterns/multiplying.h"
#include "collectives/patterns/knomial.h"

static int64_t exchange_rounds(const struct ar_problem *p)
{
    return ar_multiplying_levels(p->nranks, (int)p->param[0]);
}

static void exchange_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int radix = (int)p->param[0];
    ar_multiplying_round(rank, radix, (int)ar_knomial_stride((int)k, radix), sink);
}

static const struct ar_algorithm on_powers = {
    .name = "exchange on k^m ranks",
    .collective = AR_COLLECTIVE_allreduce,
    .rounds = exchange_rounds,
    .round = exchange_round,
};

/* Who takes part. */
struct fold {
    int radix, extra; /* ranks that do not */
    int grouped;      /* the ranks below are in groups; the last, smaller one ends with this rank */
};

static struct fold fold_of(const struct ar_problem *p)
{
    int radix = ar_multiplying_radix(p->param[0], p->nranks);
    int extra = p->nranks - (int)ar_knomial_stride(ar_multiplying_levels(p->nranks, radix), radix);
    return (struct fold){radix, extra, extra + extra / (radix - 1)};
}

/* The rank that takes part for `rank`, perhaps itself. */
static int delegate(const struct fold *fold, int rank)
{
    if (rank >= fold->grouped)
        return rank;
    int last = rank - rank % fold->radix + fold->radix - 1;
    return last < fold->grouped ? last : fold->grouped;
}

static int rank_of_participant(const void *context, int v)
{
    const struct fold *fold = context;
    return v < fold->extra / (fold->radix - 1) ? v * fold->radix + fold->radix - 1 : v + fold->extra;
}

static struct ar_schedule among_participants(const struct ar_problem *p, const struct fold *fold)
{
    struct ar_schedule child = ar_child(&on_powers, p);
    child.problem.nranks = p->nranks - fold->extra;
    child.problem.param[0] = fold->radix;
    return child;
}

static int64_t rounds(const struct ar_problem *p)
{
    struct fold fold = fold_of(p);
    struct ar_schedule child = among_participants(p, &fold);
    return ar_nrounds(&child) + (fold.extra > 0 ? 2 : 0);
}

/* Before: the nearest first, so that each operand goes to the left of what is combined already. */
static void fold_round(const struct fold *fold, int rank, bool before, struct ar_sink *sink)
{
    int to = delegate(fold, rank);
    if (to != rank && before)
        ar_send(sink, to, ar_block(0));
    else if (to != rank)
        ar_receive(sink, to, ar_block(0));
    else
        for (int from = rank - 1; from >= 0 && from > rank - fold->radix && delegate(fold, from) == rank;
             from--)
            if (before)
                ar_receive_reduce(sink, from, AR_OTHER_FIRST, ar_block(0));
            else
                ar_send(sink, from, ar_block(0));
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct fold fold = fold_of(p);
    struct ar_schedule child = among_participants(p, &fold);
    struct ar_view view = {.scale = 1, .rank = rank_of_participant, .context = &fold};
    bool folds = fold.extra > 0;
    if (folds && (k == 0 || k == rounds(p) - 1))
        fold_round(&fold, rank, k == 0, sink);
    else if (delegate(&fold, rank) == rank)
        ar_sub(&child, rank < fold.grouped ? rank / fold.radix : rank - fold.extra, k - folds, view, sink);
}

static struct ar_cost cost(const struct ar_problem *p)
{
    struct fold fold = fold_of(p);
    return ar_multiplying_cost(fold.radix, ar_multiplying_levels(p->nranks, fold.radix),
                               fold.extra < fold.radix ? fold.extra : fold.radix - 1);
}

static const struct ar_param params[] = {
    {"radix", "ranks that exchange at once", AR_PARAM_NUMBER, 4, 2, 64, NULL},
};

const struct ar_algorithm ar_allreduce_recexch = {
    .name = "recexch",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "groups of k exchange whole vectors; neighbours fold in",
    .source = "MPICH, recexchalgo.c (recursive exchange) and allreduce_intra_recexch.c",
    .params = params,
    .nparams = 1,
    .mpich = "recexch",
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_BOUND,
    .cost = cost,
};
