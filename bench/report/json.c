/* JSON through Jansson, which keeps the keys in the order given. All reals of a document are written with as
 * many digits as the one that needs the most to read back exactly, so 0.1 is not 0.10000000000000001 without
 * need. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/report.h"

/* Jansson's objects are small things: without memory for them nothing can be said. */
static json_t *made(json_t *value)
{
    if (!value)
        abort();
    return value;
}

static void set(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, made(value)) != 0)
        abort();
}

static void append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, made(value)) != 0)
        abort();
}

static json_t *value_of(const struct ar_cell *cell, int *digits)
{
    int needed;
    switch (cell->kind) {
    case AR_CELL_NULL:
        break;
    case AR_CELL_TEXT:
        return json_string(cell->text);
    case AR_CELL_INT:
        return json_integer(cell->integer);
    case AR_CELL_REAL:
        needed = ar_real_digits(cell->real);
        *digits = needed > *digits ? needed : *digits;
        return json_real(cell->real);
    case AR_CELL_BOOL:
        return json_boolean(cell->yes);
    }
    return json_null();
}

static json_t *rows_of(const struct ar_table *table, int *digits)
{
    json_t *rows = made(json_array());
    for (int row = 0; row < table->nrows; row++) {
        json_t *object = made(json_object());
        for (int i = 0; i < table->ncolumns; i++)
            set(object, table->column[i].key, value_of(ar_table_cell(table, row, i), digits));
        append(rows, object);
    }
    return rows;
}

static void set_fields(json_t *object, const struct ar_field *fields, int n, int *digits)
{
    for (int i = 0; i < n; i++)
        set(object, fields[i].key, value_of(&fields[i].value, digits));
}

/* One string per line that is not empty. */
static json_t *notes_of(const struct ar_text *notes)
{
    struct ar_text valid = {0};
    ar_text_add_utf8(&valid, notes->data);
    json_t *lines = made(json_array());
    char *rest = valid.data;
    for (const char *line; (line = strsep(&rest, "\n"));)
        if (*line)
            append(lines, json_string(line));
    ar_text_free(&valid);
    return lines;
}

static json_t *document_of(const struct ar_report *report, int *digits)
{
    json_t *document = made(json_object());
    set_fields(document, report->field, report->nfields, digits);
    for (int i = 0; i < report->ntables; i++)
        set(document, report->table[i].key, rows_of(&report->table[i], digits));
    if (report->nenvironment > 0) {
        json_t *environment = made(json_object());
        set_fields(environment, report->environment, report->nenvironment, digits);
        set(document, "environment", environment);
    }
    if (report->notes.length > 0)
        set(document, "notes", notes_of(&report->notes));
    return document;
}

static int add_piece(const char *piece, size_t n, void *out)
{
    ar_text_add_bytes(out, piece, n);
    return 0;
}

static void write_json(const struct ar_report *report, struct ar_text *out)
{
    int digits = 15;
    json_t *document;
    if (!report->bare)
        document = document_of(report, &digits);
    else if (report->ntables > 0)
        document = rows_of(&report->table[0], &digits);
    else
        document = made(json_array());
    if (json_dump_callback(document, add_piece, out, JSON_INDENT(2) | JSON_REAL_PRECISION((size_t)digits)) !=
        0)
        abort();
    json_decref(document);
    ar_text_add(out, "\n");
}

const struct ar_format ar_format_json = {"json", "one JSON document with everything", write_json};
