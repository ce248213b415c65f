/* The vector is halved while the distance doubles, which keeps the operands' order but leaves the blocks on
 * other ranks than their owners: one more round delivers them.
 *
 * On 2^q ranks, in round k rank r sends one half of its window to r xor 2^k and combines the other
 * (patterns/halving.h), and ends with the block whose number is r with its bits reversed. Off powers of two,
 * pairs fold in first, and the odd rank of each works for the blocks of both (patterns/pairs.h).
 *
 * Cost on 2^q ranks: (q+1) alpha + n beta + (P-1)/P n gamma. Else, with q = floor(log2 P), at most (q+3)
 * alpha and about 2 n (beta + gamma): folding in moves n, and a rank may deliver two blocks.
 *
 *     $ allround explain reduce_scatter:butterfly -n 5
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R;
 *     at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 5 blocks in all
 *     round 1   rank 0    0-4->1
 *     round 1   rank 1    +0-4<-0         0-4:{0,1}
 *     round 2   rank 1    3,4->2 +0-2<-2  0-2:{0-2}
 *     round 2   rank 2    0-2->1 +3,4<-1  3,4:{0-2}
 *     round 2   rank 3    3,4->4 +0-2<-4  0-2:{3,4}
 *     round 2   rank 4    0-2->3 +3,4<-3  3,4:{3,4}
 *     round 3   rank 1    2->3 +0,1<-3    0,1:{0-4}
 *     round 3   rank 2    4->4 +3<-4      3:{0-4}
 *     round 3   rank 3    0,1->1 +2<-1    2:{0-4}
 *     round 3   rank 4    3->2 +4<-2      4:{0-4}
 *     round 4   rank 0    =0<-1           0:{0-4}
 *     round 4   rank 1    0->0
 *     round 4   rank 2    3->3 =2<-3      2:{0-4}
 *     round 4   rank 3    2->2 =3<-2      3:{0-4}
 */
#include "collectives/combinators.h"
#include "collectives/patterns/binomial.h"
#include "collectives/patterns/halving.h"
#include "collectives/patterns/pairs.h"

static int pairs_of(const struct ar_problem *p)
{
    return p->nranks - ar_fold_in_survivors(p->nranks);
}

static void fold_round(const struct ar_problem *p, int rank, struct ar_sink *sink)
{
    struct ar_blocks all = ar_block_run(0, p->nranks);
    if (rank >= 2 * pairs_of(p))
        return;
    if (rank % 2 == 0)
        ar_send(sink, rank + 1, all);
    else
        ar_receive_reduce(sink, rank - 1, AR_BY_RANK, all);
}

static void halving_round(const struct ar_problem *p, int survivor, int k, struct ar_sink *sink)
{
    int pairs = pairs_of(p), kept, given;
    int half = ar_halving_step(survivor, k, p->nranks - pairs, &kept, &given);
    int peer = ar_pairs_rank(survivor ^ 1 << k, pairs);
    ar_send(sink, peer, ar_pairs_blocks(given, half, pairs));
    ar_receive_reduce(sink, peer, AR_BY_RANK, ar_pairs_blocks(kept, half, pairs));
}

static void delivery_round(const struct ar_problem *p, int rank, int steps, struct ar_sink *sink)
{
    int pairs = pairs_of(p), survivor = ar_pairs_survivor(rank, pairs);
    if (survivor >= 0) {
        struct ar_blocks held = ar_pairs_blocks(ar_halving_mirror(survivor, steps), 1, pairs);
        for (int64_t block = held.first; block < held.first + held.length; block++)
            if (block != rank)
                ar_send(sink, (int)block, ar_block(block));
    }
    int holder = ar_pairs_rank(ar_halving_mirror(ar_pairs_owner(rank, pairs), steps), pairs);
    if (holder != rank)
        ar_receive(sink, holder, ar_block(rank));
}

/* Up to two survivors end with what they answer for; only a folded-in rank waits for its block then. */
static int64_t rounds(const struct ar_problem *p)
{
    int folds = pairs_of(p) > 0, steps = ar_log2_floor(p->nranks);
    return folds + steps + (folds || steps > 1);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int steps = ar_log2_floor(p->nranks), survivor = ar_pairs_survivor(rank, pairs_of(p));
    if (pairs_of(p) > 0 && k-- == 0)
        fold_round(p, rank, sink);
    else if (k == steps)
        delivery_round(p, rank, steps, sink);
    else if (survivor >= 0)
        halving_round(p, survivor, (int)k, sink);
}

static struct ar_cost cost(const struct ar_problem *p)
{
    int pairs = pairs_of(p), n = p->nranks - pairs, delivered = rounds(p) > ar_log2_floor(n) + (pairs > 0);
    double P = p->nranks, blocks = pairs > 0 ? P : 0; /* combined; folding in moves all of them */
    for (int m = n / 2; m > 0; m /= 2)
        blocks += ar_pairs_most_blocks(m, pairs);
    delivered += pairs > 1; /* the pair of blocks that survivor 1 answers for is on another rank */
    double messages = (double)rounds(p) + (pairs > 1);
    return (struct ar_cost){messages, (blocks + delivered) / P, blocks / P};
}

const struct ar_algorithm ar_reduce_scatter_butterfly = {
    .name = "butterfly",
    .collective = AR_COLLECTIVE_reduce_scatter,
    .summary = "halving at distance 1, 2, 4, ..., then delivery to the owners",
    .source = "Traeff, An improved algorithm for (non-commutative) reduce-scatter with an application, "
              "EuroPVM/MPI 2005",
    .openmpi = "4 butterfly",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
