/* A round as all ranks see it at once, where nobody sends or receives more than one message.
 *
 * What the round looks like and not what it costs; simulation and sums walk a schedule with it:
 *
 *     ar_exchange_init(&exchange, &schedule, &layout);
 *     for (k = 0; k < ar_nrounds(&schedule); k++)
 *         if (ar_exchange_round(&exchange, k))
 *             for (i = 0; i < exchange.active.n; i++)
 *                 part = ar_exchange_part(&exchange, exchange.active.rank[i]);
 *         else
 *             combined = ar_exchange_messages(&exchange, rank, k), of each active rank
 *     ar_exchange_free(&exchange);
 *
 * The messages are those of ar_messages_of_round. Where the round is one pattern no rank is asked, and the
 * peers of neighbours are neighbours: ar_exchange_run says how far, for who works on arrays.
 */
#pragma once

#include "collectives/active.h"
#include "collectives/layout.h"
#include "collectives/messages.h"

enum { AR_NOBODY = -1 };

/* What one rank does. */
struct ar_part {
    int to, from;                     /* AR_NOBODY: neither sends nor receives */
    int64_t sent, received, combined; /* elements, 0 of a token; combined: on arrival and locally */
};

struct ar_exchange {
    struct ar_active active; /* the ranks that may act in this round */
    bool patterned;          /* whether the round is `pattern` */

    struct ar_pattern pattern;
    int64_t least;   /* elements that each rank sends, and... */
    const int *more; /* ...so many more, by sender; NULL: all the same */

    struct ar_part *part; /* by rank where it is not patterned */

    struct ar_message *message; /* of ar_exchange_messages: nmessages of them */
    int nmessages, message_capacity;

    const struct ar_schedule *schedule;
    const struct ar_layout *layout;
    int64_t each, nlonger; /* of equal parts: the first nlonger blocks of a row have each + 1 elements */
    bool same_length;      /* all blocks have `each` elements */
    int *more_room;
    int *place; /* by peer and direction: 1 + the index of its message; 0: none. Made when needed */
    struct ar_sink sink;
};

/* Memory: ar_exchange_rank_bytes for each rank. Both arguments are kept, not copied. */
void ar_exchange_init(struct ar_exchange *exchange, const struct ar_schedule *schedule,
                      const struct ar_layout *layout);
extern const double ar_exchange_rank_bytes;

/* For k = 0, 1, 2, ... in this order. False where a rank has a second message of one direction; then only
 * `active` holds something. */
bool ar_exchange_round(struct ar_exchange *exchange, int64_t k);

/* Whether every message has two ends that agree; else a sender, a receiver and the elements of one that has
 * not, as one of the two sees it. */
bool ar_exchange_matches(const struct ar_exchange *exchange, int *from, int *to, int64_t *elements);

/* Of a patterned round: the peer that `rank` sends to (or receives from), or AR_NOBODY; returns for how many
 * ranks from this one on the peers are the next ones, or nobody likewise. */
int ar_exchange_run(const struct ar_exchange *exchange, bool sends, int rank, int *peer);

struct ar_part ar_exchange_part(const struct ar_exchange *exchange, int rank);

/* What `rank` sends and receives in round k, also several messages: exchange->message are those of
 * ar_messages_of_round in their order, but for `combined`. Returns the elements that it combines, on arrival
 * and locally. */
int64_t ar_exchange_messages(struct ar_exchange *exchange, int rank, int64_t k);

void ar_exchange_free(struct ar_exchange *exchange);
