#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "collectives/base/units.h"
#include "collectives/draw/frame.h"
#include "collectives/draw/inside.h"

#define SENDING "#0072b2"
#define RECEIVING "#e69f00"
#define COMBINING "#cc79a7"

enum { LANE = 56, BAR = 12, AXIS = 30 };

static double x_of(const struct ar_history *h, double time_s)
{
    return AR_LEFT + time_s / h->time_s * (AR_WIDTH - AR_LEFT - 2 * AR_MARGIN);
}

/* 1, 2 or 5 times a power of ten, so that there are 5 to 12 ticks. */
static double tick_s(double time_s)
{
    double power = pow(10, floor(log10(time_s / 5))), steps = time_s / 5 / power;
    return power * (steps >= 5 ? 5 : steps >= 2 ? 2 : 1);
}

static void add_axis(struct ar_frame *f, const struct ar_history *h, double top)
{
    double each_s = tick_s(h->time_s);
    for (int i = 0; i * each_s <= h->time_s * (1 + 1e-9); i++) {
        char time[AR_UNITS_TEXT];
        double x = x_of(h, i * each_s);
        ar_canvas_line(&f->canvas, x, top, x, f->y, &(struct ar_pen){NULL, "#e4e4e4", 1, NULL});
        ar_canvas_text(&f->canvas, x, f->y + 18, &(struct ar_lettering){AR_SMALL, AR_MIDDLE, false, AR_FAINT},
                       i == 0 ? "0" : ar_format_time(time, i * each_s));
    }
}

static void add_bar(struct ar_frame *f, const struct ar_history *h, double start_s, double end_s, double y,
                    double height, const char *fill)
{
    double x = x_of(h, start_s), width = x_of(h, end_s) - x;
    if (width > 0)
        ar_canvas_rect(&f->canvas, (struct ar_box){x, y, width, height},
                       &(struct ar_pen){fill, "#ffffff", 0.6, NULL});
}

/* A message's bar at one of its ends, with its round where there is room. */
static void add_half(struct ar_frame *f, const struct ar_history *h, const struct ar_told *m, double y,
                     const char *fill, const char *ink)
{
    char name[24];
    double x = x_of(h, m->start_s), width = x_of(h, m->end_s) - x;
    add_bar(f, h, m->start_s, m->end_s, y, BAR, fill);
    snprintf(name, sizeof name, "%" PRId64, h->round[m->busy] + 1);
    if (ar_canvas_text_width(name, BAR - 2) + 4 <= width)
        ar_canvas_text(&f->canvas, x + width / 2, y + BAR - 2,
                       &(struct ar_lettering){BAR - 2, AR_MIDDLE, false, ink}, name);
}

static void add_bars(struct ar_frame *f, const struct ar_history *h, int rank, double y)
{
    for (int64_t i = 0; i < h->nmessages; i++) {
        const struct ar_told *m = &h->message[i];
        if (m->sent && m->from == rank)
            add_half(f, h, m, y - BAR, SENDING, "#ffffff");
        if (m->sent && m->to == rank)
            add_half(f, h, m, y, RECEIVING, AR_INK);
    }
    for (int64_t busy = 0; busy < h->nbusy; busy++)
        add_bar(f, h, ar_history_combines_s(h, busy, rank), h->done_s[busy * h->nranks + rank], y - BAR,
                2 * BAR, COMBINING);
}

static void add_flights(struct ar_frame *f, const struct ar_history *h, double top)
{
    for (int64_t i = 0; i < h->nmessages; i++) {
        const struct ar_told *m = &h->message[i];
        struct ar_text tip = {0};
        if (!m->sent)
            continue;
        double side = m->to > m->from ? BAR : -BAR;
        ar_history_sentence(h, m, &tip);
        ar_canvas_open(&f->canvas, "message", tip.data);
        ar_canvas_arrow(&f->canvas, x_of(h, m->start_s), top + (m->from + 0.5) * LANE + side,
                        x_of(h, m->end_s), top + (m->to + 0.5) * LANE - side, false,
                        &(struct ar_pen){NULL, AR_INK, 1, NULL});
        ar_canvas_close(&f->canvas);
        ar_text_free(&tip);
    }
}

void ar_frame_time(struct ar_frame *f, const struct ar_history *h)
{
    double x = ar_frame_swatch(f, AR_MARGIN, &(struct ar_pen){SENDING, NULL, 0, NULL}, "sends (in round)");
    x = ar_frame_swatch(f, x, &(struct ar_pen){RECEIVING, NULL, 0, NULL}, "receives (in round)");
    if (h->pace.combine_s > 0)
        x = ar_frame_swatch(f, x, &(struct ar_pen){COMBINING, NULL, 0, NULL}, "combines");
    ar_frame_sample(f, x, AR_INK, false, "a message, from its start to its end");
    f->y += 30;
    double top = f->y;
    f->y += LANE * h->nranks;
    if (h->time_s > 0) {
        add_axis(f, h, top);
        add_flights(f, h, top);
    }
    for (int rank = 0; rank < h->nranks; rank++) {
        char name[32];
        double y = top + (rank + 0.5) * LANE;
        snprintf(name, sizeof name, "rank %d", rank);
        ar_canvas_text(&f->canvas, AR_MARGIN, y + 5, &ar_bold, name);
        ar_canvas_line(&f->canvas, AR_LEFT, y, AR_WIDTH - 2 * AR_MARGIN, y,
                       &(struct ar_pen){NULL, AR_HAIR, 1, NULL});
        if (h->time_s > 0)
            add_bars(f, h, rank, y);
    }
    f->y += AXIS;
}
