#include "sim/bounds.h"

#include "collectives/patterns/binomial.h"

/* Shares of n: `whole` of it, and `others` times what belongs to the others, (P-1)/P. */
struct share {
    double whole, others;
};

static const struct bound {
    struct share bandwidth, computation;
} bounds[AR_NCOLLECTIVES] = {
    [AR_COLLECTIVE_broadcast] = {{1, 0}, {0, 0}},      [AR_COLLECTIVE_reduce] = {{1, 0}, {0, 1}},
    [AR_COLLECTIVE_scatter] = {{0, 1}, {0, 0}},        [AR_COLLECTIVE_gather] = {{0, 1}, {0, 0}},
    [AR_COLLECTIVE_reduce_scatter] = {{0, 1}, {0, 1}}, [AR_COLLECTIVE_allgather] = {{0, 1}, {0, 0}},
    [AR_COLLECTIVE_allreduce] = {{0, 2}, {0, 1}},      [AR_COLLECTIVE_alltoall] = {{0, 1}, {0, 0}},
    [AR_COLLECTIVE_barrier] = {{0, 0}, {0, 0}},
};

static double worked_out(struct share share, int nranks)
{
    return nranks > 1 ? share.whole + share.others * (nranks - 1) / nranks : 0;
}

struct ar_cost ar_bounds_of(enum ar_collective_id collective, int nranks)
{
    const struct bound *bound = &bounds[collective];
    return (struct ar_cost){ar_log2_ceil(nranks), worked_out(bound->bandwidth, nranks),
                            worked_out(bound->computation, nranks)};
}

static double max(double a, double b)
{
    return a > b ? a : b;
}

/* The root may have the longest part, and fewer elements than ranks reach no more than so many. */
static struct ar_cost bound_at_root(int nranks, int64_t count)
{
    int64_t own = count / nranks + (count % nranks != 0);
    return (struct ar_cost){ar_log2_ceil(count < nranks ? (int)count : nranks),
                            (double)(count - own) / (double)count, 0};
}

struct ar_bounds ar_bounds_time(enum ar_collective_id collective, int nranks, int64_t count,
                                int64_t elem_bytes, const struct ar_hockney *model)
{
    double bytes = (double)count * (double)elem_bytes;
    struct ar_cost cost = ar_bounds_of(collective, nranks);
    bool moves = count > 0 || ar_collectives[collective].token;
    if (count > 0 && ar_collective_rooted(collective) && ar_collective_owned(collective))
        cost = bound_at_root(nranks, count);
    struct ar_bounds made = {
        .share = cost,
        .latency_s = moves ? cost.alpha * model->alpha_s : 0,
        .bandwidth_s = cost.beta * bytes * model->beta_s_per_byte,
        .computation_s = cost.gamma * bytes * model->gamma_s_per_byte,
    };
    made.time_s = max(made.latency_s, max(made.bandwidth_s, made.computation_s));
    return made;
}
