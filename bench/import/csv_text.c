#include "bench/import/csv_text.h"

#include <csv.h>
#include <stdbool.h>

#include "bench/import/json.h"

static void advance(struct ar_csv *csv, char c)
{
    if (c == '\n')
        csv->line++, csv->column = 1;
    else if ((c & 0xC0) != 0x80)
        csv->column++;
}

enum ar_status ar_csv_read(struct ar_csv *csv, const char *text, size_t length,
                           void (*on_field)(void *field, size_t length, void *context),
                           void (*on_row)(int end, void *context))
{
    struct csv_parser parser;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0)
        return csv->status = ar_fail(csv->error, AR_SYSTEM, "libcsv cannot be started");
    for (size_t i = 0; i < length && csv->status == AR_OK; i++) {
        char c = text[i];
        bool ends = c == ',' || c == '\n' || c == '\r';
        if (csv->field_line == 0 && !ends && c != ' ' && c != '\t') {
            csv->field_line = csv->line;
            csv->field_column = csv->column;
        }
        if (csv_parse(&parser, &c, 1, on_field, on_row, csv) != 1 && csv->status == AR_OK)
            csv->status = ar_fail_at(csv->error, csv->path, csv->line, csv->column,
                                     "unexpected '%c' in a quoted field", c);
        advance(csv, c);
    }
    if (csv->status == AR_OK && csv_fini(&parser, on_field, on_row, csv) != 0)
        csv->status = ar_fail_at(csv->error, csv->path, csv->field_line, csv->field_column,
                                 "this quoted field is not closed");
    csv_free(&parser);
    return csv->status;
}
