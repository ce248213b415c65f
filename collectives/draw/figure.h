/* A schedule's history as a figure for a slide or a page: an SVG document, 1280 pixels wide.
 *
 * Rounds: ranks beside each other, rounds from top to bottom. Before and after every round each rank's blocks
 * are cells, shaded by how many contributions they have, with those named where there is room; what a round
 * changed is framed. Between them an arrow per message, its blocks beside its tail where there is room;
 * pointing at it names them. Arrows that are combined differ from those that are stored in colour and head.
 *
 * Time: a lane per rank, time to the right under the history's pace; bars for sending, receiving and
 * combining, an arrow per message from its start to its end.
 *
 * The colours are told apart without colour vision (inside.h; Okabe and Ito, Color Universal Design, 2008).
 * Every arrow is in a group of class "message" whose title says round, sender, blocks and receiver.
 */
#pragma once

#include "collectives/draw/history.h"

enum { AR_FIGURE_RANKS = 16, AR_FIGURE_ROUNDS = 24, AR_FIGURE_BLOCKS = 1024 };

/* AR_INVALID where more would have to be drawn than people can tell apart. */
enum ar_status ar_figure_fits(const struct ar_history *history, struct ar_error *error);

/* Appends the document. The history must fit; be timed if `time`, whose `pace` is said below the title:
 * "1 MiB, alpha 1.7 us, ...". */
void ar_draw_figure(const struct ar_history *history, bool rounds, bool time, const char *pace,
                    struct ar_text *svg);
