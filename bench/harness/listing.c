#include "bench/harness/listing.h"

#include <string.h>

#include "bench/harness/catalogue.h"
#include "bench/harness/listing_machines.h"
#include "bench/harness/topology_report.h"
#include "bench/harness/verify_report.h"
#include "collectives/registry.h"
#include "sim/training/plan.h"

#define COLUMNS(columns) columns, sizeof columns / sizeof *columns

/* ---- Algorithms -------------------------------------------------------------------------------------- */

static const struct ar_column algorithm_columns[] = {
    {"name", "algorithm", 0}, /* as commands take it */
    {"collective", NULL, 0},   {"algorithm", NULL, 0},
    {"needs", "needs", 0},     {"order", "order", 0},
    {"bits", "bits", 0},       {"openmpi", NULL, 0},
    {"mpich", NULL, 0},        {"nccl", NULL, 0},
    {"summary", "summary", 0}, {"parameters", "parameters", 0}, /* last, for some have many */
    {"help", NULL, 0},                                          /* of the parameters */
    {"source", NULL, 0},       {"picture", NULL, 0},
};

static const struct ar_column elsewhere_columns[] = {
    {"name", "algorithm", 0}, {"openmpi", "Open MPI", 0}, {"mpich", "MPICH", 0}, {"nccl", "NCCL", 0}};

static void add_text(struct ar_table *table, const char *text)
{
    if (text && *text)
        ar_table_text(table, "%s", text);
    else
        ar_table_null(table);
}

static void add_name(struct ar_table *table, const struct ar_algorithm *algorithm)
{
    ar_table_text(table, "%s:%s", ar_collectives[algorithm->collective].name, algorithm->name);
}

static enum ar_status add_algorithm(struct ar_table *table, const struct ar_algorithm *algorithm,
                                    struct ar_error *error)
{
    struct ar_swept swept;
    enum ar_status status = ar_catalogue_sweep(algorithm, &swept, error);
    if (status != AR_OK)
        return status;
    struct ar_text values = {0}, help = {0}, picture = {0};
    ar_params_write(algorithm, &values, &help);
    status = ar_catalogue_picture(algorithm, &picture, error);
    ar_table_row(table);
    add_name(table, algorithm);
    ar_table_text(table, "%s", ar_collectives[algorithm->collective].name);
    ar_table_text(table, "%s", algorithm->name);
    add_text(table, ar_needs_words(algorithm));
    add_text(table, ar_swept_order(&swept));
    add_text(table, ar_swept_bits(&swept));
    add_text(table, algorithm->openmpi);
    add_text(table, algorithm->mpich);
    add_text(table, algorithm->nccl);
    add_text(table, algorithm->summary);
    add_text(table, values.data);
    add_text(table, help.data);
    add_text(table, algorithm->source);
    add_text(table, picture.data);
    ar_text_free(&values);
    ar_text_free(&help);
    ar_text_free(&picture);
    ar_swept_free(&swept);
    return status;
}

static void add_elsewhere(struct ar_report *report)
{
    struct ar_table *table =
        ar_report_table(report, "elsewhere", "What others call them", COLUMNS(elsewhere_columns));
    for (int i = 0; i < ar_nalgorithms; i++) {
        const struct ar_algorithm *algorithm = ar_algorithms[i];
        if (!algorithm->openmpi && !algorithm->mpich && !algorithm->nccl)
            continue;
        ar_table_row(table);
        add_name(table, algorithm);
        add_text(table, algorithm->openmpi);
        add_text(table, algorithm->mpich);
        add_text(table, algorithm->nccl);
    }
}

static enum ar_status list_algorithms(struct ar_report *report, bool for_people, struct ar_error *error)
{
    struct ar_table *table = ar_report_table(report, "algorithms", NULL, COLUMNS(algorithm_columns));
    enum ar_status status = AR_OK;
    for (int i = 0; i < ar_nalgorithms && status == AR_OK; i++)
        status = add_algorithm(table, ar_algorithms[i], error);
    if (for_people)
        add_elsewhere(report);
    for (int i = 0; i < AR_NCOLLECTIVES; i++)
        ar_text_add(&report->notes, "%s%d %s", i ? ", " : "",
                    ar_collective_algorithms((enum ar_collective_id)i), ar_collectives[i].name);
    ar_text_add(&report->notes, ": %d algorithms.\n", ar_nalgorithms);
    ar_text_add(&report->notes,
                "order: operands combine in the order of the ranks, so the operator need not commute; "
                "root 0: with that root.\n"
                "bits: all ranks get the same bits. Both are proved, for 1 to %d ranks and every root.\n",
                AR_PROVED_RANKS);
    return status;
}

/* ---- The other registries ---------------------------------------------------------------------------- */

static const struct ar_column collective_columns[] = {
    {"collective", "collective", 0}, {"before", "held before by", 0}, {"after", "held after by", 0},
    {"reduces", "reduces", 0},       {"algorithms", "algorithms", 0}, {"summary", "summary", 0},
};

static enum ar_status list_collectives(struct ar_report *report, bool for_people, struct ar_error *error)
{
    (void)for_people, (void)error;
    static const char *const where[] = {[AR_AT_ROOT] = "root",
                                        [AR_AT_OWNER] = "owners",
                                        [AR_AT_ALL] = "all",
                                        [AR_AT_SOURCE] = "sources",
                                        [AR_AT_DESTINATION] = "destinations"};
    struct ar_table *table = ar_report_table(report, "collectives", NULL, COLUMNS(collective_columns));
    for (int i = 0; i < AR_NCOLLECTIVES; i++) {
        ar_table_row(table);
        ar_table_text(table, "%s", ar_collectives[i].name);
        ar_table_text(table, "%s", where[ar_collectives[i].starts]);
        ar_table_text(table, "%s", where[ar_collectives[i].ends]);
        ar_table_bool(table, ar_collectives[i].reduces);
        ar_table_int(table, ar_collective_algorithms((enum ar_collective_id)i));
        ar_table_text(table, "%s", ar_collectives[i].summary);
    }
    return AR_OK;
}

static const struct ar_column model_columns[] = {
    {"model", "model", 0}, {"layers", "layers", 0}, {"parameters", "parameters", 0}};

static enum ar_status list_models(struct ar_report *report, bool for_people, struct ar_error *error)
{
    (void)for_people;
    struct ar_table *table = ar_report_table(report, "models", NULL, COLUMNS(model_columns));
    for (int i = 0; i < ar_nmodels; i++) {
        struct ar_model model = {0};
        enum ar_status status = ar_model_builtin(ar_model_names[i], &model, error);
        if (status != AR_OK)
            return status;
        ar_table_row(table);
        ar_table_text(table, "%s", ar_model_names[i]);
        ar_table_int(table, model.nlayers);
        ar_table_int(table, model.parameters);
        ar_model_free(&model);
    }
    return AR_OK;
}

static const struct ar_column strategy_columns[] = {{"strategy", "strategy", 0},
                                                    {"collectives", "collectives per layer", 0},
                                                    {"vectors", "/ (N-1) n", 0},
                                                    {"summary", "summary", 0},
                                                    {"source", NULL, 0}};

static enum ar_status list_strategies(struct ar_report *report, bool for_people, struct ar_error *error)
{
    (void)for_people, (void)error;
    struct ar_table *table = ar_report_table(report, "strategies", NULL, COLUMNS(strategy_columns));
    for (int i = 0; i < ar_nstrategies; i++) {
        ar_table_row(table);
        ar_table_text(table, "%s", ar_strategies[i]->name);
        struct ar_text collectives = {0};
        ar_strategy_collectives(ar_strategies[i], NULL, &collectives);
        ar_table_text(table, "%s", collectives.data);
        ar_text_free(&collectives);
        ar_table_int(table, ar_strategies[i]->vectors);
        ar_table_text(table, "%s", ar_strategies[i]->summary);
        add_text(table, ar_strategies[i]->source);
    }
    return AR_OK;
}

static const struct ar_column type_columns[] = {
    {"type", "type", 0}, {"bytes", "bytes", 0}, {"kind", "kind", 0}};

static enum ar_status list_types(struct ar_report *report, bool for_people, struct ar_error *error)
{
    (void)for_people, (void)error;
    static const char *const kind[] = {
        [AR_SIGNED] = "signed integer", [AR_UNSIGNED] = "unsigned integer", [AR_FLOAT] = "floating point"};
    struct ar_table *table = ar_report_table(report, "types", NULL, COLUMNS(type_columns));
    for (int i = 0; i < AR_NTYPES; i++) {
        ar_table_row(table);
        ar_table_text(table, "%s", ar_types[i].name);
        ar_table_int(table, (int64_t)ar_types[i].bytes);
        ar_table_text(table, "%s", kind[ar_types[i].kind]);
    }
    return AR_OK;
}

static const struct ar_column operator_columns[] = {{"operator", "operator", 0}, {"summary", "summary", 0}};

static enum ar_status list_operators(struct ar_report *report, bool for_people, struct ar_error *error)
{
    (void)for_people, (void)error;
    struct ar_table *table = ar_report_table(report, "operators", NULL, COLUMNS(operator_columns));
    for (int i = 0; i < ar_noperators; i++) {
        ar_table_row(table);
        ar_table_text(table, "%s", ar_operators[i].name);
        ar_table_text(table, "%s", ar_operators[i].summary);
    }
    return AR_OK;
}

/* ------------------------------------------------------------------------------------------------------ */

const struct ar_listing ar_listings[] = {
    {"algorithms", list_algorithms, ar_catalogue_write},
    {"collectives", list_collectives, NULL},
    {"models", list_models, NULL},
    {"strategies", list_strategies, NULL},
    {"types", list_types, NULL},
    {"operators", list_operators, NULL},
    {"machines", ar_list_machines, NULL},
    {"cost-models", ar_list_cost_models, NULL},
    {"topologies", ar_list_topologies, NULL},
};

const int ar_nlistings = sizeof ar_listings / sizeof *ar_listings;
