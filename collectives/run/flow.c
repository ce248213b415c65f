#include "collectives/run/flow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/run/counters.h"
#include "collectives/run/dependences.h"

/* Staging buffers that are used in turn even where fewer would do: arriving pieces do not wait for the one
 * before to be combined. */
enum { BUFFERS = 4 };
enum { ALIGNMENT = 64 }; /* they begin on a cache line */

/* A message of the round under way. */
struct staged {
    int stream;
    int last;           /* its newest task */
    size_t first_piece; /* if it is staged */
    size_t received;    /* bytes for which there is a task */
};

/* Messages of one pair of ranks and direction. */
struct pair {
    int nmessages;
    int64_t pieces;
    int last[AR_LANES]; /* the newest stream of each lane, -1: none yet */
};

struct piece {
    int buffer;
    size_t left; /* bytes that no work has taken yet */
};

struct making {
    struct ar_flow *flow;
    const struct ar_rounds *rounds;
    const struct ar_round *round;
    const struct ar_rounds_setup *setup;
    struct ar_pieces pieces;
    struct ar_access *access;
    size_t naccesses, access_capacity;
    struct ar_counters peers; /* numbers them */
    struct pair *pair;        /* npairs: of each peer received, sent */
    size_t npairs, pair_capacity;
    struct staged *staged; /* per transfer of the round */
    struct piece *piece;
    size_t staged_capacity, piece_capacity;
    size_t buffer_bytes;
    int *vacant; /* a ring of nvacant free buffers, the longest free first */
    int nbuffers, nvacant, oldest, vacant_capacity;
    bool keeps; /* the round under way uses no buffer twice */
    int *kept;  /* nkept buffers that are free after it */
    size_t nkept, kept_capacity;
    struct ar_extent *sent; /* nsent elements that it sends */
    size_t nsent, sent_capacity;
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static const struct ar_transfer *transfer_of(const struct making *m, int message)
{
    return &m->rounds->transfer[m->round->transfer + (size_t)message];
}

/* ---- Tasks -------------------------------------------------------------------------------------------- */

static void note(struct making *m, uint8_t area, bool writes, size_t first, size_t bytes)
{
    AR_GROW(m->access, m->naccesses, m->access_capacity);
    m->access[m->naccesses++] =
        (struct ar_access){(int)m->flow->ntasks - 1, area, writes, first, first + bytes};
}

static struct ar_task *add_task(struct making *m, enum ar_task_kind kind, uint8_t area, size_t bytes)
{
    struct ar_flow *flow = m->flow;
    AR_GROW(flow->task, flow->ntasks, flow->task_capacity);
    struct ar_task *task = &flow->task[flow->ntasks++];
    *task =
        (struct ar_task){.kind = (uint8_t)kind, .area = area, .bytes = bytes, .behind = -1, .k = m->round->k};
    task->part = kind <= AR_TASK_RECEIVE ? flow->nextents : flow->noperands;
    return task;
}

static struct pair *pair_of(struct making *m, int peer, bool sends)
{
    const struct ar_counter *counter = ar_counters_of(&m->peers, peer);
    size_t index = 2 * (size_t)(counter - m->peers.item) + sends;
    for (; m->npairs <= index; m->npairs++) {
        AR_GROW(m->pair, m->npairs, m->pair_capacity);
        m->pair[m->npairs] = (struct pair){.last = {-1, -1}};
    }
    return &m->pair[index];
}

/* A message begins. */
static void add_stream(struct making *m, const struct ar_transfer *transfer)
{
    struct ar_flow *flow = m->flow;
    struct pair *pair = pair_of(m, transfer->peer, transfer->sent);
    int lane = pair->nmessages++ % AR_LANES, before = pair->last[lane];
    size_t size = ar_piece_bytes(m->pieces, transfer->bytes);
    pair->pieces += (int64_t)((transfer->bytes + size - 1) / size);
    AR_GROW(flow->stream, flow->nstreams, flow->stream_capacity);
    flow->stream[flow->nstreams] = (struct ar_stream){.peer = transfer->peer,
                                                      .lane = lane,
                                                      .sends = transfer->sent,
                                                      .opens_first = before < 0,
                                                      .first = -1,
                                                      .behind = -1};
    if (before >= 0)
        flow->stream[before].behind = flow->nstreams;
    pair->last[lane] = flow->nstreams++;
}

/* The newest task is a piece of the message of the round. */
static void line_up(struct making *m, int message, size_t from)
{
    struct ar_flow *flow = m->flow;
    struct staged *staged = &m->staged[message];
    struct ar_stream *stream = &flow->stream[staged->stream];
    int index = (int)flow->ntasks - 1;
    struct ar_task *task = &flow->task[index];
    task->first = from == 0;
    task->message_bytes = transfer_of(m, message)->bytes;
    task->stream = staged->stream;
    if (stream->first < 0)
        stream->first = index;
    else
        flow->task[staged->last].behind = index;
    staged->last = index;
    stream->pieces++;
}

static void add_extent(struct making *m, struct ar_task *task, size_t offset, size_t length)
{
    struct ar_flow *flow = m->flow;
    AR_GROW(flow->extent, flow->nextents, flow->extent_capacity);
    flow->extent[flow->nextents++] = (struct ar_extent){offset, length};
    task->nparts++;
    note(m, task->area, task->kind == AR_TASK_RECEIVE, offset, length);
}

/* A message straight from or to its place, piece by piece. */
static void add_direct(struct making *m, int message)
{
    const struct ar_transfer *transfer = transfer_of(m, message);
    size_t size = ar_piece_bytes(m->pieces, transfer->bytes);
    size_t extent = 0, done = 0; /* done: of the extent */
    for (size_t from = 0; from < transfer->bytes; from += size) {
        size_t left = least(transfer->bytes - from, size);
        struct ar_task *task =
            add_task(m, transfer->sent ? AR_TASK_SEND : AR_TASK_RECEIVE, transfer->area, left);
        line_up(m, message, from);
        while (left > 0) {
            const struct ar_extent *e = &m->rounds->extent[transfer->extent + extent];
            size_t n = least(e->length - done, left);
            if (n > 0)
                add_extent(m, task, e->offset + done, n);
            left -= n;
            done += n;
            if (done == e->length)
                extent++, done = 0;
        }
    }
}

/* ---- Staging buffers ---------------------------------------------------------------------------------- */

static int take_buffer(struct making *m)
{
    if (m->nvacant == 0 || m->nbuffers < BUFFERS)
        return m->nbuffers++;
    int buffer = m->vacant[m->oldest];
    m->oldest = (m->oldest + 1) % m->vacant_capacity;
    m->nvacant--;
    return buffer;
}

static void keep_buffer(struct making *m, int buffer)
{
    AR_GROW(m->kept, m->nkept, m->kept_capacity);
    m->kept[m->nkept++] = buffer;
}

static void give_buffer(struct making *m, int buffer)
{
    if (m->nvacant == m->vacant_capacity) { /* unroll the ring into a longer one */
        int capacity = 2 * m->vacant_capacity + BUFFERS;
        int *longer = ar_alloc((size_t)capacity, sizeof *longer);
        for (int i = 0; i < m->nvacant; i++)
            longer[i] = m->vacant[(m->oldest + i) % m->vacant_capacity];
        free(m->vacant);
        m->vacant = longer;
        m->vacant_capacity = capacity;
        m->oldest = 0;
    }
    m->vacant[(m->oldest + m->nvacant++) % m->vacant_capacity] = buffer;
}

static size_t piece_size(const struct making *m, int message)
{
    return ar_piece_bytes(m->pieces, transfer_of(m, message)->bytes);
}

/* The piece of a staged message that byte `from` belongs to. */
static struct piece *piece_of(struct making *m, int message, size_t from)
{
    return &m->piece[m->staged[message].first_piece + from / piece_size(m, message)];
}

static size_t staged_at(struct making *m, int message, size_t from)
{
    return (size_t)piece_of(m, message, from)->buffer * m->buffer_bytes + from % piece_size(m, message);
}

/* The transfer of the piece that begins at `from`, in a buffer of its own. */
static void add_staged(struct making *m, int message, size_t from)
{
    const struct ar_transfer *transfer = transfer_of(m, message);
    size_t bytes = least(transfer->bytes - from, piece_size(m, message));
    struct ar_task *task = add_task(m, transfer->sent ? AR_TASK_SEND : AR_TASK_RECEIVE, AR_STAGING, bytes);
    line_up(m, message, from);
    add_extent(m, task, staged_at(m, message, from), bytes);
}

/* ---- Work --------------------------------------------------------------------------------------------- */

static void add_operand(struct making *m, struct ar_task *task, uint8_t area, size_t at)
{
    struct ar_flow *flow = m->flow;
    AR_GROW(flow->operand, flow->noperands, flow->operand_capacity);
    flow->operand[flow->noperands++] = (struct ar_operand){area, at};
    task->nparts++;
    if (task->nparts > flow->most_operands)
        flow->most_operands = task->nparts;
    note(m, area, false, at, task->bytes);
}

/* A packed send, piece by piece: the copies into its buffer, then the send. Returns the work after them. */
static const struct ar_work *add_packed(struct making *m, const struct ar_work *work)
{
    int message = work->message;
    const struct ar_transfer *transfer = transfer_of(m, message);
    size_t size = piece_size(m, message), done = 0; /* done: of the work */
    for (size_t from = 0; from < transfer->bytes; from += size) {
        size_t end = least(from + size, transfer->bytes);
        struct piece *piece = piece_of(m, message, from);
        piece->buffer = take_buffer(m);
        for (size_t at = from; at < end;) {
            size_t all = work->n * m->setup->elem_bytes, bytes = least(all - done, end - at);
            struct ar_task *task = add_task(m, AR_TASK_COPY, AR_STAGING, bytes);
            task->at = staged_at(m, message, at);
            add_operand(m, task, work->from, work->from_at + done);
            note(m, AR_STAGING, true, task->at, bytes);
            at += bytes;
            done += bytes;
            if (done == all)
                work++, done = 0;
        }
        add_staged(m, message, from);
        keep_buffer(m, piece->buffer);
    }
    return work;
}

/* Byte of its message that staged work begins with. */
static size_t message_byte(const struct making *m, const struct ar_work *work)
{
    return work->from_at - m->rounds->extent[transfer_of(m, work->message)->extent].offset;
}

static size_t left_in_piece(const struct making *m, int message, size_t from)
{
    return piece_size(m, message) - from % piece_size(m, message);
}

/* Receives what comes before byte `end` of the message, where that is not under way yet. */
static void receive_until(struct making *m, int message, size_t end)
{
    struct staged *staged = &m->staged[message];
    for (; staged->received < end; staged->received += piece_size(m, message)) {
        piece_of(m, message, staged->received)->buffer = take_buffer(m);
        add_staged(m, message, staged->received);
    }
}

/* The bytes from .. from+bytes-1 of one piece are used: after all of it its buffer is free. */
static void use(struct making *m, int message, size_t from, size_t bytes)
{
    struct piece *piece = piece_of(m, message, from);
    piece->left -= bytes;
    if (piece->left == 0)
        (m->keeps ? keep_buffer : give_buffer)(m, piece->buffer);
}

/* One task for bytes done .. done+bytes-1 of n operands with one target. */
static void add_part(struct making *m, const struct ar_work *work, int n, size_t done, size_t bytes)
{
    for (int i = 0; i < n; i++)
        if (work[i].message >= 0)
            receive_until(m, work[i].message, message_byte(m, &work[i]) + done + bytes);
    struct ar_task *task = add_task(m, work->kind == AR_COPY ? AR_TASK_COPY : AR_TASK_FOLD, work->to, bytes);
    task->order = work->order;
    task->at = work->to_at + done;
    for (int i = 0; i < n; i++)
        add_operand(m, task, work[i].from,
                    work[i].message < 0 ? work[i].from_at + done
                                        : staged_at(m, work[i].message, message_byte(m, &work[i]) + done));
    if (task->kind == AR_TASK_FOLD)
        note(m, task->area, false, task->at, bytes);
    note(m, task->area, true, task->at, bytes);
    for (int i = 0; i < n; i++)
        if (work[i].message >= 0)
            use(m, work[i].message, message_byte(m, &work[i]) + done, bytes);
}

/* Work with one target, cut where a piece of an operand ends. Returns the work after it. */
static const struct ar_work *add_work(struct making *m, const struct ar_work *work)
{
    size_t all = work->n * m->setup->elem_bytes;
    int n = 1;
    while (work[n - 1].more)
        n++;
    for (size_t done = 0, bytes; done < all; done += bytes) {
        bytes = least(all - done, m->pieces.bytes);
        for (int i = 0; i < n; i++)
            if (work[i].message >= 0)
                bytes = least(bytes, left_in_piece(m, work[i].message, message_byte(m, &work[i]) + done));
        add_part(m, work, n, done, bytes);
    }
    return work + n;
}

/* ---- Rounds ------------------------------------------------------------------------------------------- */

static void list_messages(struct making *m)
{
    size_t npieces = 0;
    AR_RESERVE(m->staged, m->round->ntransfers, m->staged_capacity);
    for (int i = 0; i < m->round->ntransfers; i++) {
        const struct ar_transfer *transfer = transfer_of(m, i);
        add_stream(m, transfer);
        m->staged[i] = (struct staged){.stream = m->flow->nstreams - 1, .first_piece = npieces};
        if (transfer->area != AR_STAGING)
            continue;
        size_t size = ar_piece_bytes(m->pieces, transfer->bytes);
        for (size_t from = 0; from < transfer->bytes; from += size) {
            AR_GROW(m->piece, npieces, m->piece_capacity);
            m->piece[npieces++] = (struct piece){-1, least(transfer->bytes - from, size)};
        }
    }
}

static void note_sent(struct making *m, uint8_t place, size_t at, size_t bytes)
{
    size_t elem_bytes = m->setup->elem_bytes;
    AR_GROW(m->sent, m->nsent, m->sent_capacity);
    m->sent[m->nsent++] =
        (struct ar_extent){at / elem_bytes + (size_t)m->setup->first[place], bytes / elem_bytes};
}

static int by_offset(const void *left, const void *right)
{
    const struct ar_extent *a = left, *b = right;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Elements that the round sends, ascending and without overlaps. */
static void list_sent(struct making *m)
{
    const struct ar_work *work = m->rounds->work + m->round->work;
    m->nsent = 0;
    for (int i = 0; i < m->round->npacking; i++)
        note_sent(m, work[i].from, work[i].from_at, work[i].n * m->setup->elem_bytes);
    for (int i = 0; i < m->round->ntransfers; i++) {
        const struct ar_transfer *transfer = transfer_of(m, i);
        for (int j = 0; transfer->sent && transfer->area != AR_STAGING && j < transfer->nextents; j++) {
            const struct ar_extent *extent = &m->rounds->extent[transfer->extent + (size_t)j];
            note_sent(m, transfer->area, extent->offset, extent->length);
        }
    }
    if (m->nsent > 0)
        qsort(m->sent, m->nsent, sizeof *m->sent, by_offset);
    size_t n = 0;
    for (size_t i = 0; i < m->nsent; i++) {
        struct ar_extent *last = &m->sent[n > 0 ? n - 1 : 0];
        size_t end = m->sent[i].offset + m->sent[i].length;
        if (n == 0 || m->sent[i].offset > last->offset + last->length)
            m->sent[n++] = m->sent[i];
        else if (end > last->offset + last->length)
            last->length = end - last->offset;
    }
    m->nsent = n;
}

/* Whether work on these elements may have to wait for a send of the round. Places share element numbers, and
 * work depends on other work within an element only, in whatever place. */
static bool is_sent(const struct making *m, size_t first, size_t n)
{
    size_t low = 0, high = m->nsent; /* the first that ends behind `first` */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (m->sent[middle].offset + m->sent[middle].length <= first)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->nsent && m->sent[low].offset < first + n;
}

static bool writes_sent(const struct making *m)
{
    const struct ar_work *work = m->rounds->work + m->round->work;
    for (int i = m->round->npacking; i < m->round->nwork; i++)
        if (is_sent(m, work[i].to_at / m->setup->elem_bytes + (size_t)m->setup->first[work[i].to], work[i].n))
            return true;
    return false;
}

/* In the order of the strict round, but for what does not touch the same bytes. */
static void add_round(struct making *m)
{
    const struct ar_work *work = m->rounds->work + m->round->work;
    const struct ar_work *packed = work + m->round->npacking, *end = work + m->round->nwork;
    list_messages(m);
    list_sent(m);
    m->keeps = writes_sent(m);
    while (work < packed)
        work = add_packed(m, work);
    for (int sends = 1; sends >= 0; sends--)
        for (int i = 0; i < m->round->ntransfers; i++)
            if (transfer_of(m, i)->sent == sends && transfer_of(m, i)->area != AR_STAGING)
                add_direct(m, i);
    while (work < end)
        work = add_work(m, work);
    while (m->nkept > 0)
        give_buffer(m, m->kept[--m->nkept]);
}

/* ---- The whole ---------------------------------------------------------------------------------------- */

void ar_flow_make(struct ar_flow *flow, const struct ar_rounds *rounds, const struct ar_rounds_setup *setup,
                  struct ar_pieces pieces)
{
    struct making m = {.flow = flow, .rounds = rounds, .setup = setup, .pieces = pieces};
    for (size_t i = 0; i < rounds->ntransfers; i++) {
        size_t bytes = ar_piece_bytes(pieces, rounds->transfer[i].bytes);
        if (rounds->transfer[i].area == AR_STAGING && bytes > m.buffer_bytes)
            m.buffer_bytes = bytes;
    }
    m.buffer_bytes = (m.buffer_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    for (size_t i = 0; i < rounds->nrounds; i++) {
        m.round = &rounds->round[i];
        add_round(&m);
    }
    flow->staging_bytes = (size_t)m.nbuffers * m.buffer_bytes;
    for (size_t i = 0; i < m.npairs; i++)
        flow->nslots += m.pair[i].pieces < AR_LANES * AR_DEPTH ? (int)m.pair[i].pieces : AR_LANES * AR_DEPTH;
    ar_find_dependences(flow, m.access, m.naccesses);
    ar_counters_free(&m.peers);
    free(m.access);
    free(m.pair);
    free(m.staged);
    free(m.piece);
    free(m.vacant);
    free(m.kept);
    free(m.sent);
}

void ar_flow_free(struct ar_flow *flow)
{
    free(flow->task);
    free(flow->extent);
    free(flow->operand);
    free(flow->stream);
    free(flow->successor);
    *flow = (struct ar_flow){0};
}

/* A task with its accesses, edges, shape and state in a run. */
enum { TASK_BYTES = 400 };

double ar_flow_tasks(const struct ar_rounds_needs *needs, struct ar_pieces pieces)
{
    double npieces = (double)needs->bytes / (double)pieces.bytes;
    return (double)needs->ntransfers + (double)needs->nwork + 3 * npieces;
}

double ar_flow_bytes(const struct ar_rounds_needs *needs, struct ar_pieces pieces)
{
    double buffers = needs->most_operands > BUFFERS ? 2 * needs->most_operands : BUFFERS;
    double staging = buffers * (double)pieces.above;
    return ar_flow_tasks(needs, pieces) * TASK_BYTES + fmax(staging, (double)needs->staging_bytes);
}
