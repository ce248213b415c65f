#include "sim/training/model.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/names.h"

/* All built-in models in one list: a line with a model's name, then a line per layer. */
static const struct {
    const char *model, *layer;
    int64_t parameters;
} builtin[] = {
#define AR_MODEL(name) {name, NULL, 0},
#define AR_LAYER(name, parameters) {NULL, name, parameters},
#include "sim/training/models.def"
#undef AR_MODEL
#undef AR_LAYER
};

enum { NBUILTIN = sizeof builtin / sizeof builtin[0] };

const char *const ar_model_names[] = {
#define AR_MODEL(name) name,
#define AR_LAYER(name, parameters)
#include "sim/training/models.def"
#undef AR_MODEL
#undef AR_LAYER
};

const int ar_nmodels = sizeof ar_model_names / sizeof ar_model_names[0];

static char *copy_of(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(ar_alloc(size, 1), text, size);
}

enum ar_status ar_model_add(struct ar_model *model, const char *name, int64_t parameters,
                            struct ar_error *error)
{
    if (parameters < 1)
        return ar_fail(error, AR_INVALID, "layer '%s': expected at least 1 parameter, got %" PRId64, name,
                       parameters);
    if (parameters > INT64_MAX - model->parameters)
        return ar_fail(error, AR_INVALID, "layer '%s': the model would have more than 2^63-1 parameters",
                       name);
    AR_GROW(model->layer, model->nlayers, model->capacity);
    model->layer[model->nlayers++] = (struct ar_model_layer){copy_of(name), parameters};
    model->parameters += parameters;
    return AR_OK;
}

enum ar_status ar_model_builtin(const char *name, struct ar_model *model, struct ar_error *error)
{
    int which, at = 0;
    enum ar_status status = ar_names_pick(AR_NAMES(ar_model_names, ar_nmodels), "model", name, &which, error);
    if (status != AR_OK)
        return status;
    while (!builtin[at].model || strcmp(builtin[at].model, name) != 0)
        at++;
    struct ar_model made = {.name = copy_of(name)};
    for (at++; status == AR_OK && at < NBUILTIN && builtin[at].layer; at++)
        status = ar_model_add(&made, builtin[at].layer, builtin[at].parameters, error);
    if (status == AR_OK)
        *model = made;
    else
        ar_model_free(&made);
    return status;
}

enum ar_status ar_model_uniform(int64_t parameters, int nlayers, struct ar_model *model,
                                struct ar_error *error)
{
    if (nlayers < 1)
        return ar_fail(error, AR_INVALID, "layers: expected at least 1, got %d", nlayers);
    if (parameters < nlayers)
        return ar_fail(error, AR_INVALID, "parameters: expected at least %d, one per layer, got %" PRId64,
                       nlayers, parameters);
    char name[32];
    struct ar_model made = {.name = copy_of("uniform")};
    enum ar_status status = AR_OK;
    for (int l = 0; status == AR_OK && l < nlayers; l++) {
        snprintf(name, sizeof name, "layer%d", l);
        status = ar_model_add(&made, name, parameters / nlayers + (l < parameters % nlayers), error);
    }
    if (status == AR_OK)
        *model = made;
    else
        ar_model_free(&made);
    return status;
}

int64_t ar_model_largest(const struct ar_model *model)
{
    int64_t largest = 0;
    for (int l = 0; l < model->nlayers; l++)
        if (model->layer[l].parameters > largest)
            largest = model->layer[l].parameters;
    return largest;
}

void ar_model_free(struct ar_model *model)
{
    for (int l = 0; l < model->nlayers; l++)
        free(model->layer[l].name);
    free(model->layer);
    free(model->name);
    *model = (struct ar_model){0};
}
