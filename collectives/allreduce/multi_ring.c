/* Several rings at once, each for its part of the vector: two in opposite directions use both directions of
 * every link, further ones reach other neighbours.
 *
 * Ring c visits every d-th rank, d = 1, -1, then +-2, +-3, ... as far as they have no divisor in common with
 * P; when those run out, from the start again. rings=2 is the bidirectional ring. In ring c's round k rank r
 * sends block r-(k+1)d to r+d, in the reduce-scatter and the all-gather alike.
 *
 * Cost: 2(P-1) rounds of one message per different d; 2(P-1)/P n beta + (P-1)/P n gamma as one ring where a
 * rank has one port, divided by the rings where each has a link of its own.
 *
 *     $ allround explain allreduce:multi_ring -n 3
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R; below: ranks per block
 *              rank 0                   rank 1                   rank 2
 *     start    0   0   0   0   0   0    1   1   1   1   1   1    2   2   2   2   2   2
 *     round 1  2->1 4->2 +1<-2 +5<-1    0->2 5->0 +2<-0 +3<-2    1->0 3->1 +0<-1 +4<-0
 *              0   02  0   0   0   01   1   1   01  12  1   1    12  2   2   2   02  2
 *     round 2  1->1 5->2 +0<-2 +3<-1    2->2 3->0 +1<-0 +4<-2    0->0 4->1 +2<-1 +5<-0
 *              012 02  0   012 0   01   1   012 01  12  012 1    12  2   012 2   02  012
 *     round 3  0->1 3->2 =2<-2 =4<-1    1->2 4->0 =0<-0 =5<-2    2->0 5->1 =1<-1 =3<-0
 *              012 02  012 012 012 01   012 012 01  12  012 012  12  012 012 012 02  012
 *     round 4  2->1 4->2 =1<-2 =5<-1    0->2 5->0 =2<-0 =3<-2    1->0 3->1 =0<-1 =4<-0
 *              012 012 012 012 012 012  012 012 012 012 012 012  012 012 012 012 012 012
 */
#include "collectives/combinators.h"
#include "collectives/patterns/ring.h"

/* The next number below P/2 that has no divisor in common with P, or 1. */
static int next_stride(int stride, int nranks)
{
    do
        stride = stride < nranks / 2 ? stride + 1 : 1;
    while (ar_greatest_common_divisor(stride, nranks) > 1);
    return stride;
}

static int64_t splits(const struct ar_problem *p)
{
    return p->param[0];
}

static int64_t rounds(const struct ar_problem *p)
{
    return 2 * (p->nranks - 1);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int nranks = p->nranks;
    uint8_t kind = k < nranks - 1 ? AR_RECEIVE_REDUCE : AR_RECEIVE;
    for (int64_t ring = 0, stride = 1; ring < p->param[0]; ring++) {
        int to = ar_wrap(rank + (int)(ring % 2 ? -stride : stride), nranks);
        int from = ar_wrap(rank - (int)(ring % 2 ? -stride : stride), nranks);
        int64_t back = (k + 1) * (ring % 2 ? -stride : stride), base = ring * nranks;
        ar_emit(sink, (struct ar_step){AR_SEND, AR_BY_RANK, AR_VECTOR, AR_VECTOR, to, ar_block(rank - back),
                                       base, nranks});
        ar_emit(sink, (struct ar_step){kind, AR_BY_RANK, AR_VECTOR, AR_VECTOR, from, ar_block(from - back),
                                       base, nranks});
        if (ring % 2)
            stride = next_stride((int)stride, nranks);
    }
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double P = p->nranks;
    int64_t different = 0; /* two ranks have one direction */
    for (int stride = 1; different < p->param[0] && (different == 0 || stride > 1); different += 1 + (P > 2))
        stride = next_stride(stride, p->nranks);
    different = different < p->param[0] ? different : p->param[0];
    return (struct ar_cost){2 * (P - 1) * (double)different, 2 * (P - 1) / P, (P - 1) / P};
}

static const struct ar_param params[] = {
    {"rings", "how many, in alternating directions", AR_PARAM_NUMBER, 2, 1, 64, NULL},
};

const struct ar_algorithm ar_allreduce_multi_ring = {
    .name = "multi_ring",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "rings in both directions and several orders, each for a part",
    .source =
        "folklore; Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, "
        "JPDC 69(2), 2009; NVIDIA, NCCL (channels)",
    .params = params,
    .nparams = 1,
    .parts = ar_one_part_per_rank,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
