/* The catalogue of algorithms, pictures of schedules, and MPI libraries' choices against the model. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "bench/harness/catalogue.h"
#include "bench/harness/costing.h"
#include "bench/harness/libraries.h"
#include "collectives/draw/picture.h"
#include "collectives/registry.h"

/* ---- Pictures ---------------------------------------------------------------------------------------- */

/* Pipelines with one segment. False: there is no such schedule. */
static bool picture_of(const struct ar_algorithm *algorithm, int nranks, struct ar_text *text)
{
    struct ar_problem problem = {.nranks = nranks};
    struct ar_schedule schedule;
    struct ar_error error;
    for (int i = 0; i < algorithm->nparams; i++)
        problem.param[i] = algorithm->params[i].unit == AR_PARAM_BYTES ? 1 : algorithm->params[i].fallback;
    if (ar_schedule_of_problem(&schedule, algorithm, &problem, &error) != AR_OK)
        return false;
    ar_picture(&schedule, text);
    ar_schedule_free(&schedule);
    return true;
}

Test(catalogue, pictures)
{
    static const struct {
        const struct ar_algorithm *algorithm;
        int nranks;
        const char *picture;
    } known[] = {
        {&ar_allgather_ring, 1, "nothing"},
        {&ar_allgather_ring, 2, "r->r+1"},
        {&ar_allgather_ring, 5, "r->r+1, P-1 times"},
        {&ar_allreduce_ring, 6, "r->r+1, 2(P-1) times"},
        {&ar_allreduce_recursive_doubling, 8, "r<->r^1; r<->r^2; r<->r^4"},
        {&ar_allreduce_recursive_doubling, 3, "0->1; 1->2 2->1; 1->0"},
        {&ar_reduce_scatter_swing, 8, "r<->r^1; even r->r-1, odd r->r+1; even r->r+3, odd r->r-3"},
        {&ar_broadcast_binomial, 8, "0->4; 0->2 4->6; even r->r+1"},
        {&ar_broadcast_scatter_allgather, 2, "0->1; r->r+1"},
        {&ar_allreduce_ring, 2, "r->r+1, twice"},
        {&ar_broadcast_binomial, 5, "0->4; 0->2; 0->1 2->3"},
        {&ar_scatter_linear, 4, "0->1,2,3"},
        {&ar_alltoall_linear, 5, "r->r+1..4"},
        {&ar_alltoall_pairwise, 6, "r->r+k for k = 1..P-1"},
        {&ar_barrier_dissemination, 8, "r->r+1; r->r+2; r->r+4"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct ar_text text = {0};
        cr_assert(picture_of(known[i].algorithm, known[i].nranks, &text));
        cr_expect_str_eq(text.data, known[i].picture, "%s of %d ranks: %s", known[i].algorithm->name,
                         known[i].nranks, text.data);
        ar_text_free(&text);
    }
}

static int occurrences(const char *text, const char *word)
{
    int n = 0;
    for (; (text = strstr(text, word)); text += strlen(word))
        n++;
    return n;
}

/* What is written with P does not just happen to be so for the 8 ranks that the catalogue shows. */
Test(catalogue, pictures_with_P_hold_for_other_numbers_of_ranks)
{
    int general = 0;
    for (int i = 0; i < ar_nalgorithms; i++) {
        struct ar_text eight = {0}, sixteen = {0};
        cr_assert(picture_of(ar_algorithms[i], 8, &eight) && picture_of(ar_algorithms[i], 16, &sixteen), "%s",
                  ar_algorithms[i]->name);
        general += occurrences(eight.data, "P-1");
        cr_expect_eq(occurrences(eight.data, "P-1"), occurrences(sixteen.data, "P-1"), "%s: %s, but %s",
                     ar_algorithms[i]->name, eight.data, sixteen.data);
        ar_text_free(&eight);
        ar_text_free(&sixteen);
    }
    cr_assert_geq(general, 5);
}

/* ---- The page ---------------------------------------------------------------------------------------- */

Test(catalogue, every_algorithm_once)
{
    struct ar_text page = {0}, entry = {0};
    struct ar_error error;
    cr_assert_eq(ar_catalogue_write(&page, &error), AR_OK, "%s", error.text);
    cr_expect_eq(occurrences(page.data, "\n  - picture: `"), ar_nalgorithms);
    cr_expect_eq(occurrences(page.data, "\n  - source: "), ar_nalgorithms);
    int sum = 0;
    for (int i = 0; i < AR_NCOLLECTIVES; i++)
        sum += ar_collective_algorithms((enum ar_collective_id)i);
    cr_expect_eq(sum, ar_nalgorithms);
    for (int i = 0; i < ar_nalgorithms; i++) {
        const char *collective = ar_collectives[ar_algorithms[i]->collective].name;
        entry.length = 0;
        ar_text_add(&entry, "\n- [`%s`](%s/%s.c): ", ar_algorithms[i]->name, collective,
                    ar_algorithms[i]->name);
        cr_expect_eq(occurrences(page.data, entry.data), 1, "%s", entry.data);
    }
    ar_text_free(&page);
    ar_text_free(&entry);
}

/* ---- Libraries --------------------------------------------------------------------------------------- */

static const enum ar_collective_id compared[] = {AR_COLLECTIVE_allreduce,      AR_COLLECTIVE_broadcast,
                                                 AR_COLLECTIVE_reduce,         AR_COLLECTIVE_allgather,
                                                 AR_COLLECTIVE_reduce_scatter, AR_COLLECTIVE_alltoall};
enum { NCOMPARED = sizeof compared / sizeof *compared };

static int index_of(const char *library)
{
    int i = 0;
    while (strcmp(ar_libraries[i].name, library) != 0)
        cr_assert_lt(++i, ar_nlibraries);
    return i;
}

/* Read from the libraries' sources: what they run for so many bytes of floats. */
Test(catalogue, libraries_choices)
{
    static const struct {
        const char *library;
        enum ar_collective_id collective;
        int nranks;
        int64_t bytes; /* of the full vector */
        const char *choice;
    } known[] = {
        {"openmpi", AR_COLLECTIVE_allreduce, 8, 8188, "recursive_doubling"},
        {"openmpi", AR_COLLECTIVE_allreduce, 8, 8192, "rabenseifner:fold=half"},
        {"openmpi", AR_COLLECTIVE_allreduce, 4, 12, "recursive_doubling"}, /* the ring falls back */
        {"openmpi", AR_COLLECTIVE_allreduce, 256, 4092, "reduce_broadcast"},
        {"openmpi", AR_COLLECTIVE_alltoall, 16, 16 * 511, "bruck"}, /* the size is one block's */
        {"openmpi", AR_COLLECTIVE_alltoall, 16, 16 * 512, "linear_sync:window=1048576"},
        {"openmpi", AR_COLLECTIVE_allgather, 6, 1024, "bruck"}, /* for recursive doubling */
        {"openmpi", AR_COLLECTIVE_reduce, 256, 16380, "in_order_binary:segment=1TiB"},
        {"mpich", AR_COLLECTIVE_allreduce, 16, 8, "recursive_doubling"},
        {"mpich", AR_COLLECTIVE_allreduce, 16, 60, "recursive_doubling"}, /* fewer elements than ranks */
        {"mpich", AR_COLLECTIVE_allreduce, 16, 64, "rabenseifner"},
        {"mpich", AR_COLLECTIVE_broadcast, 16, 524288, "scatter_recursive_doubling"},
        {"mpich", AR_COLLECTIVE_broadcast, 16, 524292, "scatter_allgather"},
        {"mpich", AR_COLLECTIVE_broadcast, 12, 524288, "scatter_allgather"},
        {"mpich", AR_COLLECTIVE_alltoall, 8, 8 * 256, "bruck"},
        {"mpich", AR_COLLECTIVE_alltoall, 8, 8 * 260, "linear_sync:window=32"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct ar_choice choice;
        struct ar_error error;
        char name[AR_CHOICE_TEXT];
        int64_t last;
        cr_assert_eq(ar_library_choose(index_of(known[i].library), known[i].collective, known[i].nranks,
                                       known[i].bytes / 4, 4, &choice, &last, &error),
                     AR_OK, "%s", error.text);
        cr_expect_str_eq(ar_choice_name(&choice, name), known[i].choice, "%zu: %s", i, name);
    }
}

/* Its ranges follow one another, and within one the choice stays. */
Test(catalogue, libraries_ranges)
{
    static const int nranks[] = {4, 8, 16, 64, 256};
    for (int l = 0; l < ar_nlibraries; l++)
        for (int c = 0; c < NCOMPARED; c++)
            for (int n = 0; n < 5; n++)
                for (int64_t count = 1, last; count < INT64_MAX; count = last < INT64_MAX ? last + 1 : last) {
                    struct ar_choice first_choice, last_choice;
                    struct ar_error error;
                    int64_t same;
                    cr_assert_eq(
                        ar_library_choose(l, compared[c], nranks[n], count, 4, &first_choice, &last, &error),
                        AR_OK, "%s", error.text);
                    cr_assert_geq(last, count);
                    cr_assert_eq(
                        ar_library_choose(l, compared[c], nranks[n], last, 4, &last_choice, &same, &error),
                        AR_OK);
                    cr_expect_eq(last_choice.algorithm, first_choice.algorithm);
                    cr_expect_eq(same, last);
                }
    struct ar_choice choice;
    struct ar_error error;
    int64_t last;
    cr_expect_eq(ar_library_choose(0, AR_COLLECTIVE_scatter, 8, 1, 4, &choice, &last, &error), AR_INVALID);
    cr_expect_str_eq(error.text, "what Open MPI 4.1 chooses for scatter on 8 ranks is not known here");
    cr_expect_eq(ar_library_choose(0, AR_COLLECTIVE_barrier, 1, 1, 4, &choice, &last, NULL), AR_INVALID);
    cr_expect_eq(ar_library_choose(0, AR_COLLECTIVE_broadcast, 17, 1 << 20, 4, &choice, &last, &error),
                 AR_INVALID);
    cr_expect_str_eq(error.text, "what Open MPI 4.1 chooses for broadcast on 17 ranks is not known here: "
                                 "broadcast:scatter_recursive_doubling needs a power of two, got 17 ranks");
}

static double real(const struct ar_table *table, int row, int column)
{
    return ar_table_cell(table, row, column)->real;
}

/* The rows cover all sizes once, nothing is faster than the fastest, and who agrees is equally fast. */
Test(catalogue, comparisons)
{
    static const int nranks[] = {4, 8, 16, 64, 256};
    int rows[2] = {0};
    for (int l = 0; l < ar_nlibraries; l++)
        for (int c = 0; c < NCOMPARED; c++)
            for (int n = 0; n < 5; n++) {
                struct ar_costing costing = {.collective = compared[c],
                                             .nranks = nranks[n],
                                             .count = 1024,
                                             .type = AR_TYPE_float32,
                                             .model = ar_hockney_machines[0].model};
                struct ar_report report = {0};
                struct ar_error error;
                cr_assert_eq(ar_crossover_compare(&costing, l, &report, &error), AR_OK, "%s", error.text);
                const struct ar_table *table = &report.table[0];
                int64_t next = ar_collective_owned(compared[c]) ? 4 * nranks[n] : 4;
                for (int row = 0; row < table->nrows; row++) {
                    bool agree = ar_table_cell(table, row, 8)->yes;
                    cr_expect_eq(ar_table_cell(table, row, 0)->integer, next);
                    next = ar_table_cell(table, row, 1)->integer + 4;
                    cr_expect_geq(fmin(real(table, row, 6), real(table, row, 7)), 1 - 1e-9);
                    cr_expect_eq(agree, fmax(real(table, row, 6), real(table, row, 7)) <= 1 + 1e-6);
                    rows[agree]++;
                }
                cr_expect_eq(next, (INT64_C(1) << 30) + 4);
                ar_report_free(&report);
            }
    cr_expect_gt(rows[false], 50);
    cr_expect_gt(rows[true], 50);
}
