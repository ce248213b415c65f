/* allround verify: algorithms and schedule files proved, and run on real buffers (bench/harness). */
#include "bench/cli/cli.h"
#include "bench/cli/progress.h"
#include "bench/cli/subject.h"
#include "bench/harness/environment.h"
#include "bench/harness/verify_report.h"

enum { NONE, LOOPBACK, MPI }; /* transports */
enum { MOST_RANKS = 65536 };

struct options {
    const char *subject; /* NULL: not given */
    bool all;
    int64_t root; /* -1: every one */
    int transport;
    struct ar_piece_words pieces;
    struct ar_option_list ranks, counts;
    struct ar_option_names types, operators, require;
};

#define TARGET(member) offsetof(struct options, member)

static const struct ar_option table[] = {
    {.kind = AR_OPTION_TEXT, .offset = TARGET(subject), .noun = "algorithm, collective or file"},
    {"all", NULL, "Every algorithm", 1, AR_OPTION_FLAG, TARGET(all)},
    {"n", "LIST", "Numbers of ranks, e.g. 1..32 or 2,3,8", 1, AR_OPTION_LIST, TARGET(ranks), 1, MOST_RANKS},
    {"root", "R", "Only this root (default: every one)", 1, AR_OPTION_INT, TARGET(root), 0, MOST_RANKS - 1},
    {"require", "order,bits", "Fail also where the operands' order is not kept, or bits differ", 1,
     AR_OPTION_NAMES, TARGET(require), .noun = "property"},
    {"transport", "none|loopback|mpi",
     "none (the default): the proof alone; the others also run every case on real buffers and compare bytes "
     "and results",
     2, AR_OPTION_NAME, TARGET(transport), .noun = "transport"},
    {"count", "LIST", "Elements of the vectors (0, 1, P-1, P, P+1, 3P+2)", 2, AR_OPTION_LIST, TARGET(counts),
     0, INT64_MAX},
    {"type", "LIST|all", "Element types (float32)", 2, AR_OPTION_NAMES, TARGET(types), .noun = "type",
     .names = ar_type_names},
    {"op", "LIST|all", "Operators (sum)", 2, AR_OPTION_NAMES, TARGET(operators), .noun = "operator",
     .names = ar_operator_names},
    AR_PIECE_OPTIONS(2, TARGET(pieces)),
};

static enum ar_status check(const struct options *o, bool launched, struct ar_error *error)
{
    if (o->all && o->subject)
        return ar_fail(error, AR_INVALID, "verify: --all and '%.100s': expected one of them", o->subject);
    if (!o->all && !o->subject)
        return ar_fail(
            error, AR_INVALID,
            "verify needs an algorithm such as allreduce:ring, a collective, a schedule file, or --all");
    if (o->transport == MPI && !launched)
        return ar_fail(error, AR_INVALID,
                       "--transport mpi needs a launcher: mpiexec -n RANKS allround verify ...");
    return AR_OK;
}

static enum ar_status verify(const struct options *o, const struct ar_subject *subject,
                             const struct ar_session *session, int most, const struct ar_format *format,
                             struct ar_error *error)
{
    struct ar_environment environment;
    struct ar_report report = {0};
    enum ar_type type[AR_OPTION_MOST_NAMES] = {AR_TYPE_float32};
    const struct ar_operator *op[AR_OPTION_MOST_NAMES] = {ar_operator_find("sum")};
    struct ar_sweep sweep = {.ranks = o->ranks.value,
                             .nranks = o->ranks.n,
                             .root = (int)o->root,
                             .skip = subject->nchoices > 1 || o->ranks.n > 1,
                             .run = o->transport != NONE,
                             .end = session->end,
                             .counts = o->counts.value,
                             .ncounts = o->counts.n,
                             .types = type,
                             .ntypes = o->types.n ? o->types.n : 1,
                             .operators = op,
                             .noperators = o->operators.n ? o->operators.n : 1};
    for (int i = 0; i < o->types.n; i++)
        type[i] = (enum ar_type)o->types.index[i];
    for (int i = 0; i < o->operators.n; i++)
        op[i] = &ar_operators[o->operators.index[i]];
    for (int i = 0; i < o->require.n; i++)
        sweep.require |= 1U << o->require.index[i]; /* AR_REQUIRE_ORDER, AR_REQUIRE_BITS */
    enum ar_status status = ar_read_pieces(&o->pieces, &sweep.pieces, error);
    if (status == AR_OK)
        status = ar_environment_read(&environment, session->end, session->mpi_version, sweep.run ? most : 0,
                                     false, error);
    if (status != AR_OK)
        return status;
    sweep.node_ranks = environment.ranks_here;
    ar_environment_report(&environment, &report);
    ar_progress_begin();
    status = ar_verify_all(&sweep, subject->choice, subject->nchoices, &subject->file, ar_progress, format,
                           &report, error);
    ar_progress_end();
    if ((o->types.n || o->operators.n) && !sweep.run)
        ar_text_add(&report.notes,
                    "A proof holds for every type and operator; --transport loopback runs them.\n");
    if (status == AR_OK || status == AR_FAILED) {
        enum ar_status printed = ar_print(&report, format, status == AR_OK ? error : NULL);
        status = status == AR_OK ? printed : status;
    }
    ar_report_free(&report);
    return status;
}

static bool over_mpi(const void *options)
{
    return ((const struct options *)options)->transport == MPI;
}

static enum ar_status run(void *options, struct ar_session *session, const struct ar_format *format,
                          struct ar_error *error)
{
    struct options *o = options;
    struct ar_subject subject = {0};
    int most = 0;
    enum ar_status status = check(o, session->end, error);
    if (status != AR_OK)
        return status;
    status = ar_subject_find(&subject, o->subject, error);
    status = ar_session_agree(session, status, subject.file.digest, o->subject, error);
    if (status == AR_OK)
        status = ar_subject_settle(&subject, session, &o->ranks, o->root, &most, error);
    if (status == AR_OK)
        status = verify(o, &subject, session, most, format, error);
    ar_subject_free(&subject);
    return status;
}

static const struct options defaults = {.root = -1};

const struct ar_command ar_command_verify = {
    .name = "verify",
    .summary = "prove schedules right, and run them on real buffers",
    .arguments = "COLL[:ALG[:param=value,...]]|FILE.json",
    .about =
        "Proves that schedules are right: every rank gets every contribution exactly once.\v"
        "A wrong schedule, result or byte count makes the exit status 1, with a counterexample. order "
        "(operands combine in the order of the ranks) and bits (all ranks get the same bits) are findings, "
        "unless required.\n\n" AR_SCHEDULE_HELP "\n"
        "Examples:\n"
        "  allround verify --all -n 1..32\n"
        "  allround verify allreduce:ring -n 7 --require bits\n"
        "  allround verify broadcast:chain -n 2..8 --transport loopback\n"
        "  mpiexec -n 4 allround verify --all --transport mpi --type all --op all\n"
        "  allround verify mine.json",
    AR_COMMAND_OPTIONS(table, defaults),
    .over_mpi = over_mpi,
    .run = run,
};
