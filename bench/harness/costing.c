#include "bench/harness/costing.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "collectives/active.h"
#include "collectives/base/memory.h"
#include "collectives/registry.h"
#include "sim/bounds.h"
#include "sim/engine/clocks.h"

enum {
    MOST_RANKS = 1 << 16,     /* beyond, the number of ranks alone is too much memory */
    MOST_TRANSFERS = 1 << 22, /* about 0.3 s */
    FEW_TRANSFERS = 1 << 17,  /* for one of many sizes */
    FEW_ROUNDS = 64,
};

static const double SAME = 1e-12; /* relative; times nearer than that are equal */

void ar_costing_describe(const struct ar_costing *costing, struct ar_report *report)
{
    struct ar_text model = {0};
    char name[AR_CHOICE_TEXT];
    const struct ar_choice *choice = &costing->choice;
    ar_hockney_write(&costing->model, &model);
    ar_text_add(&report->body, "%s%s%s, %d rank%s, %s; %s%s%s\n", ar_collectives[costing->collective].name,
                choice->algorithm ? ":" : "", choice->algorithm ? ar_choice_name(choice, name) : "",
                costing->nranks, costing->nranks == 1 ? "" : "s", ar_types[costing->type].name, model.data,
                costing->machine ? "; " : "", costing->machine ? costing->machine->summary : "");
    ar_report_field_text(report, "machine", costing->machine ? costing->machine->name : NULL);
    ar_report_field_text(report, "model", model.data);
    ar_text_free(&model);
}

/* ---- One algorithm ----------------------------------------------------------------------------------- */

/* Runs of blocks that one rank sends in a round, on average; a few rounds of it are looked up. */
static int64_t runs_of_round(const struct ar_schedule *schedule, int rank, int64_t first, int64_t last)
{
    struct ar_sink sink = {.full = ar_sink_grow};
    int64_t n = last - first < FEW_ROUNDS ? last - first + 1 : FEW_ROUNDS, runs = 0;
    for (int64_t i = 0; i < n; i++) {
        sink.n = 0;
        ar_schedule_round(schedule, rank, n > 1 ? first + (last - first) / (n - 1) * i : first, &sink);
        for (int s = 0; s < sink.n; s++)
            runs += sink.step[s].set.count;
    }
    free(sink.step);
    return runs > 2 * n ? runs / (2 * n) : 1; /* a rank receives as much */
}

/* Whether walking all rounds takes at most about `most` transfers, each of one run. */
static bool affordable(const struct ar_schedule *schedule, int64_t most)
{
    const struct ar_problem *p = &schedule->problem;
    if (p->nranks > MOST_RANKS)
        return false;
    int64_t work = ar_active_work(schedule), first, last;
    int rank = (p->root + 1) % p->nranks;
    ar_schedule_span(schedule, rank, &first, &last);
    if (work > most || first > last)
        return work <= most;
    return work <= most / runs_of_round(schedule, rank, first, last);
}

static enum ar_status simulate(const struct ar_costing *costing, const struct ar_schedule *schedule,
                               const struct ar_layout *layout, double *time_s, struct ar_error *error)
{
    struct ar_clocks clocks;
    enum ar_status status =
        ar_clocks_run(schedule, layout, ar_costing_elem_bytes(costing), &costing->model, &clocks, error);
    if (status != AR_OK)
        return status;
    *time_s = clocks.time_s;
    ar_clocks_free(&clocks);
    return AR_OK;
}

static double formed(const struct ar_costing *costing, const struct ar_schedule *schedule, int64_t count)
{
    return ar_hockney_time(&costing->model, schedule->algorithm->cost(&schedule->problem),
                           (double)count * (double)ar_costing_elem_bytes(costing));
}

static enum ar_status open_schedule(const struct ar_costing *costing, const struct ar_choice *choice,
                                    int64_t count, struct ar_schedule *schedule, struct ar_layout *layout,
                                    struct ar_error *error)
{
    struct ar_size size = {count, 0, ar_costing_elem_bytes(costing)};
    enum ar_status status = ar_schedule_init(schedule, choice, costing->nranks, costing->root, size, error);
    if (status != AR_OK)
        return status;
    return ar_schedule_layout(schedule, count, NULL, NULL, layout, error);
}

static enum ar_status price_schedule(const struct ar_costing *costing, const struct ar_schedule *schedule,
                                     const struct ar_layout *layout, struct ar_price *price,
                                     struct ar_error *error)
{
    int64_t nblocks = layout->parts * layout->splits; /* of one row */
    price->kind = schedule->algorithm->cost_kind;
    if (price->kind != AR_COST_ABSENT)
        price->form = schedule->algorithm->cost(&schedule->problem);
    bool walk = affordable(schedule, MOST_TRANSFERS), exact = price->kind == AR_COST_EXACT;
    if (walk) {
        price->sum = ar_cost_of_schedule(schedule, layout);
        price->summed = true;
    }
    if (exact && (layout->token || (layout->count > 0 && layout->count % nblocks == 0)))
        price->source = AR_PRICE_FORM;
    else if (walk)
        price->source = AR_PRICE_SIMULATED;
    else if (exact && layout->count > nblocks)
        price->source = AR_PRICE_NEAR_FORM;
    if (price->source == AR_PRICE_SIMULATED)
        return simulate(costing, schedule, layout, &price->time_s, error);
    if (price->source != AR_PRICE_UNKNOWN)
        price->time_s = formed(costing, schedule, layout->count);
    return AR_OK;
}

enum ar_status ar_price_of(const struct ar_costing *costing, const struct ar_choice *choice,
                           struct ar_price *price, struct ar_error *error)
{
    struct ar_schedule schedule;
    struct ar_layout layout;
    *price = (struct ar_price){0};
    enum ar_status status = open_schedule(costing, choice, costing->count, &schedule, &layout, error);
    if (status != AR_OK)
        return status;
    status = price_schedule(costing, &schedule, &layout, price, error);
    ar_schedule_free(&schedule);
    return status;
}

enum ar_status ar_quick_price(const struct ar_costing *costing, const struct ar_choice *choice, int64_t count,
                              double *time_s, struct ar_error *error)
{
    struct ar_schedule schedule;
    struct ar_layout layout;
    enum ar_status status = open_schedule(costing, choice, count, &schedule, &layout, error);
    if (status != AR_OK)
        return status;
    bool form = choice->algorithm->cost_kind != AR_COST_ABSENT;
    if ((!form || count < layout.parts * layout.splits) && affordable(&schedule, FEW_TRANSFERS))
        status = simulate(costing, &schedule, &layout, time_s, error);
    else
        *time_s = form ? formed(costing, &schedule, count) : NAN;
    ar_schedule_free(&schedule);
    return status;
}

/* Whether there is such a schedule. */
static enum ar_status admits(const struct ar_costing *costing, const struct ar_choice *choice,
                             struct ar_error *error)
{
    struct ar_schedule schedule;
    struct ar_layout layout;
    enum ar_status status = open_schedule(costing, choice, costing->count, &schedule, &layout, error);
    if (status == AR_OK)
        ar_schedule_free(&schedule);
    return status;
}

enum ar_status ar_costing_choices(const struct ar_costing *costing, struct ar_choice *choices, int *n,
                                  struct ar_text *notes, struct ar_error *error)
{
    *n = 0;
    if (costing->choice.algorithm) {
        choices[(*n)++] = costing->choice;
        return admits(costing, &costing->choice, error);
    }
    if (costing->root >= costing->nranks)
        return ar_fail(error, AR_INVALID, "root: expected 0..%d, got %d", costing->nranks - 1, costing->root);
    if (costing->root > 0 && !ar_collective_rooted(costing->collective))
        return ar_fail(error, AR_INVALID, "root: %s has none, got %d",
                       ar_collectives[costing->collective].name, costing->root);
    for (int i = 0; i < ar_nalgorithms; i++) {
        struct ar_error why;
        struct ar_choice choice = ar_choice_default(ar_algorithms[i]);
        if (ar_algorithms[i]->collective != costing->collective)
            continue;
        if (admits(costing, &choice, &why) == AR_OK)
            choices[(*n)++] = choice;
        else
            ar_text_add(notes, "%s is left out: %s.\n", choice.algorithm->name, why.text);
    }
    return AR_OK;
}

/* ---- The table for programs -------------------------------------------------------------------------- */

static const char *const kinds[] = {
    [AR_COST_ABSENT] = NULL, [AR_COST_BOUND] = "bound", [AR_COST_EXACT] = "exact"};

static const struct ar_column data_columns[] = {{"collective", NULL, 0},
                                                {"algorithm", NULL, 0},
                                                {"nranks", NULL, 0},
                                                {"root", NULL, 0},
                                                {"count", NULL, 0},
                                                {"elem_bytes", NULL, 0},
                                                {"rounds", NULL, 0},
                                                {"messages_sent_max", NULL, 0},
                                                {"messages_total", NULL, 0},
                                                {"elements_sent_max", NULL, 0},
                                                {"elements_sent_total", NULL, 0},
                                                {"elements_reduced_max", NULL, 0},
                                                {"critical_elements", NULL, 0},
                                                {"alpha_count", NULL, 0},
                                                {"beta_bytes", NULL, 0},
                                                {"gamma_bytes", NULL, 0},
                                                {"time_s", NULL, -1},
                                                {"form_kind", NULL, 0},
                                                {"form_alpha", NULL, -1},
                                                {"form_beta", NULL, -1},
                                                {"form_gamma", NULL, -1},
                                                {"lower_bound_s", NULL, -1},
                                                {"latency_bound_s", NULL, -1},
                                                {"bandwidth_bound_s", NULL, -1},
                                                {"computation_bound_s", NULL, -1}};

static void add_kind(struct ar_table *table, enum ar_cost_kind kind)
{
    if (kinds[kind])
        ar_table_text(table, "%s", kinds[kind]);
    else
        ar_table_null(table);
}

/* A number of the sum, or null. */
static void add_sum(struct ar_table *table, const struct ar_price *price, int64_t value)
{
    if (price->summed)
        ar_table_int(table, value);
    else
        ar_table_null(table);
}

static void add_data_row(struct ar_table *table, const struct ar_costing *costing,
                         const struct ar_choice *choice, const struct ar_price *price,
                         const struct ar_bounds *bounds)
{
    char name[AR_CHOICE_TEXT];
    const struct ar_schedule_cost *sum = &price->sum;
    const int64_t sums[] = {sum->rounds,
                            sum->messages_sent_max,
                            sum->messages_total,
                            sum->elements_sent_max,
                            sum->elements_sent_total,
                            sum->elements_reduced_max,
                            sum->critical_elements,
                            sum->alpha_count,
                            sum->critical_elements * ar_costing_elem_bytes(costing),
                            sum->gamma_elements * ar_costing_elem_bytes(costing)};
    bool form = price->kind != AR_COST_ABSENT;
    ar_table_row(table);
    ar_table_text(table, "%s", ar_collectives[costing->collective].name);
    ar_table_text(table, "%s", ar_choice_name(choice, name));
    ar_table_int(table, costing->nranks);
    ar_table_int(table, costing->root);
    ar_table_int(table, costing->count);
    ar_table_int(table, ar_costing_elem_bytes(costing));
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        add_sum(table, price, sums[i]);
    ar_table_real(table, price->source == AR_PRICE_UNKNOWN ? NAN : price->time_s);
    add_kind(table, price->kind);
    ar_table_real(table, form ? price->form.alpha : NAN);
    ar_table_real(table, form ? price->form.beta : NAN);
    ar_table_real(table, form ? price->form.gamma : NAN);
    ar_table_real(table, bounds->time_s);
    ar_table_real(table, bounds->latency_s);
    ar_table_real(table, bounds->bandwidth_s);
    ar_table_real(table, bounds->computation_s);
}

/* ---- The table for people ---------------------------------------------------------------------------- */

static const struct ar_column text_columns[] = {
    {"algorithm", "algorithm", 0}, {"rounds", "rounds", 0},
    {"messages", "messages", 0},   {"alpha", "α", 0},
    {"beta", "β, B", 0},           {"gamma", "γ, B", 0},
    {"form", "closed form", 0},    {"kind", "which is", 0},
    {"time", "time, us", 3},       {"distance", "/ lower bound", 3},
};

static void add_times(struct ar_table *table, double time_s, double bound_s)
{
    ar_table_real(table, time_s * 1e6);
    ar_table_real(table, bound_s > 0 ? time_s / bound_s : NAN);
}

static void add_text_row(struct ar_table *table, const struct ar_costing *costing,
                         const struct ar_choice *choice, const struct ar_price *price, double fastest_s,
                         double bound_s)
{
    char name[AR_CHOICE_TEXT];
    struct ar_text form = {0};
    const struct ar_schedule_cost *sum = &price->sum;
    bool known = price->source != AR_PRICE_UNKNOWN;
    bool best = known && price->time_s <= fastest_s * (1 + SAME);
    ar_table_row(table);
    ar_table_text(table, "%s%s", ar_choice_name(choice, name), best ? " *" : "");
    add_sum(table, price, sum->rounds);
    add_sum(table, price, sum->messages_total);
    add_sum(table, price, sum->alpha_count);
    add_sum(table, price, sum->critical_elements * ar_costing_elem_bytes(costing));
    add_sum(table, price, sum->gamma_elements * ar_costing_elem_bytes(costing));
    if (price->kind == AR_COST_ABSENT) {
        ar_table_null(table);
    } else {
        ar_cost_write(&price->form, &form);
        ar_table_text(table, "%s", form.data);
        ar_text_free(&form);
    }
    add_kind(table, price->kind);
    add_times(table, known ? price->time_s : NAN, bound_s);
}

/* The bounds of latency, bandwidth and computation where the sums stand, the largest as the time. */
static void add_bound_row(struct ar_table *table, const struct ar_costing *costing,
                          const struct ar_bounds *bounds)
{
    struct ar_cost share = bounds->share;
    const double rounded = 1 - 4 * DBL_EPSILON; /* what three operations may add */
    double bytes = (double)costing->count * (double)ar_costing_elem_bytes(costing);
    ar_table_row(table);
    ar_table_text(table, "lower bounds");
    ar_table_null(table);
    ar_table_null(table);
    ar_table_int(table, (int64_t)share.alpha);
    ar_table_int(table, (int64_t)ceil(share.beta * bytes * rounded));
    ar_table_int(table, (int64_t)ceil(share.gamma * bytes * rounded));
    ar_table_text(table, "%.7g α, %.7g nβ, %.7g nγ", share.alpha, share.beta, share.gamma);
    ar_table_text(table, "the largest");
    add_times(table, bounds->time_s, bounds->time_s);
}

static void add_notes(const struct ar_costing *costing, const struct ar_price *prices, int n,
                      struct ar_text *notes)
{
    bool unsummed = false, near = false, simulated = false;
    for (int i = 0; i < n; i++) {
        unsummed |= !prices[i].summed;
        near |= prices[i].source == AR_PRICE_NEAR_FORM;
        simulated |= prices[i].source == AR_PRICE_SIMULATED;
    }
    ar_text_add(notes, "Time: the closed form where it is exact%s; n = %" PRId64 " B.\n",
                simulated ? ", else the simulation" : "", costing->count * ar_costing_elem_bytes(costing));
    if (near)
        ar_text_add(notes, "Some blocks are one element longer than others: there a closed form lies between "
                           "the times of the two neighbouring multiples.\n");
    if (unsummed)
        ar_text_add(notes,
                    "-: not summed and not simulated, for that would take more than %d transfers or "
                    "%d ranks.\n",
                    MOST_TRANSFERS, MOST_RANKS);
    if (costing->model.gamma_s_per_byte == 0 && ar_collectives[costing->collective].reduces)
        ar_text_add(notes, "Combining is not priced: nobody published it for this machine; --gamma-Bps "
                           "sets it.\n");
}

enum ar_status ar_costing_report(const struct ar_costing *costing, bool text, struct ar_report *report,
                                 struct ar_error *error)
{
    struct ar_choice *choices = ar_alloc((size_t)ar_nalgorithms, sizeof *choices);
    struct ar_price *prices = ar_alloc((size_t)ar_nalgorithms, sizeof *prices);
    struct ar_bounds bounds = ar_bounds_time(costing->collective, costing->nranks, costing->count,
                                             ar_costing_elem_bytes(costing), &costing->model);
    double fastest_s = INFINITY;
    int n;
    ar_costing_describe(costing, report);
    enum ar_status status = ar_costing_choices(costing, choices, &n, &report->notes, error);
    for (int i = 0; i < n && status == AR_OK; i++) {
        status = ar_price_of(costing, &choices[i], &prices[i], error);
        if (prices[i].source != AR_PRICE_UNKNOWN)
            fastest_s = fmin(fastest_s, prices[i].time_s);
    }
    if (status == AR_OK) {
        const struct ar_column *columns = text ? text_columns : data_columns;
        struct ar_table *table = ar_report_table(
            report, "cost", NULL, columns,
            (int)(text ? sizeof text_columns / sizeof *columns : sizeof data_columns / sizeof *columns));
        for (int i = 0; i < n; i++)
            if (text)
                add_text_row(table, costing, &choices[i], &prices[i], fastest_s, bounds.time_s);
            else
                add_data_row(table, costing, &choices[i], &prices[i], &bounds);
        if (text)
            add_bound_row(table, costing, &bounds);
        add_notes(costing, prices, n, &report->notes);
    }
    free(choices);
    free(prices);
    return status;
}
