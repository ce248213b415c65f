/* A table as an object: columns with a key (for JSON and CSV), a heading with its unit (for people) and typed
 * cells. Writers (bench/report) turn it into text, CSV, JSON or markdown; nothing here prints.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum ar_cell_kind {
    AR_CELL_NULL,
    AR_CELL_TEXT,
    AR_CELL_INT,
    AR_CELL_REAL,
    AR_CELL_BOOL,
    AR_CELL_RANGES,
    AR_CELL_REALS
};

struct ar_cell {
    enum ar_cell_kind kind;
    union {
        char *text; /* owned by the table; also of ranges and reals */
        int64_t integer;
        double real;
        bool yes;
    };
};

struct ar_column {
    const char *key;     /* JSON key and CSV head, e.g. "sent_bytes_mean"; static */
    const char *heading; /* for people, with the unit, e.g. "sent mean, B"; static, not empty; NULL: not shown
                            as text */
    int decimals; /* digits after the point for AR_CELL_REAL in text; -1: as short as exact (%.17g rules) */
};

struct ar_table {
    const char *key,
        *title; /* JSON key of the array of rows, and the line above the text table (or NULL); static */
    const struct ar_column *column; /* static, ncolumns of them */
    int ncolumns, nrows;
    struct ar_cell *cell; /* nrows * ncolumns, row by row */
    int cell_capacity;
    int filled; /* cells already set in the last row */
};

void ar_table_init(struct ar_table *table, const char *key, const char *title,
                   const struct ar_column *columns, int ncolumns);
void ar_table_row(struct ar_table *table); /* starts a row; cells not added stay null */

/* Each sets the next cell of the last row. */
void ar_table_text(struct ar_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ar_table_int(struct ar_table *table, int64_t value);
void ar_table_real(struct ar_table *table, double value); /* NaN and infinities become null */
void ar_table_bool(struct ar_table *table, bool value);   /* "yes" and "no" as text, true and false in JSON */
void ar_table_ranges(struct ar_table *table, const char *ranges); /* "1-3,8": whole numbers, which JSON lists
                                                                     one by one; NULL: null */
void ar_table_reals(struct ar_table *table, const double *value, int n); /* finite ones, a list in JSON */
void ar_table_null(struct ar_table *table);

const struct ar_cell *ar_table_cell(const struct ar_table *table, int row, int column);
void ar_table_free(struct ar_table *table);
