/* allround claim: ZeRO-3's 1.5 times the traffic of data parallelism, counted (bench/training/claim.h). */
#include <string.h>

#include "bench/cli/cli.h"
#include "bench/harness/environment.h"
#include "bench/import/model_file.h"
#include "bench/training/claim_report.h"
#include "collectives/base/units.h"
#include "collectives/run/mpi.h"

struct options {
    struct ar_options base;             /* first: parsers get its address */
    int64_t nranks, parameters, layers; /* -1: not given */
    const char *model;                  /* NULL: not given */
    bool type_given;
    struct ar_runner_setup setup;
};

enum { MOST_RANKS = 4096 }; /* rings send the square of it */

enum { MODEL = 0x100, TYPE, BUFFERS, PARAMETERS, LAYERS, ALGORITHM, LIBRARY };

static const struct argp_option argp_options[] = {
    {0, 'n', "N", 0, "Ranks, at least 2; under mpiexec its number of processes", 1},
    {"model", MODEL, "NAME|FILE", 0, "A built-in model (gpt2-124m, the default) or a JSON or CSV file", 1},
    {"parameters", PARAMETERS, "COUNT", 0, "Instead of --model: so many parameters, e.g. 7.5e9", 1},
    {"layers", LAYERS, "L", 0, "Divide --parameters into L layers (default 1)", 1},
    {"type", TYPE, "TYPE", 0, "Element type on the wire (float16; with --library float32)", 1},
    {"buffers", BUFFERS, "real|simulated", 0,
     "real (the default): data moves and results are checked; simulated: messages are matched and counted",
     1},
    {"algorithm", ALGORITHM, "COLL:ALG[:param=value,...]", 0,
     "Run a collective with this algorithm; once per collective", 1},
    {"library", LIBRARY, 0, 0, "The MPI library's own collectives instead, for comparison", 1},
    {0},
};

static enum ar_status parse_buffers(const char *name, struct options *o)
{
    static const char *const known[] = {"real", "simulated"};
    o->setup.simulated = strcmp(name, "simulated") == 0;
    if (!o->setup.simulated && strcmp(name, "real") != 0)
        return ar_fail_unknown(&o->base.error, "kind of buffers", name, known, 2);
    return AR_OK;
}

static enum ar_status parse_algorithm(const char *text, struct options *o)
{
    struct ar_choice choice;
    enum ar_status status = ar_choice_parse(text, &choice, &o->base.error);
    if (status != AR_OK)
        return status;
    struct ar_choice *mine = &o->setup.choice[choice.algorithm->collective];
    if (mine->algorithm)
        return ar_fail(&o->base.error, AR_INVALID, "--algorithm: %s is given twice",
                       ar_collectives[choice.algorithm->collective].name);
    *mine = choice;
    return AR_OK;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    struct ar_error *error = &o->base.error;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->base.format;
        return 0;
    case 'n':
        return ar_option_status(&o->base, ar_parse_int(argument, "-n", 1, MOST_RANKS, &o->nranks, error));
    case MODEL:
        o->model = argument;
        return 0;
    case PARAMETERS:
        return ar_option_status(&o->base, ar_parse_count(argument, "--parameters", &o->parameters, error));
    case LAYERS:
        return ar_option_status(&o->base, ar_parse_int(argument, "--layers", 1, 1 << 20, &o->layers, error));
    case TYPE:
        o->type_given = true;
        return ar_option_status(&o->base, ar_parse_type(argument, &o->setup.type, error));
    case BUFFERS:
        return ar_option_status(&o->base, parse_buffers(argument, o));
    case ALGORITHM:
        return ar_option_status(&o->base, parse_algorithm(argument, o));
    case LIBRARY:
        o->setup.library = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&ar_output_options, 0, 0, 0}, {0}};

static const struct argp argp = {
    argp_options,
    parse,
    0,
    "Counts the bytes that one training step sends under every strategy, and checks every result.\v"
    "Examples:\n"
    "  mpiexec -n 4 allround claim\n"
    "  allround claim -n 4 --model my-model.json\n"
    "  allround claim --buffers simulated -n 64 --parameters 7.5e9\n"
    "  mpiexec -n 4 allround claim --library\n"
    "  allround claim -n 4 --algorithm broadcast:chain:segment=1MiB\n",
    children,
    0,
    0};

/* What the options say together, as far as it does not depend on MPI. */
static enum ar_status agree(struct options *o, bool launched, struct ar_error *error)
{
    if (o->model && o->parameters >= 0)
        return ar_fail(error, AR_INVALID, "--model and --parameters: expected one of them");
    if (o->layers >= 0 && o->parameters < 0)
        return ar_fail(error, AR_INVALID, "--layers needs --parameters: a model has its own layers");
    if (!o->type_given)
        o->setup.type = o->setup.library ? AR_TYPE_float32 : AR_TYPE_float16;
    if (o->setup.library && (!launched || o->setup.simulated))
        return ar_fail(error, AR_INVALID,
                       "--library runs MPI's collectives on real buffers: start it with mpiexec -n N");
    if (o->setup.library && o->setup.type != AR_TYPE_float32)
        return ar_fail(error, AR_INVALID, "--library: expected --type float32, got %s",
                       ar_types[o->setup.type].name);
    return AR_OK;
}

static enum ar_status read_model(const struct options *o, struct ar_model *model, struct ar_error *error)
{
    if (o->parameters >= 0)
        return ar_model_uniform(o->parameters, o->layers < 0 ? 1 : (int)o->layers, model, error);
    const char *name = o->model ? o->model : "gpt2-124m";
    return strpbrk(name, "/.") ? ar_model_read(name, model, error) : ar_model_builtin(name, model, error);
}

/* How many ranks there are: the launcher's, or -n. */
static enum ar_status settle_ranks(struct options *o, bool launched, int launcher_ranks,
                                   struct ar_error *error)
{
    int got = o->setup.end ? o->setup.end->nranks : launcher_ranks;
    if (o->setup.end && o->nranks >= 0 && o->nranks != got)
        return ar_fail(error, AR_INVALID, "-n: expected the launcher's %d ranks, got %d", got,
                       (int)o->nranks);
    if (o->nranks < 0 && (!launched || got < 0))
        return ar_fail(error, AR_INVALID,
                       "claim needs -n RANKS, or a launcher: mpiexec -n RANKS allround claim");
    o->setup.nranks = o->nranks >= 0 ? (int)o->nranks : got;
    return AR_OK;
}

static enum ar_status count(struct options *o, const struct ar_model *model, const char *mpi_version,
                            struct ar_error *error)
{
    struct ar_runner_setup *setup = &o->setup;
    struct ar_environment environment;
    struct ar_claim claim;
    struct ar_report report = {0};
    enum ar_status status =
        ar_environment_read(&environment, setup->end, mpi_version, setup->nranks, setup->simulated, error);
    if (status != AR_OK)
        return status;
    setup->node_ranks = environment.ranks_here;
    status = ar_claim_run(setup, model, &claim, error);
    if (status != AR_OK)
        return status;
    ar_environment_report(&environment, &report);
    ar_claim_report(&claim, setup, model, ar_is_text(o->base.format), &report);
    status = ar_print(&report, o->base.format, error);
    if (status == AR_OK && !claim.right)
        status = ar_fail(error, AR_FAILED, "%s", claim.failure.text);
    ar_report_free(&report);
    ar_claim_free(&claim);
    return status;
}

static enum ar_status run(int argc, char **argv, struct ar_error *error)
{
    struct options o = {.nranks = -1, .parameters = -1, .layers = -1};
    int launcher_ranks = -1;
    bool launched = ar_mpi_launched(NULL, &launcher_ranks);
    const char *mpi_version = NULL;
    struct ar_model model = {0};
    enum ar_status status = ar_options_parse(&argp, argc, argv, &o.base, error);
    if (status == AR_OK)
        status = agree(&o, launched, error);
    if (status == AR_OK)
        status = read_model(&o, &model, error);
    if (status == AR_OK && launched && !o.setup.simulated)
        status = ar_mpi_open(true, &o.setup.end, &mpi_version, error);
    if (status == AR_OK)
        status = settle_ranks(&o, launched, launcher_ranks, error);
    /* One process is enough to simulate all ranks. */
    if (status == AR_OK && (!o.setup.simulated || ar_speaks()))
        status = count(&o, &model, mpi_version, error);
    if (status == AR_SYSTEM && o.setup.end) { /* the others may wait for this rank for ever */
        fprintf(stderr, "allround: %s\n", error->text);
        ar_mpi_abort(2);
    }
    if (o.setup.end)
        ar_mpi_close(o.setup.end);
    ar_model_free(&model);
    return status;
}

const struct ar_command ar_command_claim = {"claim", "count what every training strategy sends", run};
