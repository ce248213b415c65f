/* Where the time of a short all-reduce goes: mpiexec -n 2 speed_latency
 *
 * Two ranks exchange 8 bytes and add them, each way a part more than the one before: the transport's calls
 * alone, with the addition, the executor on a schedule of recursive doubling, and the library's own. Medians
 * of batches, which alternate in random order.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/harness/ranks.h"
#include "bench/harness/sampling.h"
#include "bench/stats/stats.h"
#include "collectives/base/memory.h"
#include "collectives/run/mpi.h"
#include "collectives/run/mpi_library.h"

enum { COUNT = 2, CALLS = 1000, BATCHES = 300, NWAYS = 4 };

struct latency {
    struct ar_end *end;
    struct ar_shape *shape;
    struct ar_job *job;
    struct ar_library_call *library;
    float vector[COUNT], other[COUNT];
};

static enum ar_status exchange(struct latency *l, struct ar_error *error)
{
    const struct ar_transport *t = l->end->transport;
    int peer = 1 - l->end->rank;
    bool done;
    enum ar_status status = t->receive(l->end, 0, peer, 0, l->other, l->shape, error);
    if (status == AR_OK)
        status = t->send(l->end, 1, peer, 0, l->vector, l->shape, error);
    return status == AR_OK ? t->finish(l->end, 2, &done, error) : status;
}

static enum ar_status exchange_and_add(struct latency *l, struct ar_error *error)
{
    enum ar_status status = exchange(l, error);
    ar_operator_find("sum")->combine[AR_TYPE_float32](l->vector, l->other, COUNT);
    return status;
}

static enum ar_status execute(struct latency *l, struct ar_error *error)
{
    return ar_job_run(l->job, error);
}

static enum ar_status call_library(struct latency *l, struct ar_error *error)
{
    return ar_library_run(l->library, l->vector, error);
}

static const struct {
    const char *name;
    enum ar_status (*run)(struct latency *latency, struct ar_error *error);
} ways[NWAYS] = {
    {"transport: receive, send, finish", exchange},
    {"the same, and the addition", exchange_and_add},
    {"executor, recursive_doubling", execute},
    {"the library's own", call_library},
};

static enum ar_status take_batch(struct latency *l, int way, double *time_s, struct ar_error *error)
{
    enum ar_status status = AR_OK;
    ar_mpi_meet(l->end);
    double start = ar_clock_s();
    for (int i = 0; i < CALLS && status == AR_OK; i++)
        status = ways[way].run(l, error);
    *time_s = (ar_clock_s() - start) / CALLS;
    return status;
}

static enum ar_status measure(struct latency *l, struct ar_error *error)
{
    static double time_s[NWAYS][BATCHES];
    int order[NWAYS] = {0, 1, 2, 3};
    uint64_t random = 1;
    enum ar_status status = AR_OK;
    for (int batch = -1; batch < BATCHES && status == AR_OK; batch++) { /* the first warms up */
        ar_shuffle(order, NWAYS, &random);
        for (int i = 0; i < NWAYS && status == AR_OK; i++)
            status = take_batch(l, order[i], &time_s[order[i]][batch < 0 ? 0 : batch], error);
    }
    for (int way = 0; way < NWAYS && l->end->rank == 0 && status == AR_OK; way++) {
        struct ar_summary summary = ar_summarise(time_s[way], BATCHES);
        printf("%-34s %6.3f us  (95 %%: %.3f..%.3f)\n", ways[way].name, 1e6 * summary.median,
               1e6 * summary.low, 1e6 * summary.high);
    }
    return status;
}

static enum ar_status prepare_and_measure(struct latency *l, struct ar_ranks *ranks,
                                          struct ar_schedule *schedule, struct ar_error *error)
{
    struct ar_job job = {0};
    struct ar_extent all = {0, sizeof l->vector};
    struct ar_execution_setup setup = {
        .schedule = schedule, .type = AR_TYPE_float32, .op = ar_operator_find("sum")};
    struct ar_library_setup library = {AR_COLLECTIVE_allreduce, 0, COUNT, AR_TYPE_float32, setup.op};
    enum ar_status status = ar_schedule_layout(schedule, COUNT, NULL, NULL, &setup.layout, error);
    if (status == AR_OK)
        status = ar_job_open(&job, ranks, &setup, error);
    if (status == AR_OK)
        status = ar_library_open(&l->library, &library, l->end, error);
    if (status == AR_OK) {
        l->job = &job;
        ar_job_fill(&job);
        l->end->transport->reserve(l->end, 2);
        l->shape = l->end->transport->shape(l->end, &all, 1);
        status = measure(l, error);
        l->end->transport->forget(l->end, l->shape);
    }
    ar_library_close(l->library);
    ar_job_close(&job);
    return status;
}

int main(void)
{
    struct latency latency = {0};
    struct ar_ranks ranks;
    struct ar_schedule schedule;
    struct ar_choice choice;
    struct ar_error error;
    const char *version;
    enum ar_status status = ar_mpi_open(false, &latency.end, &version, &error);
    if (status == AR_OK && latency.end->nranks != 2)
        status = ar_fail(&error, AR_INVALID, "expected 2 ranks, got %d", latency.end->nranks);
    if (status == AR_OK)
        status = ar_choice_parse("allreduce:recursive_doubling", &choice, &error);
    if (status == AR_OK)
        status = ar_schedule_init(&schedule, &choice, 2, 0, (struct ar_size){COUNT, 0, 4}, &error);
    if (status == AR_OK) {
        ar_ranks_open(&ranks, 2, latency.end, 2);
        status = prepare_and_measure(&latency, &ranks, &schedule, &error);
        ar_ranks_close(&ranks);
        ar_schedule_free(&schedule);
    }
    if (status != AR_OK) {
        fprintf(stderr, "speed_latency: %s\n", error.text);
        ar_mpi_abort(2);
    }
    ar_mpi_close(latency.end);
    return 0;
}
