#include "collectives/base/table.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/base/text.h"

void ar_table_init(struct ar_table *table, const char *key, const char *title,
                   const struct ar_column *columns, int ncolumns)
{
    *table = (struct ar_table){.key = key, .title = title, .column = columns, .ncolumns = ncolumns};
}

void ar_table_row(struct ar_table *table)
{
    assert(table->nrows < INT32_MAX / 2 / table->ncolumns); /* the capacity is doubled */
    int begun = table->nrows * table->ncolumns;
    for (int i = begun; i < begun + table->ncolumns; i++) {
        AR_GROW(table->cell, i, table->cell_capacity);
        table->cell[i] = (struct ar_cell){.kind = AR_CELL_NULL};
    }
    table->nrows++;
    table->filled = 0;
}

static void add(struct ar_table *table, struct ar_cell cell)
{
    assert(table->nrows > 0 && table->filled < table->ncolumns);
    table->cell[(table->nrows - 1) * table->ncolumns + table->filled++] = cell;
}

void ar_table_text(struct ar_table *table, const char *format, ...)
{
    va_list args;
    char *raw;
    va_start(args, format);
    int length = vasprintf(&raw, format, args);
    va_end(args);
    if (length < 0)
        raw = ar_alloc(1, 1);
    struct ar_text valid = {0};
    ar_text_add_utf8(&valid, raw);
    free(raw);
    add(table, (struct ar_cell){.kind = AR_CELL_TEXT, .text = valid.data});
}

void ar_table_int(struct ar_table *table, int64_t value)
{
    add(table, (struct ar_cell){.kind = AR_CELL_INT, .integer = value});
}

void ar_table_real(struct ar_table *table, double value)
{
    if (isfinite(value))
        add(table, (struct ar_cell){.kind = AR_CELL_REAL, .real = value});
    else
        ar_table_null(table);
}

void ar_table_bool(struct ar_table *table, bool value)
{
    add(table, (struct ar_cell){.kind = AR_CELL_BOOL, .yes = value});
}

void ar_table_ranges(struct ar_table *table, const char *ranges)
{
    if (!ranges) {
        ar_table_null(table);
        return;
    }
    ar_table_text(table, "%s", ranges);
    table->cell[(table->nrows - 1) * table->ncolumns + table->filled - 1].kind = AR_CELL_RANGES;
}

void ar_table_reals(struct ar_table *table, const double *value, int n)
{
    struct ar_text list = {0};
    ar_text_add(&list, "%s", "");
    for (int i = 0; i < n; i++)
        ar_text_add(&list, "%s%.9g", i ? "," : "", value[i]);
    add(table, (struct ar_cell){.kind = AR_CELL_REALS, .text = list.data});
}

void ar_table_null(struct ar_table *table)
{
    add(table, (struct ar_cell){.kind = AR_CELL_NULL});
}

const struct ar_cell *ar_table_cell(const struct ar_table *table, int row, int column)
{
    assert(row >= 0 && row < table->nrows && column >= 0 && column < table->ncolumns);
    return &table->cell[row * table->ncolumns + column];
}

void ar_table_free(struct ar_table *table)
{
    for (int i = 0; i < table->nrows * table->ncolumns; i++)
        switch (table->cell[i].kind) {
        case AR_CELL_TEXT:
        case AR_CELL_RANGES:
        case AR_CELL_REALS:
            free(table->cell[i].text);
            break;
        default:
            break;
        }
    free(table->cell);
    *table = (struct ar_table){0};
}
