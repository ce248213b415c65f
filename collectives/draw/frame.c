#include "collectives/draw/frame.h"

const struct ar_lettering ar_faint = {AR_TEXT, AR_START, false, AR_FAINT};
const struct ar_lettering ar_small = {AR_SMALL, AR_START, false, AR_INK};
const struct ar_lettering ar_bold = {AR_TEXT, AR_START, true, AR_INK};
static const struct ar_lettering title = {AR_TITLE, AR_START, true, AR_INK};

/* A line of text, shortened to the width of the figure. */
static void add_line(struct ar_frame *f, const struct ar_lettering *lettering, const char *line)
{
    struct ar_text text = {0};
    ar_text_add(&text, "%s", line);
    double glyph = ar_canvas_text_width("x", lettering->size);
    ar_text_shorten(&text, (size_t)((AR_WIDTH - 2 * AR_MARGIN) / glyph));
    ar_canvas_text(&f->canvas, AR_MARGIN, f->y, lettering, text.data);
    ar_text_free(&text);
}

/* The summary, and what was asked of the algorithm that it does not do by itself. */
static void add_summary(struct ar_frame *f, const struct ar_schedule *schedule)
{
    struct ar_text line = {0};
    char value[AR_UNITS_TEXT];
    ar_text_add(&line, "%s", schedule->algorithm->summary);
    for (int i = 0; i < schedule->algorithm->nparams; i++) {
        const struct ar_param *param = &schedule->algorithm->params[i];
        if (param->unit != AR_PARAM_BYTES && schedule->problem.param[i] != param->fallback)
            ar_text_add(&line, "; %s=%s", param->name,
                        ar_param_format(param, schedule->problem.param[i], value));
    }
    add_line(f, &ar_faint, line.data);
    ar_text_free(&line);
}

void ar_frame_title(struct ar_frame *f, const struct ar_history *history, const char *pace)
{
    struct ar_text line = {0};
    ar_schedule_describe(history->schedule, &line);
    f->y = AR_MARGIN + AR_TITLE * 0.75;
    add_line(f, &title, line.data);
    f->y += 26;
    add_summary(f, history->schedule);
    if (pace) {
        f->y += 20;
        add_line(f, &ar_faint, pace);
    }
    ar_text_free(&line);
    f->y += 18;
}

/* Of the words in a legend, which have narrow letters among them. */
static double width_of(const char *words)
{
    return 0.92 * ar_canvas_text_width(words, AR_SMALL);
}

/* Where an item of this width goes: at `x`, or where the line is full at the start of the next. */
static double place(struct ar_frame *f, double x, double width)
{
    if (x > AR_MARGIN && x + width > AR_WIDTH - AR_MARGIN) {
        f->y += 24;
        return AR_MARGIN;
    }
    return x;
}

double ar_frame_words(struct ar_frame *f, double x, const char *words)
{
    double width = width_of(words) + 8;
    x = place(f, x, width);
    ar_canvas_text(&f->canvas, x, f->y + 12, &ar_small, words);
    return x + width;
}

double ar_frame_swatch(struct ar_frame *f, double x, const struct ar_pen *pen, const char *word)
{
    double width = 18 + 6 + width_of(word) + 14;
    x = place(f, x, width);
    ar_canvas_rect(&f->canvas, (struct ar_box){x + 0.5, f->y + 0.5, 18, 14}, pen);
    ar_canvas_text(&f->canvas, x + 24, f->y + 12, &ar_small, word);
    return x + width;
}

double ar_frame_sample(struct ar_frame *f, double x, const char *colour, bool open, const char *word)
{
    double width = 40 + 6 + width_of(word) + 14;
    x = place(f, x, width);
    ar_canvas_arrow(&f->canvas, x, f->y + 7.5, x + 40, f->y + 7.5, open,
                    &(struct ar_pen){NULL, colour, 2, NULL});
    ar_canvas_text(&f->canvas, x + 46, f->y + 12, &ar_small, word);
    return x + width;
}
