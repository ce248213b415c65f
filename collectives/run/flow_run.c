#include "collectives/run/flow_run.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"

/* Pieces combined before the transport is asked again. Over shared memory that call copies all that has been
 * sent meanwhile, and what has arrived would leave the cache and be late for those who wait for it. */
enum { AT_ONCE = 4 };

struct ar_stream_run {
    bool open;
    int next;      /* task to be started, -1: all are */
    int in_flight; /* at most AR_DEPTH */
    int left;      /* pieces that are not done */
};

/* ---- Preparing ---------------------------------------------------------------------------------------- */

/* Appends bytes from .. to-1 of what n extents hold. */
static int cut_extents(const struct ar_extent *extent, int n, size_t from, size_t to, struct ar_extent *cut)
{
    int made = 0;
    size_t at = 0;
    for (int i = 0; i < n && at < to; at += extent[i++].length) {
        size_t first = from > at ? from - at : 0;
        size_t last = to - at < extent[i].length ? to - at : extent[i].length;
        if (first < last)
            cut[made++] = (struct ar_extent){extent[i].offset + first, last - first};
    }
    return made;
}

static struct ar_shape *make_shape(const struct ar_flow *flow, const struct ar_task *task, struct ar_end *end)
{
    const struct ar_transport *transport = end->transport;
    const struct ar_extent *extent = &flow->extent[task->part];
    bool whole = task->bytes == task->message_bytes;
    if (whole || !transport->prefers_halves ||
        !transport->prefers_halves(end, flow->stream[task->stream].peer))
        return transport->shape(end, extent, task->nparts);
    struct ar_extent *halves = ar_alloc((size_t)task->nparts + 1, sizeof *halves);
    int n = cut_extents(extent, task->nparts, task->bytes / 2, task->bytes, halves);
    n += cut_extents(extent, task->nparts, 0, task->bytes / 2, halves + n);
    struct ar_shape *shape = transport->shape(end, halves, n);
    free(halves);
    return shape;
}

void ar_flow_run_prepare(struct ar_flow_run *run, const struct ar_flow *flow, struct ar_site *site)
{
    const struct ar_transport *transport = site->end->transport;
    run->flow = flow;
    run->site = site;
    run->shape = ar_alloc(flow->ntasks, sizeof(struct ar_shape *));
    for (size_t i = 0; i < flow->ntasks; i++)
        if (flow->task[i].kind <= AR_TASK_RECEIVE)
            run->shape[i] = make_shape(flow, &flow->task[i], site->end);
    run->nslots = flow->nslots;
    run->waits = ar_alloc(flow->ntasks, sizeof *run->waits);
    run->next_ready = ar_alloc(flow->ntasks, sizeof *run->next_ready);
    run->stream = ar_alloc((size_t)flow->nstreams, sizeof *run->stream);
    run->task_of_slot = ar_alloc((size_t)run->nslots, sizeof *run->task_of_slot);
    run->vacant_slot = ar_alloc((size_t)run->nslots, sizeof *run->vacant_slot);
    run->finished = ar_alloc((size_t)run->nslots, sizeof *run->finished);
    run->operand = ar_alloc((size_t)flow->most_operands, sizeof *run->operand);
    transport->reserve(site->end, run->nslots);
}

void ar_flow_run_free(struct ar_flow_run *run)
{
    for (size_t i = 0; run->flow && i < run->flow->ntasks; i++)
        if (run->shape[i])
            run->site->end->transport->forget(run->site->end, run->shape[i]);
    free(run->shape);
    free(run->waits);
    free(run->next_ready);
    free(run->stream);
    free(run->task_of_slot);
    free(run->vacant_slot);
    free(run->finished);
    free(run->operand);
    *run = (struct ar_flow_run){0};
}

/* ---- Tasks -------------------------------------------------------------------------------------------- */

static enum ar_status start_transfer(struct ar_flow_run *run, int index, struct ar_error *error)
{
    const struct ar_task *task = &run->flow->task[index];
    const struct ar_transport *transport = run->site->end->transport;
    const struct ar_stream *stream = &run->flow->stream[task->stream];
    int peer = stream->peer, lane = stream->lane, slot = run->vacant_slot[--run->nvacant];
    bool sends = stream->sends;
    unsigned char *base = run->site->area[task->area];
    run->task_of_slot[slot] = index;
    run->k = task->k;
    enum ar_status status =
        sends ? transport->send(run->site->end, slot, peer, lane, base, run->shape[index], error)
              : transport->receive(run->site->end, slot, peer, lane, base, run->shape[index], error);
    if (status == AR_OK)
        ar_site_count(run->site, peer, sends, task->first, task->message_bytes);
    run->nadvances++;
    return status;
}

/* Starts what stands first in the stream and is ready. */
static enum ar_status start_stream(struct ar_flow_run *run, int index, struct ar_error *error)
{
    struct ar_stream_run *stream = &run->stream[index];
    enum ar_status status = AR_OK;
    while (status == AR_OK && stream->open && stream->next >= 0 && stream->in_flight < AR_DEPTH &&
           run->waits[stream->next] == 0) {
        int task = stream->next;
        stream->next = run->flow->task[task].behind;
        stream->in_flight++;
        status = start_transfer(run, task, error);
    }
    return status;
}

/* One of its pieces is done. */
static enum ar_status advance_stream(struct ar_flow_run *run, int index, struct ar_error *error)
{
    struct ar_stream_run *stream = &run->stream[index];
    int behind = run->flow->stream[index].behind;
    stream->in_flight--;
    if (--stream->left > 0)
        return start_stream(run, index, error);
    if (behind < 0)
        return AR_OK;
    run->stream[behind].open = true;
    return start_stream(run, behind, error);
}

static void add_ready(struct ar_flow_run *run, int work)
{
    run->next_ready[work] = -1;
    *(run->first_ready < 0 ? &run->first_ready : &run->next_ready[run->last_ready]) = work;
    run->last_ready = work;
}

static enum ar_status make_ready(struct ar_flow_run *run, int index, struct ar_error *error)
{
    const struct ar_task *task = &run->flow->task[index];
    if (task->kind <= AR_TASK_RECEIVE)
        return start_stream(run, task->stream, error);
    add_ready(run, index);
    return AR_OK;
}

static enum ar_status complete(struct ar_flow_run *run, int index, struct ar_error *error)
{
    const struct ar_task *task = &run->flow->task[index];
    enum ar_status status = AR_OK;
    run->nleft--;
    run->nadvances++;
    for (int i = 0; i < task->nnext && status == AR_OK; i++) {
        int successor = run->flow->successor[task->next + (size_t)i];
        if (--run->waits[successor] == 0)
            status = make_ready(run, successor, error);
    }
    return status;
}

static void work(struct ar_flow_run *run, const struct ar_task *task)
{
    const struct ar_operand *operand = &run->flow->operand[task->part];
    unsigned char *to = run->site->area[task->area] + task->at;
    for (int i = 0; i < task->nparts; i++)
        run->operand[i] = run->site->area[operand[i].area] + operand[i].at;
    if (task->kind == AR_TASK_COPY)
        memmove(to, run->operand[0], task->bytes);
    else
        ar_site_fold(run->site, to, run->operand, task->nparts, task->order, task->bytes);
}

/* ---- A run -------------------------------------------------------------------------------------------- */

void ar_flow_run_start(struct ar_flow_run *run)
{
    const struct ar_flow *flow = run->flow;
    run->begun = false;
    run->nleft = flow->ntasks;
    run->first_ready = -1;
    run->nvacant = run->nslots;
    for (int i = 0; i < run->nslots; i++)
        run->vacant_slot[i] = run->nslots - 1 - i;
    for (size_t i = 0; i < flow->ntasks; i++)
        run->waits[i] = flow->task[i].waits;
    for (int i = 0; i < flow->nstreams; i++) {
        const struct ar_stream *stream = &flow->stream[i];
        run->stream[i] = (struct ar_stream_run){stream->opens_first, stream->first, 0, stream->pieces};
    }
    for (size_t i = 0; i < flow->ntasks; i++)
        if (flow->task[i].waits == 0 && flow->task[i].kind > AR_TASK_RECEIVE)
            add_ready(run, (int)i);
}

/* The slot is free before its task's successors are started. */
static enum ar_status finish_slots(struct ar_flow_run *run, int n, struct ar_error *error)
{
    enum ar_status status = AR_OK;
    for (int i = 0; i < n; i++)
        run->vacant_slot[run->nvacant++] = run->finished[i];
    for (int i = 0; i < n; i++)
        run->finished[i] = run->task_of_slot[run->finished[i]];
    for (int i = 0; i < n && status == AR_OK; i++) {
        status = complete(run, run->finished[i], error);
        if (status == AR_OK)
            status = advance_stream(run, run->flow->task[run->finished[i]].stream, error);
    }
    return status;
}

enum ar_status ar_flow_run_progress(struct ar_flow_run *run, struct ar_error *error)
{
    const struct ar_transport *transport = run->site->end->transport;
    enum ar_status status = AR_OK;
    for (int i = 0; !run->begun && i < run->flow->nstreams && status == AR_OK; i++)
        status = start_stream(run, i, error);
    run->begun = true;
    for (bool moved = true; status == AR_OK && run->nleft > 0 && moved;) {
        int worked = 0, n = 0;
        for (; run->first_ready >= 0 && worked < AT_ONCE && status == AR_OK; worked++) {
            int task = run->first_ready;
            run->first_ready = run->next_ready[task];
            work(run, &run->flow->task[task]);
            status = complete(run, task, error);
        }
        if (status == AR_OK && run->nvacant < run->nslots)
            status = transport->finish_some(run->site->end, run->nslots, run->first_ready < 0, run->finished,
                                            &n, error);
        if (status == AR_OK)
            status = finish_slots(run, n, error);
        moved = worked > 0 || n > 0;
    }
    return status;
}
