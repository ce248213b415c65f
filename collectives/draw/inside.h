/* What the drawings share. Private to collectives/draw. */
#pragma once

#include "collectives/draw/history.h"

/* A sequential scale of one hue, light to dark, told apart also without colour vision: "Blues" of Brewer,
 * Harrower, ColorBrewer.org, The Cartographic Journal 40(1), 2003. On a terminal the nearest of its 256. */
struct ar_shade {
    const char *fill, *ink; /* of the cell and of what is written in it; #rrggbb */
    const char *terminal;   /* the parameters of SGR, ink and background */
};

/* For a block with `count` contributions: white for none, the darkest for all. */
const struct ar_shade *ar_shade_of(const struct ar_history *history, int count);

/* The messages [first, end) of a busy round. */
void ar_history_round(const struct ar_history *history, int64_t busy, int64_t *first, int64_t *end);

/* "round 3: rank 0 sends blocks 0-2 to rank 1, which combines them" */
void ar_history_sentence(const struct ar_history *history, const struct ar_told *message,
                         struct ar_text *text);
