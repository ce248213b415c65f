#include "bench/harness/explain.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/base/text.h"
#include "collectives/draw/figure.h"
#include "collectives/draw/steps.h"
#include "collectives/draw/views.h"
#include "collectives/shapes.h"

enum { ELEM_BYTES = 4, FEW_SEGMENTS = 3, USUAL_COUNT = 1 << 18 };

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

/* ", fold=half (full|half)", ", dims=2x3" */
static void add_param(const struct ar_param *param, int64_t value, struct ar_text *text)
{
    char typed[AR_UNITS_TEXT];
    ar_text_add(text, ", %s=%s", param->name, ar_param_format(param, value, typed));
    if (param->unit != AR_PARAM_WORD)
        return;
    ar_text_add(text, " (");
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
        if (algorithm->params[i].unit == AR_PARAM_WORD || ar_param_is_shape(&algorithm->params[i]))
            add_param(&algorithm->params[i], p->param[i], text);
    ar_text_add(text, "\n");
}

/* ---- The history ------------------------------------------------------------------------------------- */

static int64_t count_of(const struct ar_viewing *viewing)
{
    return viewing->count >= 0 ? viewing->count : USUAL_COUNT;
}

/* Walks and times it. Release the history also after a failure. */
static enum ar_status walk(const struct ar_schedule *schedule, const struct ar_viewing *viewing,
                           struct ar_history *history, struct ar_error *error)
{
    struct ar_layout layout;
    int64_t *offsets = NULL;
    *history = (struct ar_history){0};
    if (count_of(viewing) >
        INT64_MAX / ELEM_BYTES / schedule->problem.nranks) /* an all-to-all has a row each */
        return ar_fail(error, AR_INVALID,
                       "--count: expected elements whose bytes can be counted, got %" PRId64, viewing->count);
    enum ar_status status = ar_schedule_layout(schedule, count_of(viewing), NULL, &offsets, &layout, error);
    if (status != AR_OK)
        return status;
    status = ar_history_new(schedule, &layout, history, error);
    if (status == AR_OK)
        ar_history_time(history,
                        (struct ar_pace){viewing->model.alpha_s, ELEM_BYTES * viewing->model.beta_s_per_byte,
                                         ELEM_BYTES * viewing->model.gamma_s_per_byte});
    return status;
}

/* "262,144 float32 elements (1 MiB); alpha 1.7 us, ..." */
static void add_pace(const struct ar_schedule *schedule, const struct ar_viewing *viewing,
                     struct ar_text *text)
{
    char count[AR_UNITS_TEXT], size[AR_UNITS_TEXT];
    uint64_t n = (uint64_t)count_of(viewing);
    if (!ar_collectives[schedule->algorithm->collective].token)
        ar_text_add(text, "%s float32 element%s (%s); ", ar_format_count(count, n), plural((int64_t)n),
                    ar_format_size(size, n * ELEM_BYTES));
    ar_hockney_write(&viewing->model, text);
}

/* ---- As text ----------------------------------------------------------------------------------------- */

static enum ar_status add_lengths_of(const struct ar_schedule *schedule, int64_t count, struct ar_text *text,
                                     struct ar_error *error)
{
    struct ar_layout layout;
    int64_t *offsets = NULL;
    enum ar_status status = ar_schedule_layout(schedule, count, NULL, &offsets, &layout, error);
    if (status == AR_OK)
        add_lengths(&layout, text);
    return status;
}

static bool shows_more_than_steps(const struct ar_viewing *viewing)
{
    return viewing->show[AR_VIEW_GRID] || viewing->show[AR_VIEW_GRAPH] || viewing->show[AR_VIEW_TIME];
}

/* Of a schedule that breaks a rule only what was held before. */
static enum ar_status draw_more(const struct ar_schedule *schedule, const struct ar_viewing *viewing,
                                struct ar_text *text, struct ar_error *error)
{
    struct ar_history history;
    enum ar_status status = walk(schedule, viewing, &history, error);
    if (viewing->show[AR_VIEW_GRID] && (status == AR_OK || status == AR_FAILED)) {
        ar_text_add(text, "\n");
        ar_draw_grid(&history, viewing->width, viewing->colour, text);
    }
    if (viewing->show[AR_VIEW_GRAPH] && status == AR_OK) {
        ar_text_add(text, "\n");
        ar_draw_graph(&history, viewing->width, text);
    }
    if (viewing->show[AR_VIEW_TIME] && status == AR_OK) {
        ar_text_add(text, "\n");
        add_pace(schedule, viewing, text);
        ar_text_add(text, "\n");
        ar_draw_time(&history, viewing->width, viewing->colour, text);
    }
    ar_history_free(&history);
    return status;
}

enum ar_status ar_explain_text(const struct ar_explained *explained, const struct ar_viewing *viewing,
                               struct ar_report *report, struct ar_error *error)
{
    const struct ar_schedule *schedule = &explained->schedule;
    struct ar_text *text = &report->body;
    enum ar_status status = AR_OK;
    if (explained->cut)
        ar_text_add(&report->notes, "Drawn with %d segments; --count N shows how many a vector has.\n",
                    FEW_SEGMENTS);
    add_heading(schedule, text);
    if (viewing->count >= 0)
        status = add_lengths_of(schedule, viewing->count, text, error);
    if (status == AR_OK && viewing->show[AR_VIEW_STEPS]) {
        ar_text_add(text, "\n");
        status = ar_draw_steps(schedule, viewing->width, text, error);
    }
    if ((status == AR_OK || status == AR_FAILED) && shows_more_than_steps(viewing))
        status = draw_more(schedule, viewing, text, error);
    return status;
}

/* ---- As tables --------------------------------------------------------------------------------------- */

static void add_steps(const struct ar_schedule *schedule, struct ar_report *report)
{
    static const struct ar_column columns[] = {
        {"round", "round", 0}, {"rank", "rank", 0}, {"step", "step", 0}};
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

/* Round 0 is the start. */
static void add_held(const struct ar_history *h, struct ar_report *report)
{
    static const struct ar_column columns[] = {{"round", "round", 0},
                                               {"rank", "rank", 0},
                                               {"block", "block", 0},
                                               {"contributions", "contributions", 0}};
    struct ar_table *table = ar_report_table(report, "held", NULL, columns, 4);
    for (int64_t moment = 0; moment <= h->nbusy; moment++)
        for (int rank = 0; rank < h->nranks; rank++)
            for (int64_t block = 0; block < h->nblocks; block++) {
                struct ar_text ranges = {0};
                struct ar_ranges list = {&ranges};
                const struct ar_expressions *expressions = ar_symbolic_expressions(h->symbolic);
                for (int from = 0; from < h->nranks; from++)
                    if (ar_expressions_contains(expressions, ar_history_held(h, moment, rank, block), from))
                        ar_ranges_add(&list, from);
                ar_ranges_end(&list);
                ar_table_row(table);
                ar_table_int(table, moment ? h->round[moment - 1] + 1 : 0);
                ar_table_int(table, rank);
                ar_table_int(table, block);
                ar_table_ranges(table, ranges.data);
                ar_text_free(&ranges);
            }
}

static void add_edges(const struct ar_history *h, struct ar_report *report)
{
    static const struct ar_column columns[] = {
        {"from", "from", 0}, {"to", "to", 0}, {"rounds", "rounds", 0}, {"blocks", "blocks", 0}};
    struct ar_table *table = ar_report_table(report, "edges", NULL, columns, 4);
    for (int from = 0; from < h->nranks; from++)
        for (int to = 0; to < h->nranks; to++) {
            struct ar_text text = {0};
            struct ar_ranges rounds = {&text};
            int64_t blocks = 0;
            for (int64_t i = 0; i < h->nmessages; i++)
                if (h->message[i].from == from && h->message[i].to == to) {
                    ar_ranges_add(&rounds, h->round[h->message[i].busy] + 1);
                    blocks += h->message[i].nblocks;
                }
            ar_ranges_end(&rounds);
            if (rounds.n > 0) {
                ar_table_row(table);
                ar_table_int(table, from);
                ar_table_int(table, to);
                ar_table_ranges(table, text.data);
                ar_table_int(table, blocks);
            }
            ar_text_free(&text);
        }
}

static void add_messages(const struct ar_history *h, struct ar_report *report)
{
    static const struct ar_column columns[] = {
        {"round", "round", 0},       {"from", "from", 0},         {"to", "to", 0},
        {"blocks", "blocks", 0},     {"combined", "combined", 0}, {"elements", "elements", 0},
        {"start_s", "start, s", -1}, {"end_s", "end, s", -1}};
    struct ar_table *table = ar_report_table(report, "messages", NULL, columns, 8);
    for (int64_t i = 0; i < h->nmessages; i++) {
        const struct ar_told *m = &h->message[i];
        struct ar_text blocks = {0};
        struct ar_ranges list = {&blocks};
        for (int64_t j = 0; j < m->nblocks; j++)
            ar_ranges_add(&list, h->block[m->first + j]);
        ar_ranges_end(&list);
        ar_table_row(table);
        ar_table_int(table, h->round[m->busy] + 1);
        ar_table_int(table, m->from);
        ar_table_int(table, m->to);
        ar_table_ranges(table, blocks.data);
        ar_table_bool(table, m->combines);
        ar_table_int(table, m->elements);
        if (m->sent) { /* else it does not exist for so few elements */
            ar_table_real(table, m->start_s);
            ar_table_real(table, m->end_s);
        }
        ar_text_free(&blocks);
    }
}

static void add_ranks(const struct ar_history *h, struct ar_report *report)
{
    static const struct ar_column columns[] = {{"rank", "rank", 0}, {"end_s", "end, s", -1}};
    struct ar_table *table = ar_report_table(report, "ranks", NULL, columns, 2);
    for (int rank = 0; rank < h->nranks; rank++) {
        ar_table_row(table);
        ar_table_int(table, rank);
        ar_table_real(table, h->nbusy > 0 ? h->done_s[(h->nbusy - 1) * h->nranks + rank] : 0);
    }
}

/* What the tables are about. */
static void add_fields(const struct ar_schedule *schedule, const struct ar_viewing *viewing,
                       struct ar_report *report)
{
    struct ar_text name = {0}, pace = {0};
    ar_schedule_describe(schedule, &name);
    ar_report_field_text(report, "schedule", name.data);
    ar_report_field_int(report, "nranks", schedule->problem.nranks);
    ar_report_field_int(report, "nblocks", ar_nblocks(schedule));
    ar_report_field_int(report, "nrounds", ar_nrounds(schedule));
    if (viewing->show[AR_VIEW_TIME]) {
        add_pace(schedule, viewing, &pace);
        ar_report_field_text(report, "model", pace.data);
    }
    ar_text_free(&name);
    ar_text_free(&pace);
}

enum ar_status ar_explain_tables(const struct ar_explained *explained, const struct ar_viewing *viewing,
                                 struct ar_report *report, struct ar_error *error)
{
    add_fields(&explained->schedule, viewing, report);
    if (viewing->show[AR_VIEW_STEPS])
        add_steps(&explained->schedule, report);
    if (!shows_more_than_steps(viewing))
        return AR_OK;
    struct ar_history history;
    enum ar_status status = walk(&explained->schedule, viewing, &history, error);
    if (status == AR_OK && viewing->show[AR_VIEW_GRID])
        add_held(&history, report);
    if (status == AR_OK && viewing->show[AR_VIEW_GRAPH])
        add_edges(&history, report);
    if (status == AR_OK && viewing->show[AR_VIEW_TIME]) {
        add_messages(&history, report);
        add_ranks(&history, report);
    }
    ar_history_free(&history);
    return status;
}

/* ---- As files ---------------------------------------------------------------------------------------- */

enum ar_status ar_explain_svg(const struct ar_explained *explained, const struct ar_viewing *viewing,
                              struct ar_text *svg, struct ar_error *error)
{
    struct ar_history history;
    bool time = viewing->show[AR_VIEW_TIME];
    bool rounds = !time || viewing->show[AR_VIEW_STEPS] || viewing->show[AR_VIEW_GRID];
    enum ar_status status = walk(&explained->schedule, viewing, &history, error);
    if (status == AR_OK)
        status = ar_figure_fits(&history, error);
    if (status == AR_OK) {
        struct ar_text pace = {0};
        add_pace(&explained->schedule, viewing, &pace);
        ar_draw_figure(&history, rounds, time, pace.data, svg);
        ar_text_free(&pace);
    }
    ar_history_free(&history);
    return status;
}

enum ar_status ar_explain_dot(const struct ar_explained *explained, const struct ar_viewing *viewing,
                              struct ar_text *dot, struct ar_error *error)
{
    struct ar_history history;
    enum ar_status status = walk(&explained->schedule, viewing, &history, error);
    if (status == AR_OK)
        ar_draw_dot(&history, dot);
    ar_history_free(&history);
    return status;
}
