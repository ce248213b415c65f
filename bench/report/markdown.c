/* Markdown: pipe tables (GitHub Flavored Markdown, section 4.10), the drawing as a code block, notes as a
 * list. */
#include <string.h>

#include "bench/report/report.h"

static void separate(struct ar_text *out)
{
    if (out->length > 0)
        ar_text_add(out, "\n");
}

/* A pipe ends a cell, even inside code. */
static void add_escaped(struct ar_text *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|' || *text == '\\')
            ar_text_add(out, "\\");
        ar_text_add_bytes(out, text, 1);
    }
}

static void add_cell(struct ar_text *out, const char *text)
{
    ar_text_add(out, " ");
    add_escaped(out, text);
    ar_text_add(out, *text ? " |" : "|");
}

static void add_table(struct ar_text *out, const struct ar_table *table)
{
    separate(out);
    if (table->title)
        ar_text_add(out, "### %s\n\n", table->title);
    ar_text_add(out, "|");
    for (int i = 0; i < table->ncolumns; i++)
        if (ar_column_is_shown(table, i))
            add_cell(out, table->column[i].heading);
    ar_text_add(out, "\n|");
    for (int i = 0; i < table->ncolumns; i++)
        if (ar_column_is_shown(table, i))
            ar_text_add(out, " %s |", ar_column_is_numeric(table, i) ? "---:" : "---");
    ar_text_add(out, "\n");
    struct ar_text cell = {0};
    for (int row = 0; row < table->nrows; row++) {
        ar_text_add(out, "|");
        for (int i = 0; i < table->ncolumns; i++) {
            if (!ar_column_is_shown(table, i))
                continue;
            cell.length = 0;
            ar_cell_for_people(&cell, ar_table_cell(table, row, i), &table->column[i]);
            add_cell(out, cell.length > 0 ? cell.data : "");
        }
        ar_text_add(out, "\n");
    }
    ar_text_free(&cell);
}

/* Every line that is not empty, with `bullet` before it. */
static void add_lines(struct ar_text *out, const struct ar_text *lines, const char *bullet)
{
    if (lines->length == 0)
        return;
    separate(out);
    for (const char *line = lines->data; *line;) {
        size_t n = strcspn(line, "\n");
        if (n > 0)
            ar_text_add(out, "%s%.*s\n", bullet, (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static void write_markdown(const struct ar_report *report, struct ar_text *out)
{
    add_lines(out, &report->heading, "");
    if (report->body.length > 0) {
        separate(out);
        bool ended = report->body.data[report->body.length - 1] == '\n';
        ar_text_add(out, "```\n%s%s```\n", report->body.data, ended ? "" : "\n");
    }
    for (int i = 0; i < report->ntables; i++)
        add_table(out, &report->table[i]);
    add_lines(out, &report->notes, "- ");
}

const struct ar_format ar_format_markdown = {"markdown", "Print tables for a page or an issue", true,
                                             write_markdown};
