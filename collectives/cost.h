/* What a schedule moves, added up over its rounds and ranks; and its cost if all ranks waited for one another
 * after each round, which is an upper bound of the simulated time (sim/engine) and equal to it where the
 * closed form is exact and all blocks have one length:
 *
 *     T = alpha_count * alpha + critical_elements * elem_bytes * beta + gamma_elements * elem_bytes * gamma
 */
#pragma once

#include "collectives/base/text.h"
#include "collectives/layout.h"
#include "collectives/schedule.h"

struct ar_schedule_cost {
    int64_t rounds; /* that hold a message */
    int64_t messages_sent_max, messages_total;
    int64_t elements_sent_max, elements_sent_total;
    int64_t elements_reduced_max; /* combined on arrival and locally */
    int64_t alpha_count;          /* sum over the rounds of the most messages into or out of one rank */
    int64_t critical_elements;    /* of the most elements into or out of one rank */
    int64_t gamma_elements;       /* of the most elements that one rank combines */
    bool one_port;                /* nobody sends or receives two messages in a round */
};

/* O(nranks) memory; time: what moves. */
struct ar_schedule_cost ar_cost_of_schedule(const struct ar_schedule *schedule,
                                            const struct ar_layout *layout);

/* Appends "14 α + 1.75 nβ + 0.875 nγ"; "0" for a cost of nothing. */
void ar_cost_write(const struct ar_cost *cost, struct ar_text *text);
