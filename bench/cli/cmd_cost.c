/* allround cost: what the alpha-beta model says (bench/harness/costing.h). */
#include "bench/cli/cli.h"
#include "bench/harness/costing.h"
#include "bench/harness/libraries.h"
#include "collectives/registry.h"

struct options {
    const char *subject;
    struct ar_hockney_words model;
    int64_t nranks, root, count; /* nranks -1: not given */
    int type;
    bool crossover;
    int library; /* -1: none */
};

enum { MOST_RANKS = 1 << 30, USUAL_COUNT = 1 << 20 };

static struct ar_names library_names(void)
{
    return AR_NAMES(ar_libraries, ar_nlibraries);
}

#define TARGET(member) offsetof(struct options, member)

static const struct ar_option table[] = {
    {.kind = AR_OPTION_TEXT, .offset = TARGET(subject), .noun = "collective"},
    {"n", "N", "Ranks", 1, AR_OPTION_INT, TARGET(nranks), 1, MOST_RANKS},
    {"root", "R", "The root, where the collective has one (0)", 1, AR_OPTION_INT, TARGET(root), 0,
     MOST_RANKS - 1},
    /* Products with ranks and bytes stay below 2^63. */
    {"count", "N", "Elements of the full vector, of an alltoall one rank's (1048576)", 1, AR_OPTION_INT,
     TARGET(count), 0, INT64_C(1) << 40},
    {"type", "TYPE", "Element type (float32)", 1, AR_OPTION_NAME, TARGET(type), .noun = "type",
     .names = ar_type_names},
    AR_MODEL_OPTIONS("A published machine", 2, TARGET(model)),
    {"crossover", NULL, "Which algorithm wins in which size range, up to 1 GiB", 3, AR_OPTION_FLAG,
     TARGET(crossover)},
    {"compare", "LIBRARY", "As --crossover, against what openmpi (4.1) or mpich (4) would choose", 3,
     AR_OPTION_NAME, TARGET(library), .noun = "library", .names = library_names},
};

static enum ar_status make_costing(const struct options *o, struct ar_costing *costing,
                                   struct ar_error *error)
{
    *costing = (struct ar_costing){.collective = ar_collective_find(o->subject),
                                   .nranks = (int)o->nranks,
                                   .root = (int)o->root,
                                   .count = o->count,
                                   .type = (enum ar_type)o->type};
    enum ar_status status = ar_read_model(&o->model, &costing->model, &costing->machine, error);
    if (status == AR_OK && costing->collective == AR_NCOLLECTIVES) /* an algorithm, or neither */
        status = ar_choice_parse(o->subject, &costing->choice, error);
    if (status == AR_OK && costing->choice.algorithm)
        costing->collective = costing->choice.algorithm->collective;
    if (status == AR_OK && ar_collectives[costing->collective].token)
        costing->count = 0;
    return status;
}

static enum ar_status run(void *options, struct ar_session *session, const struct ar_format *format,
                          struct ar_error *error)
{
    (void)session;
    const struct options *o = options;
    struct ar_costing costing;
    struct ar_report report = {0};
    enum ar_status status = AR_OK;
    if (!o->subject || o->nranks < 0)
        status = ar_fail(error, AR_INVALID, "cost needs a collective and -n RANKS, e.g. allreduce -n 8");
    if (status == AR_OK)
        status = make_costing(o, &costing, error);
    if (status == AR_OK)
        status = ar_describe_machine(&report, error);
    if (status == AR_OK)
        status = o->library >= 0 ? ar_crossover_compare(&costing, o->library, &report, error)
                 : o->crossover  ? ar_crossover_report(&costing, &report, error)
                                 : ar_costing_report(&costing, format->for_people, &report, error);
    report.bare = !o->crossover && o->library < 0;
    if (status == AR_OK)
        status = ar_print(&report, format, error);
    ar_report_free(&report);
    return status;
}

static const struct options defaults = {
    .nranks = -1, .count = USUAL_COUNT, .type = AR_TYPE_float32, .library = -1};

const struct ar_command ar_command_cost = {
    .name = "cost",
    .summary = "what collectives cost under the alpha-beta model",
    .arguments = "COLL[:ALG[:param=value,...]]",
    .about = "What a collective costs under Hockney's model: messages, bytes on the critical path, time.\v"
             "A message takes alpha + bytes / beta; combining takes bytes / gamma. One port each way. "
             "`mpiexec -n 2 allround pingpong` measures alpha, beta and gamma of your machine.\n\n"
             "Examples:\n"
             "  allround cost allreduce -n 8 --count 1e6 --gamma-Bps 10GB/s\n"
             "  allround cost allreduce:ring -n 1048576 --alpha 2us --beta-Bps 12.5GB/s\n"
             "  allround cost broadcast -n 1000 --machine aws-efa --crossover\n"
             "  allround cost reduce -n 64 --compare openmpi",
    AR_COMMAND_OPTIONS(table, defaults),
    .run = run,
};
