/* Machines that somebody measured and published: a cost model with its numbers, each with its source.
 *
 * Profiles are JSON files. Those in this folder are built into the program as they stand and need no file at
 * run time; bench/import/machine_file.h reads them and files of the same form. What they must hold is said in
 * sim/README.md.
 */
#pragma once

#include "sim/models/model.h"

struct ar_profile {
    char *name, *summary, *source;
    const struct ar_cost_model *model;
    struct ar_cost_values values;
    char *param_source[AR_COST_MOST_PARAMS]; /* by parameter, instead of `source`; NULL: that */
};

/* A built-in profile: its name and its text as it stands in the file. */
struct ar_profile_text {
    const char *name, *json;
};

extern const struct ar_profile_text ar_profile_texts[]; /* by name */
extern const int ar_nprofiles;

/* Releases the members and empties the struct. */
void ar_profile_free(struct ar_profile *profile);

/* How Hockney's model reads the prices: one message by itself, the nearest ranks, the largest messages. Of
 * LogGOPS alpha = 2 o + L and beta = max(G, O). */
struct ar_hockney ar_prices_as_hockney(const struct ar_prices *prices);
