/* What the panels of a figure share: a canvas that grows downwards, its title and the items of a legend.
 * Private to collectives/draw. */
#pragma once

#include "collectives/base/canvas.h"
#include "collectives/draw/history.h"

#define AR_INK "#222222"
#define AR_FAINT "#666666"
#define AR_HAIR "#d0d0d0"

/* Pixels: the figure's width, where its panels begin and its margin; sizes of fonts. */
enum { AR_WIDTH = 1280, AR_LEFT = 96, AR_MARGIN = 24, AR_SMALL = 12, AR_TEXT = 14, AR_TITLE = 24 };

struct ar_frame {
    struct ar_canvas canvas;
    double y; /* where the next thing goes */
};

extern const struct ar_lettering ar_faint, ar_small, ar_bold;

/* What the schedule is; below it its summary, parameters other than the defaults and, if not NULL, `pace`. */
void ar_frame_title(struct ar_frame *frame, const struct ar_history *history, const char *pace);

/* Legend items, at x or where the line is full at the start of the next one: words, a box, an arrow. Returns
 * where the next item may begin. */
double ar_frame_words(struct ar_frame *frame, double x, const char *words);
double ar_frame_swatch(struct ar_frame *frame, double x, const struct ar_pen *pen, const char *word);
double ar_frame_sample(struct ar_frame *frame, double x, const char *colour, bool open, const char *word);

/* A panel, at the frame's y (which it moves to its end): figure.h. */
void ar_frame_rounds(struct ar_frame *frame, const struct ar_history *history);
void ar_frame_time(struct ar_frame *frame, const struct ar_history *history);
