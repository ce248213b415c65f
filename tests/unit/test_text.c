/* The base: strings, names, tables. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "collectives/base/names.h"
#include "collectives/base/table.h"
#include "collectives/base/text.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- Strings ----------------------------------------------------------------------------------------- */

Test(text, grows_and_pads)
{
    struct ar_text text = {0};
    ar_text_pad(&text, 0);
    cr_expect_eq(text.length, 0);
    ar_text_pad(&text, 3);
    ar_text_add(&text, "%d", 42);
    ar_text_pad(&text, 4); /* already wider */
    ar_text_add(&text, "\nµ");
    ar_text_pad(&text, 4);
    ar_text_add_bytes(&text, "|xyz", 1);
    cr_expect_str_eq(text.data, "   42\nµ   |");
    for (int i = 0; i < 1000; i++)
        ar_text_add(&text, "%s", "0123456789");
    cr_expect_eq(text.length, strlen(text.data));
    ar_text_free(&text);
    cr_expect(!text.data && text.length == 0 && text.capacity == 0);
}

/* The test vectors of the FNV reference code. */
Test(text, digests)
{
    cr_expect_eq(ar_digest(0, "", 0), UINT64_C(0xcbf29ce484222325));
    cr_expect_eq(ar_digest(0, "a", 1), UINT64_C(0xaf63dc4c8601ec8c));
    cr_expect_eq(ar_digest(0, "foobar", 6), UINT64_C(0x85944171f73967e8));
    /* Words in a row are not the words joined otherwise. */
    uint64_t one = ar_digest(ar_digest(0, "ab", 3), "c", 2), other = ar_digest(ar_digest(0, "a", 2), "bc", 3);
    cr_expect_neq(one, other);
}

Test(text, utf8)
{
    static const struct {
        const char *bytes, *valid;
        size_t width;
    } cases[] = {{"", "", 0},
                 {"abc", "abc", 3},
                 {"µs × 2", "µs × 2", 6},
                 {"a\xFF"
                  "b",
                  "a\uFFFDb", 3},
                 {"\xC3", "\uFFFD", 1}, /* cut short */
                 {"\xC0\xAF", "\uFFFD\uFFFD", 2},
                 /* overlong */ {"\xE0\x80\x80", "\uFFFD\uFFFD\uFFFD", 3},
                 {"\xE0\xA0\x80", "\xE0\xA0\x80", 1},
                 {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD", 3},           /* a surrogate */
                 {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD", 4}, /* beyond U+10FFFF */
                 {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80", 1}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct ar_text text = {0};
        ar_text_add_utf8(&text, cases[i].bytes);
        cr_expect_str_eq(text.data, cases[i].valid, "case %zu", i);
        cr_expect_eq(ar_text_width(text.data), cases[i].width, "case %zu", i);
        ar_text_free(&text);
    }
}

Test(text, nearest)
{
    static const char *const words[] = {"allreduce", "allgather", "alltoall",       "broadcast",
                                        "reduce",    "ring",      "reduce_scatter", "linear"};
    static const struct {
        const char *word, *nearest;
    } cases[] = {{"alreduce", "allreduce"},
                 {"allredcue", "allreduce"},
                 {"rign", "ring"},
                 {"irng", "ring"},
                 {"rin", "ring"},
                 {"RING", "ring"},
                 {"rings", "ring"},
                 {"broad", "broadcast"},
                 {"b", "broadcast"},
                 {"reduce-scatter", "reduce_scatter"},
                 {"reduce_s", "reduce_scatter"},
                 {"redcue", "reduce"},
                 {"liner", "linear"},
                 {"brodcats", "broadcast"},
                 {"all", NULL},
                 {"", NULL},
                 {"x", NULL},
                 {"rang2", NULL},
                 {"king", "ring"},
                 {"tree", NULL},
                 {"gnir", NULL},
                 {"a much longer text than any of the words", NULL}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *nearest = ar_nearest(cases[i].word, words, LENGTH(words));
        cr_expect(nearest == cases[i].nearest ||
                      (nearest && cases[i].nearest && strcmp(nearest, cases[i].nearest) == 0),
                  "'%s': '%s' for '%s'", cases[i].word, nearest ? nearest : "nothing",
                  cases[i].nearest ? cases[i].nearest : "nothing");
    }
    cr_expect_null(ar_nearest("ring", NULL, 0));
    static const char *const letter[] = {"p"};
    cr_expect_null(ar_nearest("q", letter, 1), "no letter is the same");
}

Test(text, unknown_words)
{
    static const char *const words[] = {"ring", "chain"};
    struct ar_error error;
    cr_expect_eq(ar_fail_unknown(&error, "algorithm", "rign", words, 2), AR_INVALID);
    cr_expect_str_eq(error.text, "unknown algorithm 'rign', did you mean 'ring'?");
    cr_expect_eq(ar_fail_unknown(&error, "algorithm", "tree", words, 2), AR_INVALID);
    cr_expect_str_eq(error.text, "unknown algorithm 'tree', expected one of ring, chain");
    ar_fail_unknown(&error, "algorithm", "tree", words, 1);
    cr_expect_str_eq(error.text, "unknown algorithm 'tree', expected ring");
    ar_fail_unknown(&error, "algorithm", "tree", words, 0);
    cr_expect_str_eq(error.text, "unknown algorithm 'tree', there is none to choose");
    cr_expect_eq(ar_fail_unknown(NULL, "algorithm", "tree", words, 2), AR_INVALID);
}

/* ---- Names ------------------------------------------------------------------------------------------- */

struct thing {
    const char *name;
    int weight;
};

Test(names, of_strings_things_and_pointers)
{
    static const char *const words[] = {"ring", "chain", "tree"};
    static const struct thing things[] = {{"ring", 1}, {"chain", 2}, {"tree", 3}};
    static const struct thing *const pointers[] = {&things[0], &things[1], &things[2]};
    const struct ar_names all[] = {AR_NAMES(words, 3), AR_NAMES(things, 3), AR_NAMES_POINTED(pointers, 3)};
    for (size_t k = 0; k < LENGTH(all); k++) {
        struct ar_error error;
        int index = -7;
        for (int i = 0; i < 3; i++) {
            cr_expect_str_eq(ar_name(all[k], i), words[i], "kind %zu", k);
            cr_expect_eq(ar_names_find(all[k], words[i]), i, "kind %zu", k);
        }
        cr_expect_eq(ar_names_find(all[k], "Ring"), -1, "kind %zu", k);
        cr_expect_eq(ar_names_pick(all[k], "shape", "tree", &index, &error), AR_OK);
        cr_expect_eq(index, 2);
        cr_expect_eq(ar_names_pick(all[k], "shape", "chian", &index, &error), AR_INVALID);
        cr_expect_str_eq(error.text, "unknown shape 'chian', did you mean 'chain'?");
        cr_expect_eq(index, 2, "a refusal leaves the output alone");
    }
}

Test(names, lists)
{
    static const char *const words[] = {"ring", "chain", "tree"};
    static const struct {
        const char *list, *picked, *sentence;
    } cases[] = {{"ring", "0", NULL},
                 {"tree,ring", "20", NULL},
                 {"all", "012", NULL},
                 {"ring,ring", NULL, "shape 'ring' is given twice"},
                 {"ring,chain,tree,ring", NULL, "shape 'ring' is given twice"},
                 {"ring,tre", NULL, "unknown shape 'tre', did you mean 'tree'?"},
                 {"", NULL, "unknown shape '', expected one of ring, chain, tree"},
                 {"ring,", NULL, "unknown shape '', expected one of ring, chain, tree"},
                 {"ring,all", NULL, "unknown shape 'all', expected one of ring, chain, tree"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct ar_error error = {""};
        int index[3], n = 0;
        enum ar_status status =
            ar_names_pick_list(AR_NAMES(words, 3), "shape", cases[i].list, index, &n, &error);
        if (cases[i].sentence) {
            cr_expect_eq(status, AR_INVALID, "'%s'", cases[i].list);
            cr_expect_str_eq(error.text, cases[i].sentence);
            continue;
        }
        cr_expect(status == AR_OK && n == (int)strlen(cases[i].picked), "'%s': %s", cases[i].list,
                  error.text);
        for (int j = 0; j < n; j++)
            cr_expect_eq(index[j], cases[i].picked[j] - '0', "'%s'", cases[i].list);
    }
}

/* ---- Tables ------------------------------------------------------------------------------------------ */

Test(table, cells)
{
    static const struct ar_column columns[] = {{"a", "a", 0}, {"b", "b", 0}, {"c", "c", 2}};
    struct ar_table table;
    ar_table_init(&table, "rows", NULL, columns, LENGTH(columns));
    cr_assert_eq(table.nrows, 0);
    for (int row = 0; row < 100; row++) {
        ar_table_row(&table);
        ar_table_text(&table, "row %d", row);
        if (row % 2)
            ar_table_int(&table, INT64_MIN + row); /* the rest stays null */
    }
    cr_assert_eq(table.nrows, 100);
    for (int row = 0; row < 100; row++) {
        char name[16];
        snprintf(name, sizeof name, "row %d", row);
        cr_assert_eq(ar_table_cell(&table, row, 0)->kind, AR_CELL_TEXT);
        cr_assert_str_eq(ar_table_cell(&table, row, 0)->text, name);
        const struct ar_cell *second = ar_table_cell(&table, row, 1);
        cr_assert_eq(second->kind, row % 2 ? AR_CELL_INT : AR_CELL_NULL);
        cr_assert(row % 2 == 0 || second->integer == INT64_MIN + row);
        cr_assert_eq(ar_table_cell(&table, row, 2)->kind, AR_CELL_NULL);
    }
    ar_table_free(&table);
    cr_assert(table.nrows == 0 && !table.cell);
}

Test(table, kinds)
{
    static const struct ar_column columns[] = {{"a", "a", 0}};
    struct ar_table table;
    ar_table_init(&table, "rows", NULL, columns, 1);
    const double reals[] = {0.25, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < LENGTH(reals); i++) {
        ar_table_row(&table);
        ar_table_real(&table, reals[i]);
    }
    ar_table_row(&table);
    ar_table_bool(&table, true);
    ar_table_row(&table);
    ar_table_text(&table, "%s", "");
    ar_table_row(&table);
    ar_table_text(&table, "bad \xFF byte");
    ar_table_row(&table);
    ar_table_ranges(&table, "1-3,8");
    ar_table_row(&table);
    ar_table_ranges(&table, NULL);
    static const enum ar_cell_kind kinds[] = {AR_CELL_REAL, AR_CELL_NULL,   AR_CELL_NULL,
                                              AR_CELL_NULL, AR_CELL_BOOL,   AR_CELL_TEXT,
                                              AR_CELL_TEXT, AR_CELL_RANGES, AR_CELL_NULL};
    for (int row = 0; row < table.nrows; row++)
        cr_expect_eq(ar_table_cell(&table, row, 0)->kind, kinds[row], "row %d", row);
    cr_expect_eq(ar_table_cell(&table, 0, 0)->real, 0.25);
    cr_expect(ar_table_cell(&table, 4, 0)->yes);
    cr_expect_str_eq(ar_table_cell(&table, 5, 0)->text, "");
    cr_expect_str_eq(ar_table_cell(&table, 6, 0)->text, "bad \uFFFD byte");
    cr_expect_str_eq(ar_table_cell(&table, 7, 0)->text, "1-3,8");
    ar_table_free(&table);
}
