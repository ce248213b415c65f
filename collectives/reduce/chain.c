/* The pipelined chain backwards: each segment is combined at every rank on its way to the root.
 *
 * Cost: (F N + floor((P-1)/F) - 1)(alpha + s (beta + gamma)) for N segments of s bytes and fanout F. One
 * chain keeps the operands' order for the first and the last rank as root.
 *
 *     $ allround explain reduce:chain -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; below: ranks per block
 *              rank 0          rank 1          rank 2          rank 3
 *     start    0    0    0     1    1    1     2    2    2     3    3    3
 *     round 1  -               -               +2<-3           2->2
 *              0    0    0     1    1    1     2    2    23    3    3    3
 *     round 2  -               +2<-2           2->1 +1<-3      1->2
 *              0    0    0     1    1    123   2    23   23    3    3    3
 *     round 3  +2<-1           2->0 +1<-2      1->1 +0<-3      0->2
 *              0    0    0123  1    123  123   23   23   23    3    3    3
 *     round 4  +1<-1           1->0 +0<-2      0->1            -
 *              0    0123 0123  123  123  123   23   23   23    3    3    3
 *     round 5  +0<-1           0->0            -               -
 *              0123 0123 0123  123  123  123   23   23   23    3    3    3
 *
 *     Drawn with 3 segments; --count N shows how many a vector has.
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_REVERSED_OF(ar_broadcast_chain, AR_BACKWARD_REDUCE);

static const struct ar_param params[] = {
    AR_PARAM_SEGMENT,
    {"fanout", "chains that reach the root in turn", AR_PARAM_NUMBER, 1, 1, INT32_MAX, NULL},
};

const struct ar_algorithm ar_reduce_chain = {
    .name = "chain",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "segments travel up a chain of all ranks, combined at each",
    .source = "folklore; Open MPI, coll_base_reduce.c (pipeline, chain)",
    .params = params,
    .nparams = 2,
    .openmpi = "3 pipeline, 2 chain (fanout=4)",
    .nccl = "Ring (reduce)",
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
