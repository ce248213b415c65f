/* Which ranks may act in a round: those whose span holds it, but no pause. For who walks a whole schedule
 * round by round, so that a pipeline over many ranks costs what moves in it and not ranks times rounds.
 *
 *     ar_active_init(&active, &schedule);
 *     for (k = 0; k < ar_nrounds(&schedule); k++) {
 *         ar_active_round(&active, k);
 *         for (i = 0; i < active.n; i++)
 *             ... what active.rank[i] does in round k ...
 *     }
 *     ar_active_free(&active);
 */
#pragma once

#include "collectives/schedule.h"

struct ar_active {
    int *rank; /* n of them; in ascending order where the algorithm has no `span` */
    int n;
    struct ar_active_span *span; /* by first round, up to two per rank; NULL: all are always active */
    int nspans, started;         /* of the spans, those that have begun */
    int64_t change;              /* the next round in which it may be others */
};

/* So many bytes per rank, at most. */
enum { AR_ACTIVE_RANK_BYTES = 100 };
void ar_active_init(struct ar_active *active, const struct ar_schedule *schedule);

/* For k = 0, 1, 2, ... in this order. */
void ar_active_round(struct ar_active *active, int64_t k);

/* How many pairs of a rank and a round there are in which the rank may act; O(nranks). */
int64_t ar_active_work(const struct ar_schedule *schedule);

void ar_active_free(struct ar_active *active);
