/* Each rank talks to its two neighbours in turn and passes on the two blocks that came last.
 *
 * First the pairs (0,1), (2,3), ... swap their own blocks; then every rank alternates between its neighbours,
 * sending the pair of blocks it received in the round before. Needs an even number of ranks.
 *
 * Cost: P/2 alpha + (P-1)/P n beta: half the ring's rounds, still with neighbours only.
 *
 *     $ allround explain allgather:neighbor_exchange -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0          rank 1          rank 2          rank 3
 *     start    0 . . .         . 1 . .         . . 2 .         . . . 3
 *     round 1  0->1 =1<-1      1->0 =0<-0      2->3 =3<-3      3->2 =2<-2
 *              0 1 . .         0 1 . .         . . 2 3         . . 2 3
 *     round 2  0,1->3 =2,3<-3  0,1->2 =2,3<-2  2,3->1 =0,1<-1  2,3->0 =0,1<-0
 *              0 1 2 3         0 1 2 3         0 1 2 3         0 1 2 3
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/ring.h"

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks / 2;
}

/* The first of the two blocks that `rank` has last received after round k: they come from alternating sides,
 * two blocks farther each time, counted from the pair that the rank belongs to. */
static int64_t newest_pair(int rank, int64_t k)
{
    int64_t pair = rank & ~1;
    bool even = rank % 2 == 0;
    int64_t away = k % 2 ? k + 1 : -k;
    return even ? pair - away : pair + away;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    bool up = (rank % 2 == 0) == (k % 2 == 0);
    int peer = ar_wrap(rank + (up ? 1 : -1), p->nranks);
    ar_send(sink, peer, k == 0 ? ar_block(rank) : ar_block_run(newest_pair(rank, k - 1), 2));
    ar_receive(sink, peer, k == 0 ? ar_block(peer) : ar_block_run(newest_pair(rank, k), 2));
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){(double)rounds(p), (P - 1) / P, 0};
}

const struct ar_algorithm ar_allgather_neighbor_exchange = {
    .name = "neighbor_exchange",
    .collective = AR_COLLECTIVE_allgather,
    .summary = "pairs of blocks are passed on between alternating neighbours",
    .source = "Chen, Zhang, Zhang, Yuan, Performance evaluation of allgather algorithms on terascale Linux "
              "cluster with fast Ethernet, HPC-Asia 2005",
    .needs = AR_NEEDS_EVEN,
    .openmpi = "5 neighbor",
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
