/* A schedule as text: rounds x ranks, who sends which block to whom, what each rank holds afterwards.
 *
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R; below: ranks per block
 *              rank 0       rank 1       rank 2
 *     start    0   0   0    1   1   1    2   2   2
 *     round 1  2->1 +1<-2   0->2 +2<-0   1->0 +0<-1
 *              0   02  0    1   1   01   12  2   2
 *     round 2  1->1 +0<-2   2->2 +1<-0   0->0 +2<-1
 *              012 02  0    1   012 01   12  2   012
 *
 * A rank's line of a round lists what it sends, then what it receives and does, in the order of the schedule;
 * the line below (left out where nothing changed) has one column per block with the ranks whose contributions
 * are in it: digits for up to 10 ranks, else ranges such as 0-11. Local work names its place: "+2<-own"
 * combines block 2 with the rank's own untouched input. Schedules of one block leave out the block's name.
 * Rounds in which nobody does anything are left out.
 *
 * Where the ranks do not fit side by side, there is one line per round and rank, with the blocks that changed
 * at its end.
 */
#pragma once

#include "collectives/base/text.h"
#include "collectives/schedule.h"

/* Appends the drawing, at most `width` columns wide where the ranks can be laid side by side (else rank by
 * rank, with lines of any length). Plain ASCII, every line ends with a newline. AR_FAILED when the schedule
 * breaks a rule, with all rounds before it drawn. */
enum ar_status ar_draw_steps(const struct ar_schedule *schedule, int width, struct ar_text *text,
                             struct ar_error *error);
