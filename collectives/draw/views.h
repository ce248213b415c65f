/* A schedule's history as text: the block grid, the communication graph, the time.
 *
 * Plain ASCII, every line ends with a newline; lines are at most `width` columns where that can be. With
 * `colour` cells and slices have backgrounds, by the escape sequences of a terminal with 256 colours; the
 * characters are the same.
 *
 *     block grid: contributions (. none, 1-9, a-z for 10-35, + more; # all)
 *              start  round 1  round 2
 *              0 1 2  0 1 2    0 1 2
 *     rank 0   1 1 1  1 2 1    # 2 1
 *     rank 1   1 1 1  1 1 2    1 # 2
 *     rank 2   1 1 1  2 1 1    2 1 #
 */
#pragma once

#include "collectives/draw/history.h"

/* Ranks x blocks after each round, as many rounds side by side as fit. */
void ar_draw_grid(const struct ar_history *history, int width, bool colour, struct ar_text *text);

/* Who sends to whom, as briefly as it can be said: a tree from its root (the schedule's, or the lowest rank)
 * with the rounds of each edge, a tree for each of at most four parts of the vector where these together are
 * everything, or round by round (collectives/draw/picture.h). */
void ar_draw_graph(const struct ar_history *history, int width, struct ar_text *text);

/* A line per rank, time to the right, a character per slice, for what the rank does most of it. The history
 * must be timed. */
void ar_draw_time(const struct ar_history *history, int width, bool colour, struct ar_text *text);

/* The graph in graphviz' language: an edge from every rank to each it sends to, labelled with the rounds and
 * what goes in them. */
void ar_draw_dot(const struct ar_history *history, struct ar_text *text);
