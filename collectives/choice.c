/* Parsing and printing "COLL:ALG:param=value,...": see schedule.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/text.h"
#include "collectives/base/units.h"
#include "collectives/registry.h"
#include "collectives/schedule.h"
#include "collectives/shapes.h"

struct ar_choice ar_choice_default(const struct ar_algorithm *algorithm)
{
    struct ar_choice choice = {.algorithm = algorithm};
    for (int i = 0; i < algorithm->nparams; i++)
        choice.value[i] = algorithm->params[i].fallback;
    return choice;
}

/* For a word that is no collective: it may be the name of algorithms, which want their collective. */
static enum ar_status unknown_collective(const char *word, struct ar_error *error)
{
    struct ar_text meant = {0};
    for (int i = 0; i < ar_nalgorithms; i++)
        if (strcmp(ar_algorithms[i]->name, word) == 0)
            ar_text_add(&meant, "%s%s:%s", meant.length ? ", " : "",
                        ar_collectives[ar_algorithms[i]->collective].name, ar_algorithms[i]->name);
    const char *known[AR_NCOLLECTIVES];
    for (int i = 0; i < AR_NCOLLECTIVES; i++)
        known[i] = ar_collectives[i].name;
    enum ar_status status =
        meant.length ? ar_fail(error, AR_INVALID, "expected COLLECTIVE:ALGORITHM, got '%s'; there are %s",
                               word, meant.data)
                     : ar_fail_unknown(error, "collective", word, known, AR_NCOLLECTIVES);
    ar_text_free(&meant);
    return status;
}

static enum ar_status find_algorithm(const char *collective, const char *name,
                                     const struct ar_algorithm **algorithm, struct ar_error *error)
{
    enum ar_collective_id id = ar_collective_find(collective);
    if (id == AR_NCOLLECTIVES)
        return unknown_collective(collective, error);
    if (!name)
        return ar_fail(error, AR_INVALID, "expected %s:ALGORITHM, got '%s'", collective, collective);
    *algorithm = ar_algorithm_find(id, name);
    if (*algorithm)
        return AR_OK;
    const char **known = ar_alloc((size_t)ar_nalgorithms, sizeof *known);
    size_t n = 0;
    for (int i = 0; i < ar_nalgorithms; i++)
        if (ar_algorithms[i]->collective == id)
            known[n++] = ar_algorithms[i]->name;
    char kind[64];
    snprintf(kind, sizeof kind, "algorithm for %s", collective);
    enum ar_status status = ar_fail_unknown(error, kind, name, known, n);
    free(known);
    return status;
}

static enum ar_status parse_word(const struct ar_param *param, const char *word, int64_t *value,
                                 struct ar_error *error)
{
    for (int64_t i = 0; i <= param->max; i++)
        if (strcmp(word, param->words[i]) == 0) {
            *value = i;
            return AR_OK;
        }
    char kind[64];
    snprintf(kind, sizeof kind, "value of %s", param->name);
    return ar_fail_unknown(error, kind, word, param->words, (size_t)param->max + 1);
}

static enum ar_status parse_param(const char *name, const char *value, struct ar_choice *choice,
                                  struct ar_error *error)
{
    const struct ar_algorithm *algorithm = choice->algorithm;
    const char *known[AR_MAX_PARAMS];
    for (int i = 0; i < algorithm->nparams; i++) {
        const struct ar_param *param = &algorithm->params[i];
        known[i] = param->name;
        if (strcmp(name, param->name) != 0)
            continue;
        if (!value)
            return ar_fail(error, AR_INVALID, "%s: expected %s=VALUE", algorithm->name, name);
        if (choice->given[i])
            return ar_fail(error, AR_INVALID, "%s: '%s' is given twice", algorithm->name, name);
        choice->given[i] = true;
        if (param->unit == AR_PARAM_WORD)
            return parse_word(param, value, &choice->value[i], error);
        if (param->unit == AR_PARAM_NUMBER)
            return ar_parse_int(value, name, param->min, param->max, &choice->value[i], error);
        if (ar_param_is_shape(param))
            return ar_shape_parse(param, value, &choice->value[i], error);
        enum ar_status status = ar_parse_size(value, name, &choice->value[i], error);
        if (status == AR_OK && (choice->value[i] < param->min || choice->value[i] > param->max))
            return ar_fail(error, AR_INVALID, "%s: expected at least %" PRId64 " B, got '%s'", name,
                           param->min, value);
        return status;
    }
    if (algorithm->nparams == 0)
        return ar_fail(error, AR_INVALID, "%s:%s has no parameters, got '%s'",
                       ar_collectives[algorithm->collective].name, algorithm->name, name);
    for (int i = 0; i < algorithm->nparams && !value; i++)
        if (choice->given[i] && ar_param_is_shape(&algorithm->params[i]))
            return ar_fail(error, AR_INVALID, "%s: expected sizes written like %s, got a comma before '%s'",
                           known[i], algorithm->params[i].unit == AR_PARAM_DIMS ? "4x4" : "3+4+2", name);
    char kind[96];
    snprintf(kind, sizeof kind, "parameter of %s:%s", ar_collectives[algorithm->collective].name,
             algorithm->name);
    return ar_fail_unknown(error, kind, name, known, (size_t)algorithm->nparams);
}

enum ar_status ar_choice_parse(const char *text, struct ar_choice *choice, struct ar_error *error)
{
    char *copy = ar_alloc(strlen(text) + 1, 1);
    char *rest = memcpy(copy, text, strlen(text) + 1);
    const char *collective = strsep(&rest, ":"), *name = rest ? strsep(&rest, ":") : NULL;
    const struct ar_algorithm *algorithm = NULL;
    enum ar_status status = find_algorithm(collective, name, &algorithm, error);
    if (status == AR_OK) {
        struct ar_choice made = ar_choice_default(algorithm);
        while (status == AR_OK && rest) {
            char *value = strsep(&rest, ",");
            const char *param = strsep(&value, "=");
            status = parse_param(param, value, &made, error);
        }
        if (status == AR_OK)
            *choice = made;
    }
    free(copy);
    return status;
}

const char *ar_param_format(const struct ar_param *param, int64_t value, char text[AR_UNITS_TEXT])
{
    if (param->unit == AR_PARAM_BYTES)
        return ar_format_size_exact(text, (uint64_t)value);
    if (ar_param_is_shape(param))
        return ar_shape_format(param, value, text);
    if (param->unit == AR_PARAM_WORD)
        snprintf(text, AR_UNITS_TEXT, "%s", param->words[value]);
    else
        snprintf(text, AR_UNITS_TEXT, "%" PRId64, value);
    return text;
}

const char *ar_choice_name(const struct ar_choice *choice, char text[AR_CHOICE_TEXT])
{
    int length = snprintf(text, AR_CHOICE_TEXT, "%s", choice->algorithm->name);
    for (int i = 0, n = 0; i < choice->algorithm->nparams && length < AR_CHOICE_TEXT; i++) {
        const struct ar_param *param = &choice->algorithm->params[i];
        if (!choice->given[i])
            continue;
        char value[AR_UNITS_TEXT];
        ar_param_format(param, choice->value[i], value);
        length += snprintf(text + length, (size_t)(AR_CHOICE_TEXT - length), "%c%s=%s", n++ ? ',' : ':',
                           param->name, value);
    }
    return text;
}
