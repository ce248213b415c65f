#include "bench/import/model_file.h"

#include <stdlib.h>
#include <string.h>

#include "bench/import/csv_text.h"
#include "bench/import/json.h"
#include "collectives/base/memory.h"
#include "collectives/base/text.h"
#include "collectives/base/units.h"

/* ---- JSON -------------------------------------------------------------------------------------------- */

static enum ar_status read_layer(const struct ar_json *json, const json_t *layer, const struct ar_json_at *at,
                                 struct ar_model *model, struct ar_error *error)
{
    const char *word = json_object_get(layer, "elements") ? "elements" : "parameters";
    const char *const known[] = {"name", word};
    const char *name;
    int64_t parameters;
    struct ar_error inner;
    enum ar_status status = ar_json_keys(json, layer, at, known, 2, error);
    if (status == AR_OK)
        status = ar_json_name(json, layer, at, true, &name, error);
    if (status == AR_OK)
        status = ar_json_int(json, layer, at, word, true, 1, INT64_MAX, &parameters, error);
    if (status == AR_OK && ar_model_add(model, name, parameters, &inner) != AR_OK)
        return ar_json_fail(json, &(struct ar_json_at){at, word, 0}, false, 0, error, "%s", inner.text);
    return status;
}

static enum ar_status read_json(const char *path, struct ar_model *model, struct ar_error *error)
{
    static const char *const known[] = {"name", "layers"};
    struct ar_json json;
    enum ar_status status = ar_json_read(path, &json, error);
    if (status != AR_OK)
        return status;
    const char *name;
    const json_t *layers;
    status = ar_json_keys(&json, json.root, NULL, known, 2, error);
    if (status == AR_OK)
        status = ar_json_name(&json, json.root, NULL, true, &name, error);
    if (status == AR_OK)
        status = ar_json_array(&json, json.root, NULL, "layers", &layers, error);
    const struct ar_json_at at = {NULL, "layers", 0};
    if (status == AR_OK && json_array_size(layers) == 0)
        status = ar_json_fail(&json, &at, false, 0, error, "layers: expected at least one");
    for (size_t i = 0; status == AR_OK && i < json_array_size(layers); i++)
        status =
            read_layer(&json, json_array_get(layers, i), &(struct ar_json_at){&at, NULL, i}, model, error);
    if (status == AR_OK)
        model->name = strdup(name);
    model->digest = ar_digest(0, json.text, json.length);
    ar_json_free(&json);
    return status;
}

/* ---- CSV --------------------------------------------------------------------------------------------- */

/* What the callbacks of libcsv share. */
struct reader {
    struct ar_csv csv; /* first */
    struct ar_model *model;
    int nfields, row;
    char *name;       /* the first field of this row */
    const char *word; /* of the heading: parameters or elements */
};

/* Whether the text may head the field. */
static bool take_heading(struct reader *r, const char *text)
{
    if (r->nfields == 0)
        return strcmp(text, "name") == 0;
    r->word = strcmp(text, "elements") == 0 ? "elements" : "parameters";
    return strcmp(text, r->word) == 0;
}

static void take_field(struct reader *r, const char *text, int line, int column)
{
    if (r->nfields > 1) {
        r->csv.status = ar_fail_at(r->csv.error, r->csv.path, line, column,
                                   "expected two fields, name,parameters, got more");
    } else if (r->row == 0) {
        if (!take_heading(r, text))
            r->csv.status = ar_fail_at(r->csv.error, r->csv.path, line, column,
                                       "expected the heading name,parameters, got '%.100s'", text);
    } else {
        struct ar_error inner;
        int64_t parameters;
        if (r->nfields == 0) {
            free(r->name);
            r->name = strdup(text);
            r->csv.status = ar_name_check(text, &inner);
        } else {
            r->csv.status = ar_parse_count(text, r->word, &parameters, &inner);
            if (r->csv.status == AR_OK)
                r->csv.status = ar_model_add(r->model, r->name, parameters, &inner);
        }
        if (r->csv.status != AR_OK)
            ar_fail_at(r->csv.error, r->csv.path, line, column, "%s", inner.text);
    }
    r->nfields++;
}

static void on_field(void *data, size_t length, void *context)
{
    struct reader *r = context;
    if (r->csv.status != AR_OK)
        return;
    char *text = ar_alloc(length + 1, 1);
    if (length)
        memcpy(text, data, length);
    int line = r->csv.field_line ? r->csv.field_line : r->csv.line;
    int column = r->csv.field_line ? r->csv.field_column : r->csv.column;
    if (strlen(text) != length)
        r->csv.status =
            ar_fail_at(r->csv.error, r->csv.path, line, column, "expected text, got a NUL character");
    else
        take_field(r, text, line, column);
    free(text);
    r->csv.field_line = 0;
}

static void on_row(int end, void *context)
{
    (void)end;
    struct reader *r = context;
    if (r->csv.status == AR_OK && r->nfields < 2)
        r->csv.status = ar_fail_at(r->csv.error, r->csv.path, r->csv.line, r->csv.column,
                                   "expected two fields, name,parameters, got %d", r->nfields);
    r->nfields = 0;
    r->row++;
}

static char *name_of_file(const char *path)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    return strndup(base, dot ? (size_t)(dot - base) : strlen(base));
}

static enum ar_status read_csv(const char *path, struct ar_model *model, struct ar_error *error)
{
    char *text;
    size_t length;
    enum ar_status status = ar_file_read(path, &text, &length, error);
    if (status != AR_OK)
        return status;
    struct reader r = {.csv = {.path = path, .error = error, .line = 1, .column = 1}, .model = model};
    status = ar_csv_read(&r.csv, text, length, on_field, on_row);
    if (status == AR_OK && model->nlayers == 0)
        status = ar_fail_at(error, path, r.csv.line, r.csv.column,
                            "expected the heading name,parameters and at least one layer");
    model->name = name_of_file(path);
    model->digest = ar_digest(0, text, length);
    struct ar_error inner;
    if (status == AR_OK && ar_name_check(model->name, &inner) != AR_OK)
        status = ar_fail_at(error, path, 0, 0, "%s", inner.text);
    free(r.name);
    free(text);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ */

static bool ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

enum ar_status ar_model_read(const char *path, struct ar_model *model, struct ar_error *error)
{
    bool json = ends_in(path, ".json");
    if (!json && !ends_in(path, ".csv"))
        return ar_fail(error, AR_INVALID, "model: expected a file ending in .json or .csv, got '%.400s'",
                       path);
    struct ar_model made = {0};
    enum ar_status status = (json ? read_json : read_csv)(path, &made, error);
    if (status != AR_OK)
        ar_model_free(&made);
    else
        *model = made;
    return status;
}
