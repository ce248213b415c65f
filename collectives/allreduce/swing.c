/* Recursive doubling with shorter ways: partners at distance 1, -1, 3, -5, 11, ... to alternating sides.
 *
 * form=bandwidth: reduce-scatter, then all-gather, the vector cut into P blocks; every even P. form=latency:
 * whole vectors, as in recursive doubling. Its operands meet once on powers of two only (6 ranks would count
 * some twice), so further ranks fold in; and ranks combine them in different orders, so from 8 ranks on
 * floating-point results may differ between ranks.
 *
 * Cost: bandwidth 2q alpha + 2(P-1)/P n beta + (P-1)/P n gamma, q = ceil(log2 P). Latency: as recursive
 * doubling, q (alpha + n beta + n gamma) on 2^q ranks. Needs an even P.
 *
 *     $ allround explain allreduce:swing -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R; below: ranks per block
 *              rank 0               rank 1               rank 2               rank 3
 *     start    0    0    0    0     1    1    1    1     2    2    2    2     3    3    3    3
 *     round 1  1,2->1 +0,3<-1       0,3->0 +1,2<-0       3,0->3 +2,1<-3       2,1->2 +3,0<-2
 *              01   0    0    01    1    01   01   1     2    23   23   2     23   3    3    23
 *     round 2  3->3 +0<-3           2->2 +1<-2           1->1 +2<-1           0->0 +3<-0
 *              0123 0    0    01    1    0123 01   1     2    23   0123 2     23   3    3    0123
 *     round 3  0->3 =3<-3           1->2 =2<-2           2->1 =1<-1           3->0 =0<-0
 *              0123 0    0    0123  1    0123 0123 1     2    0123 0123 2     0123 3    3    0123
 *     round 4  0,3->1 =1,2<-1       1,2->0 =0,3<-0       2,1->3 =3,0<-3       3,0->2 =2,1<-2
 *              0123 0123 0123 0123  0123 0123 0123 0123  0123 0123 0123 0123  0123 0123 0123 0123
 */
#include "collectives/combinators.h"
#include "collectives/patterns/swing.h"
#include "collectives/registry.h"

enum { BANDWIDTH, LATENCY };

/* ---- Whole vectors ----------------------------------------------------------------------------------- */

static int64_t doubling_rounds(const struct ar_problem *p)
{
    return ar_log2_floor(p->nranks);
}

static void doubling_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int peer = ar_swing_peer(rank, (int)k, p->nranks);
    ar_send(sink, peer, ar_block(0));
    ar_receive_reduce(sink, peer, AR_BY_RANK, ar_block(0));
}

static const struct ar_algorithm on_powers_of_two = {
    .name = "Swing on 2^q ranks",
    .collective = AR_COLLECTIVE_allreduce,
    .rounds = doubling_rounds,
    .round = doubling_round,
};

static struct ar_schedule on_survivors(const struct ar_problem *p)
{
    struct ar_schedule child = ar_child(&on_powers_of_two, p);
    child.problem.nranks = ar_fold_in_survivors(p->nranks);
    return child;
}

/* ---- Both forms -------------------------------------------------------------------------------------- */

#define HALVES AR_CHILDREN(ar_reduce_scatter_swing, ar_allgather_swing)

static int64_t parts(const struct ar_problem *p)
{
    return p->param[0] == LATENCY ? 1 : p->nranks;
}

static int64_t rounds(const struct ar_problem *p)
{
    struct ar_schedule child = on_survivors(p);
    return p->param[0] == LATENCY ? ar_fold_in_rounds(&child, p->nranks) : ar_sequence_rounds(HALVES, 2);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct ar_schedule child = on_survivors(p);
    if (p->param[0] == LATENCY)
        ar_fold_in_round(&child, p->nranks, rank, k, sink);
    else
        ar_sequence_round(HALVES, 2, rank, k, sink);
}

static struct ar_cost cost(const struct ar_problem *p)
{
    if (p->param[0] == BANDWIDTH)
        return ar_sequence_cost(HALVES, 2);
    double all = (double)rounds(p), returned = ar_fold_in_survivors(p->nranks) < p->nranks;
    return (struct ar_cost){all, all, all - returned};
}

static const char *const forms[] = {[BANDWIDTH] = "bandwidth", [LATENCY] = "latency"};
static const struct ar_param params[] = {
    {"form", "blocks in twice the rounds, or whole vectors", AR_PARAM_WORD, BANDWIDTH, BANDWIDTH, LATENCY,
     forms},
};

const struct ar_algorithm ar_allreduce_swing = {
    .name = "swing",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "partners at distance 1, -1, 3, -5, 11, ...; by blocks or whole",
    .source = "De Sensi, Bonato, Saam, Hoefler, Swing: short-cutting rings for higher bandwidth allreduce, "
              "NSDI 2024, section 3",
    .needs = AR_NEEDS_EVEN,
    .params = params,
    .nparams = 1,
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
