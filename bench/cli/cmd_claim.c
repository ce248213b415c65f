/* allround claim: ZeRO-3's 1.5 times the traffic of data parallelism, counted (bench/training/claim.h). */
#include <string.h>

#include "bench/cli/cli.h"
#include "bench/cli/progress.h"
#include "bench/cli/subject.h"
#include "bench/harness/environment.h"
#include "bench/import/model_file.h"
#include "bench/training/claim_report.h"
#include "collectives/run/mpi.h"

struct options {
    int64_t nranks, parameters, layers; /* -1: not given */
    const char *model;                  /* NULL: not given */
    int type, simulated;                /* type -1: not given */
    bool library;
    struct ar_choice choice[AR_NCOLLECTIVES];
};

enum { MOST_RANKS = 4096, MOST_LAYERS = 1 << 20 }; /* rings send the square of it */

#define TARGET(member) offsetof(struct options, member)

static const struct ar_option table[] = {
    {"n", "N", "Ranks, at least 2; under mpiexec its number of processes", 1, AR_OPTION_INT, TARGET(nranks),
     1, MOST_RANKS},
    {"model", "NAME|FILE", "A built-in model (gpt2-124m, the default) or a JSON or CSV file", 1,
     AR_OPTION_TEXT, TARGET(model)},
    {"parameters", "COUNT", "Instead of --model: so many parameters, e.g. 7.5e9", 1, AR_OPTION_COUNT,
     TARGET(parameters)},
    {"layers", "L", "Divide --parameters into L layers (default 1)", 1, AR_OPTION_INT, TARGET(layers), 1,
     MOST_LAYERS},
    {"type", "TYPE", "Element type on the wire (float16; with --library float32)", 1, AR_OPTION_NAME,
     TARGET(type), .noun = "type", .names = ar_type_names},
    {"buffers", "real|simulated",
     "real (the default): data moves and results are checked; simulated: messages are matched and counted", 1,
     AR_OPTION_NAME, TARGET(simulated), .noun = "kind of buffers"},
    {"algorithm", "COLL:ALG[:param=value,...]", "Run a collective with this algorithm; once per collective",
     1, AR_OPTION_OTHER, TARGET(choice), .parse = ar_choose_once},
    {"library", NULL, "The MPI library's own collectives instead, for comparison", 1, AR_OPTION_FLAG,
     TARGET(library)},
};

/* What the options say together. */
static enum ar_status check(const struct options *o, bool over_mpi, struct ar_error *error)
{
    if (o->model && o->parameters >= 0)
        return ar_fail(error, AR_INVALID, "--model and --parameters: expected one of them");
    if (o->layers >= 0 && o->parameters < 0)
        return ar_fail(error, AR_INVALID, "--layers needs --parameters: a model has its own layers");
    if (o->library && (!over_mpi || o->simulated))
        return ar_fail(error, AR_INVALID,
                       "--library runs MPI's collectives on real buffers: start it with mpiexec -n N");
    if (o->library && o->type >= 0 && o->type != AR_TYPE_float32)
        return ar_fail(error, AR_INVALID, "--library: expected --type float32, got %s",
                       ar_types[o->type].name);
    return AR_OK;
}

static enum ar_status read_model(const struct options *o, struct ar_model *model, struct ar_error *error)
{
    if (o->parameters >= 0)
        return ar_model_uniform(o->parameters, o->layers < 0 ? 1 : (int)o->layers, model, error);
    const char *name = o->model ? o->model : "gpt2-124m";
    return strpbrk(name, "/.") ? ar_model_read(name, model, error) : ar_model_builtin(name, model, error);
}

static enum ar_status count(struct ar_runner_setup *setup, const struct ar_model *model,
                            const struct ar_session *session, const struct ar_format *format,
                            struct ar_error *error)
{
    struct ar_environment environment;
    struct ar_claim claim;
    struct ar_report report = {0};
    enum ar_status status = ar_environment_read(&environment, session->end, session->mpi_version,
                                                setup->nranks, setup->simulated, error);
    if (status != AR_OK)
        return status;
    setup->node_ranks = environment.ranks_here;
    ar_progress_begin();
    status = ar_claim_run(setup, model, ar_progress, &claim, error);
    ar_progress_end();
    if (status != AR_OK)
        return status;
    ar_environment_report(&environment, &report);
    ar_claim_report(&claim, setup, model, format->for_people, &report);
    status = ar_print(&report, format, error);
    if (status == AR_OK && !claim.right)
        status = ar_fail(error, AR_FAILED, "%s", claim.failure.text);
    ar_report_free(&report);
    ar_claim_free(&claim);
    return status;
}

/* Simulating needs no MPI, but several ranks must all do it. */
static bool over_mpi(const void *options)
{
    int nranks;
    ar_mpi_launched(NULL, &nranks);
    return !((const struct options *)options)->simulated || nranks != 1;
}

static enum ar_status run(void *options, struct ar_session *session, const struct ar_format *format,
                          struct ar_error *error)
{
    const struct options *o = options;
    struct ar_runner_setup setup = {.simulated = o->simulated, .library = o->library};
    setup.type = o->type >= 0 ? (enum ar_type)o->type : o->library ? AR_TYPE_float32 : AR_TYPE_float16;
    memcpy(setup.choice, o->choice, sizeof setup.choice);
    struct ar_model model = {0};
    int64_t nranks = 0;
    enum ar_status status = check(o, session->end, error);
    if (status != AR_OK)
        return status;
    status = read_model(o, &model, error);
    status = ar_session_agree(session, status, model.digest, o->model, error);
    if (o->simulated)
        ar_session_leave(session);
    if (status == AR_OK)
        status = ar_session_ranks(session, &o->nranks, o->nranks >= 0, "claim", &nranks, error);
    setup.nranks = (int)nranks;
    setup.end = session->end;
    /* One process is enough to simulate all ranks. */
    if (status == AR_OK && (!o->simulated || ar_speaks()))
        status = count(&setup, &model, session, format, error);
    ar_model_free(&model);
    return status;
}

static const struct options defaults = {.nranks = -1, .parameters = -1, .layers = -1, .type = -1};

const struct ar_command ar_command_claim = {
    .name = "claim",
    .summary = "count what every training strategy sends",
    .about = "Counts the bytes that one training step sends under every strategy, and checks every result.\v"
             "--json holds both tables, --csv the strategies.\n\n" AR_MODEL_HELP "\n"
             "Examples:\n"
             "  mpiexec -n 4 allround claim\n"
             "  allround claim -n 4 --model my-model.json\n"
             "  allround claim --buffers simulated -n 64 --parameters 7.5e9\n"
             "  mpiexec -n 4 allround claim --library\n"
             "  allround claim -n 4 --algorithm broadcast:chain:segment=1MiB\n",
    AR_COMMAND_OPTIONS(table, defaults),
    .over_mpi = over_mpi,
    .run = run,
};
