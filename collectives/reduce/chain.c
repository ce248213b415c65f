/* The pipelined chain backwards: each segment is combined at every rank on its way to the root.
 *
 * Cost: (N + P - 2)(alpha + s (beta + gamma)) for N segments of s bytes. Keeps the operands' order for the
 * first and the last rank as root.
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

static struct ar_schedule forward(const struct ar_problem *p)
{
    struct ar_schedule child = ar_child(&broadcast_chain, p);
    child.problem.param[0] = p->param[0];
    return child;
}

static int64_t splits(const struct ar_problem *p)
{
    return p->param[0];
}

static int64_t rounds(const struct ar_problem *p)
{
    struct ar_schedule child = forward(p);
    return ar_nrounds(&child);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct ar_schedule child = forward(p);
    ar_reversed_round(&child, AR_BACKWARD_REDUCE, rank, k, sink);
}

static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    struct ar_schedule child = forward(p);
    ar_reversed_span(&child, rank, first, last);
}

static const struct ar_param params[] = {
    {"segment", "bytes that travel together", AR_PARAM_BYTES, 128 << 10, 1, INT64_MAX},
};

const struct ar_algorithm reduce_chain = {
    .name = "chain",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "segments travel up a chain of all ranks, combined at each",
    .source = "folklore; Open MPI, coll_base_reduce.c (pipeline)",
    .params = params,
    .nparams = 1,
    .openmpi = "3 pipeline",
    .nccl = "Ring (reduce)",
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
};
