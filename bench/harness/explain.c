#include "bench/harness/explain.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/base/text.h"
#include "collectives/draw/steps.h"

enum { ELEM_BYTES = 4, FEW_SEGMENTS = 3 };

/* ---- The schedule ------------------------------------------------------------------------------------ */

enum ar_status ar_explain_file(const char *path, int64_t nranks, int64_t root, struct ar_explained *explained,
                               struct ar_error *error)
{
    enum ar_status status = ar_schedule_read(path, &explained->file, error);
    if (status != AR_OK)
        return status;
    const struct ar_problem *p = &explained->file.problem;
    if ((nranks >= 0 && nranks != p->nranks) || (root >= 0 && root != p->root))
        return ar_fail(error, AR_INVALID, "%.400s is for %d ranks and root %d, leave out -n and --root", path,
                       p->nranks, p->root);
    return ar_schedule_of_problem(&explained->schedule, &explained->file.algorithm, p, error);
}

enum ar_status ar_explain_choice(const struct ar_choice *choice, int nranks, int root, int64_t count,
                                 struct ar_explained *explained, struct ar_error *error)
{
    const struct ar_algorithm *algorithm = choice->algorithm;
    if (count >= 0)
        return ar_schedule_init(&explained->schedule, choice, nranks, root,
                                (struct ar_size){count, 0, ELEM_BYTES}, error);
    struct ar_problem problem = {.nranks = nranks, .root = root};
    for (int i = 0; i < algorithm->nparams; i++) {
        bool bytes = algorithm->params[i].unit == AR_PARAM_BYTES;
        if (bytes && choice->given[i])
            return ar_fail(error, AR_INVALID, "%s:%s: %s needs --count, the elements of the vector",
                           ar_collectives[algorithm->collective].name, algorithm->name,
                           algorithm->params[i].name);
        problem.param[i] = bytes ? FEW_SEGMENTS : choice->value[i];
        explained->cut |= bytes;
    }
    return ar_schedule_of_problem(&explained->schedule, algorithm, &problem, error);
}

void ar_explain_free(struct ar_explained *explained)
{
    ar_schedule_free(&explained->schedule);
    ar_schedule_file_free(&explained->file);
}

/* ---- The drawing ------------------------------------------------------------------------------------- */

enum ar_status ar_explain_fits(const struct ar_schedule *schedule, struct ar_error *error)
{
    int nranks = schedule->problem.nranks;
    int64_t most = (1 << 24) / nranks, nblocks = ar_nblocks(schedule), rounds = ar_nrounds(schedule);
    if (nblocks > most || rounds > most)
        return ar_fail(error, AR_INVALID,
                       "explain: of %d ranks at most %" PRId64 " blocks and rounds can be drawn, got %" PRId64
                       " blocks and %" PRId64 " rounds",
                       nranks, most, nblocks, rounds);
    /* After every round every block of every rank is looked at. */
    if (nranks * nblocks > (INT64_C(1) << 31) / (rounds > 0 ? rounds : 1))
        return ar_fail(error, AR_INVALID,
                       "explain: expected at most 2^31 ranks x blocks x rounds, got %d x %" PRId64
                       " x %" PRId64,
                       nranks, nblocks, rounds);
    return AR_OK;
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* "13 elements: 3 in blocks 0-2, 2 in blocks 3,4": equal parts have one or two lengths. */
static void add_lengths(const struct ar_layout *layout, struct ar_text *text)
{
    int64_t offset, shortest, longest, nblocks = ar_layout_nblocks(layout);
    ar_layout_block(layout, nblocks - 1, &offset, &shortest);
    ar_layout_block(layout, 0, &offset, &longest);
    ar_text_add(text, "%" PRId64 " element%s%s:", layout->count, plural(layout->count),
                layout->rows > 1 ? " per rank" : "");
    for (int64_t length = longest; length >= shortest; length--) {
        struct ar_text list = {0};
        struct ar_ranges ranges = {&list};
        for (int64_t block = 0; block < nblocks; block++) {
            int64_t here;
            ar_layout_block(layout, block, &offset, &here);
            if (here == length)
                ar_ranges_add(&ranges, block);
        }
        ar_ranges_end(&ranges);
        if (ranges.n > 0)
            ar_text_add(text, "%s %" PRId64 " in block%s %s", length < longest ? "," : "", length,
                        plural(ranges.n), list.data);
        ar_text_free(&list);
    }
    ar_text_add(text, "\n");
}

/* ", fold=half (full|half)" */
static void add_word(const struct ar_param *param, int64_t value, struct ar_text *text)
{
    ar_text_add(text, ", %s=%s (", param->name, param->words[value]);
    for (int64_t w = 0; w <= param->max; w++)
        ar_text_add(text, "%s%s", w ? "|" : "", param->words[w]);
    ar_text_add(text, ")");
}

static void add_heading(const struct ar_schedule *schedule, struct ar_text *text)
{
    const struct ar_algorithm *algorithm = schedule->algorithm;
    const struct ar_problem *p = &schedule->problem;
    int64_t rounds = ar_nrounds(schedule), nblocks = ar_nblocks(schedule);
    ar_text_add(text, "%s:%s: %s\n", ar_collectives[algorithm->collective].name, algorithm->name,
                algorithm->summary);
    ar_text_add(text, "%d rank%s, ", p->nranks, plural(p->nranks));
    if (ar_collective_rooted(algorithm->collective))
        ar_text_add(text, "root %d, ", p->root);
    ar_text_add(text, "%" PRId64 " block%s, %" PRId64 " round%s", nblocks, plural(nblocks), rounds,
                plural(rounds));
    for (int i = 0; i < algorithm->nparams; i++)
        if (algorithm->params[i].unit == AR_PARAM_WORD)
            add_word(&algorithm->params[i], p->param[i], text);
    ar_text_add(text, "\n");
}

enum ar_status ar_explain_text(const struct ar_explained *explained, int64_t count, int width,
                               struct ar_report *report, struct ar_error *error)
{
    const struct ar_schedule *schedule = &explained->schedule;
    struct ar_text *text = &report->body;
    if (explained->cut)
        ar_text_add(&report->notes, "Drawn with %d segments; --count N shows how many a vector has.\n",
                    FEW_SEGMENTS);
    add_heading(schedule, text);
    if (count >= 0) {
        struct ar_layout layout;
        int64_t *offsets = NULL;
        enum ar_status status = ar_schedule_layout(schedule, count, NULL, &offsets, &layout, error);
        if (status != AR_OK)
            return status;
        add_lengths(&layout, text);
    }
    ar_text_add(text, "\n");
    return ar_draw_steps(schedule, width, text, error);
}

/* ---- The table --------------------------------------------------------------------------------------- */

static const struct ar_column columns[] = {{"round", "round", 0}, {"rank", "rank", 0}, {"step", "step", 0}};

void ar_explain_table(const struct ar_schedule *schedule, struct ar_report *report)
{
    struct ar_table *table = ar_report_table(report, "steps", NULL, columns, 3);
    struct ar_sink sink = {.full = ar_sink_grow};
    for (int64_t k = 0; k < ar_nrounds(schedule); k++)
        for (int rank = 0; rank < schedule->problem.nranks; rank++) {
            sink.n = 0;
            ar_schedule_round(schedule, rank, k, &sink);
            for (int i = 0; i < sink.n; i++) {
                struct ar_text text = {0};
                ar_step_write(&sink.step[i], &text);
                ar_table_row(table);
                ar_table_int(table, k + 1); /* as the drawing and the proof count them */
                ar_table_int(table, rank);
                ar_table_text(table, "%s", text.data);
                ar_text_free(&text);
            }
        }
    free(sink.step);
}
