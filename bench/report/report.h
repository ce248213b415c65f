/* What a command has to say, as one object; writers turn it into text, CSV or JSON.
 *
 * A command fills a report and hands it to ar_report_write. Text: the environment line, each table under its
 * title, then the notes, wrapped. JSON: one object holding the fields, each table as an array of objects
 * under its key, and the environment; or, with `bare`, the first table's array alone. CSV: the first table.
 * Columns without a heading are for JSON and CSV only, and people are not shown a column without any value.
 * Every document ends with a new line; no line ends with a space.
 *
 * A new format is one file with its writer, one line in formats.def and one in meson.build.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "collectives/base/error.h"
#include "collectives/base/table.h"
#include "collectives/base/text.h"

struct ar_field {
    const char *key; /* static */
    struct ar_cell value;
};

enum { AR_REPORT_TABLES = 8, AR_REPORT_FIELDS = 32 };

struct ar_report {
    struct ar_table table[AR_REPORT_TABLES];
    int ntables;
    struct ar_field field[AR_REPORT_FIELDS], environment[AR_REPORT_FIELDS];
    int nfields, nenvironment;
    struct ar_text heading; /* first line of the text output, e.g. cores, binding, MPI; may be empty */
    struct ar_text body;    /* free text between heading and tables (a drawing); text only */
    struct ar_text notes;   /* lines after the tables; also "notes": [...] in JSON */
    bool bare;
};

struct ar_format {
    const char *name, *summary;
    bool for_people; /* shows headings and titles, and no more than people can take in */
    /* Appends the whole document. */
    void (*write)(const struct ar_report *report, struct ar_text *out);
};

#define AR_FORMAT(name) extern const struct ar_format ar_format_##name;
#include "bench/report/formats.def"
#undef AR_FORMAT

extern const struct ar_format *const ar_formats[]; /* text, json, csv, markdown; the first is the default */
extern const int ar_nformats;

/* Adds a table to the report and returns it, initialised. */
struct ar_table *ar_report_table(struct ar_report *report, const char *key, const char *title,
                                 const struct ar_column *columns, int ncolumns);

/* Fields of the JSON document, and facts about the run under "environment". Keys are static. */
void ar_report_field_int(struct ar_report *report, const char *key, int64_t value);
void ar_report_field_text(struct ar_report *report, const char *key, const char *value);
void ar_report_environment_int(struct ar_report *report, const char *key, int64_t value);
void ar_report_environment_text(struct ar_report *report, const char *key, const char *value);

/* Writes the document to `file` whole; AR_SYSTEM when it cannot be written (a full disk, a closed pipe). */
enum ar_status ar_report_write(const struct ar_report *report, const struct ar_format *format, FILE *file,
                               struct ar_error *error);

void ar_report_free(struct ar_report *report);

/* ---- For writers ------------------------------------------------------------------------------------- */

/* A cell as people read it: numbers in groups of three, reals with the column's decimals, "yes" and "no",
 * "-" for null; control characters (a new line in a name) as \x0a, so that a row stays one line. */
void ar_cell_for_people(struct ar_text *out, const struct ar_cell *cell, const struct ar_column *column);

/* A cell as programs read it: plain digits, reals as short as they read back exactly, true and false, nothing
 * for null. */
void ar_cell_for_programs(struct ar_text *out, const struct ar_cell *cell);

/* Significant digits that are enough to read the same double back: 15, 16 or 17. */
int ar_real_digits(double value);

/* Whether people are shown the column: it has a heading, and where there are rows, a value. */
bool ar_column_is_shown(const struct ar_table *table, int column);

/* Whether the column holds numbers (and perhaps nulls) only: such columns are aligned on the right. */
bool ar_column_is_numeric(const struct ar_table *table, int column);
