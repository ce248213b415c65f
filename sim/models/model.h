/* The cost models there are, and their parameters as data.
 *
 * A model is a formula with named parameters. Machine profiles, `--set NAME=VALUE` and listings all go
 * through the table of parameters here, so a new model is a file with its descriptor, a line in models.def
 * and one in sim/meson.build. With values it becomes a struct ar_prices, which is all the engines know:
 *
 *     struct ar_cost_values values = {0};
 *     ar_cost_model_set(&ar_cost_model_hockney, &values, "alpha", "2us", error);
 *     ar_cost_model_set(&ar_cost_model_hockney, &values, "beta", "12.5GB/s", error);
 *     ar_cost_model_price(&ar_cost_model_hockney, &values, &prices, error);
 *
 * Values in words: a time "2us"; a time per byte "0.046ns/B", or the rate that is its inverse, "12.5GB/s" (0:
 * bytes cost nothing); a size "64KiB"; a number "8". A list is separated by commas: "0,4KiB,64KiB".
 */
#pragma once

#include <stdbool.h>

#include "collectives/base/text.h"
#include "sim/hockney.h"
#include "sim/models/prices.h"

enum { AR_COST_MOST_PARAMS = 8, AR_COST_MOST_VALUES = 16 };

enum ar_quantity {
    AR_QUANTITY_TIME,     /* s */
    AR_QUANTITY_PER_BYTE, /* s/B */
    AR_QUANTITY_RATE,     /* B/s */
    AR_QUANTITY_SIZE,     /* B */
    AR_QUANTITY_NUMBER,
};

struct ar_cost_param {
    const char *name, *help;
    enum ar_quantity quantity;
    int most;        /* values that a list may have; 1: no list */
    bool needed;     /* else it is `fallback` where it is not given */
    double fallback; /* of every value; in the units of ar_quantity */
};

/* Of every parameter n values (0: not given), in the units of ar_quantity. Starts zeroed. */
struct ar_cost_values {
    int n[AR_COST_MOST_PARAMS];
    double value[AR_COST_MOST_PARAMS][AR_COST_MOST_VALUES];
};

struct ar_cost_model {
    const char *name, *summary;
    const char *formula; /* of one transfer of n bytes */
    const char *source;
    int nclocks; /* of a rank */
    const struct ar_cost_param *params;
    int nparams;
    /* The values are complete. AR_INVALID where they do not go together. */
    enum ar_status (*price)(const struct ar_cost_values *values, struct ar_prices *prices,
                            struct ar_error *error);
};

#define AR_COST_MODEL(name) extern const struct ar_cost_model ar_cost_model_##name;
#include "sim/models/models.def"
#undef AR_COST_MODEL

extern const struct ar_cost_model *const ar_cost_models[];
extern const int ar_ncost_models;

/* AR_INVALID with the nearest name, or with all. */
enum ar_status ar_cost_model_find(const char *name, const struct ar_cost_model **model,
                                  struct ar_error *error);

/* Sets a parameter from its words, instead of what it was; AR_INVALID: "alpha: expected a time ...". */
enum ar_status ar_cost_model_set(const struct ar_cost_model *model, struct ar_cost_values *values,
                                 const char *name, const char *words, struct ar_error *error);

/* The same from "NAME=VALUE"; *param becomes its index. */
enum ar_status ar_cost_model_assign(const struct ar_cost_model *model, struct ar_cost_values *values,
                                    const char *assignment, int *param, struct ar_error *error);

/* AR_INVALID where a value is missing, or lists that belong together differ in length. */
enum ar_status ar_cost_model_price(const struct ar_cost_model *model, const struct ar_cost_values *values,
                                   struct ar_prices *prices, struct ar_error *error);

/* Appends "alpha 2 us, beta 12.5 GB/s, gamma 0": what is given, else the fallbacks. */
void ar_cost_model_write(const struct ar_cost_model *model, const struct ar_cost_values *values,
                         struct ar_text *text);

/* "time", "time per byte", ... */
const char *ar_quantity_name(enum ar_quantity quantity);

/* Hockney's model as prices. */
struct ar_prices ar_prices_of_hockney(const struct ar_hockney *model);
