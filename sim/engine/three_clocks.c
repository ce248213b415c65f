/* Rounds of LogGOPS: sends, then receives, then what held the senders of large messages, then combining. */
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "sim/engine/round.h"

static double send(const struct ar_engine *r, int rank, double bytes)
{
    struct ar_loggops_clocks clocks = {r->clock[0][rank], r->clock[1][rank], 0};
    double first_byte_s = ar_loggops_send(&r->prices.loggops, &clocks, bytes, ar_slow(r, rank));
    r->clock[0][rank] = clocks.cpu_s;
    r->clock[1][rank] = clocks.send_s;
    return first_byte_s;
}

static double receive(const struct ar_engine *r, int rank, double bytes, double first_byte_s)
{
    struct ar_loggops_clocks clocks = {r->clock[0][rank], 0, r->clock[2][rank]};
    double met_s = ar_loggops_receive(&r->prices.loggops, &clocks, bytes, first_byte_s, ar_slow(r, rank));
    r->clock[0][rank] = clocks.cpu_s;
    r->clock[2][rank] = clocks.receive_s;
    return met_s;
}

static void hold(const struct ar_engine *r, int rank, double bytes, double met_s)
{
    if (bytes > r->prices.loggops.S_bytes)
        r->clock[0][rank] = ar_later(r->clock[0][rank], met_s);
}

static void combine(const struct ar_engine *r, int rank, double bytes)
{
    r->clock[0][rank] += ar_slow(r, rank) * (bytes * r->prices.gamma_s_per_byte);
}

/* ---- One message per port ---------------------------------------------------------------------------- */

/* Also a patterned round in which some messages have no elements, and are none. */
static void by_rank(struct ar_engine *r)
{
    const struct ar_exchange *e = &r->exchange;
    double elem_bytes = (double)r->what->elem_bytes;
    for (int i = 0; i < e->active.n; i++) {
        struct ar_part part = ar_exchange_part(e, e->active.rank[i]);
        if (part.to == AR_NOBODY)
            continue;
        r->message_s[e->active.rank[i]] = send(r, e->active.rank[i], (double)part.sent * elem_bytes);
        r->transfers++;
    }
    for (int i = 0; i < e->active.n; i++) {
        int rank = e->active.rank[i];
        struct ar_part part = ar_exchange_part(e, rank);
        if (part.from != AR_NOBODY)
            r->met_s[rank] = receive(r, rank, (double)part.received * elem_bytes, r->message_s[part.from]);
    }
    for (int i = 0; i < e->active.n; i++) {
        int rank = e->active.rank[i];
        struct ar_part part = ar_exchange_part(e, rank);
        if (part.to != AR_NOBODY)
            hold(r, rank, (double)part.sent * elem_bytes, r->met_s[part.to]);
        combine(r, rank, (double)part.combined * elem_bytes);
    }
}

/* ---- A pattern --------------------------------------------------------------------------------------- */

/* Each of the next four does for n neighbours what its namesake above does for one; their peers are
 * neighbours from `peer` on. */

static double bytes_of(const struct ar_engine *r, const int *more, int i)
{
    return ((double)r->exchange.least + (more ? (double)more[i] : 0)) * (double)r->what->elem_bytes;
}

static const int *more_of(const struct ar_engine *r, int rank)
{
    return r->exchange.more ? &r->exchange.more[rank] : NULL;
}

static void send_all(const struct ar_engine *r, int rank, int n)
{
    const struct ar_loggops m = r->prices.loggops;
    const int *more = more_of(r, rank);
    const double *slow = r->what->slow ? &r->what->slow[rank] : NULL, same = bytes_of(r, NULL, 0);
    double *restrict cpu = &r->clock[0][rank], *restrict port = &r->clock[1][rank];
    double *restrict first = &r->message_s[rank];
    if (!more && !slow) {
        for (int i = 0; i < n; i++) {
            struct ar_loggops_clocks clocks = {cpu[i], port[i], 0};
            first[i] = ar_loggops_send(&m, &clocks, same, 1);
            cpu[i] = clocks.cpu_s;
            port[i] = clocks.send_s;
        }
        return;
    }
    for (int i = 0; i < n; i++)
        first[i] = send(r, rank + i, bytes_of(r, more, i));
}

static void receive_all(const struct ar_engine *r, int rank, int peer, int n)
{
    const struct ar_loggops m = r->prices.loggops;
    const int *more = more_of(r, peer);
    const double *slow = r->what->slow ? &r->what->slow[rank] : NULL, same = bytes_of(r, NULL, 0);
    double *restrict cpu = &r->clock[0][rank], *restrict port = &r->clock[2][rank];
    double *restrict met = &r->met_s[rank];
    const double *restrict first = &r->message_s[peer];
    if (!more && !slow) {
        for (int i = 0; i < n; i++) {
            struct ar_loggops_clocks clocks = {cpu[i], 0, port[i]};
            met[i] = ar_loggops_receive(&m, &clocks, same, first[i], 1);
            cpu[i] = clocks.cpu_s;
            port[i] = clocks.receive_s;
        }
        return;
    }
    for (int i = 0; i < n; i++)
        met[i] = receive(r, rank + i, bytes_of(r, more, i), first[i]);
}

static void hold_all(const struct ar_engine *r, int rank, int peer, int n)
{
    const int *more = more_of(r, rank);
    double *restrict cpu = &r->clock[0][rank];
    const double *restrict met = &r->met_s[peer];
    if (!more && bytes_of(r, NULL, 0) <= r->prices.loggops.S_bytes)
        return;
    if (!more) {
        for (int i = 0; i < n; i++)
            cpu[i] = ar_later(cpu[i], met[i]);
        return;
    }
    for (int i = 0; i < n; i++)
        hold(r, rank + i, bytes_of(r, more, i), met[i]);
}

static void combine_all(const struct ar_engine *r, int rank, int peer, int n)
{
    const int *more = more_of(r, peer);
    if (!r->exchange.pattern.reduce || r->prices.gamma_s_per_byte == 0)
        return;
    for (int i = 0; i < n; i++)
        combine(r, rank + i, bytes_of(r, more, i));
}

static void by_pattern(struct ar_engine *r)
{
    const struct ar_exchange *e = &r->exchange;
    int nranks = r->what->schedule->problem.nranks, peer;
    if (e->least == 0 && e->more) {
        by_rank(r);
        return;
    }
    for (int rank = 0, n; rank < nranks; rank += n) {
        n = ar_exchange_run(e, true, rank, &peer);
        if (peer == AR_NOBODY)
            continue;
        send_all(r, rank, n);
        r->transfers += n;
    }
    for (int rank = 0, n; rank < nranks; rank += n) {
        n = ar_exchange_run(e, false, rank, &peer);
        if (peer != AR_NOBODY)
            receive_all(r, rank, peer, n);
    }
    for (int rank = 0, n; rank < nranks; rank += n) {
        n = ar_exchange_run(e, true, rank, &peer);
        if (peer != AR_NOBODY)
            hold_all(r, rank, peer, n);
    }
    for (int rank = 0, n; rank < nranks; rank += n) {
        n = ar_exchange_run(e, false, rank, &peer);
        if (peer != AR_NOBODY)
            combine_all(r, rank, peer, n);
    }
}

/* ---- Several messages per port ----------------------------------------------------------------------- */

struct arrival {
    double first_byte_s;
    int from;
    int64_t at; /* in the list of messages */
};

static int by_arrival(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    if (x->first_byte_s != y->first_byte_s)
        return x->first_byte_s < y->first_byte_s ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

static void crowded(struct ar_engine *r)
{
    const struct ar_active *active = &r->exchange.active;
    struct ar_delivery *out = r->crowd.out.item;
    double elem_bytes = (double)r->what->elem_bytes;
    int64_t n = r->crowd.out.n;
    struct arrival *arrival = ar_alloc((size_t)n + 1, sizeof *arrival);
    double *met_s = ar_alloc((size_t)n + 1, sizeof *met_s);
    for (int64_t i = 0; i < n; i++) /* takes_s: when the first byte arrives */
        out[i].takes_s = send(r, out[i].from, (double)out[i].elements * elem_bytes);
    for (int64_t j = 0; j < n; j++) {
        const struct ar_delivery *t = &out[r->crowd.index[j]];
        arrival[j] = (struct arrival){t->takes_s, t->from, r->crowd.index[j]};
    }
    for (int64_t j = 0, end; j < n; j = end) {
        int to = out[arrival[j].at].to;
        end = r->crowd.end[to];
        qsort(&arrival[j], (size_t)(end - j), sizeof *arrival, by_arrival);
        for (int64_t i = j; i < end; i++)
            met_s[arrival[i].at] =
                receive(r, to, (double)out[arrival[i].at].elements * elem_bytes, arrival[i].first_byte_s);
    }
    for (int64_t i = 0; i < n; i++)
        hold(r, out[i].from, (double)out[i].elements * elem_bytes, met_s[i]);
    for (int i = 0; i < active->n; i++)
        combine(r, active->rank[i], (double)r->crowd.combined[active->rank[i]] * elem_bytes);
    free(arrival);
    free(met_s);
    r->transfers += n;
}

const struct ar_round_ways ar_three_clock_ways = {by_rank, by_pattern, crowded};
