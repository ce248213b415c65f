/* From steps to messages: the one place where blocks get elements.
 *
 * run, traffic and drawing call ar_messages_of_round, verify its two halves, and collectives/exchange.h, with
 * which simulation and cost look at all ranks at once, makes the same messages (a law). It asks the schedule
 * for the steps of one rank in one round, looks up every block in the layout, joins all transfers of one pair
 * and direction into one message, and drops what has no elements (a token excepted). So all of them agree on
 * what a message is.
 */
#pragma once

#include "collectives/layout.h"
#include "collectives/schedule.h"

/* One contiguous piece of work on `length` elements at `offset` of the vector, in emission order. */
struct ar_action {
    uint8_t kind, order, from, to; /* as in ar_step; order is resolved: never AR_BY_RANK */
    int message;                   /* index of the message it belongs to; -1: local */
    int64_t offset, length;        /* elements in the vector */
    int64_t at;                    /* elements into the message; 0 for local work */
};

struct ar_message {
    int peer;
    bool sent;        /* else received */
    int64_t elements; /* > 0; 0 for a token, which has no action */
    int64_t combined; /* of them, combined on arrival; 0 for sent ones */
};

/* Reusable: start zeroed, pass to any number of calls, release with ar_messages_free. */
struct ar_messages {
    struct ar_message *message; /* in the order of their first step */
    struct ar_action *action;
    int nmessages, nactions;
    int message_capacity, action_capacity;
    struct ar_sink sink;
    struct ar_message_slot *slot; /* hash of (peer, sent) -> message */
    int nslots;
    uint64_t generation;
};

/* Fills `out` with what `rank` does in round k. Adjacent actions are joined where elements and message are
 * both contiguous. */
void ar_messages_of_round(const struct ar_schedule *schedule, const struct ar_layout *layout, int rank,
                          int64_t k, struct ar_messages *out);

/* Its two halves, for who wants to look at the steps in between: out->sink holds them. Expanding trusts them:
 * a modulus of at least 1, blocks inside the layout. */
void ar_messages_emit(const struct ar_schedule *schedule, int rank, int64_t k, struct ar_messages *out);
void ar_messages_expand(const struct ar_layout *layout, int rank, struct ar_messages *out);

/* The elements of the blocks that a step names. */
int64_t ar_step_elements(const struct ar_layout *layout, const struct ar_step *step);

/* How many names of a set in a window of `modulus` names, counted from its base, are below `bound`: the
 * longer blocks where parts are equal. O(min(count, length log modulus)). */
int64_t ar_blocks_below(const struct ar_blocks *set, int64_t modulus, int64_t bound);

/* The message to or from `peer` in `messages`, or -1. */
int ar_messages_find(const struct ar_messages *messages, int peer, bool sent);

/* Elements that the round combines, on arrival and locally. */
int64_t ar_messages_combined(const struct ar_messages *messages);

void ar_messages_free(struct ar_messages *messages);

/* What one rank moves in a whole schedule, added up over its rounds. */
struct ar_traffic {
    int64_t messages_sent, messages_received;
    int64_t elements_sent, elements_received;
    int64_t elements_combined; /* on arrival */
    int64_t elements_folded;   /* locally */
};

struct ar_traffic ar_traffic_of_rank(const struct ar_schedule *schedule, const struct ar_layout *layout,
                                     int rank);
