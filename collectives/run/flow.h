/* A rank's rounds as tasks that may go out of order: messages in pieces, and what must wait for what.
 *
 * Long messages are cut into pieces, the same at both ends, and the work of a round is cut with them.
 * Executed one after the other, in the order of the list, the tasks do exactly what the strict rounds do.
 * What makes them faster is that a task may go as soon as those it depends on are done, as in a processor: a
 * piece is combined when it has arrived and the sends that read its place are done, and sent on in a later
 * round while the next piece arrives. Dependences follow from the bytes that tasks read and write, so every
 * element sees its operations in the order of the rounds and the bits are the same.
 *
 * The pieces of a message start in order, as transfers of a lane match in that order; the messages of one
 * pair of ranks and direction take the lanes in turn, and each begins when the one before it in its lane is
 * done. So what was just combined is sent on while it is in the cache, also where it goes back to the same
 * peer. Arriving pieces that are combined go through a few staging buffers that stay in the cache.
 *
 * None waits for ever. Suppose all rounds before k are done everywhere. The sends of round k depend on them
 * alone, and its messages are under way in their lanes. A receive waits for a buffer at most, so for work of
 * round k whose pieces stand before it in the list; unless that work writes what this rank sends in round k,
 * and so waits for the peer to receive. Then no buffer is used twice in the round. Nor is one out of which a
 * packed message is sent.
 *
 * Pure: knows no transport.
 */
#pragma once

#include <limits.h>

#include "collectives/run/pieces.h"
#include "collectives/run/rounds.h"

/* Pieces of one message under way at once. */
enum { AR_DEPTH = 8 };

enum ar_task_kind { AR_TASK_SEND, AR_TASK_RECEIVE, AR_TASK_COPY, AR_TASK_FOLD };

struct ar_task {
    uint8_t kind;         /* ar_task_kind */
    uint8_t order;        /* of a fold with one operand */
    uint8_t area;         /* transfers: of the extents; work: where the result goes */
    bool first;           /* transfers: the message's first piece */
    int stream;           /* transfers */
    int behind;           /* transfers: the next of the stream, -1 after the last */
    int waits;            /* how many tasks it waits for */
    size_t at;            /* work: where the result goes, bytes into the area */
    size_t bytes;         /* transferred, copied or combined */
    size_t message_bytes; /* transfers: of the whole message */
    size_t part;          /* the first of its nparts extents (transfers) or operands (work) */
    int nparts;
    size_t next; /* the first of its nnext successors */
    int nnext;
    int64_t k; /* the round */
};

struct ar_operand {
    uint8_t area;
    size_t at;
};

/* A message. */
struct ar_stream {
    int peer, lane;
    bool sends;
    bool opens_first; /* none of its lane is before it */
    int first;        /* task */
    int pieces;
    int behind; /* stream: the next of the lane, -1: none */
};

struct ar_flow {
    struct ar_task *task;
    struct ar_extent *extent;
    struct ar_operand *operand;
    struct ar_stream *stream;
    int *successor;
    size_t ntasks, task_capacity, nextents, extent_capacity, noperands, operand_capacity;
    int nstreams, stream_capacity;
    int nslots;           /* that transfers under way at once may need */
    int most_operands;    /* of one task */
    size_t staging_bytes; /* of all staging buffers */
};

/* `flow` zeroed; the rounds are all of the rank's, with addresses. */
void ar_flow_make(struct ar_flow *flow, const struct ar_rounds *rounds, const struct ar_rounds_setup *setup,
                  struct ar_pieces pieces);
void ar_flow_free(struct ar_flow *flow);

/* About how many tasks a flow has. Indices are ints, so the executor refuses more than AR_FLOW_MOST_TASKS. */
enum { AR_FLOW_MOST_TASKS = INT_MAX / 2 };
double ar_flow_tasks(const struct ar_rounds_needs *needs, struct ar_pieces pieces);

/* What a flow, its run and its staging take about, besides the rounds. */
double ar_flow_bytes(const struct ar_rounds_needs *needs, struct ar_pieces pieces);
