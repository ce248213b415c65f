/* What pingpong found, as tables: see pingpong.h. */
#include <math.h>

#include "bench/harness/pingpong.h"
#include "collectives/base/units.h"

static const double WORST = 0.25; /* an error of the line that people should know of */

static const struct ar_column point_columns[] = {
    {"bytes", NULL, 0},       {"pingpong_s", NULL, -1}, {"exchange_s", NULL, -1},
    {"modelled_s", NULL, -1}, {"residual", NULL, -1},
};
static const struct ar_column point_columns_for_people[] = {
    {"bytes", "size", 0},
    {"pingpong_us", "half round trip, us", 3},
    {"exchange_us", "exchange, us", 3},
    {"exchange_GBps", "exchange, GB/s", 3},
    {"modelled_us", "modelled, us", 3},
    {"residual", "residual, %", 1},
};

static void add_points(const struct ar_pingpong *found, bool for_people, struct ar_report *report)
{
    enum { FOR_PEOPLE = sizeof point_columns_for_people / sizeof *point_columns_for_people };
    enum { FOR_PROGRAMS = sizeof point_columns / sizeof *point_columns };
    char size[AR_UNITS_TEXT];
    struct ar_table *table =
        ar_report_table(report, "points", "Messages", for_people ? point_columns_for_people : point_columns,
                        for_people ? FOR_PEOPLE : FOR_PROGRAMS);
    for (int i = 0; i < found->npoints; i++) {
        const struct ar_pingpong_point *point = &found->point[i];
        double bytes = (double)point->bytes, modelled_s = ar_fit_time(&found->line, bytes);
        double unit = for_people ? 1e6 : 1, percent = for_people ? 100 : 1;
        ar_table_row(table);
        if (for_people)
            ar_table_text(table, "%s", ar_format_size(size, (uint64_t)point->bytes));
        else
            ar_table_int(table, point->bytes);
        ar_table_real(table, point->pingpong_s * unit);
        ar_table_real(table, point->exchange_s * unit);
        if (for_people)
            ar_table_real(table, bytes / point->exchange_s * 1e-9);
        ar_table_real(table, modelled_s * unit);
        ar_table_real(table, (modelled_s / point->exchange_s - 1) * percent);
    }
}

static const struct ar_column model_columns[] = {
    {"name", NULL, 0},     {"from_bytes", NULL, 0}, {"to_bytes", NULL, 0},
    {"alpha_s", NULL, -1}, {"beta_Bps", NULL, -1},  {"worst_error", NULL, -1},
};
static const struct ar_column model_columns_for_people[] = {
    {"name", "fitted to", 0},       {"from_bytes", "from", 0},      {"to_bytes", "to", 0},
    {"alpha_us", "alpha, us", 3},   {"beta_GBps", "beta, GB/s", 3}, {"half_bytes", "n1/2, B", 0},
    {"worst", "worst error, %", 1},
};

/* n1/2: the size that reaches half the rate, alpha / beta. */
static void add_model(struct ar_table *table, const char *name, const struct ar_fit_line *line,
                      bool for_people)
{
    char from[AR_UNITS_TEXT], to[AR_UNITS_TEXT];
    double rate_Bps = 1 / line->beta_s_per_byte; /* infinite becomes null */
    ar_table_row(table);
    ar_table_text(table, "%s", name);
    if (for_people) {
        ar_table_text(table, "%s", ar_format_size(from, (uint64_t)line->from_bytes));
        ar_table_text(table, "%s", ar_format_size(to, (uint64_t)line->to_bytes));
    } else {
        ar_table_int(table, line->from_bytes);
        ar_table_int(table, line->to_bytes);
    }
    ar_table_real(table, line->alpha_s * (for_people ? 1e6 : 1));
    ar_table_real(table, rate_Bps * (for_people ? 1e-9 : 1));
    if (for_people)
        ar_table_real(table, line->alpha_s * rate_Bps);
    ar_table_real(table, line->worst_error * (for_people ? 100 : 1));
}

static void add_models(const struct ar_pingpong *found, bool for_people, struct ar_report *report)
{
    enum { FOR_PEOPLE = sizeof model_columns_for_people / sizeof *model_columns_for_people };
    enum { FOR_PROGRAMS = sizeof model_columns / sizeof *model_columns };
    struct ar_table *table = ar_report_table(report, "models", "Models: a message takes alpha + bytes / beta",
                                             for_people ? model_columns_for_people : model_columns,
                                             for_people ? FOR_PEOPLE : FOR_PROGRAMS);
    add_model(table, "exchange", &found->line, for_people);
    for (int i = 0; found->nregimes > 1 && i < found->nregimes; i++)
        add_model(table, "exchange, in part", &found->regime[i], for_people);
    add_model(table, "ping-pong", &found->alone, for_people);
}

static void add_notes(const struct ar_pingpong *found, int nranks, struct ar_text *notes)
{
    const struct ar_hockney *model = &found->model;
    ar_text_add(notes, "For cost: --alpha %.4gus", model->alpha_s * 1e6);
    if (model->beta_s_per_byte > 0)
        ar_text_add(notes, " --beta-Bps %.4gGB/s", 1e-9 / model->beta_s_per_byte);
    ar_text_add(notes, " --gamma-Bps %.4gGB/s\n", 1e-9 / model->gamma_s_per_byte);
    if (found->line.worst_error > WORST)
        ar_text_add(
            notes,
            "One line for all sizes is up to %.0f %% off: so are times that are worked out from it for "
            "messages of such sizes.%s\n",
            found->line.worst_error * 100,
            found->nregimes > 1 ? " For small or large ones alone, give cost the alpha and beta in part."
                                : "");
    if (nranks > 2)
        ar_text_add(notes,
                    "Ranks 0 and %d measured while the others waited in a barrier, which many MPI libraries "
                    "spend polling: with fewer cores than ranks that disturbs, use -n 2.\n",
                    nranks - 1);
    ar_text_add(notes,
                "exchange: both ranks send and receive at once, as in most rounds of collectives. gamma: "
                "float32 sums of 1 MiB blocks, on all ranks at once.\n");
}

void ar_pingpong_report(const struct ar_pingpong *found, int nranks, bool for_people,
                        struct ar_report *report)
{
    ar_text_add(&report->body, "ranks 0 and %d; ", nranks - 1);
    ar_hockney_write(&found->model, &report->body);
    ar_text_add(&report->body, "\n");
    ar_report_field_int(report, "gamma_Bps", (int64_t)llround(1 / found->model.gamma_s_per_byte));
    add_points(found, for_people, report);
    add_models(found, for_people, report);
    add_notes(found, nranks, &report->notes);
}
