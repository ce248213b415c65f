#include "bench/harness/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/run/mpi.h"

/* What every rank tells the others. */
struct place {
    struct ar_machine machine;
    int failed;
};

/* ---- All ranks together ------------------------------------------------------------------------------ */

/* The running kernel; where it has no name, the host's. */
static const char *kernel(const struct place *place)
{
    return place->machine.boot[0] ? place->machine.boot : place->machine.host;
}

static int by_host(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return strcmp(x->machine.host, y->machine.host);
}

static int by_cores(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(kernel(x), kernel(y));
    return order ? order : strcmp(x->machine.cpus, y->machine.cpus);
}

/* Looks at runs of equal places, sorted by cores: how many machines, and where ranks crowd most. */
static void count_crowds(struct ar_environment *environment, const struct place *place, int n)
{
    environment->machines = 0;
    environment->crowd_cores = 1;
    for (int first = 0, next; first < n; first = next) {
        environment->machines += first == 0 || strcmp(kernel(&place[first - 1]), kernel(&place[first])) != 0;
        for (next = first + 1; next < n && by_cores(&place[first], &place[next]) == 0; next++)
            ;
        int ranks = next - first, cores = place[first].machine.bound_cores;
        if ((double)ranks * environment->crowd_cores > (double)environment->crowd_ranks * cores) {
            environment->crowd_ranks = ranks;
            environment->crowd_cores = cores;
        }
    }
    environment->oversubscribed = environment->crowd_ranks > environment->crowd_cores;
}

static void count_hosts(struct ar_environment *environment, struct place *place, int n)
{
    qsort(place, (size_t)n, sizeof *place, by_host);
    environment->hosts = n > 0;
    for (int i = 1; i < n; i++)
        environment->hosts += by_host(&place[i - 1], &place[i]) != 0;
}

static void describe_binding(struct ar_environment *environment, const struct place *place, int n)
{
    const struct ar_machine *first = &place[0].machine;
    int fewest = first->bound_cores, most = fewest;
    bool alike = true;
    for (int i = 1; i < n; i++) {
        int cores = place[i].machine.bound_cores;
        fewest = cores < fewest ? cores : fewest;
        most = cores > most ? cores : most;
        alike = alike && strcmp(place[i].machine.binding, first->binding) == 0;
    }
    char *text = environment->binding;
    size_t size = sizeof environment->binding;
    if (alike && strcmp(first->binding, "not bound") == 0)
        snprintf(text, size, "not bound");
    else if (alike)
        snprintf(text, size, "%sbound to %s%s", n > 1 ? "all " : "", first->binding,
                 environment->machines > 1 ? " of their machine" : "");
    else if (fewest == most)
        snprintf(text, size, "each bound to %d core%s", most, most == 1 ? "" : "s");
    else
        snprintf(text, size, "bound to %d to %d cores each", fewest, most);
}

static enum ar_status read_all(struct ar_environment *environment, struct ar_end *mpi, enum ar_status status,
                               struct ar_error *error)
{
    int n = mpi->nranks, failed = 0;
    struct place mine = {.machine = environment->machine, .failed = status != AR_OK};
    struct place *place = ar_alloc((size_t)n, sizeof *place);
    ar_mpi_share(mpi, &mine, sizeof mine, place);
    for (int rank = n - 1; rank >= 0; rank--)
        if (place[rank].failed)
            failed = rank + 1;
    if (failed) {
        free(place);
        return status != AR_OK ? status
                               : ar_fail(error, AR_SYSTEM, "rank %d could not read its machine", failed - 1);
    }
    environment->ranks_here = 0;
    for (int i = 0; i < n; i++)
        environment->ranks_here += strcmp(kernel(&place[i]), kernel(&mine)) == 0;
    count_hosts(environment, place, n);
    qsort(place, (size_t)n, sizeof *place, by_cores);
    count_crowds(environment, place, n);
    describe_binding(environment, place, n);
    free(place);
    return AR_OK;
}

enum ar_status ar_environment_read(struct ar_environment *environment, struct ar_end *mpi,
                                   const char *mpi_version, int nranks, bool simulated,
                                   struct ar_error *error)
{
    struct ar_environment made = {
        .nranks = nranks,
        .ranks_here = nranks,
        .hosts = 1,
        .machines = 1,
        .transport = nranks == 0 ? "none"
                     : simulated ? "simulated"
                                 : "loopback",
        .launched = ar_mpi_launched(NULL, NULL),
    };
    enum ar_status status = ar_machine_read(&made.machine, error);
    if (mpi) {
        made.nranks = mpi->nranks;
        made.transport = "mpi";
        made.mpi_version = mpi_version;
        status = read_all(&made, mpi, status, error);
    } else if (status == AR_OK) {
        describe_binding(&made, &(struct place){.machine = made.machine}, 1);
    }
    if (status == AR_OK)
        *environment = made;
    return status;
}

/* ---- Saying it --------------------------------------------------------------------------------------- */

static void say_machine(const struct ar_environment *environment, struct ar_text *line)
{
    const struct ar_machine *machine = &environment->machine;
    ar_text_add(line, "allround " AR_VERSION " on %s", machine->host);
    if (environment->hosts > 1)
        ar_text_add(line, " and %d other host%s", environment->hosts - 1, environment->hosts > 2 ? "s" : "");
    if (environment->hosts > environment->machines)
        ar_text_add(line, environment->machines == 1 ? " (all on one machine)" : " (on %d machines)",
                    environment->machines);
    ar_text_add(line, ": %s, %d core%s", machine->processor, machine->cores, machine->cores == 1 ? "" : "s");
    if (machine->hardware_threads != machine->cores)
        ar_text_add(line, " (%d hardware threads)", machine->hardware_threads);
}

static void say_ranks(const struct ar_environment *environment, struct ar_text *line)
{
    bool mpi = strcmp(environment->transport, "mpi") == 0;
    if (environment->nranks > 0)
        ar_text_add(line, "; %d rank%s", environment->nranks, environment->nranks == 1 ? "" : "s");
    if (mpi)
        ar_text_add(line, " over mpi (%s)", environment->mpi_version);
    else if (strcmp(environment->transport, "loopback") == 0)
        ar_text_add(line, " over loopback in one process");
    else if (strcmp(environment->transport, "simulated") == 0)
        ar_text_add(line, ", simulated buffers");
    /* One process that may run anywhere is nothing to remark on. */
    if (mpi || strcmp(environment->binding, "not bound") != 0)
        ar_text_add(line, ", %s", environment->binding);
    if (environment->oversubscribed)
        ar_text_add(line, ", oversubscribed (%d ranks on %d core%s)", environment->crowd_ranks,
                    environment->crowd_cores, environment->crowd_cores == 1 ? "" : "s");
}

void ar_environment_report(const struct ar_environment *environment, struct ar_report *report)
{
    const struct ar_machine *machine = &environment->machine;
    say_machine(environment, &report->heading);
    say_ranks(environment, &report->heading);

    ar_report_environment_text(report, "version", AR_VERSION);
    ar_report_environment_text(report, "host", machine->host);
    ar_report_environment_text(report, "processor", machine->processor);
    ar_report_environment_int(report, "cores", machine->cores);
    ar_report_environment_int(report, "hardware_threads", machine->hardware_threads);
    ar_report_environment_int(report, "memory_bytes", (int64_t)machine->memory_bytes);
    if (environment->nranks == 0)
        return;
    ar_report_environment_int(report, "nranks", environment->nranks);
    ar_report_environment_text(report, "transport", environment->transport);
    ar_report_environment_text(report, "binding", environment->binding);
    ar_report_environment_text(report, "oversubscribed", environment->oversubscribed ? "yes" : "no");
    if (!environment->mpi_version)
        return;
    ar_report_environment_text(report, "mpi", environment->mpi_version);
    ar_report_environment_int(report, "hosts", environment->hosts);
    ar_report_environment_int(report, "machines", environment->machines);
}
