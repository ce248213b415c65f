#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectives/draw/frame.h"
#include "collectives/draw/inside.h"

#define COMBINED "#0072b2"
#define STORED "#d55e00"
#define CHANGED "#f0a30a" /* seen on light and dark blue */

enum { BETWEEN = 14 };                   /* pixels between the cells of two ranks, at least */
enum written { NOTHING, COUNTS, NAMES }; /* what stands in cells: contributions */

struct panel {
    struct ar_frame *frame;
    const struct ar_history *history;
    const struct ar_collective *collective;

    /* The cells of a rank: `across` beside each other, `down` below each other. */
    double column, strip, cell_width, cell_height; /* column: from one rank to the next; strip: its cells */
    int across, down;
    enum written written;
    double gap; /* from the cells of one round to the next */
    bool combines, stores;
};

static const struct ar_lettering heading = {AR_TEXT, AR_MIDDLE, true, AR_INK};

/* The shades with what they stand for; of many ranks only some. */
static double add_shades(struct panel *f, double x)
{
    const struct ar_history *h = f->history;
    if (h->most == 1) {
        x = ar_frame_swatch(f->frame, x, &(struct ar_pen){"#ffffff", AR_FAINT, 1, NULL},
                            "does not have the block");
        return ar_frame_swatch(f->frame, x, &(struct ar_pen){ar_shade_of(h, 1)->fill, AR_FAINT, 1, NULL},
                               "has it");
    }
    const char *lead = f->collective->token  ? "ranks known to be there:"
                       : f->written == NAMES ? "contributions in a block (whose):"
                                             : "contributions in a block:";
    x = ar_frame_words(f->frame, x, lead);
    int step = h->most <= 8 ? 1 : (h->most + 3) / 4;
    for (int count = 0, next; count <= h->most; count = next) {
        char word[16];
        next = count == 0               ? 1
               : count == h->most       ? count + 1
               : count + step > h->most ? h->most
                                        : count + step;
        snprintf(word, sizeof word, "%d", count);
        if (count == 0 && f->collective->starts == AR_AT_ALL)
            continue; /* nobody ever has nothing */
        x = ar_frame_swatch(f->frame, x, &(struct ar_pen){ar_shade_of(h, count)->fill, AR_FAINT, 1, NULL},
                            word);
    }
    return x;
}

static void add_rounds_legend(struct panel *f)
{
    double x = add_shades(f, AR_MARGIN);
    x = ar_frame_swatch(f->frame, x, &(struct ar_pen){"#ffffff", CHANGED, 3, NULL}, "changed");
    if (f->combines)
        x = ar_frame_sample(f->frame, x, COMBINED, false, "combined");
    if (f->stores)
        x = ar_frame_sample(f->frame, x, STORED, true, "stored");
    if (f->collective->ends == AR_AT_DESTINATION)
        ar_frame_words(f->frame, x, "a block's row: from, its column: to");
    else if (f->history->nblocks > 1)
        ar_frame_words(f->frame, x, "at its tail: the blocks");
    f->frame->y += 32;
}

/* ---- Rounds ------------------------------------------------------------------------------------------ */

static double left_of(const struct panel *f, int rank)
{
    return AR_LEFT + rank * f->column + (f->column - f->strip) / 2;
}

/* How the cells of a rank are laid: in one line where they are wide enough to be seen, else a line per split
 * of the vector, or about a square. */
static void lay_out(struct panel *f)
{
    const struct ar_history *h = f->history;
    int64_t parts = ar_nparts(h->schedule), n = h->nblocks;
    f->column = (double)(AR_WIDTH - AR_LEFT - AR_MARGIN) / h->nranks;
    double most = f->column - BETWEEN < 420 ? f->column - BETWEEN : 420;
    if (f->collective->ends == AR_AT_DESTINATION)
        f->across = h->nranks;
    else if (most / (double)n >= 6 || n <= 8)
        f->across = (int)n;
    else
        f->across =
            parts > 1 && n / parts > 1 && parts >= n / parts ? (int)parts : (int)ceil(sqrt((double)n));
    f->down = (int)((n + f->across - 1) / f->across);
    f->cell_width = most / f->across < 72 ? most / f->across : 72;
    f->strip = f->cell_width * f->across;
    f->cell_height = f->down == 1 ? 26 : f->cell_width < 16 ? (f->cell_width < 5 ? 5 : f->cell_width) : 16;
}

/* The space for arrows: more where they are long, or many leave one rank. */
static void measure_arrows(struct panel *f)
{
    const struct ar_history *h = f->history;
    int furthest = 0, crowd = 1, mine = 0;
    for (int64_t i = 0; i < h->nmessages; i++) {
        int distance = abs(h->message[i].to - h->message[i].from);
        furthest = distance > furthest ? distance : furthest;
        bool again = i > 0 && h->message[i].from == h->message[i - 1].from &&
                     h->message[i].busy == h->message[i - 1].busy;
        mine = again ? mine + 1 : 1;
        crowd = mine > crowd ? mine : crowd;
        f->combines |= h->message[i].combines;
        f->stores |= !h->message[i].combines;
    }
    f->gap = 62 + 3.5 * furthest + fmin(60, 6 * (crowd - 1));
}

static void add_heads(struct panel *f)
{
    const struct ar_history *h = f->history;
    bool rooted = ar_collective_rooted(h->schedule->algorithm->collective);
    f->frame->y += AR_TEXT;
    for (int rank = 0; rank < h->nranks; rank++) {
        char name[32];
        double middle = AR_LEFT + (rank + 0.5) * f->column;
        snprintf(name, sizeof name, "rank %d%s", rank,
                 rooted && rank == h->schedule->problem.root ? ", root" : "");
        if (ar_canvas_text_width(name, AR_TEXT) > f->column)
            snprintf(name, sizeof name, "rank %d", rank);
        ar_canvas_text(&f->frame->canvas, middle, f->frame->y, &heading, name);
    }
    f->frame->y += 8;
    if (f->down > 1 || f->cell_width < 18 || h->nblocks == 1)
        return;
    f->frame->y += AR_SMALL;
    for (int rank = 0; rank < h->nranks; rank++)
        for (int block = 0; block < f->across; block++) {
            char name[16];
            snprintf(name, sizeof name, "%d", block);
            ar_canvas_text(&f->frame->canvas, left_of(f, rank) + (block + 0.5) * f->cell_width,
                           f->frame->y - 2, &(struct ar_lettering){AR_SMALL - 1, AR_MIDDLE, false, AR_FAINT},
                           name);
        }
    f->frame->y += 2;
}

/* What is written in a cell about its contributions; `all` for all of them where the names would be long. */
static void write_cell(const struct panel *f, int held, struct ar_text *text)
{
    const struct ar_history *h = f->history;
    if (f->written == COUNTS && h->count[held] > 0)
        ar_text_add(text, "%d", h->count[held]);
    if (f->written == NAMES && h->count[held] == h->most && h->most > 4)
        ar_text_add(text, "all");
    else if (f->written == NAMES)
        ar_history_who(h, held, text);
}

static double lettering_of(const struct panel *f)
{
    return f->cell_height < 20 ? 10 : AR_SMALL;
}

/* Whether it has room in all cells that there ever are: some with and some without would be taken for more
 * than it is. */
static bool fits(struct panel *f, enum written written)
{
    const struct ar_history *h = f->history;
    int64_t ncells = (h->nbusy + 1) * h->nranks * h->nblocks;
    struct ar_text text = {0};
    bool fit = true;
    f->written = written;
    for (int64_t i = 0; i < ncells && fit; i++) {
        text.length = 0;
        write_cell(f, h->held[i], &text);
        fit = text.length == 0 || ar_canvas_text_width(text.data, lettering_of(f)) + 4 <= f->cell_width;
    }
    ar_text_free(&text);
    return fit;
}

/* One kind of contents for all cells, or none. */
static void choose_contents(struct panel *f)
{
    bool lettered = f->history->most > 1 && f->cell_height >= 14;
    if (lettered && fits(f, NAMES))
        return;
    if (!lettered || !fits(f, COUNTS))
        f->written = NOTHING;
}

static void add_cell(struct panel *f, int64_t moment, int rank, int64_t block)
{
    const struct ar_history *h = f->history;
    int held = ar_history_held(h, moment, rank, block);
    const struct ar_shade *shade = ar_shade_of(h, h->count[held]);
    struct ar_box box = {left_of(f, rank) + (double)(block % f->across) * f->cell_width,
                         f->frame->y + (double)(block / f->across) * f->cell_height, f->cell_width,
                         f->cell_height};
    ar_canvas_rect(&f->frame->canvas, box,
                   &(struct ar_pen){shade->fill, "#9a9a9a", f->cell_width < 6 ? 0.3 : 0.8, NULL});
    struct ar_text text = {0};
    double size = lettering_of(f);
    write_cell(f, held, &text);
    if (text.length > 0)
        ar_canvas_text(&f->frame->canvas, box.x + box.width / 2, box.y + box.height / 2 + size * 0.36,
                       &(struct ar_lettering){size, AR_MIDDLE, false, shade->ink}, text.data);
    ar_text_free(&text);
}

/* Frames around what changed, over the cells so that no neighbour hides them. */
static void add_frame(struct panel *f, int64_t moment, int rank, int64_t block)
{
    const struct ar_history *h = f->history;
    if (moment == 0 || ar_history_held(h, moment, rank, block) == ar_history_held(h, moment - 1, rank, block))
        return;
    double least = fmin(f->cell_width, f->cell_height), width = fmax(1, fmin(3, least / 6));
    ar_canvas_rect(&f->frame->canvas,
                   (struct ar_box){left_of(f, rank) + (double)(block % f->across) * f->cell_width + width / 2,
                                   f->frame->y + (double)(block / f->across) * f->cell_height + width / 2,
                                   f->cell_width - width, f->cell_height - width},
                   &(struct ar_pen){NULL, CHANGED, width, NULL});
}

static void add_cells(struct panel *f, int64_t moment)
{
    const struct ar_history *h = f->history;
    for (int rank = 0; rank < h->nranks; rank++) {
        for (int64_t block = 0; block < h->nblocks; block++)
            add_cell(f, moment, rank, block);
        for (int64_t block = 0; block < h->nblocks; block++)
            add_frame(f, moment, rank, block);
    }
    f->frame->y += f->down * f->cell_height;
}

/* The messages of a round that leave a rank, or reach it, stand side by side in the order of their other
 * ends, so that they do not cross more than they must: the place of message i, and of how many. */
static double place_of(const struct panel *f, int64_t first, int64_t end, int64_t i, bool leaves,
                       double *width)
{
    const struct ar_told *message = f->history->message, *m = &message[i];
    int before = 0, n = 0;
    for (int64_t j = first; j < end; j++) {
        if (leaves ? message[j].from != m->from : message[j].to != m->to)
            continue;
        n++;
        before += leaves ? message[j].to < m->to : message[j].from < m->from;
    }
    double room = f->strip > 0.6 * f->column ? f->strip : 0.6 * f->column;
    *width = room / n;
    int rank = leaves ? m->from : m->to;
    return AR_LEFT + (rank + 0.5) * f->column - room / 2 + (before + 0.5) * *width;
}

/* The blocks beside the tail: every message has a place of its own, and arrows begin below. */
static bool add_label(struct panel *f, const struct ar_told *m, double x, double width, bool dry)
{
    struct ar_text blocks = {0};
    ar_history_blocks(f->history, m, &blocks);
    bool fits = blocks.length > 0 && ar_canvas_text_width(blocks.data, AR_SMALL) + 4 <= width;
    if (fits && !dry)
        ar_canvas_text(&f->frame->canvas, x, f->frame->y + AR_SMALL + 2,
                       &(struct ar_lettering){AR_SMALL, AR_MIDDLE, false, m->combines ? COMBINED : STORED},
                       blocks.data);
    ar_text_free(&blocks);
    return fits;
}

static void add_arrows(struct panel *f, int64_t busy)
{
    const struct ar_history *h = f->history;
    int64_t first, end;
    double tail, head, width, room;
    bool labels = false;
    ar_history_round(h, busy, &first, &end);
    for (int64_t i = first; i < end; i++) {
        tail = place_of(f, first, end, i, true, &width);
        labels |= add_label(f, &h->message[i], tail, width, true);
    }
    for (int64_t i = first; i < end; i++) {
        const struct ar_told *m = &h->message[i];
        struct ar_text tip = {0};
        tail = place_of(f, first, end, i, true, &width);
        head = place_of(f, first, end, i, false, &room);
        room = width < room ? width : room;
        ar_history_sentence(h, m, &tip);
        ar_canvas_open(&f->frame->canvas, "message", tip.data);
        add_label(f, m, tail, width, false);
        ar_canvas_arrow(&f->frame->canvas, tail, f->frame->y + (labels ? AR_SMALL + 6 : 3), head,
                        f->frame->y + f->gap - 3, !m->combines,
                        &(struct ar_pen){NULL, m->combines ? COMBINED : STORED, room < 12 ? 1 : 1.8, NULL});
        ar_canvas_close(&f->frame->canvas);
        ar_text_free(&tip);
    }
}

void ar_frame_rounds(struct ar_frame *frame, const struct ar_history *h)
{
    struct panel panel = {.frame = frame,
                          .history = h,
                          .collective = &ar_collectives[h->schedule->algorithm->collective]},
                 *f = &panel;
    lay_out(f);
    measure_arrows(f);
    choose_contents(f);
    add_rounds_legend(f);
    add_heads(f);
    ar_canvas_text(&f->frame->canvas, AR_MARGIN, f->frame->y + f->down * f->cell_height / 2 + 5, &ar_faint,
                   "start");
    add_cells(f, 0);
    for (int64_t busy = 0; busy < h->nbusy; busy++) {
        char name[32];
        snprintf(name, sizeof name, "round %" PRId64, h->round[busy] + 1);
        ar_canvas_text(&f->frame->canvas, AR_MARGIN, f->frame->y + f->gap / 2 + 5, &ar_bold, name);
        for (int rank = 0; rank < h->nranks; rank++) { /* who stays the same is seen to */
            double x = AR_LEFT + (rank + 0.5) * f->column;
            ar_canvas_line(&f->frame->canvas, x, f->frame->y + 18, x, f->frame->y + f->gap - 2,
                           &(struct ar_pen){NULL, AR_HAIR, 1, "2 4"});
        }
        add_arrows(f, busy);
        f->frame->y += f->gap;
        add_cells(f, busy + 1);
    }
    f->frame->y += AR_MARGIN;
}
