/* A model, as far as traffic and memory need it: its layers and their parameters. */
#pragma once

#include <stdint.h>

#include "collectives/base/error.h"

struct ar_model_layer {
    char *name;
    int64_t parameters;
};

struct ar_model {
    char *name;
    struct ar_model_layer *layer; /* nlayers >= 1 of them */
    int nlayers;
    int64_t parameters; /* their sum */
};

/* A built-in model (models.def), e.g. "gpt2-124m". AR_INVALID with the nearest known name. */
enum ar_status ar_model_builtin(const char *name, struct ar_model *model, struct ar_error *error);

/* `parameters` in `nlayers` layers, the first (parameters mod nlayers) one larger. */
enum ar_status ar_model_uniform(int64_t parameters, int nlayers, struct ar_model *model,
                                struct ar_error *error);

/* Appends a layer; the name is copied. AR_INVALID on a count below 1 or a sum beyond 2^63. */
enum ar_status ar_model_add(struct ar_model *model, const char *name, int64_t parameters,
                            struct ar_error *error);

void ar_model_free(struct ar_model *model);

extern const char *const ar_model_names[];
extern const int ar_nmodels;
