/* What happens in a schedule, from beginning to end: what the drawings are made of.
 *
 * Its messages at block level, what every rank holds after each round, and, once timed, when each message is
 * on its way. Rounds in which nobody does anything are left out: `busy` counts the others, from 0.
 *
 *     status = ar_history_new(&schedule, &layout, &history, error);
 *     ar_history_time(&history, (struct ar_pace){alpha_s, element_s, combine_s});
 *     ... ar_draw_grid, ar_draw_graph, ar_draw_time, ar_draw_dot (views.h), ar_draw_figure (figure.h) ...
 *     ar_history_free(&history);
 */
#pragma once

#include "collectives/layout.h"
#include "collectives/schedule.h"
#include "collectives/verify/verify.h"

/* A message. */
struct ar_told {
    int64_t busy; /* the round */
    int from, to;
    int64_t first, nblocks; /* its blocks, in their order: history->block[first ...] */
    bool combines;          /* the receiver combines (some of) it */
    bool sent;              /* it has elements under the layout, or is a token: it takes time */
    int64_t elements;
    double start_s, end_s; /* once timed, if sent */
};

/* Seconds per message, per element sent, and per element combined. */
struct ar_pace {
    double alpha_s, element_s, combine_s;
};

struct ar_history {
    const struct ar_schedule *schedule;
    int nranks, most; /* most: the contributions of a block that has all */
    int64_t nblocks, nbusy;
    int64_t *round; /* [busy]: as the schedule counts, from 0 */

    struct ar_told *message; /* by round, then sender, then in the order of leaving */
    int64_t nmessages;
    int64_t *block;

    /* Expressions: [(moment * nranks + rank) * nblocks + block]; moment 0 is the start, moment m the end of
     * the m-th busy round. */
    int *held;
    int *count;        /* [expression]: its contributions */
    int64_t *combined; /* [busy * nranks + rank]: elements, on arrival and locally */

    /* Once timed. */
    struct ar_pace pace;
    double *done_s; /* [busy * nranks + rank]: when the rank leaves the round, having combined */
    double time_s;  /* of the slowest rank */

    struct ar_symbolic *symbolic;
    int64_t message_capacity, block_capacity, busy_capacity, nblock_names;
};

/* Most ranks, and ranks x blocks x rounds: what people may look at, and a machine remembers in a moment. */
enum { AR_HISTORY_RANKS = 256, AR_HISTORY_CELLS = 1 << 22 };

/* `schedule` must outlive the history; `layout` says which messages have elements. Release with
 * ar_history_free also after a failure. AR_INVALID beyond the limits; AR_FAILED when the schedule breaks a
 * rule: then the history ends before that round, and may be drawn. */
enum ar_status ar_history_new(const struct ar_schedule *schedule, const struct ar_layout *layout,
                              struct ar_history *history, struct ar_error *error);
void ar_history_free(struct ar_history *history);

/* Sets the times by the rules of sim/engine (one port each way, a transfer starts when both ends are in the
 * round): its times per rank are those (a law), and here also per message. */
void ar_history_time(struct ar_history *history, struct ar_pace pace);

/* When the rank began to combine what the round brought; it ended at done_s. */
static inline double ar_history_combines_s(const struct ar_history *h, int64_t busy, int rank)
{
    int64_t at = busy * h->nranks + rank;
    return h->done_s[at] - (double)h->combined[at] * h->pace.combine_s;
}

static inline int ar_history_held(const struct ar_history *h, int64_t moment, int rank, int64_t block)
{
    return h->held[(moment * h->nranks + rank) * h->nblocks + block];
}

/* How many ranks have contributed to the block. */
static inline int ar_history_count(const struct ar_history *h, int64_t moment, int rank, int64_t block)
{
    return h->count[ar_history_held(h, moment, rank, block)];
}

/* Appends who has: "013", "0-11", or nothing. */
void ar_history_who(const struct ar_history *history, int expression, struct ar_text *text);

/* Appends the names of the message's blocks: "0-3,7"; nothing where the vector has one block. */
void ar_history_blocks(const struct ar_history *history, const struct ar_told *message, struct ar_text *text);
