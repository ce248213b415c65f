#include "collectives/torus.h"

static struct ar_schedule child_of(const struct ar_problem *p, const struct ar_shape *dims,
                                   const struct ar_leg *leg)
{
    struct ar_schedule child = ar_child(leg->child, p);
    child.problem.nranks = dims->size[leg->dim];
    return child;
}

static bool narrows(const struct ar_leg *leg)
{
    return leg->child->collective == AR_COLLECTIVE_reduce_scatter;
}

static bool widens(const struct ar_leg *leg)
{
    return leg->child->collective == AR_COLLECTIVE_allgather;
}

int64_t ar_torus_rounds(const struct ar_problem *p, const struct ar_shape *dims, const struct ar_leg *leg,
                        int nlegs)
{
    int64_t rounds = 0;
    for (int i = 0; i < nlegs; i++) {
        struct ar_schedule child = child_of(p, dims, &leg[i]);
        rounds += ar_nrounds(&child);
    }
    return rounds;
}

int64_t ar_torus_blocks(const struct ar_problem *p, const struct ar_shape *dims, const struct ar_leg *leg,
                        int nlegs)
{
    int64_t nblocks = 1, windows = 1; /* so many, one of which a rank has */
    for (int i = 0; i < nlegs; i++) {
        struct ar_schedule child = child_of(p, dims, &leg[i]);
        if (widens(&leg[i]))
            windows /= dims->size[leg[i].dim];
        nblocks = ar_least_common_multiple(nblocks, windows * ar_nblocks(&child));
        if (narrows(&leg[i]))
            windows *= dims->size[leg[i].dim];
    }
    return nblocks;
}

/* The ranks that differ in one coordinate. */
struct line {
    int first, stride;
};

static int rank_on_line(const void *context, int place)
{
    const struct line *line = context;
    return line->first + place * line->stride;
}

void ar_torus_round(const struct ar_problem *p, const struct ar_shape *dims, const struct ar_leg *leg,
                    int nlegs, int rank, int64_t k, struct ar_sink *sink)
{
    int64_t base = 0, window = sink->nblocks;
    for (int i = 0; i < nlegs; i++) {
        struct ar_schedule child = child_of(p, dims, &leg[i]);
        int64_t rounds = ar_nrounds(&child);
        int size = dims->size[leg[i].dim], stride = 1;
        for (int dim = dims->n - 1; dim > leg[i].dim; dim--)
            stride *= dims->size[dim];
        int place = rank / stride % size;
        if (widens(&leg[i])) {
            base -= place * window;
            window *= size;
        }
        if (k < rounds) {
            struct line line = {rank - place * stride, stride};
            ar_sub(&child, place, k,
                   (struct ar_view){.base = base,
                                    .scale = window / ar_nblocks(&child),
                                    .rank = rank_on_line,
                                    .context = &line},
                   sink);
            return;
        }
        k -= rounds;
        if (narrows(&leg[i])) {
            window /= size;
            base += place * window;
        }
    }
}

struct ar_cost ar_torus_cost(const struct ar_problem *p, const struct ar_shape *dims,
                             const struct ar_leg *leg, int nlegs)
{
    struct ar_cost cost = {0};
    double fraction = 1; /* of the vector, that a window has */
    for (int i = 0; i < nlegs; i++) {
        struct ar_schedule child = child_of(p, dims, &leg[i]);
        struct ar_cost one = leg[i].child->cost(&child.problem);
        if (widens(&leg[i]))
            fraction *= dims->size[leg[i].dim];
        cost = ar_cost_plus(cost, (struct ar_cost){one.alpha, one.beta * fraction, one.gamma * fraction});
        if (narrows(&leg[i]))
            fraction /= dims->size[leg[i].dim];
    }
    return cost;
}
