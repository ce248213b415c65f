/* The binomial scatter in base k: every rank that has parts passes them to k-1 children in a round.
 *
 * Relative to the root (patterns/knomial.h): on level j, the highest first, every v that is a multiple of
 * k^(j+1) sends to v + c k^j (c = 1 .. k-1) the parts of that child's subtree, the k^j ranks from it on.
 *
 * Cost: (P-1)/P n beta and, over L = ceil(log_k P) rounds, (L-1)(k-1) + ceil(P / k^(L-1)) - 1 alpha: fewer
 * rounds than the binomial tree, but more messages through one port. For k >= P it is the linear scatter.
 *
 *     $ allround explain scatter:knomial:radix=3 -n 5
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0     rank 1     rank 2     rank 3     rank 4
 *     start    0 0 0 0 0  . . . . .  . . . . .  . . . . .  . . . . .
 *     round 1  3,4->3     -          -          =3,4<-0    -
 *              0 0 0 0 0  . . . . .  . . . . .  . . . 0 0  . . . . .
 *     round 2  1->1 2->2  =1<-0      =2<-0      4->4       =4<-3
 *              0 0 0 0 0  . 0 . . .  . . 0 . .  . . . 0 0  . . . . 0
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/knomial.h"
#include "collectives/patterns/ring.h"

static int radix(const struct ar_problem *p)
{
    return (int)p->param[0];
}

static int64_t rounds(const struct ar_problem *p)
{
    return ar_knomial_levels(p->nranks, radix(p));
}

/* The parts of the subtree that hangs below `vrank` at `level`; they belong to consecutive ranks. */
static struct ar_blocks subtree(const struct ar_problem *p, int vrank, int level)
{
    int64_t size = ar_knomial_stride(level, radix(p)), left = p->nranks - vrank;
    return ar_block_run(ar_rank_of(vrank, p->root, p->nranks), size < left ? size : left);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int level = (int)(rounds(p) - 1 - k), vrank = ar_vrank(rank, p->root, p->nranks), child;
    for (int c = 1; c < radix(p) && (child = ar_knomial_child(vrank, level, c, radix(p), p->nranks)) >= 0;
         c++)
        ar_send(sink, ar_rank_of(child, p->root, p->nranks), subtree(p, child, level));
    if (vrank > 0 && ar_knomial_level(vrank, radix(p)) == level) {
        int parent = ar_knomial_parent(vrank, radix(p));
        ar_receive(sink, ar_rank_of(parent, p->root, p->nranks), subtree(p, vrank, level));
    }
}

static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    int vrank = ar_vrank(rank, p->root, p->nranks);
    *first = vrank == 0 ? 0 : rounds(p) - 1 - ar_knomial_level(vrank, radix(p));
    *last = vrank % radix(p) == 0 ? rounds(p) - 1 : *first;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    int64_t levels = rounds(p), messages = 0;
    if (levels > 0) {
        int64_t top = ar_knomial_stride((int)levels - 1, radix(p));
        messages = (levels - 1) * (radix(p) - 1) + (p->nranks - 1) / top;
    }
    return (struct ar_cost){(double)messages, (P - 1) / P, 0};
}

static const struct ar_param params[] = {
    {"radix", "ranks that share what one has in a round", AR_PARAM_NUMBER, 4, 2, 64, NULL},
};

const struct ar_algorithm ar_scatter_knomial = {
    .name = "knomial",
    .collective = AR_COLLECTIVE_scatter,
    .summary = "k-nomial tree, every child gets the parts of its subtree",
    .source = "the tree: Open MPI, coll_base_topo.c (build_kmtree); UCC, tl/ucp/scatter (knomial)",
    .params = params,
    .nparams = 1,
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
