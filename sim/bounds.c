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
    [AR_COLLECTIVE_reduce_scatter] = {{0, 1}, {0, 1}}, [AR_COLLECTIVE_allgather] = {{0, 1}, {0, 0}},
    [AR_COLLECTIVE_allreduce] = {{0, 2}, {0, 1}},
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

struct ar_bounds ar_bounds_time(enum ar_collective_id collective, int nranks, double bytes,
                                const struct ar_hockney *model)
{
    struct ar_cost cost = ar_bounds_of(collective, nranks);
    struct ar_bounds made = {
        .latency_s = cost.alpha * model->alpha_s,
        .bandwidth_s = cost.beta * bytes * model->beta_s_per_byte,
        .computation_s = cost.gamma * bytes * model->gamma_s_per_byte,
    };
    made.time_s = max(made.latency_s, max(made.bandwidth_s, made.computation_s));
    return made;
}
