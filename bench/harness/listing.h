/* The registries as tables: algorithms, collectives, models, strategies, types, operators. */
#pragma once

#include "bench/report/report.h"

struct ar_listing {
    const char *name;
    /* Adds a table, and for algorithms the notes that explain it: whether they keep the operands' order and
     * give all ranks the same bits is proved on the spot. For people the names that algorithms have elsewhere
     * are a table of their own. */
    enum ar_status (*list)(struct ar_report *report, bool for_people, struct ar_error *error);
    /* Optional. In markdown, instead: appends a page of its own. */
    enum ar_status (*page)(struct ar_text *page, struct ar_error *error);
};

extern const struct ar_listing ar_listings[]; /* the first is the default */
extern const int ar_nlistings;
