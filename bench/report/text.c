/* Text for people: heading, body, tables and notes, with an empty line between. Columns stand two spaces
 * apart, numbers on the right. With libsmartcols the table is laid out by it (which also knows wide
 * characters), without by the few lines below; tests hold both to the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "bench/report/report.h"
#include "collectives/base/memory.h"

static const char GAP[] = "  ";

/* The shown part of a table as strings: row 0 is the headings. */
struct grid {
    char **cell;
    bool *right;
    int nrows, ncolumns;
};

static char *string_of(const struct ar_cell *cell, const struct ar_column *column)
{
    struct ar_text text = {0};
    if (cell)
        ar_cell_for_people(&text, cell, column);
    else
        ar_text_add(&text, "%s", column->heading);
    ar_text_add_bytes(&text, "", 0); /* an empty cell is a string too */
    return text.data;
}

static struct grid grid_of(const struct ar_table *table)
{
    struct grid grid = {.nrows = table->nrows + 1};
    int *shown = ar_alloc((size_t)table->ncolumns, sizeof *shown);
    for (int i = 0; i < table->ncolumns; i++)
        if (ar_column_is_shown(table, i))
            shown[grid.ncolumns++] = i;
    grid.cell = ar_alloc((size_t)grid.nrows * (size_t)grid.ncolumns, sizeof *grid.cell);
    grid.right = ar_alloc((size_t)grid.ncolumns, sizeof *grid.right);
    char **next = grid.cell;
    for (int row = -1; row < table->nrows; row++)
        for (int i = 0; i < grid.ncolumns; i++)
            *next++ =
                string_of(row < 0 ? NULL : ar_table_cell(table, row, shown[i]), &table->column[shown[i]]);
    for (int i = 0; i < grid.ncolumns; i++)
        grid.right[i] = ar_column_is_numeric(table, shown[i]);
    free(shown);
    return grid;
}

static void free_grid(struct grid *grid)
{
    for (int i = 0; i < grid->nrows * grid->ncolumns; i++)
        free(grid->cell[i]);
    free(grid->cell);
    free(grid->right);
}

/* ---- Laying out -------------------------------------------------------------------------------------- */

#ifdef AR_HAVE_SMARTCOLS

#include <libsmartcols/libsmartcols.h>
#include <locale.h>

/* Whatever it is that fails in here, it is memory. */
static void need(bool done)
{
    if (!done)
        abort();
}

static struct libscols_table *new_table(void)
{
    struct libscols_table *table = scols_new_table();
    need(table);
    /* The same on a terminal as in a file: nothing is cut, wrapped, coloured or escaped. */
    need(scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER) == 0 &&
         scols_table_enable_colors(table, 0) == 0 && scols_table_enable_noencoding(table, 1) == 0 &&
         scols_table_set_column_separator(table, GAP) == 0);
    return table;
}

static void lay_out(struct ar_text *out, const struct grid *grid)
{
    /* Widths are counted by the locale's characters, and the program never sets one. */
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    locale_t before = utf8 ? uselocale(utf8) : (locale_t)0;
    struct libscols_table *table = new_table();
    for (int i = 0; i < grid->ncolumns; i++)
        need(scols_table_new_column(table, grid->cell[i], 0, grid->right[i] ? SCOLS_FL_RIGHT : 0));
    for (int row = 1; row < grid->nrows; row++) {
        struct libscols_line *line = scols_table_new_line(table, NULL);
        need(line);
        for (int i = 0; i < grid->ncolumns; i++)
            need(scols_line_set_data(line, (size_t)i, grid->cell[row * grid->ncolumns + i]) == 0);
    }
    char *lines = NULL;
    need(scols_print_table_to_string(table, &lines) == 0 && lines);
    ar_text_add(out, "%s\n", lines); /* it ends all lines but the last */
    free(lines);
    scols_unref_table(table);
    if (utf8) {
        uselocale(before);
        freelocale(utf8);
    }
}

#else

static void lay_out(struct ar_text *out, const struct grid *grid)
{
    size_t *width = ar_alloc((size_t)grid->ncolumns, sizeof *width);
    for (int i = 0; i < grid->nrows * grid->ncolumns; i++) {
        size_t needed = ar_text_width(grid->cell[i]);
        if (needed > width[i % grid->ncolumns])
            width[i % grid->ncolumns] = needed;
    }
    for (int row = 0; row < grid->nrows; row++) {
        size_t column = 0; /* where the next one begins */
        for (int i = 0; i < grid->ncolumns; i++) {
            const char *cell = grid->cell[row * grid->ncolumns + i];
            ar_text_pad(out, column + (grid->right[i] ? width[i] - ar_text_width(cell) : 0));
            ar_text_add(out, "%s", cell);
            column += width[i] + strlen(GAP);
        }
        ar_text_add(out, "\n");
    }
    free(width);
}

#endif

/* ---- The document ------------------------------------------------------------------------------------ */

/* Adds the lines after an empty one, without the spaces at their ends. */
static void add_lines(struct ar_text *out, const struct ar_text *lines)
{
    if (lines->length == 0)
        return;
    if (out->length > 0)
        ar_text_add(out, "\n");
    for (const char *line = lines->data; *line;) {
        size_t length = strcspn(line, "\n"), kept = length;
        while (kept > 0 && line[kept - 1] == ' ')
            kept--;
        ar_text_add_bytes(out, line, kept);
        ar_text_add_bytes(out, "\n", 1);
        line += length + (line[length] == '\n');
    }
}

static void add_table(struct ar_text *out, const struct ar_table *table)
{
    struct ar_text lines = {0};
    struct grid grid = grid_of(table);
    if (table->title)
        ar_text_add(&lines, "%s\n", table->title);
    if (grid.nrows > 1 && grid.ncolumns > 0)
        lay_out(&lines, &grid);
    else /* libsmartcols prints nothing for an empty table */
        for (int i = 0; i < grid.ncolumns; i++)
            ar_text_add(&lines, "%s%s", i ? GAP : "", grid.cell[i]);
    add_lines(out, &lines);
    free_grid(&grid);
    ar_text_free(&lines);
}

enum { NOTE_WIDTH = 110 };

/* Copies the lines, the words beyond NOTE_WIDTH in lines of their own. */
static void add_wrapped(struct ar_text *out, const char *line)
{
    size_t width = 0; /* of what stands in the line so far */
    while (*line) {
        size_t spaces = strspn(line, " "), length = spaces + strcspn(line + spaces, " \n");
        char *word = strndup(line, length);
        size_t more = ar_text_width(word);
        if (width > 0 && width + more > NOTE_WIDTH) {
            ar_text_add(out, "\n  %s", word + spaces);
            width = 2 + more - spaces;
        } else {
            ar_text_add(out, "%s", word);
            width += more;
        }
        free(word);
        line += length;
        if (*line == '\n') {
            ar_text_add(out, "\n");
            width = 0;
            line++;
        }
    }
}

static void write_text(const struct ar_report *report, struct ar_text *out)
{
    add_lines(out, &report->heading);
    add_lines(out, &report->body);
    for (int i = 0; i < report->ntables; i++)
        add_table(out, &report->table[i]);
    struct ar_text notes = {0};
    add_wrapped(&notes, report->notes.length > 0 ? report->notes.data : "");
    add_lines(out, &notes);
    ar_text_free(&notes);
}

const struct ar_format ar_format_text = {"text", "Print aligned tables (the default)", true, write_text};
