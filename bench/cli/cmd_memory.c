/* allround memory: model states per rank as the papers count them (bench/training/memory_report.h). */
#include "bench/cli/cli.h"
#include "bench/training/memory_report.h"

struct options {
    int64_t nranks, parameters; /* -1: not given */
    int optimizer, precision;
};

#define TARGET(member) offsetof(struct options, member)

static const struct ar_option table[] = {
    {"parameters", "COUNT", "Parameters of the model, e.g. 7.5e9", 1, AR_OPTION_COUNT, TARGET(parameters)},
    {"n", "N", "Ranks", 1, AR_OPTION_INT, TARGET(nranks), 1, INT32_MAX},
    {"optimizer", "sgd|momentum|adam", "Optimizer (adam)", 1, AR_OPTION_NAME, TARGET(optimizer),
     .noun = "optimizer"},
    {"precision", "mixed|fp32",
     "mixed (the default): 2-byte parameters and gradients, fp32 master weights; fp32: all in fp32", 1,
     AR_OPTION_NAME, TARGET(precision), .noun = "precision"},
};

static enum ar_status run(void *options, struct ar_session *session, const struct ar_format *format,
                          struct ar_error *error)
{
    (void)session;
    const struct options *o = options;
    if (o->parameters < 0 || o->nranks < 0)
        return ar_fail(error, AR_INVALID, "memory needs --parameters and -n, e.g. --parameters 7.5e9 -n 64");
    struct ar_report report = {0};
    struct ar_memory_setup setup = {o->nranks, o->parameters, (enum ar_optimizer)o->optimizer,
                                    (enum ar_precision)o->precision};
    enum ar_status status = ar_describe_machine(&report, error);
    if (status == AR_OK) {
        ar_memory_report(&setup, format->for_people, &report);
        status = ar_print(&report, format, error);
    }
    ar_report_free(&report);
    return status;
}

static const struct options defaults = {
    .nranks = -1, .parameters = -1, .optimizer = AR_ADAM, .precision = AR_MIXED};

const struct ar_command ar_command_memory = {
    .name = "memory",
    .summary = "model states per rank, data parallelism and ZeRO",
    .about = "Model states per rank: parameters, gradients, optimizer state and master weights.\v"
             "Activations, communication buffers and layers gathered for use come on top.\n\n"
             "Examples:\n"
             "  allround memory --parameters 7.5e9 -n 64\n"
             "  allround memory --parameters 1.5e9 -n 8 --precision fp32\n",
    AR_COMMAND_OPTIONS(table, defaults),
    .run = run,
};
