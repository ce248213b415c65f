#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/units.h"
#include "collectives/draw/inside.h"
#include "collectives/draw/views.h"

enum { LABEL = 9, FEWEST = 10, MOST = 120 }; /* columns: "rank 12  ", and slices */

enum doing { WAITS, SENDS, RECEIVES, BOTH, COMBINES, NDOING };
static const char marks[NDOING + 1] = ".><x+";
/* Okabe and Ito, Color Universal Design, 2008: told apart without colour vision too. */
static const char *const colours[NDOING] = {"38;5;245", "38;5;231;48;5;25", "38;5;16;48;5;214",
                                            "38;5;16;48;5;36", "38;5;16;48;5;175"};

/* The seconds of each slice in which a rank sends, receives, combines. */
struct slices {
    double *spent[3];
    int n;
    double each_s;
};

static void spend(const struct slices *s, int kind, double start_s, double end_s)
{
    for (int i = (int)(start_s / s->each_s); i < s->n && i * s->each_s < end_s; i++) {
        double low_s = i * s->each_s, high_s = low_s + s->each_s;
        low_s = start_s > low_s ? start_s : low_s;
        high_s = end_s < high_s ? end_s : high_s;
        s->spent[kind][i] += high_s > low_s ? high_s - low_s : 0;
    }
}

static void look_at(const struct ar_history *h, int rank, const struct slices *s)
{
    for (int kind = 0; kind < 3; kind++)
        memset(s->spent[kind], 0, (size_t)s->n * sizeof *s->spent[kind]);
    for (int64_t i = 0; i < h->nmessages; i++) {
        const struct ar_told *m = &h->message[i];
        if (m->sent && (m->from == rank || m->to == rank))
            spend(s, m->from == rank ? 0 : 1, m->start_s, m->end_s);
    }
    for (int64_t busy = 0; busy < h->nbusy; busy++)
        spend(s, 2, ar_history_combines_s(h, busy, rank), h->done_s[busy * h->nranks + rank]);
}

/* What takes most of the slice; nothing where it is less than half. */
static enum doing doing_in(const struct slices *s, int i)
{
    double sends_s = s->spent[0][i], receives_s = s->spent[1][i], combines_s = s->spent[2][i];
    double both_s = sends_s < receives_s ? sends_s : receives_s;
    double busy_s = sends_s + receives_s - both_s + combines_s;
    if (busy_s < s->each_s / 2)
        return WAITS;
    if (combines_s > busy_s / 2)
        return COMBINES;
    if (both_s > (sends_s + receives_s - both_s) / 2)
        return BOTH;
    return sends_s > receives_s ? SENDS : RECEIVES;
}

static void add_line(const struct ar_history *h, int rank, const struct slices *s, bool colour,
                     struct ar_text *text)
{
    look_at(h, rank, s);
    ar_text_add(text, "rank %d", rank);
    ar_text_pad(text, LABEL);
    for (int i = 0; i < s->n; i++) {
        enum doing doing = doing_in(s, i);
        if (colour)
            ar_text_add(text, "\x1b[%sm%c\x1b[0m", colours[doing], marks[doing]);
        else
            ar_text_add(text, "%c", marks[doing]);
    }
    ar_text_add(text, "\n");
}

void ar_draw_time(const struct ar_history *h, int width, bool colour, struct ar_text *text)
{
    char all[AR_UNITS_TEXT], each[AR_UNITS_TEXT];
    struct slices s = {.n = width - LABEL < FEWEST ? FEWEST : width - LABEL > MOST ? MOST : width - LABEL};
    s.each_s = h->time_s / s.n;
    if (h->time_s == 0) {
        ar_text_add(text, "time: none is spent\n");
        return;
    }
    for (int kind = 0; kind < 3; kind++)
        s.spent[kind] = ar_alloc((size_t)s.n, sizeof *s.spent[kind]);
    ar_text_add(text, "time: %s, a character is %s (> sends, < receives, x both, + combines, . waits)\n",
                ar_format_time(all, h->time_s), ar_format_time(each, s.each_s));
    for (int rank = 0; rank < h->nranks; rank++)
        add_line(h, rank, &s, colour, text);
    for (int kind = 0; kind < 3; kind++)
        free(s.spent[kind]);
}
