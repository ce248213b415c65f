/* allround pingpong: this machine's alpha, beta and gamma (bench/harness/pingpong.h). */
#include "bench/cli/cli.h"
#include "bench/harness/environment.h"
#include "bench/harness/pingpong.h"
#include "collectives/base/units.h"

struct options {
    double seconds;
};

static const double MOST_S = 3600;

static enum ar_status parse_seconds(const char *text, void *target, struct ar_error *error)
{
    double seconds;
    enum ar_status status = ar_parse_time(text, "--time", &seconds, error);
    if (status == AR_OK && (seconds <= 0 || seconds > MOST_S))
        status =
            ar_fail(error, AR_INVALID, "--time: expected more than 0 and at most %g s, got %s", MOST_S, text);
    if (status == AR_OK)
        *(double *)target = seconds;
    return status;
}

static const struct ar_option table[] = {
    {"time", "TIME", "How long to measure, e.g. 500ms (1s)", 1, AR_OPTION_OTHER,
     offsetof(struct options, seconds), .parse = parse_seconds},
};

static enum ar_status measure(const struct options *o, const struct ar_session *session,
                              const struct ar_format *format, struct ar_error *error)
{
    struct ar_environment environment;
    struct ar_ranks ranks;
    struct ar_pingpong found = {0};
    struct ar_report report = {0};
    int nranks = session->end->nranks;
    enum ar_status status =
        ar_environment_read(&environment, session->end, session->mpi_version, nranks, false, error);
    if (status != AR_OK)
        return status;
    ar_ranks_open(&ranks, nranks, session->end, environment.ranks_here);
    status = ar_pingpong_measure(&ranks, o->seconds, &found, error);
    ar_ranks_close(&ranks);
    if (status != AR_OK)
        return status;
    ar_environment_report(&environment, &report);
    ar_pingpong_report(&found, nranks, format->for_people, &report);
    status = ar_print(&report, format, error);
    ar_report_free(&report);
    ar_pingpong_free(&found);
    return status;
}

static enum ar_status run(void *options, struct ar_session *session, const struct ar_format *format,
                          struct ar_error *error)
{
    if (!session->end || session->end->nranks < 2)
        return ar_fail(error, AR_INVALID,
                       "pingpong needs a launcher and at least 2 ranks: mpiexec -n 2 allround pingpong");
    return measure(options, session, format, error);
}

static const struct options defaults = {.seconds = 1};

const struct ar_command ar_command_pingpong = {
    .name = "pingpong",
    .summary = "measure this machine's alpha, beta and gamma over MPI",
    .about = "Measures what messages between the first and the last rank take, and what combining takes, and "
             "fits Hockney's model to it.\v"
             "--json holds both tables, --csv the points.\n\n"
             "Examples:\n"
             "  mpiexec -n 2 allround pingpong\n"
             "  mpiexec -n 2 --map-by node allround pingpong --time 5s --json\n",
    AR_COMMAND_OPTIONS(table, defaults),
    .over_mpi = ar_always_over_mpi,
    .run = run,
};
