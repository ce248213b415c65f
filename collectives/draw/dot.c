#include <inttypes.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/draw/views.h"

enum { MOST_LINES = 6 }; /* of an edge's label; more are summed up */

/* Appends "1: 0-2\n3: 3", or for many rounds "rounds 1-30\n30 blocks". */
static void add_label(const struct ar_history *h, int from, int to, struct ar_text *text)
{
    struct ar_text lines = {0}, rounds = {0};
    struct ar_ranges ranges = {&rounds};
    int64_t nmessages = 0, nblocks = 0;
    for (int64_t i = 0; i < h->nmessages; i++) {
        const struct ar_told *m = &h->message[i];
        if (m->from != from || m->to != to)
            continue;
        ar_text_add(&lines, "%sround %" PRId64 "%s", nmessages ? "\\n" : "", h->round[m->busy] + 1,
                    h->nblocks > 1 ? ": " : "");
        ar_history_blocks(h, m, &lines);
        ar_ranges_add(&ranges, h->round[m->busy] + 1);
        nmessages++;
        nblocks += m->nblocks;
    }
    ar_ranges_end(&ranges);
    if (nmessages > MOST_LINES)
        ar_text_add(text, "rounds %s\\n%" PRId64 " blocks", rounds.data, nblocks);
    else
        ar_text_add(text, "%s", lines.data);
    ar_text_free(&lines);
    ar_text_free(&rounds);
}

void ar_draw_dot(const struct ar_history *h, struct ar_text *text)
{
    struct ar_text name = {0};
    ar_schedule_describe(h->schedule, &name);
    ar_text_add(text, "digraph \"");
    for (const char *c = name.data; *c; c++)
        ar_text_add(text, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    ar_text_add(text, "\" {\n  node [shape=circle];\n");
    for (int rank = 0; rank < h->nranks; rank++)
        ar_text_add(text, "  %d;\n", rank);
    bool *sends = ar_alloc((size_t)h->nranks * (size_t)h->nranks, sizeof *sends);
    for (int64_t i = 0; i < h->nmessages; i++)
        sends[h->message[i].from * h->nranks + h->message[i].to] = true;
    for (int from = 0; from < h->nranks; from++)
        for (int to = 0; to < h->nranks; to++) {
            if (!sends[from * h->nranks + to])
                continue;
            ar_text_add(text, "  %d -> %d [label=\"", from, to);
            add_label(h, from, to, text);
            ar_text_add(text, "\"];\n");
        }
    ar_text_add(text, "}\n");
    free(sends);
    ar_text_free(&name);
}
