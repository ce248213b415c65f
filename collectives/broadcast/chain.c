/* A pipeline: every rank passes each segment to its neighbour, so that all links are busy at once.
 *
 * One segment goes root -> root+1 -> ... in P-1 rounds; segment s starts in round s (combinator `segments`,
 * period 1). With fanout F > 1 the ranks form F chains of neighbours, the first ones longer by one where F
 * does not divide P-1; the root serves them in turn, so the period is F.
 *
 * Cost: (F N + floor((P-1)/F) - 1)(alpha + s beta) for N segments of s bytes. One chain is best for long
 * vectors and few ranks: the root sends the vector once. More of them trade that for shorter ways.
 *
 *     $ allround explain broadcast:chain -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0  rank 1      rank 2      rank 3
 *     start    0 0 0   . . .       . . .       . . .
 *     round 1  0->1    =0<-0       -           -
 *              0 0 0   0 . .       . . .       . . .
 *     round 2  1->1    0->2 =1<-0  =0<-1       -
 *              0 0 0   0 0 .       0 . .       . . .
 *     round 3  2->1    1->2 =2<-0  0->3 =1<-1  =0<-2
 *              0 0 0   0 0 0       0 0 .       0 . .
 *     round 4  -       2->2        1->3 =2<-1  =1<-2
 *              0 0 0   0 0 0       0 0 0       0 0 .
 *     round 5  -       -           2->3        =2<-2
 *              0 0 0   0 0 0       0 0 0       0 0 0
 *
 *     Drawn with 3 segments; --count N shows how many a vector has.
 */
#include "collectives/patterns/chains.h"
#include "collectives/patterns/ring.h"
#include "collectives/pipeline.h"

static int nchains(const struct ar_problem *p)
{
    return ar_chains(p->param[1], p->nranks);
}

static int64_t one_rounds(const struct ar_problem *p)
{
    return p->nranks > 1 ? nchains(p) - 1 + (p->nranks - 1) / nchains(p) : 0;
}

static void one_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int vrank = ar_vrank(rank, p->root, p->nranks), n = nchains(p);
    if (vrank == 0) {
        if (k < n)
            ar_send(sink, ar_rank_of(ar_chain_head((int)k, n, p->nranks), p->root, p->nranks), ar_block(0));
        return;
    }
    int chain = ar_chain_of(vrank, n, p->nranks), head = ar_chain_head(chain, n, p->nranks);
    int64_t since = k - chain - (vrank - head);
    if (since == 0)
        ar_receive(sink, vrank == head ? p->root : ar_wrap(rank - 1, p->nranks), ar_block(0));
    else if (since == 1 && vrank + 1 < ar_chain_head(chain + 1, n, p->nranks))
        ar_send(sink, (rank + 1) % p->nranks, ar_block(0));
}

static void one_span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    int vrank = ar_vrank(rank, p->root, p->nranks), n = nchains(p);
    *first = 0;
    *last = n - 1;
    if (vrank == 0)
        return;
    int chain = ar_chain_of(vrank, n, p->nranks);
    *first = chain + vrank - ar_chain_head(chain, n, p->nranks);
    *last = *first + (vrank + 1 < ar_chain_head(chain + 1, n, p->nranks));
}

static const struct ar_algorithm one_segment = {
    .name = "chains of one segment",
    .collective = AR_COLLECTIVE_broadcast,
    .rounds = one_rounds,
    .round = one_round,
    .span = one_span,
};

AR_SEGMENTS_OF(one_segment, nchains);

static const struct ar_param params[] = {
    AR_PARAM_SEGMENT,
    {"fanout", "chains that the root serves in turn", AR_PARAM_NUMBER, 1, 1, INT32_MAX, NULL},
};

const struct ar_algorithm ar_broadcast_chain = {
    .name = "chain",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "segments travel down a chain of all ranks, or several chains",
    .source = "folklore; Open MPI, coll_base_bcast.c (pipeline, chain)",
    .params = params,
    .nparams = 2,
    .openmpi = "3 pipeline, 2 chain (fanout=4)",
    .nccl = "Ring (broadcast)",
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
