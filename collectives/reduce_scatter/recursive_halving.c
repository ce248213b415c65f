/* Partners at distance P/2, P/4, ... exchange the half of the window that the other keeps.
 *
 * On P' = 2^q ranks, in round k the window of 2m = P'/2^k neighbouring ranks is cut in two: rank r sends the
 * blocks of its partner's side (r xor m) and combines those of its own. Off powers of two the first 2r ranks
 * fold in, even to odd; an odd survivor owns the blocks of both and returns the even one's at the end.
 *
 * Cost on 2^q ranks: q alpha + (P-1)/P n (beta + gamma). Else, with q = floor(log2 P), (q+2) alpha and about
 * 2 n (beta + gamma): folding in moves n, survivors with two blocks each make the windows larger.
 *
 *     $ allround explain reduce_scatter:recursive_halving -n 5
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R;
 *     at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 5 blocks in all
 *     round 1   rank 0    0-4->1
 *     round 1   rank 1    +0-4<-0         0-4:{0,1}
 *     round 2   rank 1    3,4->3 +0-2<-3  0-2:{0,1,3}
 *     round 2   rank 2    3,4->4 +0-2<-4  0-2:{2,4}
 *     round 2   rank 3    0-2->1 +3,4<-1  3,4:{0,1,3}
 *     round 2   rank 4    0-2->2 +3,4<-2  3,4:{2,4}
 *     round 3   rank 1    2->2 +0,1<-2    0,1:{0-4}
 *     round 3   rank 2    0,1->1 +2<-1    2:{0-4}
 *     round 3   rank 3    4->4 +3<-4      3:{0-4}
 *     round 3   rank 4    3->3 +4<-3      4:{0-4}
 *     round 4   rank 0    =0<-1           0:{0-4}
 *     round 4   rank 1    0->0
 */
#include "collectives/combinators.h"
#include "collectives/patterns/binomial.h"
#include "collectives/patterns/pairs.h"

static int64_t rounds(const struct ar_problem *p)
{
    return ar_log2_floor(p->nranks) + (ar_fold_in_survivors(p->nranks) < p->nranks ? 2 : 0);
}

static void round_of_pair(const struct ar_problem *p, int rank, bool first, struct ar_sink *sink)
{
    bool sends = (rank % 2 == 0) == first;
    struct ar_blocks set = first ? ar_block_run(0, p->nranks) : ar_block(rank & ~1);
    if (sends)
        ar_send(sink, rank ^ 1, set);
    else if (first)
        ar_receive_reduce(sink, rank ^ 1, AR_BY_RANK, set);
    else
        ar_receive(sink, rank ^ 1, set);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int n = ar_fold_in_survivors(p->nranks), pairs = p->nranks - n;
    bool paired = rank < 2 * pairs;
    if (paired && (k == 0 || k == rounds(p) - 1)) {
        round_of_pair(p, rank, k == 0, sink);
        return;
    }
    k -= pairs > 0;
    int survivor = ar_pairs_survivor(rank, pairs);
    if (survivor < 0 || k < 0 || k >= ar_log2_floor(n))
        return;
    int m = n >> (k + 1), partner = survivor ^ m, peer = ar_pairs_rank(partner, pairs);
    ar_send(sink, peer, ar_pairs_blocks(partner & -m, m, pairs));
    ar_receive_reduce(sink, peer, AR_BY_RANK, ar_pairs_blocks(survivor & -m, m, pairs));
}

static struct ar_cost cost(const struct ar_problem *p)
{
    int n = ar_fold_in_survivors(p->nranks), pairs = p->nranks - n;
    double P = p->nranks, blocks = pairs > 0 ? P : 0; /* combined; folding in moves all of them */
    for (int m = n / 2; m > 0; m /= 2)
        blocks += ar_pairs_most_blocks(m, pairs);
    return (struct ar_cost){(double)rounds(p), (blocks + (pairs > 0)) / P, blocks / P};
}

const struct ar_algorithm ar_reduce_scatter_recursive_halving = {
    .name = "recursive_halving",
    .collective = AR_COLLECTIVE_reduce_scatter,
    .summary = "windows are halved between partners at distance P/2, P/4, ...",
    .source =
        "Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in MPICH, IJHPCA "
        "19(1), 2005, section 4.3",
    .openmpi = "2 recursive_halving",
    .mpich = "recursive_halving",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
