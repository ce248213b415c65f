#include "collectives/draw/inside.h"

#include <inttypes.h>

#define DARK "#08306b"
#define LIGHT "#ffffff"

static const struct ar_shade none = {"#ffffff", DARK, "38;5;245"};
static const struct ar_shade some[] = {
    {"#deebf7", DARK, "38;5;16;48;5;195"},  {"#c6dbef", DARK, "38;5;16;48;5;153"},
    {"#9ecae1", DARK, "38;5;16;48;5;117"},  {"#6baed6", DARK, "38;5;16;48;5;74"},
    {"#4292c6", LIGHT, "38;5;231;48;5;68"}, {"#2171b5", LIGHT, "38;5;231;48;5;25"},
};
static const struct ar_shade all = {DARK, LIGHT, "38;5;231;48;5;17"};

const struct ar_shade *ar_shade_of(const struct ar_history *h, int count)
{
    enum { NSHADES = sizeof some / sizeof *some };
    if (count == 0)
        return &none;
    if (h->most == 1)
        return &some[3]; /* there is but one step: one that is easy on the eye */
    if (count >= h->most)
        return &all;
    return &some[(count - 1) * NSHADES / (h->most - 1)];
}

void ar_history_round(const struct ar_history *h, int64_t busy, int64_t *first, int64_t *end)
{
    int64_t low = 0, high = h->nmessages;
    while (low < high) { /* the first message not before this round */
        int64_t middle = (low + high) / 2;
        if (h->message[middle].busy < busy)
            low = middle + 1;
        else
            high = middle;
    }
    *first = *end = low;
    while (*end < h->nmessages && h->message[*end].busy == busy)
        ++*end;
}

void ar_history_sentence(const struct ar_history *h, const struct ar_told *message, struct ar_text *text)
{
    ar_text_add(text, "round %" PRId64 ": rank %d sends ", h->round[message->busy] + 1, message->from);
    if (h->nblocks > 1) {
        ar_text_add(text, "block%s ", message->nblocks > 1 ? "s" : "");
        ar_history_blocks(h, message, text);
        ar_text_add(text, " ");
    }
    ar_text_add(text, "to rank %d, which %s", message->to, message->combines ? "combines" : "stores");
    ar_text_add(text, message->nblocks > 1 ? " them" : " it");
}
