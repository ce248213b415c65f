/* allround bench: collectives measured over MPI (bench/harness/bench_run.h). */
#include <stdlib.h>
#include <string.h>

#include "bench/cli/cli.h"
#include "bench/cli/progress.h"
#include "bench/harness/bench_report.h"

struct options {
    const char *subject, *algorithms, *time;
    struct ar_size_words sizes;
    struct ar_hockney_words model;
    int64_t root, seed;
    int type, op;
    struct ar_piece_words pieces;
};

#define TARGET(member) offsetof(struct options, member)
#define TYPE AR_OPTION_NAME, TARGET(type), .noun = "type", .names = ar_type_names
#define OPERATOR AR_OPTION_NAME, TARGET(op), .noun = "operator", .names = ar_operator_names
#define ROOT AR_OPTION_INT, TARGET(root), 0, INT32_MAX

static const struct ar_option table[] = {
    {.kind = AR_OPTION_TEXT, .offset = TARGET(subject), .noun = "collective"},
    {"algorithms", "LIST", "ALG[:param=value,...], library (MPI's own), auto, or all (library,auto)", 1,
     AR_OPTION_TEXT, TARGET(algorithms)},
    {"b", "SIZE", "The smallest size (8)", 2, AR_OPTION_TEXT, TARGET(sizes.from)},
    {"e", "SIZE", "The largest size (64M)", 2, AR_OPTION_TEXT, TARGET(sizes.to)},
    {"f", "FACTOR", "From one size to the next (2)", 2, AR_OPTION_INT, TARGET(sizes.factor), 2, 1 << 30},
    {"s", "LIST", "These sizes instead, e.g. 8,64K,1e6", 2, AR_OPTION_TEXT, TARGET(sizes.list)},
    {"type", "TYPE", "Element type (float32)", 3, TYPE},
    {"d", "TYPE", "The same as --type", 3, TYPE},
    {"op", "OP", "Operator (sum)", 3, OPERATOR},
    {"o", "OP", "The same as --op", 3, OPERATOR},
    {"root", "R", "The root, where the collective has one (0)", 3, ROOT},
    {"r", "R", "The same as --root", 3, ROOT},
    AR_PIECE_OPTIONS(4, TARGET(pieces)),
    {"time", "TIME", "At most, per size and algorithm, with validation (3s)", 4, AR_OPTION_TEXT,
     TARGET(time)},
    {"seed", "N", "Of the random order (1)", 4, AR_OPTION_INT, TARGET(seed), 0, INT64_MAX},
    AR_MODEL_OPTIONS("Model a published machine, not this one as measured", 5, TARGET(model)),
};

/* What can be said without MPI. */
static enum ar_status read_words(const struct options *o, struct ar_bench *bench, int64_t **size,
                                 struct ar_error *error)
{
    struct ar_size_words sizes = o->sizes;
    int collective;
    if (!o->subject || strchr(o->subject, ':'))
        return ar_fail(error, AR_INVALID,
                       "bench needs a collective, and algorithms apart from it: mpiexec -n 2 "
                       "allround bench allreduce --algorithms ring,library");
    enum ar_status status = ar_names_pick(AR_NAMES(ar_collectives, AR_NCOLLECTIVES), "collective", o->subject,
                                          &collective, error);
    if (status != AR_OK)
        return status;
    bench->problem.collective = (enum ar_collective_id)collective;
    bench->problem.type = (enum ar_type)o->type;
    bench->problem.root = (int)o->root;
    bench->op = ar_collectives[collective].reduces ? &ar_operators[o->op] : NULL;
    sizes.elem_bytes = ar_costing_elem_bytes(&bench->problem);
    if (ar_collectives[collective].token && !sizes.list && !sizes.from && !sizes.to)
        sizes.list = "0"; /* its messages are empty at any size */
    status = ar_read_pieces(&o->pieces, &bench->pieces, error);
    if (status == AR_OK && o->time)
        status = ar_parse_time(o->time, "--time", &bench->seconds, error);
    if (status == AR_OK && ar_hockney_given(&o->model))
        status = ar_read_model(&o->model, &bench->problem.model, &bench->problem.machine, error);
    if (status == AR_OK)
        status = ar_bench_contenders(o->algorithms, bench->problem.collective, &bench->contenders, error);
    return status == AR_OK ? ar_bench_sizes(&sizes, size, &bench->nsizes, error) : status;
}

static enum ar_status measure(const struct options *o, struct ar_bench *bench,
                              const struct ar_environment *environment, const struct ar_format *format,
                              struct ar_error *error)
{
    struct ar_report report = {0};
    struct ar_bench_row *rows = NULL;
    int n = 0;
    ar_environment_report(environment, &report);
    ar_progress_begin();
    enum ar_status status =
        ar_bench_prepare(bench, !o->algorithms, !ar_hockney_given(&o->model), &report.notes, error);
    if (status == AR_OK)
        status = ar_bench_run(bench, ar_progress, &rows, &n, error);
    ar_progress_end();
    if (status == AR_OK) {
        ar_bench_report(bench, environment, rows, n, format, &report);
        status = ar_print(&report, format, error);
    }
    if (status == AR_OK)
        status = ar_bench_verdict(bench, rows, n, error);
    ar_bench_free(rows, n);
    ar_report_free(&report);
    return status;
}

static enum ar_status run(void *options, struct ar_session *session, const struct ar_format *format,
                          struct ar_error *error)
{
    const struct options *o = options;
    struct ar_environment environment;
    struct ar_ranks ranks;
    int64_t *size = NULL;
    struct ar_bench bench = {.ranks = &ranks, .seconds = 3, .seed = (uint64_t)o->seed};
    enum ar_status status = read_words(o, &bench, &size, error);
    bench.size = size;
    if (status == AR_OK && !session->end)
        status = ar_fail(error, AR_INVALID, "bench needs a launcher: mpiexec -n RANKS allround bench ...");
    if (status == AR_OK)
        status = ar_environment_read(&environment, session->end, session->mpi_version, 0, false, error);
    if (status == AR_OK) {
        bench.problem.nranks = session->end->nranks;
        ar_ranks_open(&ranks, session->end->nranks, session->end, environment.ranks_here);
        status = measure(o, &bench, &environment, format, error);
        ar_ranks_close(&ranks);
    }
    free(size);
    return status;
}

static const struct options defaults = {.type = AR_TYPE_float32, .seed = 1};

const struct ar_command ar_command_bench = {
    .name = "bench",
    .summary = "measure collectives over MPI, against the library and the model",
    .arguments = "COLL",
    .about =
        "Measures collectives over MPI: ours, the library's own, and what the model says.\v"
        "Sizes are bytes of the full vector, for every collective; K, M and G are powers of 1024. A piece of "
        "the list with '=' and without ':' is one more parameter of the algorithm before it. -b, -e, -f, -d, "
        "-o, -r, algbw and busbw mean what they mean in nccl-tests; warming up, checking and repeating need "
        "no option.\n\n"
        "Examples:\n"
        "  mpiexec -n 2 allround bench allreduce\n"
        "  mpiexec -n 4 allround bench allreduce --algorithms ring,library -b 8 -e 64M\n"
        "  mpiexec -n 4 allround bench broadcast --algorithms all -s 1M --json\n"
        "  mpiexec -n 4 allround bench reduce --algorithms chain:segment=64K -o max\n",
    AR_COMMAND_OPTIONS(table, defaults),
    .over_mpi = ar_always_over_mpi,
    .run = run,
};
