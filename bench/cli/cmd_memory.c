/* allround memory: model states per rank under data parallelism and the stages of ZeRO (sim/training). */
#include <stdio.h>
#include <string.h>

#include "bench/cli/cli.h"
#include "collectives/base/units.h"
#include "sim/training/plan.h"

struct options {
    struct ar_options base;     /* first: parsers get its address */
    int64_t nranks, parameters; /* -1: not given */
    enum ar_optimizer optimizer;
    enum ar_precision precision;
};

enum { PARAMETERS = 0x100, OPTIMIZER, PRECISION };

static const char *const optimizers[] = {"sgd", "momentum", "adam"};
static const char *const precisions[] = {"mixed", "fp32"};

static const struct argp_option argp_options[] = {
    {"parameters", PARAMETERS, "COUNT", 0, "Parameters of the model, e.g. 7.5e9", 1},
    {0, 'n', "N", 0, "Ranks", 1},
    {"optimizer", OPTIMIZER, "sgd|momentum|adam", 0, "Optimizer (adam)", 1},
    {"precision", PRECISION, "mixed|fp32", 0,
     "mixed (the default): 2-byte parameters and gradients, fp32 master weights; fp32: all in fp32", 1},
    {0},
};

/* The index of `name`, or a refusal that leaves it alone. */
static enum ar_status parse_name(const char *kind, const char *name, const char *const *known, int n,
                                 int *index, struct ar_error *error)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name, known[i]) == 0) {
            *index = i;
            return AR_OK;
        }
    return ar_fail_unknown(error, kind, name, known, (size_t)n);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    struct ar_error *error = &o->base.error;
    int index = 0;
    enum ar_status status = AR_OK;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->base.format;
        return 0;
    case 'n':
        return ar_option_status(&o->base, ar_parse_int(argument, "-n", 1, INT32_MAX, &o->nranks, error));
    case PARAMETERS:
        return ar_option_status(&o->base, ar_parse_count(argument, "--parameters", &o->parameters, error));
    case OPTIMIZER:
        status = parse_name("optimizer", argument, optimizers, 3, &index, error);
        o->optimizer = (enum ar_optimizer)index;
        return ar_option_status(&o->base, status);
    case PRECISION:
        status = parse_name("precision", argument, precisions, 2, &index, error);
        o->precision = (enum ar_precision)index;
        return ar_option_status(&o->base, status);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&ar_output_options, 0, 0, 0}, {0}};

static const struct argp argp = {
    argp_options,
    parse,
    0,
    "Model states per rank: parameters, gradients, optimizer state and master weights.\v"
    "Activations, communication buffers and layers gathered for use come on top.\n\n"
    "Examples:\n"
    "  allround memory --parameters 7.5e9 -n 64\n"
    "  allround memory --parameters 1.5e9 -n 8 --precision fp32\n",
    children,
    0,
    0};

static const struct ar_column columns[] = {
    {"strategy", "strategy", 0},
    {"parameters_gb", "parameters, GB", 3},
    {"gradients_gb", "gradients, GB", 3},
    {"optimizer_gb", "optimizer, GB", 3},
    {"master_gb", "master, GB", 3},
    {"total_gb", "total, GB", 6},
    {"total_gib", "total, GiB", 3},
    {"total_bytes", NULL, 0},
    {"formula", "parameters + gradients + (master and optimizer), Ψ in 1e9", 0},
};

/* "2Ψ + 2Ψ + 12Ψ/N = 2·7.5 + 2·7.5 + 12·7.5/64"; stage s divides the last s of the three. */
static void add_formula(struct ar_table *table, struct ar_state_bytes b, int stage, const struct options *o)
{
    double term[] = {b.parameters, b.gradients, b.master + b.optimizer}, psi = (double)o->parameters / 1e9;
    struct ar_text text = {0};
    for (int i = 0; i < 3; i++)
        ar_text_add(&text, "%s%gΨ%s", i ? " + " : "", term[i], i + stage >= 3 ? "/N" : "");
    for (int i = 0; i < 3; i++) {
        ar_text_add(&text, "%s%g·%.10g", i ? " + " : " = ", term[i], psi);
        if (i + stage >= 3)
            ar_text_add(&text, "/%d", (int)o->nranks);
    }
    ar_table_text(table, "%s", text.data);
    ar_text_free(&text);
}

static void add_rows(struct ar_table *table, const struct ar_model *model, const struct options *o)
{
    static const struct {
        const char *name;
        const struct ar_strategy *strategy;
    } rows[] = {{"DP", &ar_strategy_ddp},
                {"ZeRO-1", &ar_strategy_zero1},
                {"ZeRO-2", &ar_strategy_zero2},
                {"ZeRO-3", &ar_strategy_zero3}};
    struct ar_state_bytes bytes = ar_state_bytes(o->optimizer, o->precision);
    for (int stage = 0; stage < 4; stage++) {
        struct ar_memory m = rows[stage].strategy->memory(model, (int)o->nranks, bytes, 0);
        double total = ar_memory_total(m);
        ar_table_row(table);
        ar_table_text(table, "%s", rows[stage].name);
        ar_table_real(table, m.parameters / 1e9);
        ar_table_real(table, m.gradients / 1e9);
        ar_table_real(table, m.optimizer / 1e9);
        ar_table_real(table, m.master / 1e9);
        ar_table_real(table, total / 1e9);
        ar_table_real(table, total / (double)(1 << 30));
        ar_table_real(table, total);
        add_formula(table, bytes, stage, o);
    }
}

static enum ar_status run(int argc, char **argv, struct ar_error *error)
{
    struct options o = {.nranks = -1, .parameters = -1, .optimizer = AR_ADAM, .precision = AR_MIXED};
    struct ar_model model = {0};
    struct ar_report report = {0};
    enum ar_status status = ar_options_parse(&argp, argc, argv, &o.base, error);
    if (status == AR_OK && (o.parameters < 0 || o.nranks < 0))
        status =
            ar_fail(error, AR_INVALID, "memory needs --parameters and -n, e.g. --parameters 7.5e9 -n 64");
    if (status == AR_OK)
        status = ar_model_uniform(o.parameters, 1, &model, error);
    if (status == AR_OK)
        status = ar_describe_machine(&report, error);
    if (status == AR_OK) {
        ar_report_field_int(&report, "parameters", o.parameters);
        ar_report_field_int(&report, "nranks", o.nranks);
        ar_report_field_text(&report, "optimizer", optimizers[o.optimizer]);
        ar_report_field_text(&report, "precision", precisions[o.precision]);
        add_rows(ar_report_table(&report, "memory", "Model states per rank (modelled)", columns,
                                 sizeof columns / sizeof *columns),
                 &model, &o);
        status = ar_print(&report, o.base.format, error);
    }
    ar_report_free(&report);
    ar_model_free(&model);
    return status;
}

const struct ar_command ar_command_memory = {"memory", "model states per rank, data parallelism and ZeRO",
                                             run};
