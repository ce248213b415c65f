/* Schedules on a torus: one dimension after the other, each a child on every line of ranks in it.
 *
 * Ranks are numbered with the last dimension fastest, as in MPI_Cart_create: on 2x3 rank 4 has the
 * coordinates (1, 1). A leg runs a child along one dimension, in all lines at once, on the window of the
 * vector that its line has in common. A reduce-scatter narrows a rank's window to its own part of it, an
 * all-gather widens it again, an all-reduce leaves it:
 *
 *     allreduce:bucket on 2x3 = {reduce_scatter along 0, along 1, allgather along 1, along 0}
 *     allreduce:split_rail    = {reduce_scatter along 1, allreduce along 0, allgather along 1}, a line of
 *                               dimension 1 being a group and one of dimension 0 a rail
 *
 * Reduce-scatters along 0, 1, ... leave block r at rank r. Only a child of the first leg may use AR_INPUT.
 *
 * Source: Jain, Sabharwal, Optimal bucket algorithms for large MPI collectives on torus interconnects, ICS
 * 2010.
 */
#pragma once

#include "collectives/combinators.h"
#include "collectives/shapes.h"

struct ar_leg {
    const struct ar_algorithm
        *child; /* reduce_scatter, allgather or allreduce, with its default parameters */
    int dim;
};

enum { AR_MAX_LEGS = 2 * AR_SHAPE_SIZES };

int64_t ar_torus_rounds(const struct ar_problem *p, const struct ar_shape *dims, const struct ar_leg *leg,
                        int nlegs);
int64_t ar_torus_blocks(const struct ar_problem *p, const struct ar_shape *dims, const struct ar_leg *leg,
                        int nlegs);
void ar_torus_round(const struct ar_problem *p, const struct ar_shape *dims, const struct ar_leg *leg,
                    int nlegs, int rank, int64_t k, struct ar_sink *sink);

/* Exact where the children's forms are: all lines do the same at the same time. */
struct ar_cost ar_torus_cost(const struct ar_problem *p, const struct ar_shape *dims,
                             const struct ar_leg *leg, int nlegs);

/* The functions of an algorithm whose torus and legs `legs` writes:
 * int legs(const struct ar_problem *p, struct ar_shape *dims, struct ar_leg leg[AR_MAX_LEGS]) returns how
 * many. */
#define AR_TORUS_OF(legs)                                                                                    \
    AR_MAYBE_UNUSED static int64_t parts(const struct ar_problem *p)                                         \
    {                                                                                                        \
        struct ar_leg leg[AR_MAX_LEGS];                                                                      \
        struct ar_shape dims;                                                                                \
        int n = legs(p, &dims, leg);                                                                         \
        return ar_torus_blocks(p, &dims, leg, n);                                                            \
    }                                                                                                        \
    static int64_t rounds(const struct ar_problem *p)                                                        \
    {                                                                                                        \
        struct ar_leg leg[AR_MAX_LEGS];                                                                      \
        struct ar_shape dims;                                                                                \
        int n = legs(p, &dims, leg);                                                                         \
        return ar_torus_rounds(p, &dims, leg, n);                                                            \
    }                                                                                                        \
    static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)              \
    {                                                                                                        \
        struct ar_leg leg[AR_MAX_LEGS];                                                                      \
        struct ar_shape dims;                                                                                \
        int n = legs(p, &dims, leg);                                                                         \
        ar_torus_round(p, &dims, leg, n, rank, k, sink);                                                     \
    }                                                                                                        \
    static struct ar_cost cost(const struct ar_problem *p)                                                   \
    {                                                                                                        \
        struct ar_leg leg[AR_MAX_LEGS];                                                                      \
        struct ar_shape dims;                                                                                \
        int n = legs(p, &dims, leg);                                                                         \
        return ar_torus_cost(p, &dims, leg, n);                                                              \
    }                                                                                                        \
    _Static_assert(1, "so that a semicolon may follow")

/* Their parameter, as an initialiser. */
#define AR_PARAM_OF_DIMS                                                                                     \
    {                                                                                                        \
        "dims", "sizes of the torus, the last one's ranks adjacent (4x4)", AR_PARAM_DIMS, 0, 0, INT64_MAX,   \
            NULL                                                                                             \
    }
