/* Every rank exchanges its whole partial result with a partner at distance 1, 2, 4, ...
 *
 * On 2^q ranks, rank r exchanges with r xor 2^k in round k, and both combine. Off powers of two the first
 * ranks fold in (combinator fold-in) and get the result back at the end.
 *
 * Cost: q (alpha + n beta + n gamma) on 2^q ranks; else two rounds more, (q+2)(alpha + n beta) + (q+1) n
 * gamma with q = floor(log2 P). The fewest rounds possible: for short vectors. Keeps the operands' order.
 *
 *     $ allround explain allreduce:recursive_doubling -n 5
 *     ->R: send to R; +<-R: combine what comes from R; =<-R: store what comes from R;
 *     below: ranks in the vector
 *              rank 0  rank 1    rank 2    rank 3    rank 4
 *     start    0       1         2         3         4
 *     round 1  ->1     +<-0      -         -         -
 *              0       01        2         3         4
 *     round 2  -       ->2 +<-2  ->1 +<-1  ->4 +<-4  ->3 +<-3
 *              0       012       012       34        34
 *     round 3  -       ->3 +<-3  ->4 +<-4  ->1 +<-1  ->2 +<-2
 *              0       01234     01234     01234     01234
 *     round 4  =<-1    ->0       -         -         -
 *              01234   01234     01234     01234     01234
 */
#include "collectives/combinators.h"
#include "collectives/patterns/binomial.h"

static int64_t doubling_rounds(const struct ar_problem *p)
{
    return ar_log2_floor(p->nranks);
}

static bool doubling_pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)i;
    *pattern = (struct ar_pattern){
        .kind = AR_XOR, .distance = 1 << k, .reduce = true, .set = ar_block(0), .align = 1};
    return (p->nranks & (p->nranks - 1)) == 0;
}

static const struct ar_algorithm on_powers_of_two = {
    .name = "recursive doubling on 2^q ranks",
    .collective = AR_COLLECTIVE_allreduce,
    .rounds = doubling_rounds,
    .pattern = doubling_pattern,
};

static struct ar_schedule on_survivors(const struct ar_problem *p)
{
    struct ar_schedule child = ar_child(&on_powers_of_two, p);
    child.problem.nranks = ar_fold_in_survivors(p->nranks);
    return child;
}

static int64_t rounds(const struct ar_problem *p)
{
    struct ar_schedule child = on_survivors(p);
    return ar_fold_in_rounds(&child, p->nranks);
}

static void folded_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct ar_schedule child = on_survivors(p);
    ar_fold_in_round(&child, p->nranks, rank, k, sink);
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double all = (double)rounds(p), returned = ar_fold_in_survivors(p->nranks) < p->nranks;
    return (struct ar_cost){all, all, all - returned};
}

const struct ar_algorithm ar_allreduce_recursive_doubling = {
    .name = "recursive_doubling",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "whole vectors are exchanged at distance 1, 2, 4, ...",
    .source = "folklore; Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in "
              "MPICH, IJHPCA 19(1), 2005, section 4.6",
    .openmpi = "3 recursive_doubling",
    .mpich = "recursive_doubling",
    .rounds = rounds,
    .round = folded_round,
    .pattern = doubling_pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
