/* A schedule in one line: who sends to whom, round after round.
 *
 *     ring                r->r+1, P-1 times
 *     recursive doubling  r<->r^1; r<->r^2; r<->r^4
 *     swing               r<->r^1; even r->r-1, odd r->r+1; even r->r+3, odd r->r-3
 *     binomial tree       0->4; 0->2 4->6; 0->1 2->3 4->5 6->7
 *
 * Found from the schedule, not declared: a round in which all ranks send to the same distances, or all even
 * and all odd ones do, is written with r, modulo P where it must; any other as its messages. r->r+1..7: to
 * all of these in one round. Rounds in which nobody sends are left out.
 */
#pragma once

#include "collectives/base/text.h"
#include "collectives/schedule.h"

/* Appends the line, ASCII without an end; "nothing" when nobody ever sends. For few ranks: O(nranks^2) for
 * each round. */
void ar_picture(const struct ar_schedule *schedule, struct ar_text *text);
