/* CSV after RFC 4180, with plain new lines: the first table, one line of keys and one per row. A null is an
 * empty field and an empty text is "", so the two stay apart. */
#include <csv.h>
#include <string.h>

#include "bench/report/report.h"

static bool needs_quotes(const char *text)
{
    size_t length = strlen(text);
    return length == 0 || strpbrk(text, ",\"\r\n") || text[0] == ' ' || text[length - 1] == ' ';
}

static void add_text(struct ar_text *out, const char *text)
{
    if (!needs_quotes(text)) {
        ar_text_add(out, "%s", text);
        return;
    }
    size_t length = strlen(text), n = csv_write(NULL, 0, text, length);
    ar_text_add(out, "%*s", (int)n, ""); /* room, filled in place */
    csv_write(out->data + out->length - n, n, text, length);
}

static void write_csv(const struct ar_report *report, struct ar_text *out)
{
    if (report->ntables == 0)
        return;
    const struct ar_table *table = &report->table[0];
    for (int i = 0; i < table->ncolumns; i++) {
        ar_text_add(out, "%s", i ? "," : "");
        add_text(out, table->column[i].key);
    }
    ar_text_add(out, "\n");
    for (int row = 0; row < table->nrows; row++) {
        for (int i = 0; i < table->ncolumns; i++) {
            const struct ar_cell *cell = ar_table_cell(table, row, i);
            ar_text_add(out, "%s", i ? "," : "");
            if (cell->kind == AR_CELL_TEXT || cell->kind == AR_CELL_RANGES || cell->kind == AR_CELL_REALS)
                add_text(out, cell->text);
            else
                ar_cell_for_programs(out, cell);
        }
        ar_text_add(out, "\n");
    }
}

const struct ar_format ar_format_csv = {"csv", "Print the first table as comma-separated values", false,
                                        write_csv};
