#include "bench/training/claim_report.h"

#include <inttypes.h>

#include "collectives/base/units.h"

static const struct ar_column primitive_columns[] = {
    {"collective", "collective", 0},
    {"algorithm", "algorithm", 0},
    {"sent_bytes_max", NULL, 0},
    {"sent_bytes_total", "sent B", 0},
    {"modelled_bytes_total", "modelled B", 0},
    {"witness_bytes_total", "witness B", 0},
    {"ratio_to_vector", "/ (N-1) n", 4},
    {"ratio_to_allreduce", "/ allreduce", 4},
    {"right", NULL, 0},
};

static const struct ar_column strategy_columns[] = {
    {"strategy", "strategy", 0},
    {"collectives", "per layer", 0},
    {"vectors", NULL, 0},
    {"sent_bytes_total", "total B", 0},
    {"sent_bytes_max", "max B", 0},
    {"sent_bytes_mean", "mean B", 2},
    {"modelled_bytes_mean", "modelled B", 2},
    {"witness_bytes_mean", "witness B", 2},
    {"ratio_to_ddp", "/ ddp", 4},
    {"memory_bytes_modelled", NULL, 0},
    {"memory_gb_modelled", "mem GB", 3},
    {"memory_gib_modelled", "mem GiB", 3},
    {"right", NULL, 0},
};

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

static void add_known(struct ar_table *table, int64_t bytes)
{
    if (bytes == AR_UNKNOWN)
        ar_table_null(table);
    else
        ar_table_int(table, bytes);
}

static void add_mean(struct ar_table *table, int64_t total, int nranks)
{
    if (total != AR_UNKNOWN && total % nranks)
        ar_table_real(table, (double)total / nranks);
    else
        add_known(table, total == AR_UNKNOWN ? total : total / nranks);
}

static void add_primitives(const struct ar_claim *claim, struct ar_report *report)
{
    struct ar_table *table = ar_report_table(
        report, "primitives", "One vector: an all-reduce and its halves, bytes sent by all ranks together",
        primitive_columns, LENGTH(primitive_columns));
    for (int i = 0; i < AR_CLAIM_PRIMITIVES; i++) {
        const struct ar_claim_primitive *p = &claim->primitive[i];
        ar_table_row(table);
        ar_table_text(table, "%s", ar_collectives[p->collective].name);
        ar_table_text(table, "%s", p->algorithm);
        add_known(table, p->bytes.sent_max);
        add_known(table, p->bytes.sent_total);
        add_known(table, p->bytes.modelled_total);
        add_known(table, p->bytes.witness_total);
        ar_table_real(table, p->per_vector);
        ar_table_real(table, p->to_allreduce);
        ar_table_bool(table, p->bytes.right);
    }
}

/* For people the collectives of a layer are "2 AG, RS". */
static const char *const letters[AR_NCOLLECTIVES] = {[AR_COLLECTIVE_broadcast] = "B",
                                                     [AR_COLLECTIVE_reduce] = "R",
                                                     [AR_COLLECTIVE_allreduce] = "AR",
                                                     [AR_COLLECTIVE_allgather] = "AG",
                                                     [AR_COLLECTIVE_reduce_scatter] = "RS"};
static void add_strategies(const struct ar_claim *claim, int nranks, bool for_people,
                           struct ar_report *report)
{
    struct ar_table *table = ar_report_table(
        report, "strategies",
        "One training step, layer by layer: bytes sent in total and per rank (max; mean counted, modelled, "
        "witnessed)",
        strategy_columns, LENGTH(strategy_columns));
    for (int i = 0; i < ar_nstrategies; i++) {
        const struct ar_claim_strategy *s = &claim->strategy[i];
        struct ar_text collectives = {0};
        ar_strategy_collectives(s->strategy, for_people ? letters : NULL, &collectives);
        ar_table_row(table);
        ar_table_text(table, "%s", s->strategy->name);
        ar_table_text(table, "%s", collectives.data);
        ar_table_int(table, s->strategy->vectors);
        add_known(table, s->bytes.sent_total);
        add_known(table, s->bytes.sent_max);
        add_mean(table, s->bytes.sent_total, nranks);
        add_mean(table, s->bytes.modelled_total, nranks);
        add_mean(table, s->bytes.witness_total, nranks);
        ar_table_real(table, s->to_ddp);
        ar_table_int(table, s->memory_bytes);
        ar_table_real(table, (double)s->memory_bytes / 1e9);
        ar_table_real(table, (double)s->memory_bytes / (double)(1 << 30));
        ar_table_bool(table, s->bytes.right);
        ar_text_free(&collectives);
    }
}

/* ---- In words ---------------------------------------------------------------------------------------- */

/* (N-1) n for the step. */
static double unit_of(const struct ar_runner_setup *setup, const struct ar_model *model)
{
    return (double)(setup->nranks - 1) * (double)model->parameters * (double)ar_types[setup->type].bytes;
}

static void note_vectors(const struct ar_claim *claim, const struct ar_runner_setup *setup,
                         const struct ar_model *model, struct ar_text *notes)
{
    char n[AR_UNITS_TEXT], elements[AR_UNITS_TEXT], parameters[AR_UNITS_TEXT];
    size_t elem_bytes = ar_types[setup->type].bytes;
    ar_text_add(notes, "N = %d ranks. One vector: n = %s B (%s elements). The step: n = ", setup->nranks,
                ar_format_count(n, (uint64_t)claim->elements * elem_bytes),
                ar_format_count(elements, (uint64_t)claim->elements));
    ar_text_add(notes, "%s B (%s parameters)", ar_format_count(n, (uint64_t)model->parameters * elem_bytes),
                ar_format_count(parameters, (uint64_t)model->parameters));
    double unit = unit_of(setup, model);
    for (int i = 0; i < ar_nstrategies; i++) {
        const struct ar_claim_strategy *s = &claim->strategy[i];
        if (s->bytes.sent_total != AR_UNKNOWN)
            ar_text_add(notes, "%s %s %.4g", i ? "," : "; totals / ((N-1) n):", s->strategy->name,
                        (double)s->bytes.sent_total / unit);
    }
    ar_text_add(notes, ".\n");
}

static void note_letters(struct ar_text *notes)
{
    ar_text_add(notes, "Per layer:");
    for (int i = 0, n = 0; i < AR_NCOLLECTIVES; i++)
        if (letters[i])
            ar_text_add(notes, "%s %s %s", n++ ? "," : "", letters[i], ar_collectives[i].name);
    ar_text_add(notes, ".\n");
}

static void note_checks(const struct ar_claim *claim, const struct ar_runner_setup *setup,
                        struct ar_text *notes)
{
    bool observed = claim->strategy[0].bytes.witness_total != AR_UNKNOWN;
    const char *counted = observed ? "counted = modelled = witness" : "counted = modelled";
    if (!claim->right)
        ar_text_add(notes, "WRONG: %s.\n", claim->failure.text);
    else if (setup->library)
        ar_text_add(notes, "Every rank's result of every collective was checked and is right.\n");
    else if (setup->simulated)
        ar_text_add(notes, "On every rank %s bytes. Simulated buffers: there are no results to check.\n",
                    counted);
    else
        ar_text_add(notes,
                    "Every rank's result of every collective was checked and is right; on every rank "
                    "%s bytes.\n",
                    counted);
    if (!observed && setup->end)
        ar_text_add(notes, "Witness: not observed (needs Open MPI with its monitoring component; --mca pml "
                           "switches it off).\n");
    else if (!observed)
        ar_text_add(notes, "Witness: there is one only over MPI (mpiexec -n N allround claim).\n");
}

static void note_library(const struct ar_claim *claim, double unit, struct ar_text *notes)
{
    ar_text_add(notes, "The MPI library's own collectives, counted by the witness: shown, not asserted.\n");
    double ddp = 0, zero3 = 0, to_ddp = 1.5;
    for (int i = 0; i < ar_nstrategies; i++) {
        const struct ar_claim_strategy *s = &claim->strategy[i];
        if (s->bytes.sent_total == AR_UNKNOWN)
            return;
        if (s->strategy == &ar_strategy_ddp)
            ddp = (double)s->bytes.sent_total / unit;
        if (s->strategy == &ar_strategy_zero3) {
            zero3 = (double)s->bytes.sent_total / unit;
            to_ddp = s->to_ddp;
        }
    }
    if (to_ddp != 1.5)
        ar_text_add(
            notes,
            "zero3 / ddp is %.6f and not 1.5: over the step the library's all-reduces move %.6f (N-1) n "
            "where 2 would do, its all-gathers and reduce-scatters %.6f where 3 would do; 1.5 holds "
            "only where both are traffic-optimal.\n",
            to_ddp, ddp, zero3);
}

static void describe(const struct ar_runner_setup *setup, const struct ar_model *model,
                     struct ar_report *report)
{
    const char *buffers = setup->simulated ? "simulated" : "real",
               *transport = setup->end ? "mpi" : "loopback";
    char parameters[AR_UNITS_TEXT];
    ar_text_add(&report->body, "%s: %s parameters in %d layer%s, %s, %d ranks over %s, %s buffers\n",
                model->name, ar_format_count(parameters, (uint64_t)model->parameters), model->nlayers,
                model->nlayers == 1 ? "" : "s", ar_types[setup->type].name, setup->nranks, transport,
                buffers);
    ar_report_field_int(report, "nranks", setup->nranks);
    ar_report_field_text(report, "model", model->name);
    ar_report_field_int(report, "parameters", model->parameters);
    ar_report_field_int(report, "layers", model->nlayers);
    ar_report_field_text(report, "type", ar_types[setup->type].name);
    ar_report_field_int(report, "elem_bytes", (int64_t)ar_types[setup->type].bytes);
    ar_report_field_text(report, "buffers", buffers);
    ar_report_field_text(report, "transport", transport);
    ar_report_field_text(report, "collectives", setup->library ? "mpi library" : "allround");
}

void ar_claim_report(const struct ar_claim *claim, const struct ar_runner_setup *setup,
                     const struct ar_model *model, bool for_people, struct ar_report *report)
{
    describe(setup, model, report);
    if (for_people)
        add_primitives(claim, report);
    add_strategies(claim, setup->nranks, for_people, report);
    if (!for_people)
        add_primitives(claim, report);
    note_vectors(claim, setup, model, &report->notes);
    note_checks(claim, setup, &report->notes);
    if (setup->library)
        note_library(claim, unit_of(setup, model), &report->notes);
    if (for_people)
        note_letters(&report->notes);
    const struct ar_state_bytes *b = &claim->state_bytes;
    ar_text_add(
        &report->notes,
        "Memory is modelled: parameters %d, gradients %d, master weights %d and Adam's moments %d bytes "
        "per parameter, on the rank that keeps most; no activations or buffers.\n",
        b->parameters, b->gradients, b->master, b->optimizer);
}
