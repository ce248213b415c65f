/* The base: parsers and printers of numbers, errors, memory. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/error.h"
#include "collectives/base/memory.h"
#include "collectives/base/text.h"
#include "collectives/base/units.h"

typedef enum ar_status parser(const char *text, const char *what, int64_t *value, struct ar_error *error);

struct accepted {
    const char *text;
    int64_t value;
};

struct refused {
    const char *text, *sentence;
};

static void expect_accepted(parser *parse, const struct accepted *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ar_error error = {""};
        int64_t value = -7;
        enum ar_status status = parse(cases[i].text, "x", &value, &error);
        cr_expect(status == AR_OK && value == cases[i].value, "'%s': %d, %" PRId64 " for %" PRId64 " (%s)",
                  cases[i].text, (int)status, value, cases[i].value, error.text);
    }
}

/* Every text is refused with the sentence "x: BEFORE'TEXT'AFTER". */
static void expect_refused(parser *parse, const char *before, const char *after, const char *const *texts,
                           size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ar_error error = {""};
        char sentence[256];
        int64_t value = -7;
        snprintf(sentence, sizeof sentence, "x: %s'%s'%s", before, texts[i], after);
        cr_expect_eq(parse(texts[i], "x", &value, &error), AR_INVALID, "'%s' is accepted as %" PRId64,
                     texts[i], value);
        cr_expect_str_eq(error.text, sentence, "'%s' says: %s", texts[i], error.text);
        cr_expect_eq(value, -7, "'%s' has touched the value", texts[i]);
        cr_expect_eq(parse(texts[i], "x", &value, NULL), AR_INVALID, "'%s' without an error", texts[i]);
    }
}

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- Sizes and counts -------------------------------------------------------------------------------- */

Test(units, sizes_are_exact)
{
    static const struct accepted cases[] = {
        {"0", 0},
        {"4096", 4096},
        {"007", 7},
        {"512B", 512},
        {"64KiB", 65536},
        {"64K", 65536},
        {"64kB", 64000},
        {"8M", 8388608},
        {"8MiB", 8388608},
        {"8MB", 8000000},
        {"1.5GiB", 1610612736},
        {"2G", 2147483648},
        {"2GB", 2000000000},
        {"1T", 1099511627776},
        {"1TiB", 1099511627776},
        {"1TB", 1000000000000},
        {"0.5KiB", 512},
        {"1.0", 1},
        {"0.001kB", 1},
        {"0.0K", 0},
        {"1.000000000001TB", 1000000000001},
        {"0.0009765625KiB", 1},
        {"0.0000000000009094947017729282379150390625TiB", 1},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775807.000", INT64_MAX},
        {"9223372.036854775807TB", INT64_MAX},
        {"8388607.9999999999990905052982270717620849609375TiB", INT64_MAX}};
    expect_accepted(ar_parse_size, cases, LENGTH(cases));
}

Test(units, sizes_refused)
{
    static const char *const malformed[] = {"",      " 4",    "4 ",    "4 KiB",  "+4",  "-1",  "12Q",
                                            "64KB",  "64k",   "64kib", "64KiBs", "KiB", ".5K", "5.K",
                                            "1.2.3", "1,000", "0x10",  "nan",    "inf", "1e30"};
    static const char *const fractions[] = {"1.3", "0.3KiB", "0.00000000000000000001KiB"};
    static const char *const beyond[] = {"9223372036854775808", "8388608TiB", "9223372.036854775808TB",
                                         "99999999999999999999999999999999"};
    expect_refused(ar_parse_size, "expected a size such as 64KiB, got ", "", malformed, LENGTH(malformed));
    expect_refused(ar_parse_size, "expected a whole number of bytes, got ", "", fractions, LENGTH(fractions));
    expect_refused(ar_parse_size, "", " is beyond 2^63-1", beyond, LENGTH(beyond));
}

Test(units, counts_are_exact)
{
    static const struct accepted cases[] = {
        {"0", 0},
        {"0e999999999999", 0},
        {"1000", 1000},
        {"1e6", 1000000},
        {"1E6", 1000000},
        {"1e+6", 1000000},
        {"7.5e9", 7500000000},
        {"0.5e1", 5},
        {"0.00005e5", 5},
        {"50000e-4", 5},
        {"5.0", 5},
        {"1.23456789012345678e17", 123456789012345678},
        {"9007199254740993", 9007199254740993}, /* 2^53 + 1, not a double */
        {"9223372036854775807", INT64_MAX},
        {"9.223372036854775807e18", INT64_MAX},
        {"9223372036854775807000e-3", INT64_MAX}};
    expect_accepted(ar_parse_count, cases, LENGTH(cases));
}

Test(units, counts_refused)
{
    static const char *const malformed[] = {"",     " 4",  "4 ", "+4",  "-1",    "12Q", "4K",
                                            "0x10", "nan", "1e", "1e-", "1e5.5", "e5"};
    static const char *const fractions[] = {"0.5", "7.55e1", "1e-1", "1e-999999999999",
                                            "1000000000000000000.5"};
    static const char *const beyond[] = {"9223372036854775808", "1e19", "1e30", "1e99999999999999999999"};
    expect_refused(ar_parse_count, "expected a count such as 1000 or 7.5e9, got ", "", malformed,
                   LENGTH(malformed));
    expect_refused(ar_parse_count, "expected a whole number, got ", "", fractions, LENGTH(fractions));
    expect_refused(ar_parse_count, "", " is beyond 2^63-1", beyond, LENGTH(beyond));
}

Test(units, a_long_number_is_read_and_a_long_sentence_is_cut)
{
    enum { ZEROS = 100000 };
    char *text = ar_alloc(ZEROS + 16, 1);
    memset(text, '0', ZEROS);
    memcpy(text + ZEROS, "12.0", 5);
    int64_t value = 0;
    cr_assert_eq(ar_parse_count(text, "x", &value, NULL), AR_OK);
    cr_assert_eq(value, 12);
    struct ar_error error;
    text[ZEROS] = 'x';
    cr_assert_eq(ar_parse_count(text, "x", &value, &error), AR_INVALID);
    cr_assert_lt(strlen(error.text), 200);
    free(text);
}

/* ---- Whole numbers and lists ------------------------------------------------------------------------- */

Test(units, ints_in_a_range)
{
    static const struct {
        const char *text;
        int64_t low, high, value;
        const char *sentence; /* NULL: accepted */
    } cases[] = {{"0", 0, 3, 0, NULL},
                 {"3", 0, 3, 3, NULL},
                 {"1e3", 0, 1000, 1000, NULL},
                 {"-2", -5, 5, -2, NULL},
                 {"9223372036854775807", 1, INT64_MAX, INT64_MAX, NULL},
                 {"7", 0, 3, 0, "root: expected 0..3, got 7"},
                 {"-1", 0, 3, 0, "root: expected 0..3, got -1"},
                 {"-6", -5, 5, 0, "root: expected -5..5, got -6"},
                 {"two", 0, 3, 0, "root: expected 0..3, got 'two'"},
                 {"", 0, 3, 0, "root: expected 0..3, got ''"},
                 {"1 ", 0, 3, 0, "root: expected 0..3, got '1 '"},
                 {"1.5", 0, 3, 0, "root: expected 0..3, got '1.5'"},
                 {"--1", -5, 5, 0, "root: expected -5..5, got '--1'"},
                 {"0", 1, INT64_MAX, 0, "root: expected at least 1, got 0"},
                 {"99999999999999999999", 0, 3, 0, "root: expected 0..3, got 99999999999999999999"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct ar_error error = {""};
        int64_t value = -7;
        enum ar_status status =
            ar_parse_int(cases[i].text, "root", cases[i].low, cases[i].high, &value, &error);
        if (cases[i].sentence) {
            cr_expect_eq(status, AR_INVALID, "'%s'", cases[i].text);
            cr_expect_eq(value, -7, "'%s'", cases[i].text);
            cr_expect_str_eq(error.text, cases[i].sentence);
        } else {
            cr_expect(status == AR_OK && value == cases[i].value, "'%s': %" PRId64, cases[i].text, value);
        }
    }
}

Test(units, lists)
{
    static const struct {
        const char *text, *values;
    } cases[] = {{"4", "4"},
                 {"1..5", "1 2 3 4 5"},
                 {"1,2,5..8", "1 2 5 6 7 8"},
                 {"8,1..2,8", "8 1 2 8"},
                 {"3..3", "3"},
                 {"1e1,1e1..1.2e1", "10 10 11 12"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t *values = NULL;
        int n = 0;
        struct ar_error error = {""};
        cr_assert_eq(ar_parse_list(cases[i].text, "ranks", 1, 64, &values, &n, &error), AR_OK, "%s",
                     error.text);
        struct ar_text shown = {0};
        for (int j = 0; j < n; j++)
            ar_text_add(&shown, "%s%" PRId64, j ? " " : "", values[j]);
        cr_expect_str_eq(shown.data, cases[i].values);
        ar_text_free(&shown);
        free(values);
    }
}

Test(units, lists_refused)
{
#define LIST "ranks: expected a list such as 1,2,5..8 of numbers in 1..64, got "
    static const struct refused cases[] = {{"", LIST "''"},
                                           {"65", LIST "'65'"},
                                           {"1..65", LIST "'1..65'"},
                                           {"0,1", LIST "'0' in '0,1'"},
                                           {"1,,2", LIST "'' in '1,,2'"},
                                           {"1,2,", LIST "'' in '1,2,'"},
                                           {"1, 2", LIST "' 2' in '1, 2'"},
                                           {"8..1", LIST "'8..1'"},
                                           {"1..", LIST "'1..'"},
                                           {"..4", LIST "'..4'"},
                                           {"1...4", LIST "'1...4'"},
                                           {"1..2..3", LIST "'1..2..3'"},
                                           {"-1", LIST "'-1'"},
                                           {"a", LIST "'a'"}};
#undef LIST
    int64_t *values = NULL;
    int n = -7;
    struct ar_error error;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        cr_expect_eq(ar_parse_list(cases[i].text, "ranks", 1, 64, &values, &n, &error), AR_INVALID, "'%s'",
                     cases[i].text);
        cr_expect_str_eq(error.text, cases[i].sentence, "'%s' says: %s", cases[i].text, error.text);
        cr_expect(values == NULL && n == -7, "'%s'", cases[i].text);
    }
}

Test(units, lists_have_a_most)
{
    int64_t *values = NULL;
    int n = 0;
    struct ar_error error;
    cr_assert_eq(ar_parse_list("1..1048576", "n", 1, INT64_MAX, &values, &n, &error), AR_OK);
    cr_expect_eq(n, 1048576);
    cr_expect_eq(values[n - 1], 1048576);
    free(values);
    static const char *const more[] = {"1..1048577", "0,1..1048576", "0..9223372036854775807"};
    for (size_t i = 0; i < LENGTH(more); i++) {
        cr_expect_eq(ar_parse_list(more[i], "n", 0, INT64_MAX, &values, &n, &error), AR_INVALID, "%s",
                     more[i]);
        cr_expect(strstr(error.text, "at most 1,048,576 values") && strstr(error.text, more[i]), "%s",
                  error.text);
    }
}

/* ---- Printing ---------------------------------------------------------------------------------------- */

Test(units, formatted_sizes)
{
    static const struct {
        uint64_t bytes;
        const char *about, *exact;
    } cases[] = {{0, "0 B", "0"},
                 {1, "1 B", "1"},
                 {512, "512 B", "512"},
                 {1000, "1000 B", "1000"},
                 {1023, "1023 B", "1023"},
                 {1024, "1 KiB", "1KiB"},
                 {1025, "1.00 KiB", "1025"},
                 {1536, "1.5 KiB", "1536"},
                 {1280, "1.25 KiB", "1280"},
                 {65536, "64 KiB", "64KiB"},
                 {9984, "9.75 KiB", "9984"},
                 {10239, "10.0 KiB", "10239"},
                 {100000, "97.7 KiB", "100000"},
                 {102912, "100.5 KiB", "102912"},
                 {1048575, "1.00 MiB", "1048575"},
                 {1572864, "1.5 MiB", "1536KiB"},
                 {1023 * 1024, "1023 KiB", "1023KiB"},
                 {UINT64_C(1) << 31, "2 GiB", "2GiB"},
                 {UINT64_C(13207024435), "12.3 GiB", "13207024435"},
                 {UINT64_C(5) << 50, "5120 TiB", "5120TiB"},
                 {UINT64_MAX, "16777216.0 TiB", "18446744073709551615"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char text[AR_UNITS_TEXT];
        cr_expect_str_eq(ar_format_size(text, cases[i].bytes), cases[i].about);
        cr_expect_str_eq(ar_format_size_exact(text, cases[i].bytes), cases[i].exact);
    }
}

Test(units, exact_sizes_read_back)
{
    char text[AR_UNITS_TEXT];
    for (int shift = 0; shift < 63; shift++)
        for (int64_t around = -2; around <= 2; around++) {
            int64_t bytes = ((int64_t)1 << shift) + around, back = -1;
            if (bytes < 0)
                continue;
            ar_format_size_exact(text, (uint64_t)bytes);
            cr_assert_eq(ar_parse_size(text, "size", &back, NULL), AR_OK, "%s", text);
            cr_assert_eq(back, bytes, "%s read back as %" PRId64, text, back);
        }
}

Test(units, formatted_counts)
{
    static const struct {
        uint64_t count;
        const char *text;
    } counts[] = {{0, "0"},
                  {999, "999"},
                  {1000, "1,000"},
                  {124439808, "124,439,808"},
                  {UINT64_MAX, "18,446,744,073,709,551,615"}};
    char text[AR_UNITS_TEXT];
    for (size_t i = 0; i < LENGTH(counts); i++)
        cr_expect_str_eq(ar_format_count(text, counts[i].count), counts[i].text);
}

/* ---- Errors ------------------------------------------------------------------------------------------ */

Test(error, sentences)
{
    struct ar_error error;
    cr_expect_eq(ar_fail(&error, AR_FAILED, "expected %d, got %d", 3, 4), AR_FAILED);
    cr_expect_str_eq(error.text, "expected 3, got 4");
    cr_expect_eq(ar_fail(&error, AR_SYSTEM, "reading: %s", error.text), AR_SYSTEM);
    cr_expect_str_eq(error.text, "reading: expected 3, got 4", "an error may be wrapped in place");
    cr_expect_eq(ar_fail(NULL, AR_NO_MEMORY, "nobody reads this"), AR_NO_MEMORY);
}

Test(error, places)
{
    struct ar_error error;
    cr_expect_eq(ar_fail_at(&error, "m.json", 3, 14, "expected a %s", "number"), AR_INVALID);
    cr_expect_str_eq(error.text, "m.json:3:14: expected a number");
    ar_fail_at(&error, "m.json", 3, 0, "no layers");
    cr_expect_str_eq(error.text, "m.json:3: no layers");
    ar_fail_at(&error, "m.json", 0, 0, "cannot be read");
    cr_expect_str_eq(error.text, "m.json: cannot be read");
    ar_fail_at(&error, "outer", 1, 2, "%s", error.text);
    cr_expect_str_eq(error.text, "outer:1:2: m.json: cannot be read");
    cr_expect_eq(ar_fail_at(NULL, "m.json", 1, 1, "nobody reads this"), AR_INVALID);
}

Test(error, long_sentences_end_in_dots)
{
    struct ar_error error;
    ar_fail(&error, AR_INVALID, "%0*d", (int)sizeof error.text - 1, 1);
    cr_expect_eq(strlen(error.text), sizeof error.text - 1);
    cr_expect(error.text[sizeof error.text - 2] == '1', "what just fits is not cut");
    ar_fail(&error, AR_INVALID, "%0*d", 5000, 1);
    cr_expect_eq(strlen(error.text), sizeof error.text - 1);
    cr_expect_str_eq(error.text + sizeof error.text - 5, "0...");
}

Test(error, control_characters_are_shown)
{
    struct ar_error error;
    ar_fail(&error, AR_INVALID, "got '%s'", "a\n\x1b[31mb\x7f\t\xC3\xA4");
    cr_expect_str_eq(error.text, "got 'a\\x0a\\x1b[31mb\\x7f\\x09\xC3\xA4'");
    ar_fail(&error, AR_INVALID, "again: %s", error.text);
    cr_expect_str_eq(error.text, "again: got 'a\\x0a\\x1b[31mb\\x7f\\x09\xC3\xA4'");
    ar_fail_at(&error, "a\rb.json", 1, 2, "got '\a'");
    cr_expect_str_eq(error.text, "a\\x0db.json:1:2: got '\\x07'");
    ar_fail(&error, AR_INVALID, "%s", "");
    cr_expect_str_eq(error.text, "");
    char many[600];
    memset(many, '\n', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    ar_fail(&error, AR_INVALID, "%s", many);
    cr_expect_eq(strlen(error.text), sizeof error.text - 1, "longer once shown, and cut");
    cr_expect_str_eq(error.text + sizeof error.text - 4, "...");
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

Test(memory, is_zeroed_and_grows)
{
    struct {
        int *item;
        int n, capacity;
    } list = {0};
    for (int i = 0; i < 1000; i++) {
        AR_GROW(list.item, list.n, list.capacity);
        list.item[list.n++] = i;
    }
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(list.item[i], i);
    free(list.item);
    char *zeroed = ar_alloc(1000, 3);
    for (int i = 0; i < 3000; i++)
        cr_assert_eq(zeroed[i], 0);
    free(zeroed);
    void *nothing = ar_alloc(0, 8);
    cr_assert_not_null(nothing);
    nothing = ar_realloc(nothing, 0, 8);
    cr_assert_not_null(nothing);
    free(nothing);
}

Test(memory, is_refused_in_words)
{
    double machine = (double)ar_memory_of_machine();
    cr_assert(machine > 1e6 && machine < 1e16, "%g", machine);
    struct ar_error error = {""};
    cr_expect_eq(ar_memory_check(0, "nothing", &error), AR_OK);
    cr_expect_eq(ar_memory_check(machine, "everything", &error), AR_OK);
    cr_expect_eq(ar_memory_check(2 * machine, "too much", &error), AR_NO_MEMORY);
    cr_expect_eq(ar_memory_check(NAN, "nonsense", &error), AR_NO_MEMORY);
    cr_expect_eq(ar_memory_check(1.2e18, "the vector of 8 ranks", &error), AR_NO_MEMORY);
    static const char begin[] = "the vector of 8 ranks needs 1.2 EB (1.0 EiB), this machine has ";
    cr_expect(strncmp(error.text, begin, strlen(begin)) == 0, "%s", error.text);
}

Test(memory, overflow_aborts, .signal = SIGABRT)
{
    ar_alloc(SIZE_MAX / 2, 3);
}
