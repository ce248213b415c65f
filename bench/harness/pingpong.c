#include "bench/harness/pingpong.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/harness/sampling.h"
#include "bench/stats/stats.h"
#include "collectives/base/memory.h"
#include "collectives/run/mpi.h"

enum {
    MOST_BYTES = 8 << 20, /* of a message */
    SIZES = 46,           /* at most: 2^i and 3 * 2^i up to there */
    SWEEPS = 9,           /* over all sizes, a batch of each: what disturbs for a moment hits few batches */
    FEWEST_SWEEPS = 3,
    BLOCK_BYTES = 1 << 20, /* combined at once */
    BLOCKS = 8,
};
static const double SHORTEST_BATCH_S = 20e-6; /* a thousand times what reading the clock takes */
static const double GAMMA_SHARE = 0.05;       /* of the time */

enum kind { PINGPONG, EXCHANGE, NKINDS };

/* Between the two ranks that measure. The first leads: it has the clock and decides how often. */
struct link {
    struct ar_end *end;
    int peer;
    bool leads;
    char *out, *in;
    struct ar_shape *shape[SIZES], *order;
    int64_t bytes[SIZES];
    int nsizes;
    double *sample[SIZES][NKINDS]; /* SWEEPS of them */
    int batches_left;
    double start_s, seconds;
    struct ar_error *error;
};

/* ---- Messages ---------------------------------------------------------------------------------------- */

static enum ar_status move(struct link *l, const struct ar_shape *shape, const void *out, void *in)
{
    const struct ar_transport *t = l->end->transport;
    enum ar_status status = AR_OK;
    bool done;
    int slots = 0;
    if (in)
        status = t->receive(l->end, slots++, l->peer, 0, in, shape, l->error);
    if (out && status == AR_OK)
        status = t->send(l->end, slots++, l->peer, 0, out, shape, l->error);
    return status == AR_OK ? t->finish(l->end, slots, &done, l->error) : status;
}

static enum ar_status repeat(struct link *l, enum kind kind, const struct ar_shape *shape, int64_t n)
{
    enum ar_status status = AR_OK;
    for (int64_t i = 0; i < n && status == AR_OK; i++) {
        if (kind == EXCHANGE) {
            status = move(l, shape, l->out, l->in);
            continue;
        }
        status = l->leads ? move(l, shape, l->out, NULL) : move(l, shape, NULL, l->in);
        if (status == AR_OK)
            status = l->leads ? move(l, shape, NULL, l->in) : move(l, shape, l->out, NULL);
    }
    return status;
}

/* The leader's number, on both. */
static enum ar_status follow(struct link *l, int64_t *number)
{
    return l->leads ? move(l, l->order, number, NULL) : move(l, l->order, NULL, number);
}

/* How often in this batch: a fair part of the time left, given what once takes. */
static int64_t plan(struct link *l, double once_s)
{
    double left_s = l->start_s + l->seconds - ar_clock_s();
    double batch_s = fmax(left_s / l->batches_left--, SHORTEST_BATCH_S);
    return (int64_t)fmax(1, batch_s / once_s);
}

static enum ar_status measure_batch(struct link *l, int size, enum kind kind, int sweep)
{
    const struct ar_shape *shape = l->shape[size];
    double *sample = l->sample[size][kind];
    double begin_s, once_s = sweep ? sample[sweep - 1] * (kind == PINGPONG ? 2 : 1) : 0;
    int64_t n = 1;
    enum ar_status status = AR_OK;
    for (int i = 0; i < 2 && sweep == 0 && status == AR_OK; i++) { /* the first warms up */
        begin_s = ar_clock_s();
        status = repeat(l, kind, shape, 1);
        once_s = ar_clock_s() - begin_s;
    }
    if (l->leads)
        n = plan(l, fmax(once_s, 1e-9));
    if (status == AR_OK)
        status = follow(l, &n);
    begin_s = ar_clock_s();
    if (status == AR_OK)
        status = repeat(l, kind, shape, n);
    sample[sweep] = (ar_clock_s() - begin_s) / (double)n / (kind == PINGPONG ? 2 : 1);
    return status;
}

/* The largest first: what they take more than their part, the others do without. */
static enum ar_status sweep_over(struct link *l, int sweep)
{
    enum ar_status status = AR_OK;
    for (int size = l->nsizes - 1; size >= 0 && status == AR_OK; size--)
        for (enum kind kind = PINGPONG; kind < NKINDS && status == AR_OK; kind++)
            status = measure_batch(l, size, kind, sweep);
    return status;
}

static void open_link(struct link *l)
{
    const struct ar_transport *t = l->end->transport;
    l->out = ar_alloc(MOST_BYTES, 1);
    l->in = ar_alloc(MOST_BYTES, 1);
    memset(l->out, 1, MOST_BYTES); /* memory never written is one page of zeros, always in the cache */
    memset(l->in, 1, MOST_BYTES);
    t->reserve(l->end, 2);
    l->order = t->shape(l->end, &(struct ar_extent){0, sizeof(int64_t)}, 1);
    for (int64_t bytes = 1; bytes <= MOST_BYTES; bytes *= 2) {
        l->bytes[l->nsizes++] = bytes;
        if (bytes > 1 && bytes < MOST_BYTES)
            l->bytes[l->nsizes++] = bytes / 2 * 3;
    }
    l->batches_left = SWEEPS * NKINDS * l->nsizes;
    for (int i = 0; i < l->nsizes; i++) {
        l->shape[i] = t->shape(l->end, &(struct ar_extent){0, (size_t)l->bytes[i]}, 1);
        for (int kind = 0; kind < NKINDS; kind++)
            l->sample[i][kind] = ar_alloc(SWEEPS, sizeof(double));
    }
}

static void close_link(struct link *l)
{
    for (int i = 0; i < l->nsizes; i++) {
        l->end->transport->forget(l->end, l->shape[i]);
        for (int kind = 0; kind < NKINDS; kind++)
            free(l->sample[i][kind]);
    }
    l->end->transport->forget(l->end, l->order);
    free(l->out);
    free(l->in);
}

/* On the two ranks; the leader's points are the result. */
static enum ar_status measure_link(struct ar_end *end, double seconds, struct ar_pingpong *found,
                                   struct ar_error *error)
{
    struct link l = {.end = end, .leads = end->rank == 0, .seconds = seconds, .error = error};
    l.peer = l.leads ? end->nranks - 1 : 0;
    open_link(&l);
    l.start_s = ar_clock_s();
    int sweeps = 0;
    int64_t more = 1;
    enum ar_status status = AR_OK;
    while (sweeps < SWEEPS && more && status == AR_OK) {
        status = sweep_over(&l, sweeps++);
        more = sweeps < FEWEST_SWEEPS || ar_clock_s() < l.start_s + seconds;
        if (status == AR_OK)
            status = follow(&l, &more);
    }
    found->npoints = l.nsizes;
    for (int i = 0; i < l.nsizes && status == AR_OK; i++)
        found->point[i] = (struct ar_pingpong_point){
            l.bytes[i],
            ar_summarise(l.sample[i][PINGPONG], (size_t)sweeps).median,
            ar_summarise(l.sample[i][EXCHANGE], (size_t)sweeps).median,
        };
    close_link(&l);
    return status;
}

/* ---- Combining --------------------------------------------------------------------------------------- */

/* Seconds per byte on this rank. */
static double measure_gamma(double seconds)
{
    enum { N = BLOCK_BYTES / sizeof(float), MOST = 1000 };
    ar_combine *combine = ar_operator_find("sum")->combine[AR_TYPE_float32];
    float *held = ar_alloc((size_t)BLOCKS * N, sizeof *held), *other = ar_alloc(N, sizeof *other);
    double *sample = ar_alloc(MOST, sizeof *sample);
    size_t n = 0;
    for (size_t i = 0; i < N; i++)
        other[i] = 1;
    for (size_t i = 0; i < (size_t)BLOCKS * N; i++)
        held[i] = 1;
    double start_s = ar_clock_s(), before_s = start_s, after_s;
    do {
        for (size_t i = 0; i < BLOCKS; i++)
            combine(held + i * N, other, N);
        after_s = ar_clock_s();
        sample[n++] = (after_s - before_s) / ((double)BLOCKS * BLOCK_BYTES);
        before_s = after_s;
    } while (n < MOST && (n < FEWEST_SWEEPS || after_s < start_s + seconds));
    double median = ar_summarise(sample, n).median;
    free(held);
    free(other);
    free(sample);
    return median;
}

/* ---- Together ---------------------------------------------------------------------------------------- */

/* Every rank takes rank 0's points, and of all ranks' gammas the median. */
static void share(struct ar_end *end, struct ar_pingpong *found, double gamma)
{
    struct ar_pingpong_point *points = ar_alloc((size_t)end->nranks * SIZES, sizeof *points);
    double *gammas = ar_alloc((size_t)end->nranks, sizeof *gammas);
    ar_mpi_share(end, found->point, SIZES * sizeof *points, points);
    ar_mpi_share(end, &gamma, sizeof gamma, gammas);
    for (found->npoints = 0; found->npoints < SIZES && points[found->npoints].bytes > 0; found->npoints++)
        found->point[found->npoints] = points[found->npoints];
    found->model.gamma_s_per_byte = ar_summarise(gammas, (size_t)end->nranks).median;
    free(points);
    free(gammas);
}

static void fit(struct ar_pingpong *found)
{
    struct ar_fit_point point[SIZES];
    for (int i = 0; i < found->npoints; i++)
        point[i] = (struct ar_fit_point){found->point[i].bytes, found->point[i].pingpong_s};
    found->alone = ar_fit_line(point, found->npoints);
    for (int i = 0; i < found->npoints; i++)
        point[i].time_s = found->point[i].exchange_s;
    found->line = ar_fit_line(point, found->npoints);
    found->nregimes = ar_fit_regimes(point, found->npoints, found->regime);
    found->model.alpha_s = found->line.alpha_s;
    found->model.beta_s_per_byte = found->line.beta_s_per_byte;
}

enum ar_status ar_pingpong_measure(const struct ar_ranks *ranks, double seconds, struct ar_pingpong *found,
                                   struct ar_error *error)
{
    struct ar_end *end = ranks->mpi;
    if (!end || ranks->nranks < 2)
        return ar_fail(error, AR_INVALID, "pingpong needs at least 2 ranks over MPI, got %d%s", ranks->nranks,
                       end ? "" : " in this process");
    struct ar_pingpong made = {.point = ar_alloc(SIZES, sizeof *made.point)};
    enum ar_status status = AR_OK;
    ar_mpi_barrier(end);
    if (end->rank == 0 || end->rank == end->nranks - 1)
        status = measure_link(end, (1 - GAMMA_SHARE) * seconds, &made, error);
    if (status != AR_OK) {
        free(made.point);
        return status;
    }
    ar_mpi_barrier(end);
    share(end, &made, measure_gamma(GAMMA_SHARE * seconds));
    fit(&made);
    *found = made;
    return AR_OK;
}

void ar_pingpong_free(struct ar_pingpong *found)
{
    free(found->point);
    *found = (struct ar_pingpong){0};
}
