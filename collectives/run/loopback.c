/* The transport inside one process.
 *
 * Every end keeps the transfers addressed to it that have not met their partner: sends to it, and its own
 * receives, in buckets by source rank. Of one pair of ranks and lane only one kind can be waiting at a
 * time. Whoever
 * comes second finds the other, copies the data and finishes both. Waiting transfers are linked through their
 * slots, so that nothing is allocated after reserve() where data is moved.
 */
#include "collectives/run/transport.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"

struct ar_shape {
    size_t bytes;
    int n;
    struct ar_extent extent[];
};

struct slot {
    struct slot *next; /* in the bucket where it waits, then among its owner's matched ones */
    struct loopback_end *owner;
    union {
        const unsigned char *from; /* of a send */
        unsigned char *to;         /* of a receive */
    };
    const struct ar_shape *shape;
    size_t bytes;
    int source, lane;
    bool sent, pending;
};

struct bucket {
    struct slot *first, *last;
};

struct loopback_end {
    struct ar_end end; /* first */
    struct shared *shared;
    struct slot *slot;
    struct bucket *bucket; /* mask + 1 of them, a power of two */
    unsigned mask;
    int nslots, npending;
    unsigned nwaiting;    /* in the buckets */
    struct slot *matched; /* not yet said to be finished */
};

struct shared {
    int nopen;
    bool broken;
    struct ar_error why;
    struct loopback_end *end[]; /* NULL once closed */
};

static struct loopback_end *loopback_of(struct ar_end *end)
{
    return (struct loopback_end *)end;
}

/* ---- Shapes ------------------------------------------------------------------------------------------ */

static struct ar_shape *shape_of(struct ar_end *end, const struct ar_extent *extent, int n)
{
    (void)end;
    struct ar_shape *shape = ar_alloc(1, sizeof *shape + (size_t)n * sizeof *extent);
    shape->n = n;
    for (int i = 0; i < n; i++) {
        shape->extent[i] = extent[i];
        shape->bytes += extent[i].length;
    }
    return shape;
}

static void forget(struct ar_end *end, struct ar_shape *shape)
{
    (void)end;
    free(shape);
}

/* Both shapes have the same number of bytes, cut differently. */
static void copy_shapes(unsigned char *to, const struct ar_shape *into, const unsigned char *from,
                        const struct ar_shape *out_of)
{
    size_t read = 0, written = 0; /* of the current extents */
    for (int i = 0, j = 0; i < into->n && j < out_of->n;) {
        size_t room = into->extent[i].length - written, there = out_of->extent[j].length - read;
        size_t n = room < there ? room : there;
        if (n > 0)
            memcpy(to + into->extent[i].offset + written, from + out_of->extent[j].offset + read, n);
        written += n;
        read += n;
        if (written == into->extent[i].length)
            i++, written = 0;
        if (read == out_of->extent[j].length)
            j++, read = 0;
    }
}

/* ---- Slots and buckets ------------------------------------------------------------------------------- */

static struct bucket *bucket_of(struct loopback_end *end, int source)
{
    return &end->bucket[(unsigned)source & end->mask];
}

static void append(struct bucket *bucket, struct slot *slot)
{
    slot->next = NULL;
    if (bucket->last)
        bucket->last->next = slot;
    else
        bucket->first = slot;
    bucket->last = slot;
}

/* What waits here already (others may have started) keeps its order. */
static void grow_buckets(struct loopback_end *end, unsigned n)
{
    struct bucket *old = end->bucket;
    unsigned nold = end->mask + 1;
    end->bucket = ar_alloc(n, sizeof *end->bucket);
    end->mask = n - 1;
    for (unsigned i = 0; i < nold; i++)
        for (struct slot *slot = old[i].first, *next; slot; slot = next) {
            next = slot->next;
            append(bucket_of(end, slot->source), slot);
        }
    free(old);
}

static void reserve(struct ar_end *base, int nslots)
{
    struct loopback_end *end = loopback_of(base);
    if (nslots <= end->nslots)
        return;
    end->slot = ar_realloc(end->slot, (size_t)nslots, sizeof *end->slot);
    for (int i = end->nslots; i < nslots; i++)
        end->slot[i] = (struct slot){.owner = end};
    end->nslots = nslots;
    unsigned n = end->mask + 1;
    while (n < (unsigned)nslots)
        n *= 2;
    if (n > end->mask + 1)
        grow_buckets(end, n);
}

/* ---- Matching ---------------------------------------------------------------------------------------- */

static void finish_slot(struct slot *slot)
{
    slot->pending = false;
    slot->next = slot->owner->matched;
    slot->owner->matched = slot;
    slot->owner->npending--;
}

static void match(struct shared *shared, struct slot *send, struct slot *receive)
{
    if (send->bytes != receive->bytes) {
        if (!shared->broken)
            ar_fail(&shared->why, AR_FAILED, "rank %d sends %zu B to rank %d, which expects %zu B",
                    send->source, send->bytes, receive->owner->end.rank, receive->bytes);
        shared->broken = true;
        return;
    }
    if (send->shape && receive->shape) /* else simulated */
        copy_shapes(receive->to, receive->shape, send->from, send->shape);
    finish_slot(send);
    finish_slot(receive);
}

/* Meets the oldest waiting partner of the pair, or waits itself. */
static void meet(struct loopback_end *destination, struct slot *slot)
{
    struct bucket *bucket = bucket_of(destination, slot->source);
    struct slot *previous = NULL, *other = bucket->first;
    while (other && (other->source != slot->source || other->lane != slot->lane)) {
        previous = other;
        other = other->next;
    }
    if (!other || other->sent == slot->sent) {
        append(bucket, slot);
        destination->nwaiting++;
        return;
    }
    destination->nwaiting--;
    if (previous)
        previous->next = other->next;
    else
        bucket->first = other->next;
    if (bucket->last == other)
        bucket->last = previous;
    match(destination->shared, slot->sent ? slot : other, slot->sent ? other : slot);
}

static enum ar_status refuse(const struct loopback_end *end, int slot, int peer, bool sent,
                             struct ar_error *error)
{
    int rank = end->end.rank;
    const char *what = sent ? "sends to" : "receives from";
    if (peer < 0 || peer >= end->end.nranks)
        return ar_fail(error, AR_INVALID, "rank %d %s rank %d, expected 0..%d", rank, what, peer,
                       end->end.nranks - 1);
    if (!end->shared->end[peer])
        return ar_fail(error, AR_INVALID, "rank %d %s rank %d, which has closed its end", rank, what, peer);
    if (slot < 0 || slot >= end->nslots)
        return ar_fail(error, AR_INVALID, "rank %d %s rank %d in slot %d, but %d are reserved", rank, what,
                       peer, slot, end->nslots);
    return ar_fail(error, AR_INVALID, "rank %d %s rank %d in slot %d, which is still in use", rank, what,
                   peer, slot);
}

static inline enum ar_status start(struct ar_end *base, int index, struct slot filled, int peer,
                                   struct ar_error *error)
{
    struct loopback_end *end = loopback_of(base);
    struct shared *shared = end->shared;
    if (peer < 0 || peer >= end->end.nranks || !shared->end[peer] || index < 0 || index >= end->nslots ||
        end->slot[index].pending)
        return refuse(end, index, peer, filled.sent, error);
    struct slot *slot = &end->slot[index];
    *slot = filled;
    slot->owner = end;
    slot->source = filled.sent ? end->end.rank : peer;
    slot->pending = true;
    end->npending++;
    struct loopback_end *destination = filled.sent ? shared->end[peer] : end;
    /* Simulated ranks reserve late, when they come to a round, and others may come earlier. */
    if (!slot->shape && destination->nwaiting > destination->mask)
        grow_buckets(destination, 4 * (destination->mask + 1));
    meet(destination, slot);
    return AR_OK;
}

static enum ar_status send_shape(struct ar_end *end, int slot, int peer, int lane, const void *base,
                                 const struct ar_shape *shape, struct ar_error *error)
{
    struct slot filled = {.sent = true, .lane = lane, .from = base, .shape = shape, .bytes = shape->bytes};
    return start(end, slot, filled, peer, error);
}

static enum ar_status receive_shape(struct ar_end *end, int slot, int peer, int lane, void *base,
                                    const struct ar_shape *shape, struct ar_error *error)
{
    struct slot filled = {.sent = false, .lane = lane, .to = base, .shape = shape, .bytes = shape->bytes};
    return start(end, slot, filled, peer, error);
}

static enum ar_status send_bytes(struct ar_end *end, int slot, int peer, size_t bytes, struct ar_error *error)
{
    return start(end, slot, (struct slot){.sent = true, .bytes = bytes}, peer, error);
}

static enum ar_status receive_bytes(struct ar_end *end, int slot, int peer, size_t bytes,
                                    struct ar_error *error)
{
    return start(end, slot, (struct slot){.sent = false, .bytes = bytes}, peer, error);
}

static enum ar_status finish(struct ar_end *base, int nslots, bool *done, struct ar_error *error)
{
    (void)nslots;
    struct loopback_end *end = loopback_of(base);
    if (end->shared->broken)
        return ar_fail(error, AR_FAILED, "%s", end->shared->why.text);
    *done = end->npending == 0;
    if (*done)
        end->matched = NULL;
    return AR_OK;
}

static enum ar_status finish_some(struct ar_end *base, int nslots, bool wait, int *finished, int *n,
                                  struct ar_error *error)
{
    (void)nslots;
    (void)wait;
    struct loopback_end *end = loopback_of(base);
    if (end->shared->broken)
        return ar_fail(error, AR_FAILED, "%s", end->shared->why.text);
    *n = 0;
    for (; end->matched; end->matched = end->matched->next)
        finished[(*n)++] = (int)(end->matched - end->slot);
    return AR_OK;
}

static bool pending(const struct ar_end *base, int slot)
{
    const struct loopback_end *end = (const struct loopback_end *)base;
    return slot < end->nslots && end->slot[slot].pending;
}

/* ---- Opening and closing ----------------------------------------------------------------------------- */

static void close_end(struct ar_end *base)
{
    struct loopback_end *end = loopback_of(base);
    struct shared *shared = end->shared;
    shared->end[end->end.rank] = NULL;
    if (--shared->nopen == 0)
        free(shared);
    free(end->slot);
    free(end->bucket);
    free(end);
}

static const struct ar_transport loopback = {
    .name = "loopback",
    .shape = shape_of,
    .forget = forget,
    .reserve = reserve,
    .send = send_shape,
    .receive = receive_shape,
    .finish = finish,
    .finish_some = finish_some,
    .close = close_end,
    .send_bytes = send_bytes,
    .receive_bytes = receive_bytes,
    .pending = pending,
};

void ar_loopback_open(int nranks, struct ar_end **ends)
{
    struct shared *shared = ar_alloc(1, sizeof *shared + (size_t)nranks * sizeof *shared->end);
    shared->nopen = nranks;
    for (int rank = 0; rank < nranks; rank++) {
        struct loopback_end *end = ar_alloc(1, sizeof *end);
        end->end = (struct ar_end){&loopback, rank, nranks};
        end->shared = shared;
        end->bucket = ar_alloc(1, sizeof *end->bucket);
        shared->end[rank] = end;
        ends[rank] = &end->end;
    }
}
