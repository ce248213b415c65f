/* JSON: the structure is written here, every value by Jansson, reals with as few digits as they read back
 * with exactly. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/report.h"

/* "1-3,8" as [1, 2, 3, 8]. */
static json_t *list_of(const char *ranges)
{
    json_t *list = json_array();
    for (char *c = (char *)ranges; *c; c += *c == ',') {
        long first = strtol(c, &c, 10), last = *c == '-' ? strtol(c + 1, &c, 10) : first;
        for (; first <= last; first++)
            json_array_append_new(list, json_integer(first));
    }
    return list;
}

static json_t *value_of(const struct ar_cell *cell)
{
    switch (cell->kind) {
    case AR_CELL_NULL:
        break;
    case AR_CELL_TEXT:
        return json_string(cell->text);
    case AR_CELL_INT:
        return json_integer(cell->integer);
    case AR_CELL_REAL:
        return json_real(cell->real);
    case AR_CELL_BOOL:
        return json_boolean(cell->yes);
    case AR_CELL_RANGES:
        return list_of(cell->text);
    case AR_CELL_REALS: /* written as they are */
        break;
    }
    return json_null();
}

static int add_piece(const char *piece, size_t n, void *out)
{
    ar_text_add_bytes(out, piece, n);
    return 0;
}

static void add_value(struct ar_text *out, const struct ar_cell *cell)
{
    if (cell->kind == AR_CELL_REALS) {
        ar_text_add(out, "[%s]", cell->text);
        return;
    }
    json_t *value = value_of(cell);
    int digits = cell->kind == AR_CELL_REAL ? ar_real_digits(cell->real) : 0;
    /* A small thing: without memory for it nothing can be said. */
    if (!value ||
        json_dump_callback(value, add_piece, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION((size_t)digits)) != 0)
        abort();
    json_decref(value);
}

/* Begins an element of an array, or with a key a member of an object; *n counts them. */
static void begin(struct ar_text *out, int depth, int *n, const char *key)
{
    ar_text_add(out, "%s\n%*s", (*n)++ ? "," : "", 2 * depth, "");
    if (key)
        ar_text_add(out, "\"%s\": ", key);
}

/* Ends what has n elements at the depth one less. */
static void end(struct ar_text *out, int depth, int n, char bracket)
{
    if (n > 0)
        ar_text_add(out, "\n%*s", 2 * (depth - 1), "");
    ar_text_add(out, "%c", bracket);
}

static void add_rows(struct ar_text *out, int depth, const struct ar_table *table)
{
    int rows = 0;
    ar_text_add(out, "[");
    for (int row = 0; row < table->nrows; row++) {
        int members = 0;
        begin(out, depth, &rows, NULL);
        ar_text_add(out, "{");
        for (int i = 0; i < table->ncolumns; i++) {
            begin(out, depth + 1, &members, table->column[i].key);
            add_value(out, ar_table_cell(table, row, i));
        }
        end(out, depth + 1, members, '}');
    }
    end(out, depth, rows, ']');
}

static void add_fields(struct ar_text *out, int depth, int *members, const struct ar_field *fields, int n)
{
    for (int i = 0; i < n; i++) {
        begin(out, depth, members, fields[i].key);
        add_value(out, &fields[i].value);
    }
}

/* One string per line that is not empty. */
static void add_notes(struct ar_text *out, const struct ar_text *notes)
{
    struct ar_text valid = {0};
    ar_text_add_utf8(&valid, notes->data);
    char *rest = valid.data;
    int n = 0;
    ar_text_add(out, "[");
    for (char *line; (line = strsep(&rest, "\n"));)
        if (*line) {
            begin(out, 2, &n, NULL);
            add_value(out, &(struct ar_cell){.kind = AR_CELL_TEXT, .text = line});
        }
    end(out, 2, n, ']');
    ar_text_free(&valid);
}

static void add_document(struct ar_text *out, const struct ar_report *report)
{
    int members = 0, facts = 0;
    ar_text_add(out, "{");
    add_fields(out, 1, &members, report->field, report->nfields);
    for (int i = 0; i < report->ntables; i++) {
        begin(out, 1, &members, report->table[i].key);
        add_rows(out, 2, &report->table[i]);
    }
    if (report->nenvironment > 0) {
        begin(out, 1, &members, "environment");
        ar_text_add(out, "{");
        add_fields(out, 2, &facts, report->environment, report->nenvironment);
        end(out, 2, facts, '}');
    }
    if (report->notes.length > 0) {
        begin(out, 1, &members, "notes");
        add_notes(out, &report->notes);
    }
    end(out, 1, members, '}');
}

static void write_json(const struct ar_report *report, struct ar_text *out)
{
    static const struct ar_table nothing;
    if (report->bare)
        add_rows(out, 1, report->ntables > 0 ? &report->table[0] : &nothing);
    else
        add_document(out, report);
    ar_text_add(out, "\n");
}

const struct ar_format ar_format_json = {"json", "Print one JSON document with everything", false,
                                         write_json};
