/* Executes rounds strictly: all transfers of a round, then its combining in emission order. For short
 * messages, where nothing is gained by cutting them, for simulated ones, and on demand. */
#pragma once

#include "collectives/run/site.h"

struct ar_strict {
    struct ar_site *site;
    const struct ar_rounds_setup *setup;
    struct ar_rounds *rounds; /* all; when simulated the one at hand */
    struct ar_shape **shape;  /* per transfer; NULL when simulated */
    const void **operand;     /* of one fold */
    int nreserved;            /* slots of the end */
    int64_t first, last;      /* the span */
    bool in_round, done;
    size_t next;      /* data: index of the next round */
    int64_t next_k;   /* simulated: the next round to work out */
    int64_t k;        /* the round under way */
    int ntransfers;   /* in it */
    size_t nadvances; /* rounds started and finished so far */
};

/* Of a data run, `strict` zeroed but for its first three members: makes shapes and slots. */
void ar_strict_prepare(struct ar_strict *strict, const struct ar_rounds_needs *needs);
void ar_strict_release(struct ar_strict *strict);

void ar_strict_start(struct ar_strict *strict);

/* Goes as far as it can. */
enum ar_status ar_strict_progress(struct ar_strict *strict, struct ar_error *error);
