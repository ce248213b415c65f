#include <inttypes.h>
#include <string.h>

#include "collectives/draw/views.h"
#include "collectives/draw/inside.h"

enum { LABEL = 9, GAP = 2 }; /* columns: "rank 12  ", and between two grids */

static char mark(const struct ar_history *h, int count)
{
    static const char marks[] = ".123456789abcdefghijklmnopqrstuvwxyz";
    return count == h->most ? '#' : count < (int)sizeof marks - 1 ? marks[count] : '+';
}

/* One grid's line, without the space that follows it. */
static void add_cells(const struct ar_history *h, int64_t moment, int rank, bool colour, struct ar_text *text)
{
    for (int64_t block = 0; block < h->nblocks; block++) {
        int count = ar_history_count(h, moment, rank, block);
        const char *space = block + 1 < h->nblocks ? " " : "";
        if (colour)
            ar_text_add(text, "\x1b[%sm%c%s\x1b[0m", ar_shade_of(h, count)->terminal, mark(h, count), space);
        else
            ar_text_add(text, "%c%s", mark(h, count), space);
    }
}

static void add_name(const struct ar_history *h, int64_t moment, struct ar_text *text)
{
    if (moment == 0)
        ar_text_add(text, "start");
    else
        ar_text_add(text, "round %" PRId64, h->round[moment - 1] + 1);
}

static size_t width_of(const struct ar_history *h, int64_t moment)
{
    struct ar_text name = {0};
    add_name(h, moment, &name);
    size_t cells = 2 * (size_t)h->nblocks - 1, width = name.length > cells ? name.length : cells;
    ar_text_free(&name);
    return width;
}

static void end_line(struct ar_text *text)
{
    while (text->length > 0 && text->data[text->length - 1] == ' ')
        text->length--;
    ar_text_add(text, "\n");
}

/* Colours take no columns, so pads are counted here and not by ar_text_pad. */
static void add_spaces(struct ar_text *text, size_t n)
{
    ar_text_add(text, "%*s", (int)n, "");
}

static void add_heads(const struct ar_history *h, int64_t first, int64_t end, struct ar_text *text)
{
    size_t at = LABEL, start = text->length;
    for (int64_t moment = first; moment < end; moment++) {
        add_spaces(text, at - (text->length - start));
        add_name(h, moment, text);
        at += width_of(h, moment) + GAP;
    }
    ar_text_add(text, "\n");
    add_spaces(text, LABEL);
    for (int64_t moment = first; moment < end && h->nblocks > 1; moment++) {
        for (int64_t block = 0; block < h->nblocks; block++)
            ar_text_add(text, "%" PRId64 " ", block % 10);
        add_spaces(text, width_of(h, moment) + GAP - 2 * (size_t)h->nblocks);
    }
    end_line(text);
    if (h->nblocks == 1) /* nothing to number: no line */
        text->data[--text->length] = '\0';
}

static void add_grids(const struct ar_history *h, int64_t first, int64_t end, bool colour,
                      struct ar_text *text)
{
    add_heads(h, first, end, text);
    for (int rank = 0; rank < h->nranks; rank++) {
        size_t start = text->length;
        ar_text_add(text, "rank %d", rank);
        add_spaces(text, LABEL - (text->length - start));
        for (int64_t moment = first; moment < end; moment++) {
            add_cells(h, moment, rank, colour, text);
            if (moment + 1 < end)
                add_spaces(text, width_of(h, moment) + GAP - (2 * (size_t)h->nblocks - 1));
        }
        end_line(text);
    }
}

void ar_draw_grid(const struct ar_history *h, int width, bool colour, struct ar_text *text)
{
    if (h->most > 1)
        ar_text_add(text, "block grid: contributions (. none, 1-9%s%s; # all)\n",
                    h->most > 10 ? ", a-z for 10-35" : "", h->most > 36 ? ", + more" : "");
    else
        ar_text_add(text, "block grid: what a rank has (. nothing, # the block)\n");
    for (int64_t first = 0, end; first <= h->nbusy; first = end) {
        size_t total = LABEL + width_of(h, first);
        for (end = first + 1; end <= h->nbusy; end++) {
            total += GAP + width_of(h, end);
            if (total > (size_t)width)
                break;
        }
        if (first > 0)
            ar_text_add(text, "\n");
        add_grids(h, first, end, colour, text);
    }
}
