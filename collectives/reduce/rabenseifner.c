/* Reduce-scatter by vector halving and distance doubling, then a gather to the root along the same partners.
 *
 * Off powers of two, pairs of ranks fold in: the one that is the root, else the odd one, takes part. In the
 * gather, of the two partners the one on the root's side receives and the other sends all it has and is done.
 *
 * Cost on 2^q ranks: 2q alpha + 2(P-1)/P n beta + (P-1)/P n gamma; else one round and n (beta + gamma) more.
 * Keeps the operands' order.
 *
 * Longer than 120 lines because whoever is the root takes part, unlike in the all-reduce, and of its drawing.
 *
 *     $ allround explain reduce:rabenseifner -n 5 --root 2
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R;
 *     at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 4 blocks in all
 *     round 1   rank 0    0-3->1
 *     round 1   rank 1    +0-3<-0         0-3:{0,1}
 *     round 2   rank 1    2,3->2 +0,1<-2  0,1:{0-2}
 *     round 2   rank 2    0,1->1 +2,3<-1  2,3:{0-2}
 *     round 2   rank 3    2,3->4 +0,1<-4  0,1:{3,4}
 *     round 2   rank 4    0,1->3 +2,3<-3  2,3:{3,4}
 *     round 3   rank 1    1->3 +0<-3      0:{0-4}
 *     round 3   rank 2    3->4 +2<-4      2:{0-4}
 *     round 3   rank 3    0->1 +1<-1      1:{0-4}
 *     round 3   rank 4    2->2 +3<-2      3:{0-4}
 *     round 4   rank 1    =1<-3           1:{0-4}
 *     round 4   rank 2    =3<-4           3:{0-4}
 *     round 4   rank 3    1->1
 *     round 4   rank 4    3->2
 *     round 5   rank 1    0,1->2
 *     round 5   rank 2    =0,1<-1         0,1:{0-4}
 */
#include "collectives/combinators.h"
#include "collectives/patterns/binomial.h"
#include "collectives/patterns/halving.h"

/* The survivors of folding in, for one problem. */
struct fold {
    int pairs, root;
};

static struct fold fold_of(const struct ar_problem *p)
{
    return (struct fold){p->nranks - ar_fold_in_survivors(p->nranks), p->root};
}

/* Of pair i the odd rank takes part, or the root if that is the even one. */
static int rank_of(const struct fold *fold, int survivor)
{
    if (survivor >= fold->pairs)
        return survivor + fold->pairs;
    return 2 * survivor + (fold->root != 2 * survivor);
}

/* The survivor that `rank` plays; -1: it folded in. */
static int survivor_of(const struct fold *fold, int rank)
{
    if (rank >= 2 * fold->pairs)
        return rank - fold->pairs;
    return rank_of(fold, rank / 2) == rank ? rank / 2 : -1;
}

/* Step j of the halving. */
static void scatter_round(const struct fold *fold, int survivor, int j, int n, struct ar_sink *sink)
{
    int peer = rank_of(fold, survivor ^ 1 << j), kept, given;
    int half = ar_halving_step(survivor, j, n, &kept, &given);
    ar_send(sink, peer, ar_block_run(given, half));
    ar_receive_reduce(sink, peer, AR_BY_RANK, ar_block_run(kept, half));
}

/* Step j backwards: of the partners, which differ in bit j, those take part that agree with the root in all
 * higher bits. */
static void gather_round(const struct fold *fold, int survivor, int j, int n, struct ar_sink *sink)
{
    int root = survivor_of(fold, fold->root), peer = rank_of(fold, survivor ^ 1 << j), kept, given;
    if ((survivor ^ root) >> (j + 1))
        return;
    int half = ar_halving_step(survivor, j, n, &kept, &given);
    if ((survivor ^ root) >> j & 1)
        ar_send(sink, peer, ar_block_run(kept, half));
    else
        ar_receive(sink, peer, ar_block_run(given, half));
}

static int64_t parts(const struct ar_problem *p)
{
    return ar_fold_in_survivors(p->nranks);
}

static int64_t rounds(const struct ar_problem *p)
{
    return 2 * (int64_t)ar_log2_floor(p->nranks) + (fold_of(p).pairs > 0);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct fold fold = fold_of(p);
    int survivor = survivor_of(&fold, rank), n = ar_fold_in_survivors(p->nranks), steps = ar_log2_floor(n);
    if (fold.pairs > 0 && k-- == 0) {
        if (survivor < 0)
            ar_send(sink, rank ^ 1, ar_block_run(0, n));
        else if (rank < 2 * fold.pairs)
            ar_receive_reduce(sink, rank ^ 1, AR_BY_RANK, ar_block_run(0, n));
    } else if (survivor >= 0 && k < steps) {
        scatter_round(&fold, survivor, (int)k, n, sink);
    } else if (survivor >= 0) {
        gather_round(&fold, survivor, (int)(2 * steps - 1 - k), n, sink);
    }
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double n = ar_fold_in_survivors(p->nranks), scattered = (n - 1) / n, folded = fold_of(p).pairs > 0;
    return (struct ar_cost){(double)rounds(p), folded + 2 * scattered, folded + scattered};
}

const struct ar_algorithm ar_reduce_rabenseifner = {
    .name = "rabenseifner",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "reduce-scatter by halving, then a gather to the root",
    .source = "Rabenseifner, Optimization of collective reduction operations, ICCS 2004; Thakur, "
              "Rabenseifner, Gropp, IJHPCA 19(1), 2005, section 4.5",
    .openmpi = "7 rabenseifner",
    .mpich = "reduce_scatter_gather",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
