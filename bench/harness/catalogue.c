#include "bench/harness/catalogue.h"

#include <inttypes.h>

#include "bench/harness/verify_report.h"
#include "bench/report/report.h"
#include "collectives/cost.h"
#include "collectives/draw/picture.h"
#include "collectives/registry.h"

enum { SHOWN_RANKS = 8, SHOWN_SEGMENTS = 8 };

static const char how_to_read[] =
    "# The algorithms\n"
    "\n"
    "Written by `allround list algorithms --markdown`; scripts/update-goldens renews it and a test "
    "compares.\n"
    "\n"
    "P ranks, n bytes of the full vector, which in an alltoall is what one rank sends. Numbers and pictures\n"
    "are of 8 ranks and root 0, with parameters at their defaults, and found from the schedules:\n"
    "\n"
    "- **needs**: what P must be. Without, any P will do, and any root.\n"
    "- **order**: operands combine in the order of the ranks, so the operator need not commute; \"root 0\":\n"
    "  with that root. **bits**: all ranks get the same bits. Both are proved, for every P from 1 to 16 and\n"
    "  every root.\n"
    "- **rounds** that hold a message; **messages** and **bytes / n**: the most that one rank sends. "
    "Pipelines\n"
    "  with 8 segments.\n"
    "- **closed form**: the time, α a message, β a byte sent, γ a byte combined, one port each way; ≤: a "
    "bound.\n"
    "- **picture**: who sends to whom, round after round. `r->r+1`: every rank to the next one; `r<->r^2`:\n"
    "  every rank to the one whose number differs in that bit; `0->2 4->6`: these messages. Distances are\n"
    "  modulo P. Pipelines with one segment; the others follow it.\n"
    "\n"
    "`allround explain COLL:ALG -n 8` draws the blocks too.\n"
    "\n"
    "To add one, write `collectives/COLL/NAME.c` with its descriptor at the bottom, `AR_ALGORITHM(COLL, "
    "NAME)`\n"
    "in [algorithms.def](algorithms.def) and the file in [meson.build](meson.build);\n"
    "[algorithm.h](algorithm.h) says what the functions must do. Proofs, laws, listings and this page pick "
    "it\n"
    "up from there.\n";

/* ---- Shared with the listing ------------------------------------------------------------------------- */

enum ar_status ar_catalogue_sweep(const struct ar_algorithm *algorithm, struct ar_swept *swept,
                                  struct ar_error *error)
{
    int64_t ranks[AR_PROVED_RANKS];
    for (int i = 0; i < AR_PROVED_RANKS; i++)
        ranks[i] = i + 1;
    struct ar_sweep sweep = {.ranks = ranks, .nranks = AR_PROVED_RANKS, .root = -1, .skip = true};
    struct ar_choice choice = ar_choice_default(algorithm);
    return ar_sweep_choice(&sweep, &choice, swept, error);
}

const char *ar_needs_words(const struct ar_algorithm *algorithm)
{
    return algorithm->needs & AR_NEEDS_POWER_OF_TWO ? "power of two"
           : algorithm->needs & AR_NEEDS_EVEN       ? "even"
                                                    : NULL;
}

void ar_params_write(const struct ar_algorithm *algorithm, struct ar_text *values, struct ar_text *help)
{
    char value[AR_UNITS_TEXT];
    for (int i = 0; i < algorithm->nparams; i++) {
        const struct ar_param *param = &algorithm->params[i];
        ar_text_add(values, "%s%s=%s", i ? "," : "", param->name,
                    ar_param_format(param, param->fallback, value));
        for (int64_t w = 0; param->unit == AR_PARAM_WORD && w <= param->max; w++)
            if (w != param->fallback)
                ar_text_add(values, "|%s", param->words[w]);
        ar_text_add(help, "%s%s: %s", i ? "; " : "", param->name, param->help);
    }
}

static enum ar_status open_shown(const struct ar_algorithm *algorithm, int nsegments,
                                 struct ar_schedule *schedule, struct ar_error *error)
{
    struct ar_problem problem = {.nranks = SHOWN_RANKS};
    for (int i = 0; i < algorithm->nparams; i++)
        problem.param[i] =
            algorithm->params[i].unit == AR_PARAM_BYTES ? nsegments : algorithm->params[i].fallback;
    return ar_schedule_of_problem(schedule, algorithm, &problem, error);
}

enum ar_status ar_catalogue_picture(const struct ar_algorithm *algorithm, struct ar_text *text,
                                    struct ar_error *error)
{
    struct ar_schedule schedule;
    enum ar_status status = open_shown(algorithm, 1, &schedule, error);
    if (status != AR_OK)
        return status;
    ar_picture(&schedule, text);
    ar_schedule_free(&schedule);
    return AR_OK;
}

int ar_collective_algorithms(enum ar_collective_id collective)
{
    int n = 0;
    for (int i = 0; i < ar_nalgorithms; i++)
        n += ar_algorithms[i]->collective == collective;
    return n;
}

/* ---- The numbers ------------------------------------------------------------------------------------- */

static const struct ar_column columns[] = {
    {"algorithm", "algorithm", 0}, {"needs", "needs", 0},      {"order", "order", 0},
    {"bits", "bits", 0},           {"rounds", "rounds", 0},    {"messages", "messages", 0},
    {"bytes", "bytes / n", 3},     {"form", "closed form", 0},
};

static void add_text(struct ar_table *table, const char *text)
{
    if (text)
        ar_table_text(table, "%s", text);
    else
        ar_table_null(table);
}

static enum ar_status add_numbers(struct ar_table *table, const struct ar_algorithm *algorithm,
                                  struct ar_error *error)
{
    struct ar_schedule schedule;
    struct ar_layout layout;
    enum ar_status status = open_shown(algorithm, SHOWN_SEGMENTS, &schedule, error);
    if (status != AR_OK)
        return status;
    int64_t count = ar_nblocks(&schedule) / ar_collective_rows(algorithm->collective, SHOWN_RANKS);
    status = ar_schedule_layout(&schedule, count, NULL, NULL, &layout, error); /* one element per block */
    if (status == AR_OK) {
        struct ar_schedule_cost sum = ar_cost_of_schedule(&schedule, &layout);
        ar_table_int(table, sum.rounds);
        ar_table_int(table, sum.messages_sent_max);
        if (layout.token)
            ar_table_null(table);
        else
            ar_table_real(table, (double)sum.elements_sent_max / (double)count);
    }
    if (status == AR_OK && algorithm->cost) {
        struct ar_cost cost = algorithm->cost(&schedule.problem);
        struct ar_text form = {0};
        ar_cost_write(&cost, &form);
        ar_table_text(table, "%s%s", algorithm->cost_kind == AR_COST_BOUND ? "≤ " : "", form.data);
        ar_text_free(&form);
    }
    ar_schedule_free(&schedule);
    return status;
}

static enum ar_status add_row(struct ar_table *table, const struct ar_algorithm *algorithm,
                              struct ar_error *error)
{
    struct ar_swept swept;
    enum ar_status status = ar_catalogue_sweep(algorithm, &swept, error);
    if (status != AR_OK)
        return status;
    ar_table_row(table);
    ar_table_text(table, "%s", algorithm->name);
    add_text(table, ar_needs_words(algorithm));
    add_text(table, ar_swept_order(&swept));
    add_text(table, ar_swept_bits(&swept));
    ar_swept_free(&swept);
    return add_numbers(table, algorithm, error);
}

/* Laid out as text, which a pager shows as well as a page. */
static enum ar_status write_numbers(enum ar_collective_id collective, struct ar_text *page,
                                    struct ar_error *error)
{
    struct ar_report report = {0};
    struct ar_table *table =
        ar_report_table(&report, "algorithms", NULL, columns, sizeof columns / sizeof *columns);
    enum ar_status status = AR_OK;
    for (int i = 0; i < ar_nalgorithms && status == AR_OK; i++)
        if (ar_algorithms[i]->collective == collective)
            status = add_row(table, ar_algorithms[i], error);
    if (status == AR_OK) {
        struct ar_text numbers = {0};
        ar_format_text.write(&report, &numbers);
        ar_text_add(page, "```\n%s```\n", numbers.data);
        ar_text_free(&numbers);
    }
    ar_report_free(&report);
    return status;
}

/* ---- The words --------------------------------------------------------------------------------------- */

/* "Open MPI 4 ring; MPICH ring". */
static void write_elsewhere(const struct ar_algorithm *algorithm, struct ar_text *page)
{
    const char *const name[][2] = {
        {"Open MPI", algorithm->openmpi}, {"MPICH", algorithm->mpich}, {"NCCL", algorithm->nccl}};
    int n = 0;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (name[i][1])
            ar_text_add(page, "%s%s `%s`", n++ ? "; " : "  - elsewhere: ", name[i][0], name[i][1]);
    ar_text_add(page, n ? "\n" : "");
}

static enum ar_status write_words(const struct ar_algorithm *algorithm, struct ar_text *page,
                                  struct ar_error *error)
{
    struct ar_text values = {0}, help = {0};
    ar_params_write(algorithm, &values, &help);
    ar_text_add(page, "- [`%s`](%s/%s.c): %s\n", algorithm->name, ar_collectives[algorithm->collective].name,
                algorithm->name, algorithm->summary);
    ar_text_add(page, "  - picture: `");
    enum ar_status status = ar_catalogue_picture(algorithm, page, error);
    ar_text_add(page, "`\n");
    if (values.length > 0)
        ar_text_add(page, "  - parameters: `%s` (%s)\n", values.data, help.data);
    write_elsewhere(algorithm, page);
    ar_text_add(page, "  - source: %s\n", algorithm->source);
    ar_text_free(&values);
    ar_text_free(&help);
    return status;
}

static enum ar_status write_collective(enum ar_collective_id collective, struct ar_text *page,
                                       struct ar_error *error)
{
    ar_text_add(page, "\n## %s (%d)\n\nWhat it does: %s.\n\n", ar_collectives[collective].name,
                ar_collective_algorithms(collective), ar_collectives[collective].summary);
    enum ar_status status = write_numbers(collective, page, error);
    ar_text_add(page, "\n");
    for (int i = 0; i < ar_nalgorithms && status == AR_OK; i++)
        if (ar_algorithms[i]->collective == collective)
            status = write_words(ar_algorithms[i], page, error);
    return status;
}

enum ar_status ar_catalogue_write(struct ar_text *page, struct ar_error *error)
{
    enum ar_status status = AR_OK;
    ar_text_add(page, "%s\n%d algorithms of %d collectives:\n\n", how_to_read, ar_nalgorithms,
                AR_NCOLLECTIVES);
    for (int i = 0; i < AR_NCOLLECTIVES; i++) {
        int n = ar_collective_algorithms((enum ar_collective_id)i);
        ar_text_add(page, "- [%s](#%s-%d), %d\n", ar_collectives[i].name, ar_collectives[i].name, n, n);
    }
    for (int i = 0; i < AR_NCOLLECTIVES && status == AR_OK; i++)
        status = write_collective((enum ar_collective_id)i, page, error);
    return status;
}
