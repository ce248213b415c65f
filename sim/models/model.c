#include "sim/models/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/names.h"
#include "collectives/base/units.h"

const struct ar_cost_model *const ar_cost_models[] = {
#define AR_COST_MODEL(name) &ar_cost_model_##name,
#include "sim/models/models.def"
#undef AR_COST_MODEL
};

const int ar_ncost_models = sizeof ar_cost_models / sizeof *ar_cost_models;

enum { LONGEST_WORD = 63 };

enum ar_status ar_cost_model_find(const char *name, const struct ar_cost_model **model,
                                  struct ar_error *error)
{
    int i;
    enum ar_status status =
        ar_names_pick(AR_NAMES_POINTED(ar_cost_models, ar_ncost_models), "cost model", name, &i, error);
    if (status == AR_OK)
        *model = ar_cost_models[i];
    return status;
}

/* ---- Words to values --------------------------------------------------------------------------------- */

/* "0.046ns/B", or a rate "12.5GB/s", which a time per byte is the inverse of; "0". */
static enum ar_status parse_per_byte(char *word, const char *what, double *s_per_byte, struct ar_error *error)
{
    size_t length = strlen(word);
    char *per = length > 2 ? word + length - 2 : word;
    double rate_Bps;
    if (strcmp(word, "0") == 0) {
        *s_per_byte = 0;
        return AR_OK;
    }
    if (strcmp(per, "/B") == 0) {
        *per = '\0';
        return ar_parse_time(word, what, s_per_byte, error);
    }
    if (ar_parse_rate(word, what, &rate_Bps, NULL) != AR_OK)
        return ar_fail(error, AR_INVALID,
                       "%s: expected a rate such as 12.5GB/s or a time per byte such as 0.08ns/B, got '%s'",
                       what, word);
    *s_per_byte = 1 / rate_Bps;
    return AR_OK;
}

static enum ar_status parse_value(const struct ar_cost_param *param, char *word, double *value,
                                  struct ar_error *error)
{
    int64_t whole = 0;
    enum ar_status status = AR_OK;
    switch (param->quantity) {
    case AR_QUANTITY_TIME:
        return ar_parse_time(word, param->name, value, error);
    case AR_QUANTITY_PER_BYTE:
        return parse_per_byte(word, param->name, value, error);
    case AR_QUANTITY_RATE:
        return ar_parse_rate(word, param->name, value, error);
    case AR_QUANTITY_SIZE:
        status = ar_parse_size(word, param->name, &whole, error);
        break;
    case AR_QUANTITY_NUMBER:
        status = ar_parse_count(word, param->name, &whole, error);
        break;
    }
    *value = (double)whole;
    return status;
}

static int find_param(const struct ar_cost_model *model, const char *name)
{
    return ar_names_find(AR_NAMES(model->params, model->nparams), name);
}

enum ar_status ar_cost_model_set(const struct ar_cost_model *model, struct ar_cost_values *values,
                                 const char *name, const char *words, struct ar_error *error)
{
    int at = find_param(model, name), n = 0;
    char kind[LONGEST_WORD + 1];
    snprintf(kind, sizeof kind, "parameter of %s", model->name);
    if (at < 0)
        return ar_names_unknown(AR_NAMES(model->params, model->nparams), kind, name, error);
    const struct ar_cost_param *param = &model->params[at];
    double made[AR_COST_MOST_VALUES];
    for (const char *next = words; next; n++) {
        char word[LONGEST_WORD + 1];
        size_t length = strcspn(next, ",");
        if (n == param->most || length > LONGEST_WORD)
            return ar_fail(error, AR_INVALID,
                           "%s: expected at most %d value%s of at most %d characters, got '%.80s'", name,
                           param->most, param->most == 1 ? "" : "s", LONGEST_WORD, words);
        memcpy(word, next, length);
        word[length] = '\0';
        enum ar_status status = parse_value(param, word, &made[n], error);
        if (status != AR_OK)
            return status;
        next = next[length] ? next + length + 1 : NULL;
    }
    values->n[at] = n;
    memcpy(values->value[at], made, (size_t)n * sizeof *made);
    return AR_OK;
}

enum ar_status ar_cost_model_assign(const struct ar_cost_model *model, struct ar_cost_values *values,
                                    const char *assignment, int *param, struct ar_error *error)
{
    char name[LONGEST_WORD + 1];
    size_t length = strcspn(assignment, "=");
    if (assignment[length] == '\0' || length > LONGEST_WORD)
        return ar_fail(error, AR_INVALID, "expected NAME=VALUE, e.g. %s=..., got '%.80s'",
                       model->params[0].name, assignment);
    memcpy(name, assignment, length);
    name[length] = '\0';
    enum ar_status status = ar_cost_model_set(model, values, name, assignment + length + 1, error);
    if (status == AR_OK)
        *param = find_param(model, name);
    return status;
}

/* ---- Values to prices -------------------------------------------------------------------------------- */

enum ar_status ar_cost_model_price(const struct ar_cost_model *model, const struct ar_cost_values *values,
                                   struct ar_prices *prices, struct ar_error *error)
{
    struct ar_cost_values complete = *values;
    for (int i = 0; i < model->nparams; i++) {
        if (values->n[i] == 0 && model->params[i].needed)
            return ar_fail(error, AR_INVALID, "%s needs %s, the %s %s", model->name, model->params[i].name,
                           ar_quantity_name(model->params[i].quantity), model->params[i].help);
        if (values->n[i] == 0)
            complete.value[i][complete.n[i]++] = model->params[i].fallback;
    }
    return model->price(&complete, prices, error);
}

/* ---- Values to words --------------------------------------------------------------------------------- */

const char *ar_quantity_name(enum ar_quantity quantity)
{
    static const char *const names[] = {[AR_QUANTITY_TIME] = "time",
                                        [AR_QUANTITY_PER_BYTE] = "time per byte",
                                        [AR_QUANTITY_RATE] = "rate",
                                        [AR_QUANTITY_SIZE] = "size",
                                        [AR_QUANTITY_NUMBER] = "number"};
    return names[quantity];
}

static void write_value(enum ar_quantity quantity, double value, struct ar_text *text)
{
    char word[AR_UNITS_TEXT];
    if (isinf(value))
        ar_text_add(text, "any");
    else if (quantity == AR_QUANTITY_TIME)
        ar_text_add(text, "%s", ar_format_time(word, value));
    else if (quantity == AR_QUANTITY_PER_BYTE)
        ar_text_add(text, "%s", value > 0 ? ar_format_rate(word, 1 / value) : "0");
    else if (quantity == AR_QUANTITY_RATE)
        ar_text_add(text, "%s", ar_format_rate(word, value));
    else if (quantity == AR_QUANTITY_SIZE)
        ar_text_add(text, "%s", ar_format_size_exact(word, (uint64_t)value));
    else
        ar_text_add(text, "%.0f", value);
}

void ar_cost_model_write(const struct ar_cost_model *model, const struct ar_cost_values *values,
                         struct ar_text *text)
{
    for (int i = 0; i < model->nparams; i++) {
        const struct ar_cost_param *param = &model->params[i];
        ar_text_add(text, "%s%s ", i ? ", " : "", param->name);
        if (values->n[i] == 0)
            write_value(param->quantity, param->fallback, text);
        for (int j = 0; j < values->n[i]; j++) {
            ar_text_add(text, "%s", j ? "|" : "");
            write_value(param->quantity, values->value[i][j], text);
        }
    }
}
