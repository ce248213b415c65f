/* The report writers: exact documents. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/report.h"

static const struct ar_column columns[] = {
    {"name", "name", 0},    {"sent_bytes", "sent, B", 0}, {"time_s", "µs | mean", 3},
    {"share", "share", -1}, {"best", "best", 0},          {"hidden", NULL, 0},
};

/* Nulls, quotes, commas, pipes, a new line, characters of two bytes, a hidden column, no value at all. */
static void fill(struct ar_report *report)
{
    ar_text_add(&report->heading, "4 ranks, seed 1");
    ar_text_add(&report->body, "0 -> 1  \n1 -> 2\n");
    ar_report_field_text(report, "command", "run \"fast\"");
    ar_report_field_int(report, "nranks", 4);
    ar_report_field_text(report, "binding", NULL);
    ar_report_environment_text(report, "machine", "Zürich");
    ar_report_environment_int(report, "cores", 2);
    struct ar_table *table = ar_report_table(report, "runs", "Runs", columns, 6);
    ar_table_row(table);
    ar_table_text(table, "ring, \"wide\"");
    ar_table_int(table, 124439808);
    ar_table_real(table, 1.5);
    ar_table_real(table, 0.1);
    ar_table_bool(table, true);
    ar_table_int(table, 7);
    ar_table_row(table);
    ar_table_text(table, "a|b\\c µ");
    ar_table_int(table, -1234);
    ar_table_null(table);
    ar_table_real(table, 1e-7);
    ar_table_bool(table, false);
    ar_table_row(table);
    ar_table_text(table, "two\nlines");
    ar_table_null(table);
    ar_table_real(table, 1234.5678);
    ar_table_real(table, NAN);
    ar_table_row(table);
    ar_table_text(table, "%s", "");
    ar_table_int(table, 0);
    static const struct ar_column few[] = {{"rank", "rank", 0}};
    table = ar_report_table(report, "late", NULL, few, 1);
    ar_table_row(table);
    ar_table_int(table, 3);
    ar_report_table(report, "none", "Nobody", columns, 2);
    ar_text_add(&report->notes, "first note\n");
    ar_text_add(&report->notes, "second note\n");
}

static const struct ar_format *format_of(const char *name)
{
    int i = 0;
    while (i < ar_nformats && strcmp(ar_formats[i]->name, name) != 0)
        i++;
    cr_assert_lt(i, ar_nformats, "there is no format '%s'", name);
    return ar_formats[i];
}

static char *written(const struct ar_report *report, const char *format)
{
    char *document = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&document, &length);
    struct ar_error error = {""};
    cr_assert_eq(ar_report_write(report, format_of(format), file, &error), AR_OK, "%s", error.text);
    fclose(file);
    return document;
}

static void expect_document(struct ar_report *report, const char *format, const char *expected)
{
    char *document = written(report, format);
    cr_expect_str_eq(document, expected, "%s wrote:\n%s\ninstead of:\n%s", format, document, expected);
    free(document);
    ar_report_free(report);
}

/* ---- One report in every format ---------------------------------------------------------------------- */

Test(report, text)
{
    struct ar_report report = {0};
    fill(&report);
    expect_document(&report, "text",
                    "4 ranks, seed 1\n"
                    "\n"
                    "0 -> 1\n"
                    "1 -> 2\n"
                    "\n"
                    "Runs\n"
                    "name              sent, B  µs | mean  share  best\n"
                    "ring, \"wide\"  124,439,808      1.500    0.1  yes\n"
                    "a|b\\c µ            -1,234          -  1e-07  no\n"
                    "two\\x0alines            -  1,234.568      -  -\n"
                    "                        0          -      -  -\n"
                    "\n"
                    "rank\n"
                    "   3\n"
                    "\n"
                    "Nobody\n"
                    "name  sent, B\n"
                    "\n"
                    "first note\n"
                    "second note\n");
}

Test(report, json)
{
    struct ar_report report = {0};
    fill(&report);
    expect_document(&report, "json",
                    "{\n"
                    "  \"command\": \"run \\\"fast\\\"\",\n"
                    "  \"nranks\": 4,\n"
                    "  \"binding\": null,\n"
                    "  \"runs\": [\n"
                    "    {\n"
                    "      \"name\": \"ring, \\\"wide\\\"\",\n"
                    "      \"sent_bytes\": 124439808,\n"
                    "      \"time_s\": 1.5,\n"
                    "      \"share\": 0.1,\n"
                    "      \"best\": true,\n"
                    "      \"hidden\": 7\n"
                    "    },\n"
                    "    {\n"
                    "      \"name\": \"a|b\\\\c µ\",\n"
                    "      \"sent_bytes\": -1234,\n"
                    "      \"time_s\": null,\n"
                    "      \"share\": 1e-7,\n"
                    "      \"best\": false,\n"
                    "      \"hidden\": null\n"
                    "    },\n"
                    "    {\n"
                    "      \"name\": \"two\\nlines\",\n"
                    "      \"sent_bytes\": null,\n"
                    "      \"time_s\": 1234.5678,\n"
                    "      \"share\": null,\n"
                    "      \"best\": null,\n"
                    "      \"hidden\": null\n"
                    "    },\n"
                    "    {\n"
                    "      \"name\": \"\",\n"
                    "      \"sent_bytes\": 0,\n"
                    "      \"time_s\": null,\n"
                    "      \"share\": null,\n"
                    "      \"best\": null,\n"
                    "      \"hidden\": null\n"
                    "    }\n"
                    "  ],\n"
                    "  \"late\": [\n"
                    "    {\n"
                    "      \"rank\": 3\n"
                    "    }\n"
                    "  ],\n"
                    "  \"none\": [],\n"
                    "  \"environment\": {\n"
                    "    \"machine\": \"Zürich\",\n"
                    "    \"cores\": 2\n"
                    "  },\n"
                    "  \"notes\": [\n"
                    "    \"first note\",\n"
                    "    \"second note\"\n"
                    "  ]\n"
                    "}\n");
}

Test(report, csv)
{
    struct ar_report report = {0};
    fill(&report);
    expect_document(&report, "csv",
                    "name,sent_bytes,time_s,share,best,hidden\n"
                    "\"ring, \"\"wide\"\"\",124439808,1.5,0.1,true,7\n"
                    "a|b\\c µ,-1234,,1e-07,false,\n"
                    "\"two\nlines\",,1234.5678,,,\n"
                    "\"\",0,,,,\n");
}

Test(report, markdown)
{
    struct ar_report report = {0};
    fill(&report);
    expect_document(&report, "markdown",
                    "4 ranks, seed 1\n"
                    "\n"
                    "```\n"
                    "0 -> 1  \n"
                    "1 -> 2\n"
                    "```\n"
                    "\n"
                    "### Runs\n"
                    "\n"
                    "| name | sent, B | µs \\| mean | share | best |\n"
                    "| --- | ---: | ---: | ---: | --- |\n"
                    "| ring, \"wide\" | 124,439,808 | 1.500 | 0.1 | yes |\n"
                    "| a\\|b\\\\c µ | -1,234 | - | 1e-07 | no |\n"
                    "| two\\\\x0alines | - | 1,234.568 | - | - |\n"
                    "| | 0 | - | - | - |\n"
                    "\n"
                    "| rank |\n"
                    "| ---: |\n"
                    "| 3 |\n"
                    "\n"
                    "### Nobody\n"
                    "\n"
                    "| name | sent, B |\n"
                    "| --- | --- |\n"
                    "\n"
                    "- first note\n"
                    "- second note\n");
}

/* ---- Corners ----------------------------------------------------------------------------------------- */

Test(report, empty)
{
    static const struct {
        const char *format, *document;
        bool bare;
    } cases[] = {{"text", "", false},
                 {"json", "{}\n", false},
                 {"json", "[]\n", true},
                 {"csv", "", false},
                 {"markdown", "", false}};
    cr_assert_str_eq(ar_formats[0]->name, "text", "the first format is the default");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ar_report report = {.bare = cases[i].bare};
        expect_document(&report, cases[i].format, cases[i].document);
    }
}

Test(report, bare_json_is_the_first_table)
{
    static const struct ar_column few[] = {{"rank", "rank", 0}};
    struct ar_report report = {.bare = true};
    ar_report_field_int(&report, "nranks", 1);
    struct ar_table *table = ar_report_table(&report, "ranks", NULL, few, 1);
    ar_table_row(table);
    ar_table_int(table, INT64_MIN);
    ar_report_table(&report, "other", NULL, few, 1);
    ar_text_add(&report.notes, "unseen");
    expect_document(&report, "json", "[\n  {\n    \"rank\": -9223372036854775808\n  }\n]\n");
}

Test(report, numbers_stand_right_and_words_left)
{
    static const struct ar_column four[] = {{"all", "numbers", 0},
                                            {"some", "mixed", 0},
                                            {"nulls", "nulls", 0},
                                            {"bool", "yesno", 0},
                                            {"last", "n", 1}};
    struct ar_report report = {0};
    struct ar_table *table = ar_report_table(&report, "t", NULL, four, 5);
    ar_table_row(table);
    ar_table_int(table, INT64_MIN);
    ar_table_int(table, 1);
    ar_table_null(table);
    ar_table_bool(table, true);
    ar_table_real(table, -0.25);
    ar_table_row(table);
    ar_table_null(table);
    ar_table_text(table, "x");
    ar_table_null(table);
    ar_table_null(table);
    ar_table_real(table, 12345678.0);
    expect_document(&report, "text",
                    "                   numbers  mixed  yesno             n\n"
                    "-9,223,372,036,854,775,808  1      yes            -0.2\n"
                    "                         -  x      -      12,345,678.0\n");
}

/* People are not shown a column without a value; programs are. */
Test(report, ranges_and_empty_columns)
{
    static const struct ar_column three[] = {{"ranks", "ranks", 0}, {"none", "none", 0}, {"n", "n", 0}};
    static const struct {
        const char *format, *document;
    } cases[] = {{"text", "ranks  n\n1-3,7  1\n-      2\n5      3\n"},
                 {"markdown", "| ranks | n |\n| --- | ---: |\n| 1-3,7 | 1 |\n| - | 2 |\n| 5 | 3 |\n"},
                 {"csv", "ranks,none,n\n\"1-3,7\",,1\n,,2\n5,,3\n"}};
    for (size_t i = 0; i <= sizeof cases / sizeof *cases; i++) {
        struct ar_report report = {0};
        struct ar_table *table = ar_report_table(&report, "t", NULL, three, 3);
        static const char *const ranges[] = {"1-3,7", NULL, "5"};
        for (int row = 0; row < 3; row++) {
            ar_table_row(table);
            ar_table_ranges(table, ranges[row]);
            ar_table_null(table);
            ar_table_int(table, row + 1);
        }
        if (i < sizeof cases / sizeof *cases) {
            expect_document(&report, cases[i].format, cases[i].document);
            continue;
        }
        char *document = written(&report, "json");
        json_t *read = json_loads(document, 0, NULL), *rows = json_object_get(read, "t");
        static const int listed[] = {1, 2, 3, 7};
        const json_t *list = json_object_get(json_array_get(rows, 0), "ranks");
        cr_assert_eq(json_array_size(list), 4, "%s", document);
        for (size_t k = 0; k < 4; k++)
            cr_expect_eq(json_integer_value(json_array_get(list, k)), listed[k]);
        cr_expect(json_is_null(json_object_get(json_array_get(rows, 1), "ranks")), "%s", document);
        cr_expect(json_is_null(json_object_get(json_array_get(rows, 0), "none")), "%s", document);
        json_decref(read);
        free(document);
        ar_report_free(&report);
    }
}

Test(report, notes_are_wrapped)
{
    struct ar_report report = {0};
    struct ar_text expected = {0};
    ar_text_add(&report.notes, "%0*d %0*d x\nshort\n  one  two\n%0*d\n", 50, 1, 59, 2, 200, 3);
    ar_text_add(&expected, "%0*d %0*d\n  x\nshort\n  one  two\n%0*d\n", 50, 1, 59, 2, 200, 3);
    expect_document(&report, "text", expected.data);
    ar_text_free(&expected);
}

Test(report, rows_without_text_are_rows)
{
    static const struct ar_column one[] = {{"a", "a", 0}};
    struct ar_report report = {0};
    struct ar_table *table = ar_report_table(&report, "t", NULL, one, 1);
    for (int row = 0; row < 2; row++) {
        ar_table_row(table);
        ar_table_text(table, "%s", "");
    }
    expect_document(&report, "text", "a\n\n\n");
}

/* A table wider than any terminal is neither cut nor wrapped. */
Test(report, wide_tables_stay_whole)
{
    static const struct ar_column two[] = {{"a", "a", 0}, {"b", "b", 0}};
    enum { WIDE = 3000 };
    struct ar_report report = {0};
    struct ar_table *table = ar_report_table(&report, "t", NULL, two, 2);
    ar_table_row(table);
    ar_table_text(table, "%0*d", WIDE, 7);
    ar_table_text(table, "%0*d", WIDE, 8);
    struct ar_text expected = {0};
    ar_text_add(&expected, "a%*sb\n%0*d  %0*d\n", WIDE + 1, "", WIDE, 7, WIDE, 8);
    expect_document(&report, "text", expected.data);
    ar_text_free(&expected);
}

Test(report, spaces_commas_and_quotes_in_csv)
{
    static const struct ar_column two[] = {{"a", "a", 0}, {"b", "b", 0}};
    static const char *const texts[] = {" a", "a ", "a b", "\"", "a\rb", ",", "a'b;c"};
    struct ar_report report = {0};
    struct ar_table *table = ar_report_table(&report, "t", NULL, two, 2);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ar_table_row(table);
        ar_table_text(table, "%s", texts[i]);
    }
    expect_document(&report, "csv", "a,b\n\" a\",\n\"a \",\na b,\n\"\"\"\",\n\"a\rb\",\n\",\",\na'b;c,\n");
}

/* Text that is not UTF-8 (a file's name, a host's) must not lose the document. */
Test(report, bytes_that_are_no_text)
{
    static const struct ar_column one[] = {{"name", "name", 0}};
    struct ar_report report = {0};
    ar_report_field_text(&report, "file", "a\xFF.json");
    ar_table_row(ar_report_table(&report, "t", NULL, one, 1));
    ar_table_text(&report.table[0], "\xC3(");
    ar_text_add(&report.notes, "see a\xFF.json");
    char *document = written(&report, "json");
    json_t *read = json_loads(document, 0, NULL);
    cr_assert(read, "%s", document);
    cr_expect_str_eq(json_string_value(json_object_get(read, "file")), "a\uFFFD.json");
    json_t *row = json_array_get(json_object_get(read, "t"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(row, "name")), "\uFFFD(");
    json_t *note = json_array_get(json_object_get(read, "notes"), 0);
    cr_expect_str_eq(json_string_value(note), "see a\uFFFD.json");
    json_decref(read);
    free(document);
    ar_report_free(&report);
}

/* ---- Numbers ----------------------------------------------------------------------------------------- */

Test(report, reals_read_back_exactly)
{
    static const struct ar_column one[] = {{"x", "x", -1}};
    const double reals[] = {0.0,       0.1,
                            1.0 / 3,   2.0 / 3,
                            1e22,      123456789.0,
                            5e-324,    1.1e-06,
                            1e300,     -2.5,
                            0.1 + 0.2, 9007199254740993.0,
                            M_PI,      1.7976931348623157e308};
    enum { N = sizeof reals / sizeof *reals };
    struct ar_report report = {.bare = true};
    struct ar_table *table = ar_report_table(&report, "t", NULL, one, 1);
    for (int i = 0; i < N; i++) {
        ar_table_row(table);
        ar_table_real(table, reals[i]);
    }
    char *json = written(&report, "json"), *csv = written(&report, "csv"), *text = written(&report, "text");
    json_t *read = json_loads(json, 0, NULL);
    char *csv_rest = csv, *text_rest = text;
    strsep(&csv_rest, "\n");
    strsep(&text_rest, "\n");
    for (int i = 0; i < N; i++) {
        cr_expect_eq(json_real_value(json_object_get(json_array_get(read, (size_t)i), "x")), reals[i],
                     "JSON, %a", reals[i]);
        cr_expect_eq(strtod(strsep(&csv_rest, "\n"), NULL), reals[i], "CSV, %a", reals[i]);
        cr_expect_eq(strtod(strsep(&text_rest, "\n"), NULL), reals[i], "text, %a", reals[i]);
    }
    cr_expect(strstr(json, "0.29999999999999999") || strstr(json, "0.30000000000000004"), "%s", json);
    json_decref(read);
    free(json);
    free(csv);
    free(text);
    ar_report_free(&report);
}

Test(report, real_digits)
{
    cr_expect_eq(ar_real_digits(0.1), 15);
    cr_expect_eq(ar_real_digits(0), 15);
    cr_expect_eq(ar_real_digits(1.0 / 3), 16);
    cr_expect_eq(ar_real_digits(0.1 + 0.2), 17);
}

/* ---- Failing ----------------------------------------------------------------------------------------- */

Test(report, a_full_disk_is_noticed)
{
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        cr_skip_test("there is no /dev/full here");
    for (int i = 0; i < ar_nformats; i++) {
        struct ar_report report = {0};
        fill(&report);
        struct ar_error error = {""};
        cr_expect_eq(ar_report_write(&report, ar_formats[i], full, &error), AR_SYSTEM, "%s",
                     ar_formats[i]->name);
        cr_expect_str_eq(error.text, "cannot write the output: No space left on device");
        ar_report_free(&report);
    }
    fclose(full);
}

Test(report, a_file_that_cannot_be_written_is_noticed)
{
    FILE *file = fopen("/dev/null", "r");
    struct ar_report report = {0};
    fill(&report);
    struct ar_error error = {""};
    cr_expect_eq(ar_report_write(&report, format_of("text"), file, &error), AR_SYSTEM);
    cr_expect_str_eq(error.text, "cannot write the output: Bad file descriptor");
    fclose(file);
    ar_report_free(&report);
}
