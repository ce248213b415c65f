/* What an algorithm is: a few pure functions and some data about them.
 *
 * For a problem (ranks, root, parameters) the functions say into how many blocks the vector is cut, how many
 * rounds there are, and what one rank sends, receives and combines in one round. They keep no state, allocate
 * nothing and know nothing of MPI, bytes, counts or tags; everything else (proof, execution, cost,
 * simulation, drawing) is done by asking them.
 *
 * The rules of a schedule; the verifier enforces them for every algorithm in the registry:
 *  1. A message sent in round k is received in round k of its receiver.
 *  2. All sends of a round read the state at its start; then receives, combining receives, copies and folds
 *     apply in the order emitted. Local work that a send needs takes an earlier round.
 *  3. A message carries named blocks, and the receiver stores or combines each under the same name. Both ends
 *     emit the pieces of one message in the same order.
 *  4. All transfers of a pair of ranks in one round and direction are one message.
 *  5. Operands combine in the order of the actual ranks unless a step says otherwise.
 *  6. `rounds` is O(1) and may be an upper bound; a round costs O(its transfers) + O(log nranks).
 *  7. Any nranks >= 1 and any root, unless `needs` says otherwise.
 *
 * To add one: write collectives/COLLECTIVE/NAME.c with its descriptor at the bottom, add
 * AR_ALGORITHM(COLLECTIVE, NAME) to algorithms.def and the file to collectives/meson.build. Every test,
 * listing and page picks it up from there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectives/collective.h"

/* ---- The problem ------------------------------------------------------------------------------------- */

enum { AR_MAX_PARAMS = 4 };

struct ar_problem {
    int nranks; /* >= 1 */
    int root;   /* 0 .. nranks-1; 0 where the collective has none */
    /* One value per parameter of the algorithm's descriptor. A parameter in bytes (a segment size) has become
     * the number of segments here, so a schedule never sees sizes. */
    int64_t param[AR_MAX_PARAMS];
    const void *prepared; /* what the algorithm's `prepare` made for this problem, or NULL */
};

/* ---- Blocks ------------------------------------------------------------------------------------------ */

/* A strided set of block names: `count` runs of `length` names, one run every `stride`,
 *
 *     (first + i * stride + j) mod nblocks    for i in 0..count-1, j in 0..length-1
 *
 * in that order. `first` and `stride` may be negative; the modulus makes rotations free. */
struct ar_blocks {
    int64_t first, length, stride, count;
};

static inline struct ar_blocks ar_block(int64_t block)
{
    return (struct ar_blocks){block, 1, 0, 1};
}

static inline struct ar_blocks ar_block_run(int64_t first, int64_t length)
{
    return (struct ar_blocks){first, length, 0, 1};
}

/* ---- Steps ------------------------------------------------------------------------------------------- */

enum ar_step_kind {
    AR_SEND,           /* peer <- set of `from` */
    AR_RECEIVE,        /* to[b] := what peer sent */
    AR_RECEIVE_REDUCE, /* to[b] := to[b] combined with what peer sent, in `order` */
    AR_COPY,           /* to[b] := from[b], no message */
    AR_FOLD,           /* to[b] := to[b] combined with from[b], in `order`, no message */
};

/* Which operand stands on the left. "Held" is what is in `to`, "other" what arrives or comes from `from`. */
enum ar_order {
    AR_BY_RANK,     /* the lower actual rank's operand first; for messages only */
    AR_HELD_FIRST,  /* held o other */
    AR_OTHER_FIRST, /* other o held */
};

/* Three vectors of the same blocks. Only algorithms that combine in rank order need the last two. */
enum ar_place {
    AR_VECTOR,  /* starts as this rank's contribution, ends as its result */
    AR_INPUT,   /* this rank's contribution, never written */
    AR_SCRATCH, /* starts empty */
    AR_NPLACES
};

struct ar_step {
    uint8_t kind, order, from, to; /* ar_step_kind, ar_order, ar_place, ar_place */
    int peer;                      /* the other rank; -1 for AR_COPY and AR_FOLD */
    struct ar_blocks set;
    /* The set lives in the window [base, base + modulus) of the block space: name = base + (set mod modulus).
     * The sink fills this in; combinators move and scale it. */
    int64_t base, modulus;
};

/* Where a schedule function puts its steps. `full` is called with n == capacity and must make room. */
struct ar_sink {
    struct ar_step *step;
    int n, capacity;
    void (*full)(struct ar_sink *sink);
    int64_t nblocks; /* of the schedule that emits */
};

static inline void ar_emit(struct ar_sink *sink, struct ar_step step)
{
    if (sink->n == sink->capacity)
        sink->full(sink);
    sink->step[sink->n++] = step;
}

static inline void ar_send(struct ar_sink *sink, int peer, struct ar_blocks set)
{
    ar_emit(sink, (struct ar_step){AR_SEND, AR_BY_RANK, AR_VECTOR, AR_VECTOR, peer, set, 0, sink->nblocks});
}

static inline void ar_receive(struct ar_sink *sink, int peer, struct ar_blocks set)
{
    ar_emit(sink,
            (struct ar_step){AR_RECEIVE, AR_BY_RANK, AR_VECTOR, AR_VECTOR, peer, set, 0, sink->nblocks});
}

static inline void ar_receive_reduce(struct ar_sink *sink, int peer, enum ar_order order,
                                     struct ar_blocks set)
{
    ar_emit(sink, (struct ar_step){AR_RECEIVE_REDUCE, (uint8_t)order, AR_VECTOR, AR_VECTOR, peer, set, 0,
                                   sink->nblocks});
}

/* Local: vector[b] := vector[b] combined with input[b]. */
static inline void ar_fold_input(struct ar_sink *sink, enum ar_order order, struct ar_blocks set)
{
    ar_emit(sink, (struct ar_step){AR_FOLD, (uint8_t)order, AR_INPUT, AR_VECTOR, -1, set, 0, sink->nblocks});
}

/* ---- Patterns ---------------------------------------------------------------------------------------- */

/* A round in which every rank does the same relative to itself: rank r sends to r + distance mod nranks
 * (AR_SHIFT) or to r xor distance (AR_XOR), and what it sends is `set` moved by r: r rounded down to a
 * multiple of `align` is added to `first`. With `of_peer` it is moved by the receiver's rank instead. Engines
 * then treat all ranks at once. An algorithm writes such rounds only as patterns; what a rank does in them
 * follows (ar_schedule_round). With AR_XOR, a peer outside 0..nranks-1 means that the rank is idle. */
struct ar_pattern {
    enum { AR_SHIFT, AR_XOR } kind;
    int distance; /* 1 .. nranks-1 */
    bool reduce;  /* the receiver combines (by rank) rather than stores */
    bool more;    /* another pattern of the same round follows */
    struct ar_blocks set;
    int align; /* a power of two, at least 1 */
    bool of_peer;
    int64_t base, modulus; /* the set's window, as in ar_step; modulus 0: all blocks */
};

/* ---- Cost -------------------------------------------------------------------------------------------- */

/* The time of a full vector of n bytes whose blocks are equal, in the terms of Hockney's model:
 *
 *     T = alpha * a + beta * n * b + gamma * n * c
 *
 * a: seconds per message, b: per byte sent, c: per byte combined (members: how many of each). One port each
 * way, full duplex; a transfer starts when both ends are in the round (collectives/cost.h, sim/engine). */
struct ar_cost {
    double alpha, beta, gamma;
};

enum ar_cost_kind {
    AR_COST_ABSENT,
    AR_COST_BOUND, /* never less than the simulated time */
    AR_COST_EXACT, /* the simulated time, and the sum over the rounds of what takes longest in each */
};

static inline struct ar_cost ar_cost_plus(struct ar_cost a, struct ar_cost b)
{
    return (struct ar_cost){a.alpha + b.alpha, a.beta + b.beta, a.gamma + b.gamma};
}

/* ---- The descriptor ---------------------------------------------------------------------------------- */

enum ar_need {
    AR_NEEDS_POWER_OF_TWO = 1,
    AR_NEEDS_EVEN = 2,
};

enum ar_param_unit {
    AR_PARAM_NUMBER,
    AR_PARAM_BYTES,        /* becomes a number of segments in the problem */
    AR_PARAM_GROUPS,       /* a partition of the ranks, packed (collectives/shapes.h) */
    AR_PARAM_EQUAL_GROUPS, /* the same, in which all groups are equal */
    AR_PARAM_DIMS,         /* the dimensions of a torus, packed likewise */
    AR_PARAM_WORD,         /* one of `words`; its index in the problem */
};

struct ar_param {
    const char *name, *help;
    enum ar_param_unit unit;
    int64_t fallback, min, max; /* fallback: the default; in bytes for AR_PARAM_BYTES */
    const char *const *words;   /* max + 1 of them for AR_PARAM_WORD, else NULL */
};

/* For `parts`, where blocks belong to ranks: nranks. */
int64_t ar_one_part_per_rank(const struct ar_problem *p);

/* The parameter of every pipelined algorithm; as an initialiser where it is one of several. */
#define AR_PARAM_SEGMENT                                                                                     \
    {                                                                                                        \
        "segment", "bytes that travel together", AR_PARAM_BYTES, 128 << 10, 1, INT64_MAX, NULL               \
    }
extern const struct ar_param ar_param_segment;

struct ar_algorithm {
    const char *name;
    enum ar_collective_id collective;
    const char *summary;           /* one line */
    const char *source;            /* authors, title, year, section */
    unsigned needs;                /* ar_need bits */
    const struct ar_param *params; /* nparams of them */
    int nparams;
    const char *openmpi, *mpich, *nccl; /* what others call it, e.g. "4 ring"; NULL: they have none */

    /* The block space is parts * splits, named split * parts + part. `parts` is nranks where blocks belong to
     * ranks, nranks^2 in an all-to-all (part source * nranks + destination); `splits` cuts every part
     * (segments, channels). NULL means 1. */
    int64_t (*parts)(const struct ar_problem *p);
    int64_t (*splits)(const struct ar_problem *p);
    int64_t (*rounds)(const struct ar_problem *p);

    /* What `rank` does in round k, 0 <= k < rounds, where that is no pattern. NULL: all are, or idle. */
    void (*round)(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink);

    /* Optional. The i-th pattern of round k, i = 0, 1, ... while the one before said `more`; false: the round
     * is none, and `round` is asked. All ranks take part in every one, in this order. */
    bool (*pattern)(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern);

    /* Optional. The rounds outside [*first, *last] are idle for `rank`; *first > *last: all are. */
    void (*span)(const struct ar_problem *p, int rank, int64_t *first, int64_t *last);

    /* Optional, with a span: inside it [*first, *last] are idle as well; *first > *last: none are. Where
     * there are several pauses, the longest. */
    void (*pause)(const struct ar_problem *p, int rank, int64_t *first, int64_t *last);

    /* Optional immutable tables for one problem, to be kept in p->prepared and released with free(). Never
     * required for correctness; the same result without. */
    void *(*prepare)(const struct ar_problem *p);

    /* The closed form in O(log nranks) and what it is; NULL exactly where it is absent. A law holds it to the
     * simulation. */
    enum ar_cost_kind cost_kind;
    struct ar_cost (*cost)(const struct ar_problem *p);
};
