/* allround verify: algorithms and schedule files proved, and run on real buffers (bench/harness). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/cli/cli.h"
#include "bench/harness/environment.h"
#include "bench/harness/verify_report.h"
#include "collectives/base/memory.h"
#include "collectives/base/units.h"
#include "collectives/registry.h"
#include "collectives/run/mpi.h"

enum transport { NONE, LOOPBACK, MPI };

static const char *const transports[] = {"none", "loopback", "mpi"};
static const char *const properties[] = {"order", "bits"}; /* bit i of `require` */

enum { MOST_RANKS = 65536, MOST_OPERATORS = 64 };

struct options {
    struct ar_options base;  /* first: parsers get its address */
    const char *subject;     /* NULL: --all, or not given */
    bool all, vectors;       /* --all; --type or --op */
    int64_t single;          /* number of ranks where -n is left out */
    int64_t *ranks, *counts; /* NULL: not given */
    enum ar_type types[AR_NTYPES];
    const struct ar_operator *operators[MOST_OPERATORS];
    int64_t root; /* -1: every one */
    enum transport transport;
    struct ar_sweep sweep; /* points into this struct */
};

enum { ALL = 0x100, ROOT, COUNT, TYPE, OP, TRANSPORT, REQUIRE };

static const struct argp_option argp_options[] = {
    {"all", ALL, 0, 0, "Every algorithm", 1},
    {0, 'n', "LIST", 0, "Numbers of ranks, e.g. 1..32 or 2,3,8", 1},
    {"root", ROOT, "R", 0, "Only this root (default: every one)", 1},
    {"require", REQUIRE, "order,bits", 0, "Fail also where the operands' order is not kept, or bits differ",
     1},
    {"transport", TRANSPORT, "none|loopback|mpi", 0,
     "none (the default): the proof alone; the others also run every case on real buffers and compare bytes "
     "and "
     "results",
     2},
    {"count", COUNT, "LIST", 0, "Elements of the vectors (0, 1, P-1, P, P+1, 3P+2)", 2},
    {"type", TYPE, "LIST|all", 0, "Element types (float32)", 2},
    {"op", OP, "LIST|all", 0, "Operators (sum)", 2},
    {0},
};

/* ---- Options ----------------------------------------------------------------------------------------- */

static enum ar_status parse_types(const char *list, struct options *o)
{
    const char *known[AR_NTYPES];
    int taken[AR_NTYPES];
    for (int i = 0; i < AR_NTYPES; i++)
        known[i] = ar_types[i].name;
    enum ar_status status =
        ar_parse_names(list, "type", known, AR_NTYPES, taken, &o->sweep.ntypes, &o->base.error);
    for (int i = 0; i < o->sweep.ntypes; i++)
        o->types[i] = (enum ar_type)taken[i];
    return status;
}

static enum ar_status parse_operators(const char *list, struct options *o)
{
    const char *known[MOST_OPERATORS];
    int taken[MOST_OPERATORS], n = 0;
    for (; n < ar_noperators && n < MOST_OPERATORS; n++)
        known[n] = ar_operators[n].name;
    enum ar_status status =
        ar_parse_names(list, "operator", known, n, taken, &o->sweep.noperators, &o->base.error);
    for (int i = 0; i < o->sweep.noperators; i++)
        o->operators[i] = &ar_operators[taken[i]];
    return status;
}

static enum ar_status parse_transport(const char *name, struct options *o)
{
    int n = 0;
    while (n <= MPI && strcmp(name, transports[n]) != 0)
        n++;
    if (n > MPI)
        return ar_fail_unknown(&o->base.error, "transport", name, transports, MPI + 1);
    o->transport = (enum transport)n;
    return AR_OK;
}

static enum ar_status parse_require(const char *list, struct options *o)
{
    int taken[2], n = 0;
    enum ar_status status = ar_parse_names(list, "property", properties, 2, taken, &n, &o->base.error);
    for (int i = 0; i < n; i++)
        o->sweep.require |= 1U << taken[i];
    return status;
}

static enum ar_status parse_subject(const char *name, struct options *o)
{
    if (o->subject)
        return ar_fail(&o->base.error, AR_INVALID,
                       "verify: expected one algorithm, collective or file, got '%s' too", name);
    o->subject = name;
    return AR_OK;
}

static enum ar_status parse_option(int key, const char *argument, struct options *o)
{
    struct ar_error *error = &o->base.error;
    switch (key) {
    case 'n':
        free(o->ranks);
        o->ranks = NULL;
        return ar_parse_list(argument, "-n", 1, MOST_RANKS, &o->ranks, &o->sweep.nranks, error);
    case COUNT:
        free(o->counts);
        o->counts = NULL;
        return ar_parse_list(argument, "--count", 0, INT64_MAX, &o->counts, &o->sweep.ncounts, error);
    case ROOT:
        return ar_parse_int(argument, "--root", 0, MOST_RANKS - 1, &o->root, error);
    case TYPE:
        o->vectors = true;
        return parse_types(argument, o);
    case OP:
        o->vectors = true;
        return parse_operators(argument, o);
    case TRANSPORT:
        return parse_transport(argument, o);
    case REQUIRE:
        return parse_require(argument, o);
    default:
        return parse_subject(argument, o);
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->base.format;
        return 0;
    case ALL:
        o->all = true;
        return 0;
    case 'n':
    case ROOT:
    case COUNT:
    case TYPE:
    case OP:
    case TRANSPORT:
    case REQUIRE:
    case ARGP_KEY_ARG:
        return ar_option_status(&o->base, parse_option(key, argument, o));
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&ar_output_options, 0, 0, 0}, {0}};

static const struct argp argp = {
    argp_options,
    parse,
    "COLL[:ALG[:param=value,...]]|FILE.json",
    "Proves that schedules are right: every rank gets every contribution exactly once.\v"
    "A wrong schedule, result or byte count makes the exit status 1, with a counterexample. order (operands "
    "combine in the order of the ranks) and bits (all ranks get the same bits) are findings, unless "
    "required.\n\n"
    "Examples:\n"
    "  allround verify --all -n 1..32\n"
    "  allround verify allreduce:ring -n 7 --require bits\n"
    "  allround verify broadcast:chain -n 2..8 --transport loopback\n"
    "  mpiexec -n 4 allround verify --all --transport mpi --type all --op all\n"
    "  allround verify mine.json",
    children,
    0,
    0};

/* ---- Verifying --------------------------------------------------------------------------------------- */

static int most_ranks(const struct ar_sweep *sweep)
{
    int64_t most = 0;
    for (int i = 0; i < sweep->nranks; i++)
        most = sweep->ranks[i] > most ? sweep->ranks[i] : most;
    return (int)most;
}

/* Settles the numbers of ranks: -n, the launcher's, or the file's (NULL: no file). */
static enum ar_status settle_ranks(struct options *o, struct ar_end *end, const struct ar_schedule_file *file,
                                   struct ar_error *error)
{
    struct ar_sweep *sweep = &o->sweep;
    bool one = sweep->nranks == 1;
    if (end && o->ranks && !(one && o->ranks[0] == end->nranks))
        return ar_fail(error, AR_INVALID, "-n: under --transport mpi there are the launcher's %d ranks",
                       end->nranks);
    o->single = end ? end->nranks : file ? file->problem.nranks : 0;
    if (file &&
        ((o->ranks && !(one && o->ranks[0] == file->problem.nranks)) || o->single != file->problem.nranks))
        return ar_fail(error, AR_INVALID, "-n: %s is for %d ranks", o->subject, file->problem.nranks);
    if (file && o->root >= 0 && o->root != file->problem.root)
        return ar_fail(error, AR_INVALID, "--root: %s is for root %d", o->subject, file->problem.root);
    if (!o->ranks && o->single == 0)
        return ar_fail(error, AR_INVALID, "verify needs -n RANKS, e.g. -n 8 or -n 1..32");
    if (!o->ranks)
        sweep->nranks = 1;
    sweep->ranks = o->ranks ? o->ranks : &o->single;
    if (o->root >= most_ranks(sweep))
        return ar_fail(error, AR_INVALID, "--root: expected 0..%d, got %d", most_ranks(sweep) - 1,
                       (int)o->root);
    return AR_OK;
}

/* The rest of the sweep, from the options. */
static void settle(struct options *o, struct ar_end *end, int node_ranks)
{
    static const enum ar_type usual = AR_TYPE_float32;
    struct ar_sweep *sweep = &o->sweep;
    sweep->root = (int)o->root;
    sweep->skip = !o->subject || sweep->nranks > 1 || ar_collective_find(o->subject) != AR_NCOLLECTIVES;
    sweep->run = o->transport != NONE;
    sweep->end = end;
    sweep->node_ranks = node_ranks;
    sweep->counts = o->counts;
    sweep->types = sweep->ntypes ? o->types : &usual;
    sweep->ntypes += sweep->ntypes == 0;
    if (sweep->noperators == 0)
        o->operators[sweep->noperators++] = ar_operator_find("sum");
    sweep->operators = o->operators;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static enum ar_status verify(struct options *o, const struct ar_schedule_file *file, struct ar_end *end,
                             const char *mpi_version, struct ar_error *error)
{
    struct ar_environment environment;
    struct ar_report report = {0};
    struct ar_swept *swept = NULL;
    int n = 0;
    enum ar_status status = settle_ranks(o, end, file, error);
    int nranks = status == AR_OK && o->transport != NONE ? most_ranks(&o->sweep) : 0;
    if (status == AR_OK)
        status = ar_environment_read(&environment, end, mpi_version, nranks, false, error);
    if (status != AR_OK)
        return status;
    settle(o, end, environment.ranks_here);
    double start_s = now_s();
    if (file) {
        swept = ar_alloc(1, sizeof *swept);
        status = ar_sweep_file(&o->sweep, file, &swept[n++], error);
    } else {
        status = ar_sweep_registry(&o->sweep, o->subject, &swept, &n, error);
    }
    double seconds = now_s() - start_s;
    enum ar_status verdict = status == AR_OK ? ar_verify_verdict(swept, n, error) : status;
    if (verdict == AR_OK || verdict == AR_FAILED) {
        ar_environment_report(&environment, &report);
        ar_verify_report(&o->sweep, swept, n, seconds, &report);
        if (o->vectors && o->transport == NONE)
            ar_text_add(&report.notes,
                        "A proof holds for every type and operator; --transport loopback runs them.\n");
        struct ar_error printing;
        status = ar_print(&report, o->base.format, &printing);
        if (status != AR_OK && verdict == AR_OK) {
            *error = printing;
            verdict = status;
        }
    }
    ar_report_free(&report);
    ar_swept_free_all(swept, n);
    return verdict;
}

/* What can be said before MPI is opened. */
static enum ar_status check_options(const struct options *o, struct ar_error *error)
{
    if (o->all == (o->subject != NULL))
        return ar_fail(
            error, AR_INVALID,
            "verify needs an algorithm such as allreduce:ring, a collective, a schedule file, or --all");
    if (o->transport == MPI && !ar_mpi_launched(NULL, NULL))
        return ar_fail(error, AR_INVALID,
                       "--transport mpi needs a launcher: mpiexec -n RANKS allround verify ...");
    return AR_OK;
}

static enum ar_status run(int argc, char **argv, struct ar_error *error)
{
    struct options o = {.root = -1};
    struct ar_schedule_file file = {0};
    struct ar_end *end = NULL;
    const char *mpi_version = NULL;
    enum ar_status status = ar_options_parse(&argp, argc, argv, &o.base, error);
    if (status == AR_OK)
        status = check_options(&o, error);
    bool from_file = status == AR_OK && o.subject && ar_names_file(o.subject);
    if (from_file)
        status = ar_schedule_read(o.subject, &file, error);
    if (status == AR_OK && o.transport == MPI)
        status = ar_mpi_open(false, &end, &mpi_version, error);
    if (status == AR_OK)
        status = verify(&o, from_file ? &file : NULL, end, mpi_version, error);
    if (status == AR_SYSTEM && end) { /* the others may wait for this rank for ever */
        fprintf(stderr, "allround: %s\n", error->text);
        ar_mpi_abort(2);
    }
    if (end)
        ar_mpi_close(end);
    ar_schedule_file_free(&file);
    free(o.ranks);
    free(o.counts);
    return status;
}

const struct ar_command ar_command_verify = {"verify", "prove schedules right, and run them on real buffers",
                                             run};
