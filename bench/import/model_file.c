#include "bench/import/model_file.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>

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

/* What the callbacks of libcsv share. It reports fields without their place, so it is fed one character at a
 * time: a field's text begins after the character that ended the one before. */
struct reader {
    const char *path;
    struct ar_model *model;
    struct ar_error *error;
    enum ar_status status;
    int line, column;             /* of the character being read */
    int field_line, field_column; /* of the field's first character; 0: not begun */
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
        r->status =
            ar_fail_at(r->error, r->path, line, column, "expected two fields, name,parameters, got more");
    } else if (r->row == 0) {
        if (!take_heading(r, text))
            r->status = ar_fail_at(r->error, r->path, line, column,
                                   "expected the heading name,parameters, got '%.100s'", text);
    } else {
        struct ar_error inner;
        int64_t parameters;
        if (r->nfields == 0) {
            free(r->name);
            r->name = strdup(text);
            r->status = ar_name_check(text, &inner);
        } else {
            r->status = ar_parse_count(text, r->word, &parameters, &inner);
            if (r->status == AR_OK)
                r->status = ar_model_add(r->model, r->name, parameters, &inner);
        }
        if (r->status != AR_OK)
            ar_fail_at(r->error, r->path, line, column, "%s", inner.text);
    }
    r->nfields++;
}

static void on_field(void *data, size_t length, void *context)
{
    struct reader *r = context;
    if (r->status != AR_OK)
        return;
    char *text = ar_alloc(length + 1, 1);
    if (length)
        memcpy(text, data, length);
    int line = r->field_line ? r->field_line : r->line;
    int column = r->field_line ? r->field_column : r->column;
    if (strlen(text) != length)
        r->status = ar_fail_at(r->error, r->path, line, column, "expected text, got a NUL character");
    else
        take_field(r, text, line, column);
    free(text);
    r->field_line = 0;
}

static void on_row(int end, void *context)
{
    (void)end;
    struct reader *r = context;
    if (r->status == AR_OK && r->nfields < 2)
        r->status = ar_fail_at(r->error, r->path, r->line, r->column,
                               "expected two fields, name,parameters, got %d", r->nfields);
    r->nfields = 0;
    r->row++;
}

static void read_character(struct csv_parser *parser, struct reader *r, char c)
{
    bool ends = c == ',' || c == '\n' || c == '\r';
    if (r->field_line == 0 && !ends && c != ' ' && c != '\t') {
        r->field_line = r->line;
        r->field_column = r->column;
    }
    if (csv_parse(parser, &c, 1, on_field, on_row, r) != 1 && r->status == AR_OK)
        r->status = ar_fail_at(r->error, r->path, r->line, r->column, "unexpected '%c' in a quoted field", c);
    if (c == '\n')
        r->line++, r->column = 1;
    else if ((c & 0xC0) != 0x80)
        r->column++;
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
    struct csv_parser parser;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) {
        free(text);
        return ar_fail(error, AR_SYSTEM, "libcsv cannot be started");
    }
    struct reader r = {.path = path, .model = model, .error = error, .line = 1, .column = 1};
    for (size_t i = 0; i < length && r.status == AR_OK; i++)
        read_character(&parser, &r, text[i]);
    if (r.status == AR_OK && csv_fini(&parser, on_field, on_row, &r) != 0)
        r.status = ar_fail_at(error, path, r.field_line, r.field_column, "this quoted field is not closed");
    if (r.status == AR_OK && model->nlayers == 0)
        r.status = ar_fail_at(error, path, r.line, r.column,
                              "expected the heading name,parameters and at least one layer");
    model->name = name_of_file(path);
    model->digest = ar_digest(0, text, length);
    struct ar_error inner;
    if (r.status == AR_OK && ar_name_check(model->name, &inner) != AR_OK)
        r.status = ar_fail_at(error, path, 0, 0, "%s", inner.text);
    csv_free(&parser);
    free(r.name);
    free(text);
    return r.status;
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
