/* The k-nomial scatter backwards: k-1 children at a time pass on what their subtrees have.
 *
 * Cost: (P-1)/P n beta and, over L = ceil(log_k P) rounds, (L-1)(k-1) + ceil(P / k^(L-1)) - 1 alpha.
 *
 *     $ allround explain gather:knomial:radix=3 -n 5
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0       rank 1     rank 2     rank 3     rank 4
 *     start    0 . . . .    . 1 . . .  . . 2 . .  . . . 3 .  . . . . 4
 *     round 1  =1<-1 =2<-2  1->0       2->0       =4<-4      4->3
 *              0 1 2 . .    . 1 . . .  . . 2 . .  . . . 3 4  . . . . 4
 *     round 2  =3,4<-3      -          -          3,4->0     -
 *              0 1 2 3 4    . 1 . . .  . . 2 . .  . . . 3 4  . . . . 4
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_REVERSED_OF(ar_scatter_knomial, AR_BACKWARD);

static const struct ar_param params[] = {
    {"radix", "ranks whose parts meet in one in a round", AR_PARAM_NUMBER, 4, 2, 64, NULL},
};

const struct ar_algorithm ar_gather_knomial = {
    .name = "knomial",
    .collective = AR_COLLECTIVE_gather,
    .summary = "k-nomial tree, every rank passes on the parts of its subtree",
    .source = "the tree: Open MPI, coll_base_topo.c (build_kmtree); UCC, tl/ucp/gather (knomial)",
    .params = params,
    .nparams = 1,
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
