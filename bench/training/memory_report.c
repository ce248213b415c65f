#include "bench/training/memory_report.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/training/plan.h"

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *const optimizers[] = {[AR_SGD] = "sgd", [AR_MOMENTUM] = "momentum", [AR_ADAM] = "adam"};
static const char *const precisions[] = {[AR_MIXED] = "mixed", [AR_FP32] = "fp32"};

static const struct ar_column columns[] = {
    {"strategy", "strategy", 0},
    {"paper", "in papers", 0},
    {"parameters_gb", "parameters, GB", 3},
    {"gradients_gb", "gradients, GB", 3},
    {"optimizer_gb", "optimizer, GB", 3},
    {"master_gb", "master, GB", 3},
    {"total_gb", "total, GB", 6},
    {"total_gib", "total, GiB", 3},
    {"total_bytes", NULL, 0},
    {"formula", NULL, 0},
};

static const struct ar_column sum_columns[] = {
    {"strategy", "strategy", 0},
    {"parameters", "parameters", 0},
    {"gradients", "gradients", 0},
    {"updated", "master, optimizer", 0},
    {"gb", "in GB", 0},
};

enum { TERMS = 3 }; /* of a sum: parameters, gradients, master and optimizer */

/* "7.5" for 7,500,000,000, exact. */
static void add_billions(struct ar_text *text, int64_t n)
{
    char decimals[16];
    int length = snprintf(decimals, sizeof decimals, "%09" PRId64, n % 1000000000);
    while (length > 0 && decimals[length - 1] == '0')
        length--;
    ar_text_add(text, "%" PRId64 "%s%.*s", n / 1000000000, length ? "." : "", length, decimals);
}

/* "12Ψ/N", or with numbers "12·7.5/64". */
static void add_term(struct ar_text *text, int bytes, enum ar_sharding sharding,
                     const struct ar_memory_setup *numbers)
{
    if (!numbers) {
        ar_text_add(text, "%dΨ%s", bytes, sharding == AR_PART ? "/N" : "");
        return;
    }
    ar_text_add(text, "%d·", bytes);
    add_billions(text, numbers->parameters);
    if (sharding == AR_PART)
        ar_text_add(text, "/%" PRId64, numbers->nranks);
}

static void add_strategy(const struct ar_strategy *s, const struct ar_memory_setup *setup,
                         struct ar_table *memory, struct ar_table *sums)
{
    struct ar_state_bytes b = ar_state_bytes(setup->optimizer, setup->precision);
    const enum ar_sharding sharding[TERMS] = {s->parameters, s->gradients, s->updated};
    const int bytes[TERMS] = {b.parameters, b.gradients, b.master + b.optimizer};
    double kept[TERMS]; /* of how many parameters a rank keeps the state */
    struct ar_text letters[TERMS] = {0}, formula = {0}, numbers = {0};
    for (int i = 0; i < TERMS; i++) {
        kept[i] = (double)setup->parameters / (sharding[i] == AR_PART ? (double)setup->nranks : 1);
        add_term(&letters[i], bytes[i], sharding[i], NULL);
        ar_text_add(&formula, "%s%s", i ? " + " : "", letters[i].data);
        ar_text_add(&numbers, i ? " + " : "");
        add_term(&numbers, bytes[i], sharding[i], setup);
    }
    double total = bytes[0] * kept[0] + bytes[1] * kept[1] + bytes[2] * kept[2];
    ar_table_row(memory);
    ar_table_text(memory, "%s", s->name);
    ar_table_text(memory, "%s", s->title);
    ar_table_real(memory, b.parameters * kept[0] / 1e9);
    ar_table_real(memory, b.gradients * kept[1] / 1e9);
    ar_table_real(memory, b.optimizer * kept[2] / 1e9);
    ar_table_real(memory, b.master * kept[2] / 1e9);
    ar_table_real(memory, total / 1e9);
    ar_table_real(memory, total / (double)(1 << 30));
    ar_table_real(memory, total);
    ar_table_text(memory, "%s = %s", formula.data, numbers.data);
    if (sums) {
        ar_table_row(sums);
        ar_table_text(sums, "%s", s->name);
        for (int i = 0; i < TERMS; i++)
            ar_table_text(sums, "%s", letters[i].data);
        ar_table_text(sums, "%s", numbers.data);
    }
    for (int i = 0; i < TERMS; i++)
        ar_text_free(&letters[i]);
    ar_text_free(&formula);
    ar_text_free(&numbers);
}

static bool is_even(enum ar_sharding sharding)
{
    return sharding == AR_WHOLE || sharding == AR_PART;
}

void ar_memory_report(const struct ar_memory_setup *setup, bool for_people, struct ar_report *report)
{
    ar_report_field_int(report, "parameters", setup->parameters);
    ar_report_field_int(report, "nranks", setup->nranks);
    ar_report_field_text(report, "optimizer", optimizers[setup->optimizer]);
    ar_report_field_text(report, "precision", precisions[setup->precision]);
    struct ar_table *memory =
        ar_report_table(report, "memory", "Model states per rank (modelled)", columns, LENGTH(columns));
    struct ar_table *sums = NULL;
    if (for_people)
        sums = ar_report_table(report, "sums", "The sums, for Ψ parameters on N ranks", sum_columns,
                               LENGTH(sum_columns));
    for (int i = 0; i < ar_nstrategies; i++)
        if (is_even(ar_strategies[i]->parameters) && is_even(ar_strategies[i]->gradients) &&
            is_even(ar_strategies[i]->updated))
            add_strategy(ar_strategies[i], setup, memory, sums);
}
