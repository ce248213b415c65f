/* A small canvas: shapes in, the text of an SVG file out. Pure; nothing here draws on anything.
 *
 *     struct ar_canvas canvas = {0};
 *     ar_canvas_rect(&canvas, (struct ar_box){10, 10, 80, 20}, &(struct ar_pen){.fill = "#9ecae1"});
 *     ar_canvas_text(&canvas, 50, 24, &(struct ar_lettering){.size = 14, .anchor = AR_MIDDLE}, "rank 0");
 *     ar_canvas_end(&canvas, 100, 40, "a box", &svg);
 *
 * Lengths are in pixels at the size given to ar_canvas_end, x to the right and y down; the figure scales to
 * whatever it is put on. Colours are SVG's ("#08519c"); they and classes are written as they are, all else is
 * escaped and made valid UTF-8. The font is the viewer's sans-serif.
 */
#pragma once

#include <stdbool.h>

#include "collectives/base/text.h"

struct ar_canvas {
    struct ar_text body; /* grows; ar_canvas_end empties it */
};

struct ar_box {
    double x, y, width, height;
};

struct ar_pen {
    const char *fill;   /* NULL: not filled */
    const char *stroke; /* NULL: no outline */
    double width;       /* of the stroke */
    const char *dash;   /* e.g. "2 3"; NULL: solid */
};

enum ar_anchor { AR_START, AR_MIDDLE, AR_END };

struct ar_lettering {
    double size; /* of the font */
    enum ar_anchor anchor;
    bool bold;
    const char *fill; /* NULL: black */
};

/* A group with a class, whose `tip` a browser shows when pointed at; NULL: none. Groups nest. */
void ar_canvas_open(struct ar_canvas *canvas, const char *class, const char *tip);
void ar_canvas_close(struct ar_canvas *canvas);

void ar_canvas_rect(struct ar_canvas *canvas, struct ar_box box, const struct ar_pen *pen);
void ar_canvas_line(struct ar_canvas *canvas, double x1, double y1, double x2, double y2,
                    const struct ar_pen *pen);

/* A line with a head at (x2, y2), in the pen's stroke and width; `open`: the head is an outline. */
void ar_canvas_arrow(struct ar_canvas *canvas, double x1, double y1, double x2, double y2, bool open,
                     const struct ar_pen *pen);

/* One line of text on the base line y. */
void ar_canvas_text(struct ar_canvas *canvas, double x, double y, const struct ar_lettering *lettering,
                    const char *text);

/* How wide the text is at most in the usual sans-serif fonts, about. */
double ar_canvas_text_width(const char *text, double size);

/* Appends the whole document, on white, to `svg`, and releases the canvas. The title is for those who cannot
 * see the figure. */
void ar_canvas_end(struct ar_canvas *canvas, double width, double height, const char *title,
                   struct ar_text *svg);
