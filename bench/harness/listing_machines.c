#include "bench/harness/listing_machines.h"

#include "bench/import/machine_file.h"

#define COLUMNS(columns) columns, sizeof columns / sizeof *columns

/* ---- Cost models ------------------------------------------------------------------------------------- */

static const struct ar_column model_columns[] = {
    {"model", "model", 0}, {"clocks", "clocks", 0}, {"formula", "formula", 0}, {"summary", "summary", 0}};

static const struct ar_column param_columns[] = {{"model", "model", 0},       {"parameter", "parameter", 0},
                                                 {"quantity", "quantity", 0}, {"values", "values", 0},
                                                 {"needed", "needed", 0},     {"help", "what it is", 0},
                                                 {"clocks", NULL, 0},         {"formula", NULL, 0},
                                                 {"summary", NULL, 0},        {"source", NULL, 0}};

static void add_params(struct ar_table *table, const struct ar_cost_model *model)
{
    for (int i = 0; i < model->nparams; i++) {
        const struct ar_cost_param *param = &model->params[i];
        ar_table_row(table);
        ar_table_text(table, "%s", model->name);
        ar_table_text(table, "%s", param->name);
        ar_table_text(table, "%s", ar_quantity_name(param->quantity));
        ar_table_text(table, "%s%d", param->most > 1 ? "1.." : "", param->most);
        ar_table_bool(table, param->needed);
        ar_table_text(table, "%s", param->help);
        ar_table_int(table, model->nclocks);
        ar_table_text(table, "%s", model->formula);
        ar_table_text(table, "%s", model->summary);
        ar_table_text(table, "%s", model->source);
    }
}

static void add_models(struct ar_report *report)
{
    struct ar_table *table = ar_report_table(report, "cost_models", NULL, COLUMNS(model_columns));
    for (int i = 0; i < ar_ncost_models; i++) {
        ar_table_row(table);
        ar_table_text(table, "%s", ar_cost_models[i]->name);
        ar_table_int(table, ar_cost_models[i]->nclocks);
        ar_table_text(table, "%s", ar_cost_models[i]->formula);
        ar_table_text(table, "%s", ar_cost_models[i]->summary);
    }
}

/* Programs get one table, which says of every parameter what its model is. */
enum ar_status ar_list_cost_models(struct ar_report *report, bool for_people, struct ar_error *error)
{
    (void)error;
    if (for_people)
        add_models(report);
    struct ar_table *table =
        ar_report_table(report, "parameters", for_people ? "Parameters" : NULL, COLUMNS(param_columns));
    for (int i = 0; i < ar_ncost_models; i++)
        add_params(table, ar_cost_models[i]);
    return AR_OK;
}

/* ---- Machines ---------------------------------------------------------------------------------------- */

static const struct ar_column machine_columns[] = {
    {"machine", "machine", 0}, {"model", "model", 0}, {"summary", "summary", 0}, {"values", "parameters", 0}};

static const struct ar_column value_columns[] = {
    {"machine", NULL, 0}, {"model", NULL, 0}, {"summary", NULL, 0}, {"parameter", NULL, 0},
    {"index", NULL, 0},   {"value", NULL, 0}, {"unit", NULL, 0},    {"source", NULL, 0}};

static void add_name(struct ar_table *table, const struct ar_profile *profile)
{
    ar_table_row(table);
    ar_table_text(table, "%s", profile->name);
    ar_table_text(table, "%s", profile->model->name);
    ar_table_text(table, "%s", profile->summary);
}

static void add_machine(struct ar_table *table, const struct ar_profile *profile)
{
    struct ar_text values = {0};
    ar_cost_model_write(profile->model, &profile->values, &values);
    add_name(table, profile);
    ar_table_text(table, "%s", values.data);
    ar_text_free(&values);
}

static void add_values(struct ar_table *table, const struct ar_profile *profile)
{
    static const char *const units[] = {[AR_QUANTITY_TIME] = "s",
                                        [AR_QUANTITY_PER_BYTE] = "s/B",
                                        [AR_QUANTITY_RATE] = "B/s",
                                        [AR_QUANTITY_SIZE] = "B",
                                        [AR_QUANTITY_NUMBER] = "1"};
    for (int i = 0; i < profile->model->nparams; i++)
        for (int j = 0; j < profile->values.n[i]; j++) {
            add_name(table, profile);
            ar_table_text(table, "%s", profile->model->params[i].name);
            ar_table_int(table, j);
            ar_table_real(table, profile->values.value[i][j]);
            ar_table_text(table, "%s", units[profile->model->params[i].quantity]);
            ar_table_text(table, "%s", profile->param_source[i] ? profile->param_source[i] : profile->source);
        }
}

enum ar_status ar_list_machines(struct ar_report *report, bool for_people, struct ar_error *error)
{
    struct ar_table *table = for_people ? ar_report_table(report, "machines", NULL, COLUMNS(machine_columns))
                                        : ar_report_table(report, "machines", NULL, COLUMNS(value_columns));
    enum ar_status status = AR_OK;
    for (int i = 0; i < ar_nprofiles && status == AR_OK; i++) {
        struct ar_profile profile = {0};
        status = ar_profile_read(ar_profile_texts[i].name, &profile, error);
        if (status == AR_OK)
            (for_people ? add_machine : add_values)(table, &profile);
        ar_profile_free(&profile);
    }
    return status;
}
