/* Whoever has the vector passes it on: the number of informed ranks doubles every round.
 *
 * shape=low is the tree with contiguous subtrees (patterns/binomial.h): the root serves its largest subtree
 * first, and in round k every rank v that is a multiple of 2^(q-k) (relative to the root, q = ceil(log2 P))
 * sends to v + 2^(q-1-k). shape=high doubles the distance instead: in round k the ranks below 2^k send to
 * v + 2^k.
 *
 * Cost: q (alpha + n beta). The fewest rounds possible, so the choice for short vectors; for long ones the
 * vector leaves the root q times.
 *
 *     $ allround explain broadcast:binomial -n 4
 *     ->R: send to R; =<-R: store what comes from R; below: ranks in the vector (. nothing)
 *              rank 0  rank 1  rank 2  rank 3
 *     start    0       .       .       .
 *     round 1  ->2     -       =<-0    -
 *              0       .       0       .
 *     round 2  ->1     =<-0    ->3     =<-2
 *              0       0       0       0
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/binomial.h"
#include "collectives/patterns/ring.h"

enum { LOW, HIGH };

static int64_t rounds(const struct ar_problem *p)
{
    return ar_log2_ceil(p->nranks);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    bool high = p->param[0] == HIGH;
    int level = (int)(high ? k : rounds(p) - 1 - k), vrank = ar_vrank(rank, p->root, p->nranks);
    int child =
        high ? ar_binomial_high_child(vrank, level, p->nranks) : ar_binomial_child(vrank, level, p->nranks);
    if (child >= 0)
        ar_send(sink, ar_rank_of(child, p->root, p->nranks), ar_block(0));
    else if (vrank > 0 && (high ? ar_binomial_high_level(vrank) : ar_binomial_level(vrank)) == level)
        ar_receive(
            sink,
            ar_rank_of(high ? ar_binomial_high_parent(vrank) : ar_binomial_parent(vrank), p->root, p->nranks),
            ar_block(0));
}

static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    int vrank = ar_vrank(rank, p->root, p->nranks);
    if (p->param[0] == HIGH) {
        int farthest = ar_log2_ceil(p->nranks - vrank) - 1; /* the level of the child that would be it */
        *first = vrank == 0 ? 0 : ar_binomial_high_level(vrank);
        *last = vrank == 0 || farthest > *first ? farthest : *first;
        return;
    }
    *first = vrank == 0 ? 0 : rounds(p) - 1 - ar_binomial_level(vrank);
    *last = vrank % 2 == 0 ? rounds(p) - 1 : *first;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double q = ar_log2_ceil(p->nranks);
    return (struct ar_cost){q, q, 0};
}

static const char *const shapes[] = {[LOW] = "low", [HIGH] = "high"};
static const struct ar_param params[] = {
    {"shape", "which bit of a rank leads to its parent", AR_PARAM_WORD, LOW, LOW, HIGH, shapes},
};

const struct ar_algorithm ar_broadcast_binomial = {
    .name = "binomial",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "binomial tree: the informed double every round",
    .source = "folklore; Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in "
              "MPICH, IJHPCA 19(1), 2005, section 4.4",
    .params = params,
    .nparams = 1,
    .openmpi = "6 binomial (shape=high)",
    .mpich = "binomial",
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
