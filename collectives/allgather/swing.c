/* Partners at distance ..., -5, 3, -1, 1, the farthest first, exchange what the other has not.
 *
 * A partner lies at most a third of 2^(s+1) away, in recursive doubling half; on rings and tori messages
 * share fewer links. The blocks of a message are strided sets (patterns/swing.h); each comes to a rank once.
 * This is Bine's butterfly too, for every even P.
 *
 * Cost: q alpha + (P-1)/P n beta with q = ceil(log2 P): both terms are the least possible. Needs an even P.
 *
 *     $ allround explain allgather:swing -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0          rank 1          rank 2          rank 3
 *     start    0 . . .         . 1 . .         . . 2 .         . . . 3
 *     round 1  0->3 =3<-3      1->2 =2<-2      2->1 =1<-1      3->0 =0<-0
 *              0 . . 3         . 1 2 .         . 1 2 .         0 . . 3
 *     round 2  0,3->1 =1,2<-1  1,2->0 =0,3<-0  2,1->3 =3,0<-3  3,0->2 =2,1<-2
 *              0 1 2 3         0 1 2 3         0 1 2 3         0 1 2 3
 */
#include "collectives/patterns/swing.h"

static int64_t rounds(const struct ar_problem *p)
{
    return ar_log2_ceil(p->nranks);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int s = (int)(rounds(p) - 1 - k), peer = ar_swing_peer(rank, s, p->nranks);
    for (int i = 0; i < 2; i++) {
        struct ar_blocks set = ar_swing_blocks(peer, s, p->nranks, i);
        if (set.count > 0)
            ar_send(sink, peer, set);
    }
    for (int i = 0; i < 2; i++) {
        struct ar_blocks set = ar_swing_blocks(rank, s, p->nranks, i);
        if (set.count > 0)
            ar_receive(sink, peer, set);
    }
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    return (struct ar_cost){(double)rounds(p), (P - 1) / P, 0};
}

const struct ar_algorithm ar_allgather_swing = {
    .name = "swing",
    .collective = AR_COLLECTIVE_allgather,
    .summary = "partners at distance ..., -5, 3, -1, 1 exchange what they have",
    .source = "De Sensi, Bonato, Saam, Hoefler, Swing: short-cutting rings for higher bandwidth allreduce, "
              "NSDI 2024, section 3; De Sensi, Pasqualoni, Piarulli and others, Bine trees, SC 2025",
    .needs = AR_NEEDS_EVEN,
    .parts = ar_one_part_per_rank,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
