/* Schedules made of schedules.
 *
 * Every combinator is a child schedule at a round offset, seen through a view that moves its blocks into the
 * parent's space. ar_sub is the one primitive; the rest are a few lines over it. They are called from inside
 * an algorithm's own `rounds` and `round`, keep no state and allocate nothing:
 *
 *     allreduce:ring = ar_sequence_round({reduce_scatter:ring, allgather:ring}, ...)
 */
#pragma once

#include "collectives/schedule.h"

enum ar_direction {
    AR_FORWARD,
    AR_BACKWARD,        /* sends and receives exchanged: a broadcast becomes a gather-like collection */
    AR_BACKWARD_REDUCE, /* and what is received is combined: broadcast -> reduce, allgather -> reduce_scatter
                         */
};

struct ar_view {
    int64_t base;  /* the child's block 0 in the parent's space */
    int64_t scale; /* parent blocks per child block */
    enum ar_direction direction;
    bool mirrored; /* the child's block b is the parent's last but b of the window */
    /* The parent's rank of a child's; NULL: the same. */
    int (*rank)(const void *context, int child_rank);
    const void *context;
};

/* Emits round k of `child` for the child's rank `rank` through `view`. Nothing for k outside the child's
 * rounds. */
void ar_sub(const struct ar_schedule *child, int rank, int64_t k, struct ar_view view, struct ar_sink *sink);

/* One child after the other; the parent's blocks are the least common multiple of the children's. */
int64_t ar_sequence_rounds(const struct ar_schedule *child, int nchildren);
int64_t ar_sequence_blocks(const struct ar_schedule *child, int nchildren);
void ar_sequence_round(const struct ar_schedule *child, int nchildren, int rank, int64_t k,
                       struct ar_sink *sink);

/* When a rank acts: its span and the longest pause in it, a child at a time in the order of the rounds. */
struct ar_activity {
    int64_t first, last, pause_first, pause_last;
};
#define AR_IDLE ((struct ar_activity){0, -1, 0, -1})
void ar_activity_add(struct ar_activity *activity, const struct ar_schedule *child, int rank, int64_t from);
struct ar_activity ar_sequence_activity(const struct ar_schedule *child, int nchildren, int rank);

/* Of numbers >= 1. So many blocks, the multiple, serve for children that cut the vector into a and into b. */
int64_t ar_greatest_common_divisor(int64_t a, int64_t b);
int64_t ar_least_common_multiple(int64_t a, int64_t b);

/* One after the other on the way of whoever is last in all of them. */
struct ar_cost ar_sequence_cost(const struct ar_schedule *child, int nchildren);

/* The functions `span` and `pause_of` of an algorithm of which activity_of(p, rank), a function of the file,
 * returns the struct ar_activity. */
#define AR_SPAN_AND_PAUSE_OF(activity_of)                                                                    \
    AR_MAYBE_UNUSED static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)    \
    {                                                                                                        \
        struct ar_activity activity = activity_of(p, rank);                                                  \
        *first = activity.first;                                                                             \
        *last = activity.last;                                                                               \
    }                                                                                                        \
    AR_MAYBE_UNUSED static void pause_of(const struct ar_problem *p, int rank, int64_t *first,               \
                                         int64_t *last)                                                      \
    {                                                                                                        \
        struct ar_activity activity = activity_of(p, rank);                                                  \
        *first = activity.pause_first;                                                                       \
        *last = activity.pause_last;                                                                         \
    }                                                                                                        \
    _Static_assert(1, "so that a semicolon may follow")

/* The functions of an algorithm that is `first`, then `second`, each with its defaults: `parts`, `rounds`,
 * `cost`, `round_of`, `span` and `pause_of`, for where ranks are often idle, and `pattern`, which answers for
 * a child that has patterns and no parameters and cuts the vector as the other does. */
#define AR_SEQUENCE_OF(first, second)                                                                        \
    static int64_t parts(const struct ar_problem *p)                                                         \
    {                                                                                                        \
        return ar_sequence_blocks(AR_CHILDREN(first, second), 2);                                            \
    }                                                                                                        \
    static int64_t rounds(const struct ar_problem *p)                                                        \
    {                                                                                                        \
        return ar_sequence_rounds(AR_CHILDREN(first, second), 2);                                            \
    }                                                                                                        \
    AR_MAYBE_UNUSED static void round_of(const struct ar_problem *p, int rank, int64_t k,                    \
                                         struct ar_sink *sink)                                               \
    {                                                                                                        \
        ar_sequence_round(AR_CHILDREN(first, second), 2, rank, k, sink);                                     \
    }                                                                                                        \
    AR_MAYBE_UNUSED static struct ar_cost cost(const struct ar_problem *p)                                   \
    {                                                                                                        \
        return ar_sequence_cost(AR_CHILDREN(first, second), 2);                                              \
    }                                                                                                        \
    AR_MAYBE_UNUSED static bool pattern(const struct ar_problem *p, int64_t k, int i,                        \
                                        struct ar_pattern *out)                                              \
    {                                                                                                        \
        int64_t before = (first).rounds(p);                                                                  \
        const struct ar_algorithm *child = k < before ? &(first) : &(second);                                \
        return (first).parts == (second).parts && !child->splits && child->nparams == 0 && child->pattern && \
               child->pattern(p, k < before ? k : k - before, i, out);                                       \
    }                                                                                                        \
    AR_MAYBE_UNUSED static struct ar_activity activity_of(const struct ar_problem *p, int rank)              \
    {                                                                                                        \
        return ar_sequence_activity(AR_CHILDREN(first, second), 2, rank);                                    \
    }                                                                                                        \
    AR_SPAN_AND_PAUSE_OF(activity_of);                                                                       \
    _Static_assert(1, "so that a semicolon may follow")

#define AR_CHILDREN(first, second) ((struct ar_schedule[]){ar_child(&first, p), ar_child(&second, p)})
#define AR_MAYBE_UNUSED __attribute__((unused))

/* Pipelining: one copy of `child` per segment, each started `period` rounds after the one before. Segment s
 * uses the parent's blocks [s * n, (s+1) * n), n the child's. The child should have a `span`, or every call
 * asks all segments in flight. */
int64_t ar_segments_rounds(const struct ar_schedule *child, int64_t nsegments, int64_t period);
void ar_segments_round(const struct ar_schedule *child, int64_t nsegments, int64_t period, int rank,
                       int64_t k, struct ar_sink *sink);

/* Children at once, each on its own part of the vector: child i begins in round from[i] and uses the blocks
 * behind those of child i-1. All cut a vector into the same parts where blocks belong to ranks. */
int64_t ar_overlap_rounds(const struct ar_schedule *child, const int64_t *from, int nchildren);
int64_t ar_overlap_blocks(const struct ar_schedule *child, int nchildren);
void ar_overlap_round(const struct ar_schedule *child, const int64_t *from, int nchildren, int rank,
                      int64_t k, struct ar_sink *sink);

/* `nchannels` copies of `child` at once, each on its own part of the vector: channel c uses the parent's
 * blocks [c * n, (c+1) * n), n the child's. Odd channels are mirrored, ranks and blocks (rank r plays
 * nranks-1-r), so that a ring runs the other way round and uses the links' other direction. */
void ar_channels_round(const struct ar_schedule *child, int nchannels, int rank, int64_t k,
                       struct ar_sink *sink);

/* Off powers of two: of nranks = 2^q + r ranks, the first 2r fold into r pairs. In the first round the even
 * rank of a pair sends all it has to the odd one, which combines; `child`, an all-reduce, runs on the 2^q
 * survivors; in the last round the odd rank returns the result. On a power of two it is the child alone.
 * (Thakur, Rabenseifner, Gropp 2005, section 4.6) */
int ar_fold_in_survivors(int nranks);
int64_t ar_fold_in_rounds(const struct ar_schedule *child, int nranks);
void ar_fold_in_round(const struct ar_schedule *child, int nranks, int rank, int64_t k, struct ar_sink *sink);

/* Time reversed: round k is the child's last but k. With AR_BACKWARD_REDUCE valid only where no rank receives
 * a block twice or one it already holds; the verifier refuses the others. */
void ar_reversed_round(const struct ar_schedule *child, enum ar_direction direction, int rank, int64_t k,
                       struct ar_sink *sink);
void ar_reversed_span(const struct ar_schedule *child, int rank, int64_t *first, int64_t *last);

/* The functions of an algorithm that is `child` reversed, with the child's parameters as its own: `parts`,
 * `splits`, `rounds`, `round_of`, `span`, `cost`, and `prepare` where the child has one. */
#define AR_REVERSED_OF(child, direction)                                                                     \
    static struct ar_schedule forward(const struct ar_problem *p)                                            \
    {                                                                                                        \
        return (struct ar_schedule){.algorithm = &(child), .problem = *p};                                   \
    }                                                                                                        \
    AR_MAYBE_UNUSED static void *prepare(const struct ar_problem *p)                                         \
    {                                                                                                        \
        return (child).prepare(p);                                                                           \
    }                                                                                                        \
    static int64_t parts(const struct ar_problem *p)                                                         \
    {                                                                                                        \
        struct ar_schedule made = forward(p);                                                                \
        return ar_nparts(&made);                                                                             \
    }                                                                                                        \
    static int64_t splits(const struct ar_problem *p)                                                        \
    {                                                                                                        \
        struct ar_schedule made = forward(p);                                                                \
        return ar_nblocks(&made) / ar_nparts(&made);                                                         \
    }                                                                                                        \
    static int64_t rounds(const struct ar_problem *p)                                                        \
    {                                                                                                        \
        return (child).rounds(p);                                                                            \
    }                                                                                                        \
    static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)              \
    {                                                                                                        \
        struct ar_schedule made = forward(p);                                                                \
        ar_reversed_round(&made, direction, rank, k, sink);                                                  \
    }                                                                                                        \
    AR_MAYBE_UNUSED static struct ar_cost cost(const struct ar_problem *p)                                   \
    {                                                                                                        \
        struct ar_cost made = (child).cost(p);                                                               \
        made.gamma = (direction) == AR_BACKWARD_REDUCE ? made.beta : 0; /* all that comes is combined */     \
        return made;                                                                                         \
    }                                                                                                        \
    static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)                    \
    {                                                                                                        \
        struct ar_schedule made = forward(p);                                                                \
        ar_reversed_span(&made, rank, first, last);                                                          \
    }                                                                                                        \
    _Static_assert(1, "so that a semicolon may follow")
