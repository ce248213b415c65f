#include "bench/import/machine_file.h"

#include <stdlib.h>
#include <string.h>

#include "bench/import/json.h"
#include "collectives/base/names.h"

/* ---- Members ----------------------------------------------------------------------------------------- */

/* One parameter, a text or an object; `at` is its place. */
static enum ar_status read_param(const struct ar_json *json, const struct ar_json_at *at, const json_t *value,
                                 struct ar_profile *profile, struct ar_error *error)
{
    static const char *const known[] = {"value", "source"};
    const struct ar_cost_model *model = profile->model;
    const struct ar_json_at value_at = {at, "value", 0};
    const char *words = json_string_value(value), *source = NULL;
    struct ar_error inner;
    enum ar_status status = AR_OK;
    if (!words) {
        if (!json_is_object(value))
            return ar_json_fail(json, at, false, 0, error,
                                "%s: expected a text such as \"2us\", or an object with value and source",
                                at->key);
        status = ar_json_keys(json, value, at, known, 2, error);
        if (status == AR_OK)
            status = ar_json_text(json, value, at, "value", true, &words, error);
        if (status == AR_OK)
            status = ar_json_text(json, value, at, "source", false, &source, error);
    }
    if (status != AR_OK)
        return status;
    int param = ar_names_find(AR_NAMES(model->params, model->nparams), at->key);
    if (param < 0) {
        ar_cost_model_set(model, &profile->values, at->key, words, &inner);
        return ar_json_fail(json, at, true, 0, error, "%s", inner.text);
    }
    if (ar_cost_model_set(model, &profile->values, at->key, words, &inner) != AR_OK)
        return ar_json_fail(json, json_is_object(value) ? &value_at : at, false, 0, error, "%s", inner.text);
    profile->param_source[param] = source ? strdup(source) : NULL;
    return AR_OK;
}

static enum ar_status read_params(const struct ar_json *json, struct ar_profile *profile,
                                  struct ar_error *error)
{
    const struct ar_json_at at = {NULL, "parameters", 0};
    json_t *params = json_object_get(json->root, "parameters");
    struct ar_prices prices;
    struct ar_error inner;
    if (!json_is_object(params))
        return ar_json_fail(json, params ? &at : NULL, false, 0, error,
                            "parameters: expected an object with the parameters of %s", profile->model->name);
    enum ar_status status = AR_OK;
    for (void *i = json_object_iter(params); i && status == AR_OK; i = json_object_iter_next(params, i)) {
        const struct ar_json_at here = {&at, json_object_iter_key(i), 0};
        status = read_param(json, &here, json_object_iter_value(i), profile, error);
    }
    if (status == AR_OK && ar_cost_model_price(profile->model, &profile->values, &prices, &inner) != AR_OK)
        status = ar_json_fail(json, &at, false, 0, error, "%s", inner.text);
    return status;
}

/* ---- A profile --------------------------------------------------------------------------------------- */

static enum ar_status read_profile(const struct ar_json *json, struct ar_profile *profile,
                                   struct ar_error *error)
{
    static const char *const known[] = {"name", "summary", "model", "source", "parameters"};
    const char *name, *summary, *model, *source;
    struct ar_error inner;
    enum ar_status status = ar_json_keys(json, json->root, NULL, known, 5, error);
    if (status == AR_OK)
        status = ar_json_name(json, json->root, NULL, true, &name, error);
    if (status == AR_OK)
        status = ar_json_text(json, json->root, NULL, "summary", true, &summary, error);
    if (status == AR_OK)
        status = ar_json_text(json, json->root, NULL, "source", true, &source, error);
    if (status == AR_OK)
        status = ar_json_text(json, json->root, NULL, "model", true, &model, error);
    if (status == AR_OK && ar_cost_model_find(model, &profile->model, &inner) != AR_OK)
        status =
            ar_json_fail(json, &(struct ar_json_at){NULL, "model", 0}, false, 0, error, "%s", inner.text);
    if (status != AR_OK)
        return status;
    profile->name = strdup(name);
    profile->summary = strdup(summary);
    profile->source = strdup(source);
    return read_params(json, profile, error);
}

/* A built-in text becomes the same document that a file does. */
static enum ar_status open_builtin(const struct ar_profile_text *text, struct ar_json *json,
                                   struct ar_error *error)
{
    json_error_t where;
    *json = (struct ar_json){.path = text->name, .text = strdup(text->json), .length = strlen(text->json)};
    json->root = json_loadb(json->text, json->length, JSON_REJECT_DUPLICATES, &where);
    if (json->root)
        return AR_OK;
    ar_fail_at(error, text->name, where.line, where.column, "%s", where.text);
    ar_json_free(json);
    return AR_INVALID;
}

enum ar_status ar_profile_read(const char *name, struct ar_profile *profile, struct ar_error *error)
{
    const struct ar_names names = AR_NAMES(ar_profile_texts, ar_nprofiles);
    int builtin = ar_names_find(names, name);
    struct ar_profile made = {0};
    struct ar_json json;
    if (builtin < 0 && !strpbrk(name, "/."))
        return ar_names_unknown(names, "machine", name, error);
    enum ar_status status = builtin < 0 ? ar_json_read(name, &json, error)
                                        : open_builtin(&ar_profile_texts[builtin], &json, error);
    if (status != AR_OK)
        return status;
    status = read_profile(&json, &made, error);
    ar_json_free(&json);
    if (status == AR_OK)
        *profile = made;
    else
        ar_profile_free(&made);
    return status;
}

/* The parameter's own source is no longer the profile's. */
static enum ar_status assign(struct ar_profile *profile, const char *assignment, struct ar_error *error)
{
    struct ar_error inner;
    int param;
    if (ar_cost_model_assign(profile->model, &profile->values, assignment, &param, &inner) != AR_OK)
        return ar_fail(error, AR_INVALID, "--set: %s", inner.text);
    free(profile->param_source[param]);
    profile->param_source[param] = strdup("--set");
    return AR_OK;
}

enum ar_status ar_profile_settle(const char *name, const char *const *set, int nset,
                                 struct ar_profile *profile, struct ar_prices *prices, struct ar_error *error)
{
    struct ar_profile made = {0};
    enum ar_status status = ar_profile_read(name ? name : "azure-hdr", &made, error);
    for (int i = 0; i < nset && status == AR_OK; i++)
        status = assign(&made, set[i], error);
    if (status == AR_OK)
        status = ar_cost_model_price(made.model, &made.values, prices, error);
    if (status == AR_OK)
        *profile = made;
    else
        ar_profile_free(&made);
    return status;
}
