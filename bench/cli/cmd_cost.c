/* allround cost: what the alpha-beta model says (bench/harness/costing.h). */
#include "bench/cli/cli.h"
#include "bench/harness/costing.h"
#include "collectives/base/units.h"
#include "collectives/registry.h"

struct options {
    struct ar_options base; /* first: parsers get its address */
    const char *subject;
    struct ar_hockney_words model;
    int64_t nranks, root, count; /* nranks -1: not given */
    enum ar_type type;
    bool crossover;
};

enum { ROOT = 0x100, COUNT, TYPE, ALPHA, BETA, GAMMA, MACHINE, CROSSOVER };

enum { MOST_RANKS = 1 << 30, USUAL_COUNT = 1 << 20 };

/* Products with ranks and bytes stay below 2^63. */
static const int64_t MOST_COUNT = INT64_C(1) << 40;

static const struct argp_option argp_options[] = {
    {0, 'n', "N", 0, "Ranks", 1},
    {"root", ROOT, "R", 0, "The root, where the collective has one (0)", 1},
    {"count", COUNT, "N", 0, "Elements of the full vector (1048576)", 1},
    {"type", TYPE, "TYPE", 0, "Element type (float32)", 1},
    {"machine", MACHINE, "NAME", 0, "A published machine: azure-hdr (the default), aws-efa", 2},
    {"alpha", ALPHA, "TIME", 0, "Instead of the machine's: time of a message, e.g. 2us", 2},
    {"beta-Bps", BETA, "RATE", 0, "Instead of the machine's: bytes sent per second, e.g. 12.5GB/s", 2},
    {"gamma-Bps", GAMMA, "RATE", 0, "Bytes combined per second, e.g. 10GB/s (not priced)", 2},
    {"crossover", CROSSOVER, 0, 0, "Which algorithm wins in which size range, up to 1 GiB", 3},
    {0},
};

static enum ar_status parse_subject(char *argument, struct options *o)
{
    if (o->subject)
        return ar_fail(&o->base.error, AR_INVALID, "cost: expected one collective, got '%s' too", argument);
    o->subject = argument;
    return AR_OK;
}

static enum ar_status parse_one(int key, char *argument, struct options *o)
{
    struct ar_error *error = &o->base.error;
    switch (key) {
    case 'n':
        return ar_parse_int(argument, "-n", 1, MOST_RANKS, &o->nranks, error);
    case ROOT:
        return ar_parse_int(argument, "--root", 0, MOST_RANKS - 1, &o->root, error);
    case COUNT:
        return ar_parse_int(argument, "--count", 0, MOST_COUNT, &o->count, error);
    case TYPE:
        return ar_parse_type(argument, &o->type, error);
    case ALPHA:
        o->model.alpha = argument;
        return AR_OK;
    case BETA:
        o->model.beta_Bps = argument;
        return AR_OK;
    case GAMMA:
        o->model.gamma_Bps = argument;
        return AR_OK;
    case MACHINE:
        o->model.machine = argument;
        return AR_OK;
    case CROSSOVER:
        o->crossover = true;
        return AR_OK;
    default:
        return parse_subject(argument, o);
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = &o->base.format;
    else if (key == ARGP_KEY_ARG || key == 'n' || (key >= ROOT && key <= CROSSOVER))
        return ar_option_status(&o->base, parse_one(key, argument, o));
    return key == ARGP_KEY_INIT ? 0 : ARGP_ERR_UNKNOWN;
}

static const struct argp_child children[] = {{&ar_output_options, 0, 0, 0}, {0}};

static const struct argp argp = {
    argp_options,
    parse,
    "COLL[:ALG[:param=value,...]]",
    "What a collective costs under Hockney's model: messages, bytes on the critical path, time.\v"
    "A message takes alpha + bytes / beta; combining takes bytes / gamma. One port each way.\n\n"
    "Examples:\n"
    "  allround cost allreduce -n 8 --count 1e6 --gamma-Bps 10GB/s\n"
    "  allround cost allreduce:ring -n 1048576 --alpha 2us --beta-Bps 12.5GB/s\n"
    "  allround cost broadcast -n 1000 --machine aws-efa --crossover",
    children,
    0,
    0};

static enum ar_status make_costing(const struct options *o, struct ar_costing *costing,
                                   struct ar_error *error)
{
    *costing = (struct ar_costing){.collective = ar_collective_find(o->subject),
                                   .nranks = (int)o->nranks,
                                   .root = (int)o->root,
                                   .count = o->count,
                                   .type = o->type};
    enum ar_status status = ar_hockney_parse(&o->model, &costing->model, &costing->machine, error);
    if (status == AR_OK && costing->collective == AR_NCOLLECTIVES) /* an algorithm, or neither */
        status = ar_choice_parse(o->subject, &costing->choice, error);
    if (status == AR_OK && costing->choice.algorithm)
        costing->collective = costing->choice.algorithm->collective;
    return status;
}

static enum ar_status run(int argc, char **argv, struct ar_error *error)
{
    struct options o = {.nranks = -1, .count = USUAL_COUNT, .type = AR_TYPE_float32};
    struct ar_costing costing;
    struct ar_report report = {0};
    enum ar_status status = ar_options_parse(&argp, argc, argv, &o.base, error);
    if (status == AR_OK && (!o.subject || o.nranks < 0))
        status = ar_fail(error, AR_INVALID, "cost needs a collective and -n RANKS, e.g. allreduce -n 8");
    if (status == AR_OK)
        status = make_costing(&o, &costing, error);
    if (status == AR_OK)
        status = ar_describe_machine(&report, error);
    if (status == AR_OK)
        status = o.crossover ? ar_crossover_report(&costing, &report, error)
                             : ar_costing_report(&costing, ar_is_text(o.base.format), &report, error);
    report.bare = !o.crossover;
    if (status == AR_OK)
        status = ar_print(&report, o.base.format, error);
    ar_report_free(&report);
    return status;
}

const struct ar_command ar_command_cost = {"cost", "what collectives cost under the alpha-beta model", run};
