/* The root gives half of what it has to one rank, then half of the rest to another, and so does everyone.
 *
 * The tree with contiguous subtrees (patterns/binomial.h), relative to the root: in round k every v that is a
 * multiple of 2^(q-k) passes the parts of its child's subtree, v+m .. v+2m-1 with m = 2^(q-1-k), to v+m.
 *
 * Cost: q alpha + (P-1)/P n beta, q = ceil(log2 P): both terms are the least possible, for every P and root.
 *
 *     $ allround explain scatter:binomial -n 5
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0     rank 1     rank 2     rank 3     rank 4
 *     start    0 0 0 0 0  . . . . .  . . . . .  . . . . .  . . . . .
 *     round 1  4->4       -          -          -          =4<-0
 *              0 0 0 0 0  . . . . .  . . . . .  . . . . .  . . . . 0
 *     round 2  2,3->2     -          =2,3<-0    -          -
 *              0 0 0 0 0  . . . . .  . . 0 0 .  . . . . .  . . . . 0
 *     round 3  1->1       =1<-0      3->3       =3<-2      -
 *              0 0 0 0 0  . 0 . . .  . . 0 0 .  . . . 0 .  . . . . 0
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/binomial.h"
#include "collectives/patterns/ring.h"

static int64_t rounds(const struct ar_problem *p)
{
    return ar_log2_ceil(p->nranks);
}

/* The parts of the subtree that hangs below `vrank` at `level`; they belong to consecutive ranks. */
static struct ar_blocks subtree(const struct ar_problem *p, int vrank, int level)
{
    int left = p->nranks - vrank;
    return ar_block_run(ar_rank_of(vrank, p->root, p->nranks), left >> level ? INT64_C(1) << level : left);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int level = (int)(rounds(p) - 1 - k);
    int vrank = ar_vrank(rank, p->root, p->nranks);
    int child = ar_binomial_child(vrank, level, p->nranks);
    if (child >= 0)
        ar_send(sink, ar_rank_of(child, p->root, p->nranks), subtree(p, child, level));
    else if (vrank > 0 && ar_binomial_level(vrank) == level)
        ar_receive(sink, ar_rank_of(ar_binomial_parent(vrank), p->root, p->nranks), subtree(p, vrank, level));
}

static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    int vrank = ar_vrank(rank, p->root, p->nranks);
    *first = vrank == 0 ? 0 : rounds(p) - 1 - ar_binomial_level(vrank);
    *last = vrank % 2 == 0 ? rounds(p) - 1 : *first;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){(double)rounds(p), (P - 1) / P, 0};
}

const struct ar_algorithm ar_scatter_binomial = {
    .name = "binomial",
    .collective = AR_COLLECTIVE_scatter,
    .summary = "binomial tree, every child gets the parts of its subtree",
    .source = "Chan, Heimlich, Purkayastha, van de Geijn, Collective communication: theory, practice, and "
              "experience, CCPE 19(13), 2007, section 3",
    .openmpi = "2 binomial",
    .mpich = "binomial",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
