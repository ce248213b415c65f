/* A model, as far as traffic and memory need it: its layers and their parameters.
 *
 *     struct ar_model model = {0};
 *     ar_model_builtin("gpt2-124m", &model, error);  or  ar_model_add(&model, "embedding", 1000, error); ...
 *     ar_model_free(&model);
 */
#pragma once

#include <stdint.h>

#include "collectives/base/error.h"

struct ar_model_layer {
    char *name;
    int64_t parameters; /* >= 1 */
};

struct ar_model {
    char *name;                   /* NULL until somebody sets it; freed with the model */
    struct ar_model_layer *layer; /* nlayers >= 1 of them */
    int nlayers, capacity;
    int64_t parameters; /* their sum */
    uint64_t digest;    /* of the file it was read from; 0: none */
};

/* A built-in model (models.def), e.g. "gpt2-124m". AR_INVALID with the nearest known name. */
enum ar_status ar_model_builtin(const char *name, struct ar_model *model, struct ar_error *error);

/* `parameters` in `nlayers` layers, the first (parameters mod nlayers) one larger; named
 * "uniform". AR_INVALID where a layer would be empty. */
enum ar_status ar_model_uniform(int64_t parameters, int nlayers, struct ar_model *model,
                                struct ar_error *error);

/* Appends a layer to a model that starts zeroed; the name is copied. AR_INVALID on a count below 1 or a sum
 * beyond 2^63-1. */
enum ar_status ar_model_add(struct ar_model *model, const char *name, int64_t parameters,
                            struct ar_error *error);

/* The parameters of the largest layer. */
int64_t ar_model_largest(const struct ar_model *model);

/* Frees the layers and the name and empties the struct. */
void ar_model_free(struct ar_model *model);

extern const char *const ar_model_names[];
extern const int ar_nmodels;
