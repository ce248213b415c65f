/* The bench command's parts that need no MPI: its words, sampling in one process, and the report. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/bench_report.h"
#include "collectives/registry.h"

/* ---- Sizes ------------------------------------------------------------------------------------------- */

static void expect_sizes(struct ar_size_words words, const int64_t *expected, int n)
{
    int64_t *size = NULL;
    struct ar_error error;
    int got = 0;
    cr_assert_eq(ar_bench_sizes(&words, &size, &got, &error), AR_OK, "%s", error.text);
    cr_assert_eq(got, n, "expected %d sizes, got %d", n, got);
    for (int i = 0; i < n; i++)
        cr_assert_eq(size[i], expected[i], "size %d: expected %ld, got %ld", i, (long)expected[i],
                     (long)size[i]);
    free(size);
}

Test(bench, sizes_are_a_list_or_a_range_with_units_of_1024)
{
    expect_sizes((struct ar_size_words){.list = "8,64K,1e6,0,2MiB,1G", .elem_bytes = 4},
                 (int64_t[]){8, 65536, 1000000, 0, 2 << 20, 1 << 30}, 6);
    expect_sizes((struct ar_size_words){.to = "64", .elem_bytes = 4}, (int64_t[]){8, 16, 32, 64}, 4);
    expect_sizes((struct ar_size_words){.from = "3K", .to = "100K", .factor = 10, .elem_bytes = 8},
                 (int64_t[]){3072, 30720}, 2);
    expect_sizes((struct ar_size_words){.from = "0", .to = "8", .elem_bytes = 4}, (int64_t[]){0, 4, 8}, 3);
    expect_sizes((struct ar_size_words){.from = "8", .to = "8", .elem_bytes = 1}, (int64_t[]){8}, 1);
    expect_sizes(
        (struct ar_size_words){.from = "4611686018427387904", .to = "9223372036854775807", .elem_bytes = 1},
        (int64_t[]){INT64_C(1) << 62}, 1);
    int64_t *size;
    int n;
    cr_assert_eq(ar_bench_sizes(&(struct ar_size_words){.elem_bytes = 4}, &size, &n, NULL), AR_OK);
    cr_assert_eq(n, 24); /* 8 B to 64 MiB */
    free(size);
}

Test(bench, sizes_that_make_no_sense_are_refused)
{
    static const struct {
        struct ar_size_words words;
        const char *said;
    } refused[] = {
        {{.list = "8,6", .elem_bytes = 4}, "-s: expected a multiple of the element's 4 B, got 6 B"},
        {{.from = "12", .elem_bytes = 8}, "-b: expected a multiple of the element's 8 B, got 12 B"},
        {{.list = "8,,9", .elem_bytes = 1}, "-s: expected a size such as 64KiB, got ''"},
        {{.list = "8", .factor = 2, .elem_bytes = 1},
         "expected -s with a list, or a range by -b, -e and -f; got both"},
        {{.factor = 1, .elem_bytes = 1}, "-f: expected a factor of at least 2, got 1"},
        {{.to = "4", .elem_bytes = 1}, "-e: expected at least the 8 B of -b, got 4 B"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ar_error error;
        int64_t *size;
        int n;
        cr_assert_eq(ar_bench_sizes(&refused[i].words, &size, &n, &error), AR_INVALID, "%s", refused[i].said);
        cr_assert_str_eq(error.text, refused[i].said);
    }
}

/* ---- Contenders -------------------------------------------------------------------------------------- */

Test(bench, a_piece_with_a_value_belongs_to_the_algorithm_before_it)
{
    struct ar_contenders all;
    struct ar_error error;
    cr_assert_eq(
        ar_bench_contenders("rabenseifner:fold=half,library,segmented_ring:segment=64K,auto,all,ring",
                            AR_COLLECTIVE_allreduce, &all, &error),
        AR_OK, "%s", error.text);
    static const char *const typed[] = {
        "rabenseifner:fold=half", "library", "segmented_ring:segment=64K", "auto", "all", "ring"};
    cr_assert_eq(all.n, 6);
    for (int i = 0; i < 6; i++)
        cr_assert_str_eq(all.contender[i].typed, typed[i]);
    cr_assert_eq(all.contender[2].choice.value[0], 65536);
    cr_assert_eq(all.contender[3].kind, AR_CONTENDER_AUTO);
    /* Given twice, so the second piece was taken for the same algorithm. */
    cr_assert_eq(ar_bench_contenders("segmented_ring:segment=4K,segment=8K,ring", AR_COLLECTIVE_allreduce,
                                     &all, &error),
                 AR_INVALID);
    cr_assert_str_eq(error.text, "segmented_ring: 'segment' is given twice");
    cr_assert_eq(ar_bench_contenders(NULL, AR_COLLECTIVE_reduce, &all, &error), AR_OK);
    cr_assert_eq(all.n, 2);
}

static struct ar_costing problem_of(enum ar_collective_id collective, int nranks, enum ar_type type)
{
    return (struct ar_costing){.collective = collective, .nranks = nranks, .count = 1000, .type = type};
}

Test(bench, all_is_every_algorithm_that_admits_the_ranks_and_the_library)
{
    for (int c = 0; c < AR_NCOLLECTIVES; c++)
        for (int nranks = 1; nranks <= 6; nranks++) {
            struct ar_contenders all;
            struct ar_text notes = {0};
            struct ar_costing problem = problem_of((enum ar_collective_id)c, nranks, AR_TYPE_float32);
            int admitted = 0;
            for (int i = 0; i < ar_nalgorithms; i++)
                admitted += ar_algorithms[i]->collective == problem.collective &&
                            ar_algorithm_admits(ar_algorithms[i], nranks, NULL) == AR_OK;
            cr_assert_eq(ar_bench_contenders("all,library", problem.collective, &all, NULL), AR_OK);
            cr_assert_eq(ar_bench_settle(&all, &problem, ar_operator_find("sum"), false, &notes, NULL),
                         AR_OK);
            cr_assert_eq(all.n, admitted + 1, "%s, %d ranks: %d", ar_collectives[c].name, nranks, all.n);
            ar_text_free(&notes);
        }
}

Test(bench, the_library_is_left_out_or_refused_where_mpi_has_no_such_call)
{
    static const struct {
        const char *list; /* NULL: the usual ones */
        enum ar_type type;
        const char *op;
        enum ar_status status;
        bool library;
    } cases[] = {
        {NULL, AR_TYPE_float16, "sum", AR_OK, false},
        {NULL, AR_TYPE_float32, "sum", AR_OK, true},
        {NULL, AR_TYPE_int8, "avg", AR_OK, false},
        {"all", AR_TYPE_bfloat16, "max", AR_OK, false},
        {"library", AR_TYPE_float16, "sum", AR_INVALID, false},
        {"library", AR_TYPE_int8, "avg", AR_INVALID, false},
        {"library", AR_TYPE_uint64, "prod", AR_OK, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ar_contenders all;
        struct ar_text notes = {0};
        struct ar_costing problem = problem_of(AR_COLLECTIVE_allreduce, 4, cases[i].type);
        cr_assert_eq(ar_bench_contenders(cases[i].list, problem.collective, &all, NULL), AR_OK);
        cr_assert_eq(
            ar_bench_settle(&all, &problem, ar_operator_find(cases[i].op), !cases[i].list, &notes, NULL),
            cases[i].status, "case %zu", i);
        bool library = false;
        for (int j = 0; j < all.n; j++)
            library = library || all.contender[j].kind == AR_CONTENDER_LIBRARY;
        if (cases[i].status == AR_OK) {
            cr_assert_eq(library, cases[i].library, "case %zu", i);
            cr_assert_eq(!cases[i].library, notes.data && strstr(notes.data, "The library is left out: "));
        }
        ar_text_free(&notes);
    }
}

/* ---- Sampling ---------------------------------------------------------------------------------------- */

enum { CONTESTANTS = 3, RUNS = 4096 };

struct diary {
    int who[RUNS], n;
};

struct writer {
    struct diary *diary;
    int me, fails_at;
};

static enum ar_status write_down(void *context, struct ar_error *error)
{
    struct writer *writer = context;
    struct diary *diary = writer->diary;
    if (diary->n == writer->fails_at)
        return ar_fail(error, AR_SYSTEM, "no more");
    if (diary->n < RUNS)
        diary->who[diary->n++] = writer->me;
    return AR_OK;
}

static enum ar_status sample(struct diary *diary, uint64_t seed, double seconds, int fails_at,
                             struct ar_samples samples[CONTESTANTS])
{
    struct ar_contestant contestant[CONTESTANTS];
    struct writer writer[CONTESTANTS];
    struct ar_sampling how = {NULL, seconds, &seed};
    *diary = (struct diary){.n = 0};
    for (int i = 0; i < CONTESTANTS; i++) {
        writer[i] = (struct writer){diary, i, fails_at};
        contestant[i] = (struct ar_contestant){write_down, &writer[i], 0};
    }
    return ar_sample(&how, contestant, CONTESTANTS, samples, NULL);
}

Test(bench, every_round_has_every_contestant_once_in_an_order_of_its_own)
{
    static struct diary diary, again;
    struct ar_samples samples[CONTESTANTS], same[CONTESTANTS];
    cr_assert_eq(sample(&diary, 7, 1e9, -1, samples), AR_OK);
    cr_assert_eq(sample(&again, 7, 1e9, -1, same), AR_OK);
    int seen[CONTESTANTS] = {0}, rounds = diary.n / CONTESTANTS;
    for (int round = 0; round < rounds; round++) {
        int present = 0;
        for (int i = 0; i < CONTESTANTS; i++)
            present |= 1 << diary.who[round * CONTESTANTS + i];
        cr_assert_eq(present, (1 << CONTESTANTS) - 1, "round %d", round);
        seen[diary.who[round * CONTESTANTS]]++;
    }
    for (int i = 0; i < CONTESTANTS; i++) {
        cr_assert_geq(samples[i].n, AR_SAMPLES_ENOUGH);
        cr_assert_leq(samples[i].n, AR_SAMPLES_MOST);
        cr_assert_eq(samples[i].n, samples[0].n);
        cr_assert_gt(seen[i], rounds / 6, "contestant %d is first in %d of %d rounds", i, seen[i], rounds);
        for (int j = 0; j < samples[i].n; j++)
            cr_assert_gt(samples[i].time_s[j], 0);
        free(samples[i].time_s);
        free(same[i].time_s);
    }
    int shorter = diary.n < again.n ? diary.n : again.n;
    cr_assert_arr_eq(diary.who, again.who, (size_t)shorter * sizeof *diary.who);
}

Test(bench, without_time_there_are_few_samples_and_an_error_ends_it)
{
    static struct diary diary;
    struct ar_samples samples[CONTESTANTS];
    cr_assert_eq(sample(&diary, 1, 0, -1, samples), AR_OK);
    for (int i = 0; i < CONTESTANTS; i++) {
        cr_assert_eq(samples[i].n, AR_SAMPLES_FEWEST);
        free(samples[i].time_s);
    }
    cr_assert_eq(sample(&diary, 1, 0, 4, samples), AR_SYSTEM);
    cr_assert_eq(diary.n, 4);
}

/* ---- The report -------------------------------------------------------------------------------------- */

enum { SIZES = 3, EACH = 2, ROWS = SIZES * EACH };

static double raw[] = {3e-6, 1e-6, 2e-6};

static void make_rows(struct ar_bench *bench, struct ar_bench_row rows[ROWS])
{
    bench->problem = problem_of(AR_COLLECTIVE_allreduce, 4, AR_TYPE_float32);
    bench->op = ar_operator_find("sum");
    cr_assert_eq(ar_bench_contenders("library,auto", AR_COLLECTIVE_allreduce, &bench->contenders, NULL),
                 AR_OK);
    for (int i = 0; i < ROWS; i++) {
        rows[i] = (struct ar_bench_row){.contender = &bench->contenders.contender[i % EACH],
                                        .count = 250 << i / EACH,
                                        .part_count = 250 << i / EACH,
                                        .samples = {raw, 3},
                                        .time = {3, 1e-6, 3e-6, 2e-6, 1e-6, 3e-6},
                                        .to_library = {1, 0.5, 2},
                                        .sent_mean = NAN,
                                        .modelled_mean = 1500,
                                        .valid = true,
                                        .fastest = i % EACH};
        if (i % EACH)
            rows[i].ran = ar_choice_default(
                ar_algorithm_find(AR_COLLECTIVE_allreduce, i < 4 ? "recursive_doubling" : "ring"));
    }
}

static char *written(const struct ar_bench *bench, const struct ar_bench_row *rows,
                     const struct ar_format *format)
{
    struct ar_report report = {0};
    struct ar_text out = {0};
    ar_bench_report(bench, &(struct ar_environment){.binding = "not bound"}, rows, ROWS, format, &report);
    format->write(&report, &out);
    ar_report_free(&report);
    return out.data;
}

Test(bench, the_report_has_all_samples_and_rates_of_the_full_vector)
{
    struct ar_bench bench = {0};
    struct ar_bench_row rows[ROWS];
    make_rows(&bench, rows);
    char *json = written(&bench, rows, &ar_format_json);
    /* 1000 B in 2 us; times 2 (4-1)/4 */
    static const char *const has[] = {"\"raw_s\": [3e-06,1e-06,2e-06]",
                                      "\"algbw_Bps\": 500000000.0",
                                      "\"busbw_Bps\": 750000000.0",
                                      "\"total_bytes\": 1000,",
                                      "\"sent_bytes_mean\": null",
                                      "\"modelled_bytes_mean\": 1500.0",
                                      "\"ran\": \"recursive_doubling\"",
                                      "--bind-to core",
                                      "auto chose: 1000 B..1.95 KiB recursive_doubling, 3.91 KiB ring."};
    for (size_t i = 0; i < sizeof has / sizeof *has; i++)
        cr_assert(strstr(json, has[i]), "there is no %s in\n%s", has[i], json);
    free(json);
    char *csv = written(&bench, rows, &ar_format_csv), *text = written(&bench, rows, &ar_format_text);
    cr_assert(!strstr(csv, "raw_s"));
    cr_assert(strstr(text, "auto *"));
    cr_assert(strstr(text, "was checked"));
    free(csv);
    free(text);
}

Test(bench, medians_that_are_known_to_a_factor_only_are_counted)
{
    struct ar_bench bench = {0};
    struct ar_bench_row rows[ROWS];
    make_rows(&bench, rows);
    for (int wide = ROWS; wide >= 0; wide--) {
        char says[64];
        snprintf(says, sizeof says, "the interval of %d of %d medians", wide, ROWS);
        char *json = written(&bench, rows, &ar_format_json);
        cr_assert_eq(strstr(json, says) != NULL, wide > 0, "%d wide:\n%s", wide, json);
        cr_assert_eq(strstr(json, "the interval of") != NULL, wide > 0);
        free(json);
        if (wide > 0)
            rows[wide - 1].time.low = rows[wide - 1].time.high / 1.4;
    }
}

Test(bench, a_wrong_result_is_named_and_is_the_verdict)
{
    struct ar_bench bench = {0};
    struct ar_bench_row rows[ROWS];
    struct ar_error error;
    make_rows(&bench, rows);
    cr_assert_eq(ar_bench_verdict(&bench, rows, ROWS, &error), AR_OK);
    rows[3].valid = false;
    ar_fail(&rows[3].why, AR_FAILED, "rank 2, element 17 (block 1): expected 6, got 4");
    cr_assert_eq(ar_bench_verdict(&bench, rows, ROWS, &error), AR_FAILED);
    const char *said = "allreduce, 1.95 KiB, auto: rank 2, element 17 (block 1): expected 6, got 4";
    cr_assert_str_eq(error.text, said);
    char *json = written(&bench, rows, &ar_format_json);
    cr_assert(strstr(json, said) && strstr(json, "1 of 6 rows are wrong") && !strstr(json, "was checked"));
    free(json);
}
