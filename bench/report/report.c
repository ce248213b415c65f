#include "bench/report/report.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct ar_format *const ar_formats[] = {
#define AR_FORMAT(name) &ar_format_##name,
#include "bench/report/formats.def"
#undef AR_FORMAT
};

const int ar_nformats = sizeof ar_formats / sizeof *ar_formats;

/* ---- Filling ----------------------------------------------------------------------------------------- */

struct ar_table *ar_report_table(struct ar_report *report, const char *key, const char *title,
                                 const struct ar_column *columns, int ncolumns)
{
    assert(report->ntables < AR_REPORT_TABLES);
    struct ar_table *table = &report->table[report->ntables++];
    ar_table_init(table, key, title, columns, ncolumns);
    return table;
}

static void add_field(struct ar_field *fields, int *n, const char *key, struct ar_cell value)
{
    assert(*n < AR_REPORT_FIELDS);
    fields[(*n)++] = (struct ar_field){key, value};
}

static struct ar_cell int_cell(int64_t value)
{
    return (struct ar_cell){.kind = AR_CELL_INT, .integer = value};
}

static struct ar_cell text_cell(const char *value)
{
    if (!value)
        return (struct ar_cell){.kind = AR_CELL_NULL};
    struct ar_text valid = {0};
    ar_text_add_utf8(&valid, value);
    return (struct ar_cell){.kind = AR_CELL_TEXT, .text = valid.data};
}

void ar_report_field_int(struct ar_report *report, const char *key, int64_t value)
{
    add_field(report->field, &report->nfields, key, int_cell(value));
}

void ar_report_field_text(struct ar_report *report, const char *key, const char *value)
{
    add_field(report->field, &report->nfields, key, text_cell(value));
}

void ar_report_environment_int(struct ar_report *report, const char *key, int64_t value)
{
    add_field(report->environment, &report->nenvironment, key, int_cell(value));
}

void ar_report_environment_text(struct ar_report *report, const char *key, const char *value)
{
    add_field(report->environment, &report->nenvironment, key, text_cell(value));
}

static void free_fields(struct ar_field *fields, int n)
{
    for (int i = 0; i < n; i++)
        if (fields[i].value.kind == AR_CELL_TEXT)
            free(fields[i].value.text);
}

void ar_report_free(struct ar_report *report)
{
    for (int i = 0; i < report->ntables; i++)
        ar_table_free(&report->table[i]);
    free_fields(report->field, report->nfields);
    free_fields(report->environment, report->nenvironment);
    ar_text_free(&report->heading);
    ar_text_free(&report->body);
    ar_text_free(&report->notes);
    *report = (struct ar_report){0};
}

/* ---- Writing ----------------------------------------------------------------------------------------- */

enum ar_status ar_report_write(const struct ar_report *report, const struct ar_format *format, FILE *file,
                               struct ar_error *error)
{
    struct ar_text out = {0};
    format->write(report, &out);
    errno = 0;
    bool written = out.length == 0 || fwrite(out.data, 1, out.length, file) == out.length;
    written = fflush(file) == 0 && written;
    int cause = errno;
    ar_text_free(&out);
    if (!written)
        return ar_fail(error, AR_SYSTEM, "cannot write the output: %s",
                       cause ? strerror(cause) : "the stream failed before");
    return AR_OK;
}

/* ---- For writers ------------------------------------------------------------------------------------- */

int ar_real_digits(double value)
{
    int digits = 15;
    for (char text[32]; digits < 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return digits;
}

/* "-1234.5" as "-1,234.5" */
static void add_grouped(struct ar_text *out, const char *number)
{
    size_t whole = strcspn(number, "."), sign = number[0] == '-';
    for (size_t i = 0; i < whole; i++)
        ar_text_add(out, "%s%c", i > sign && (whole - i) % 3 == 0 ? "," : "", number[i]);
    ar_text_add(out, "%s", number + whole);
}

void ar_cell_for_people(struct ar_text *out, const struct ar_cell *cell, const struct ar_column *column)
{
    char number[400]; /* the largest double has 309 digits before its point */
    switch (cell->kind) {
    case AR_CELL_NULL:
        ar_text_add(out, "-");
        break;
    case AR_CELL_TEXT:
    case AR_CELL_RANGES:
    case AR_CELL_REALS:
        ar_text_add_visible(out, cell->text);
        break;
    case AR_CELL_INT:
        snprintf(number, sizeof number, "%" PRId64, cell->integer);
        add_grouped(out, number);
        break;
    case AR_CELL_REAL:
        if (column->decimals < 0) {
            ar_text_add(out, "%.*g", ar_real_digits(cell->real), cell->real);
            break;
        }
        snprintf(number, sizeof number, "%.*f", column->decimals, cell->real);
        add_grouped(out, number);
        break;
    case AR_CELL_BOOL:
        ar_text_add(out, "%s", cell->yes ? "yes" : "no");
        break;
    }
}

void ar_cell_for_programs(struct ar_text *out, const struct ar_cell *cell)
{
    switch (cell->kind) {
    case AR_CELL_NULL:
        break;
    case AR_CELL_TEXT:
    case AR_CELL_RANGES:
    case AR_CELL_REALS:
        ar_text_add(out, "%s", cell->text);
        break;
    case AR_CELL_INT:
        ar_text_add(out, "%" PRId64, cell->integer);
        break;
    case AR_CELL_REAL:
        ar_text_add(out, "%.*g", ar_real_digits(cell->real), cell->real);
        break;
    case AR_CELL_BOOL:
        ar_text_add(out, "%s", cell->yes ? "true" : "false");
        break;
    }
}

bool ar_column_is_shown(const struct ar_table *table, int column)
{
    bool empty = table->nrows > 0;
    for (int row = 0; row < table->nrows && empty; row++)
        empty = ar_table_cell(table, row, column)->kind == AR_CELL_NULL;
    return table->column[column].heading && !empty;
}

bool ar_column_is_numeric(const struct ar_table *table, int column)
{
    bool numbers = false;
    for (int row = 0; row < table->nrows; row++)
        switch (ar_table_cell(table, row, column)->kind) {
        case AR_CELL_NULL:
            break;
        case AR_CELL_INT:
        case AR_CELL_REAL:
            numbers = true;
            break;
        case AR_CELL_TEXT:
        case AR_CELL_RANGES:
        case AR_CELL_REALS:
        case AR_CELL_BOOL:
            return false;
        }
    return numbers;
}
