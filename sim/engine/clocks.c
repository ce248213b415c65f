#include "sim/engine/clocks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/exchange.h"
#include "sim/engine/ports.h"

enum { FEW_RANKS = 1 << 16 };

struct transfers {
    struct ar_delivery *item;
    int64_t n, capacity;
};

struct state {
    const struct ar_schedule *schedule;
    const struct ar_layout *layout;
    double alpha_s, beta_s, gamma_s; /* per message, per element */
    double *clock;
    double *end; /* by sender: of the transfer; 0, which no one waits for: there is none */
    struct ar_exchange exchange;
    struct ar_error *error;
    int64_t k, transfers;
    /* For rounds of several messages per port; NULL before the first of them. */
    struct ar_ports *ports;
    struct transfers out;
    double *done; /* by rank: when its last transfer ends */
};

static double max(double a, double b)
{
    return a > b ? a : b;
}

static enum ar_status unmatched(const struct state *s, int from, int to, int64_t elements)
{
    return ar_fail(s->error, AR_FAILED,
                   "round %" PRId64 ": %" PRId64 " elements go from rank %d to rank %d, which do not agree",
                   s->k + 1, elements, from, to);
}

/* ---- One message per port ---------------------------------------------------------------------------- */

static void run_ranks(struct state *s)
{
    const struct ar_active *active = &s->exchange.active;
    const struct ar_part *part = s->exchange.part;
    for (int i = 0; i < active->n; i++) {
        int rank = active->rank[i], to = part[rank].to;
        if (to == AR_NOBODY)
            continue;
        s->end[rank] = max(s->clock[rank], s->clock[to]) + (s->alpha_s + (double)part[rank].sent * s->beta_s);
        s->transfers++;
    }
    for (int i = 0; i < active->n; i++) {
        int rank = active->rank[i], from = part[rank].from;
        double done_s = s->clock[rank];
        if (part[rank].to != AR_NOBODY)
            done_s = max(done_s, s->end[rank]);
        if (from != AR_NOBODY)
            done_s = max(done_s, s->end[from]);
        s->clock[rank] = done_s + (double)part[rank].combined * s->gamma_s;
    }
}

/* What neighbours send to neighbours: `least` and `more` elements. */
static void send_all(const struct state *s, const double *mine, const double *theirs, const int *more, int n,
                     double *restrict end)
{
    double alpha_s = s->alpha_s, beta_s = s->beta_s, least = (double)s->exchange.least;
    if (!more) {
        double takes_s = alpha_s + least * beta_s;
        for (int i = 0; i < n; i++)
            end[i] = max(mine[i], theirs[i]) + takes_s;
        return;
    }
    for (int i = 0; i < n; i++)
        end[i] = max(mine[i], theirs[i]) + (alpha_s + (least + (double)more[i]) * beta_s);
}

/* Ends of what neighbours send and receive; `more`: elements received, NULL also where none are combined. */
static void receive_all(const struct state *s, const double *sent, const double *received, const int *more,
                        int n, double *restrict clock)
{
    double gamma_s = s->exchange.pattern.reduce ? s->gamma_s : 0, least = (double)s->exchange.least;
    if (!more) {
        double combines_s = least * gamma_s;
        for (int i = 0; i < n; i++)
            clock[i] = max(max(clock[i], sent[i]), received[i]) + combines_s;
        return;
    }
    for (int i = 0; i < n; i++)
        clock[i] = max(max(clock[i], sent[i]), received[i]) + (least + (double)more[i]) * gamma_s;
}

/* All ranks at once; what each does is run_ranks's. */
static void run_pattern(struct state *s)
{
    const struct ar_exchange *e = &s->exchange;
    int nranks = s->schedule->problem.nranks, peer;
    if (e->least == 0 && !e->more && !s->layout->token)
        return;
    for (int rank = 0, n; rank < nranks; rank += n) {
        n = ar_exchange_run(e, true, rank, &peer);
        if (peer == AR_NOBODY)
            continue;
        send_all(s, &s->clock[rank], &s->clock[peer], e->more ? &e->more[rank] : NULL, n, &s->end[rank]);
        s->transfers += n;
        for (int i = rank; i < rank + n && e->least == 0 && e->more; i++)
            if (e->more[i] == 0) {
                s->end[i] = 0;
                s->transfers--;
            }
    }
    const int *more = e->pattern.reduce ? e->more : NULL;
    for (int rank = 0, n; rank < nranks; rank += n) {
        n = ar_exchange_run(e, false, rank, &peer);
        if (peer != AR_NOBODY)
            receive_all(s, &s->end[rank], &s->end[peer], more ? &more[peer] : NULL, n, &s->clock[rank]);
    }
}

/* ---- Several messages per port ----------------------------------------------------------------------- */

static void add_transfer(struct transfers *list, struct ar_delivery transfer)
{
    AR_GROW(list->item, list->n, list->capacity);
    list->item[list->n++] = transfer;
}

static bool is_other_rank(const struct state *s, int peer, int rank)
{
    return peer >= 0 && peer < s->schedule->problem.nranks && peer != rank;
}

/* A number that no other message is likely to have; what splitmix64 makes of its ends and its length.
 * (Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014) */
static uint64_t print_of(int from, int to, int64_t elements)
{
    uint64_t x = ((uint64_t)from << 32 | (uint64_t)to) * 0x9E3779B97F4A7C15U + (uint64_t)elements;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9U;
    x = (x ^ x >> 27) * 0x94D049BB133111EBU;
    return x ^ x >> 31;
}

/* Lists the messages that the ranks send and, unless `in` is NULL, those that they receive; end[rank] becomes
 * how long it combines. *balance: the prints of the ones less those of the others, so 0 if they are the same.
 */
static enum ar_status list_messages(struct state *s, struct transfers *in, uint64_t *balance)
{
    struct ar_exchange *e = &s->exchange;
    *balance = 0;
    s->out.n = 0;
    for (int i = 0; i < e->active.n; i++) {
        int rank = e->active.rank[i];
        s->end[rank] = (double)ar_exchange_messages(e, rank, s->k) * s->gamma_s;
        for (int m = 0; m < e->nmessages; m++) {
            const struct ar_message *message = &e->message[m];
            int from = message->sent ? rank : message->peer, to = message->sent ? message->peer : rank;
            if (!is_other_rank(s, message->peer, rank))
                return unmatched(s, from, to, message->elements);
            uint64_t print = print_of(from, to, message->elements);
            *balance += message->sent ? print : -print;
            if (message->sent || in)
                add_transfer(message->sent ? &s->out : in,
                             (struct ar_delivery){from, to, message->elements,
                                                  s->alpha_s + (double)message->elements * s->beta_s});
        }
    }
    return AR_OK;
}

/* The indices of the transfers in the order of their receivers, and for each the end of its run. */
static int64_t *by_receiver(const struct transfers *list, int nranks, int64_t *end)
{
    int64_t *index = ar_alloc((size_t)list->n + 1, sizeof *index), at = 0;
    for (int rank = 0; rank < nranks; rank++)
        end[rank] = 0;
    for (int64_t i = 0; i < list->n; i++)
        end[list->item[i].to]++;
    for (int rank = 0; rank < nranks; rank++) {
        int64_t n = end[rank];
        end[rank] = at;
        at += n;
    }
    for (int64_t i = 0; i < list->n; i++)
        index[end[list->item[i].to]++] = i;
    return index;
}

/* Which message is not both sent and received: those to one receiver are laid out by sender, and compared. */
static enum ar_status explain_mismatch(struct state *s)
{
    enum { NONE = 0, SOME = 1 }; /* so that a token differs from nothing */
    int nranks = s->schedule->problem.nranks;
    struct transfers in = {0};
    uint64_t balance;
    enum ar_status status = list_messages(s, &in, &balance);
    int64_t *end = ar_alloc(2 * (size_t)nranks, sizeof *end), *elements = end + nranks, first = 0;
    int64_t *index = by_receiver(&s->out, nranks, end);
    for (int64_t i = 0; i < in.n && status == AR_OK; i++) {
        const struct ar_delivery *item = &in.item[i];
        int64_t before = item->to ? end[item->to - 1] : 0;
        if (i == 0 || item->to != in.item[i - 1].to) { /* the first of this receiver's */
            for (int64_t j = before; j < end[item->to]; j++)
                elements[s->out.item[index[j]].from] = SOME + s->out.item[index[j]].elements;
            first = i;
        }
        if (elements[item->from] != SOME + item->elements)
            status = unmatched(s, item->from, item->to, item->elements);
        elements[item->from] = NONE;
        bool last = i + 1 == in.n || in.item[i + 1].to != item->to;
        if (last && status == AR_OK && i + 1 - first != end[item->to] - before)
            status = ar_fail(s->error, AR_FAILED, "round %" PRId64 ": rank %d is sent more than it expects",
                             s->k + 1, item->to);
    }
    if (status == AR_OK)
        status = ar_fail(s->error, AR_FAILED,
                         "round %" PRId64 ": %" PRId64 " messages are sent and %" PRId64 " received",
                         s->k + 1, s->out.n, in.n);
    free(index);
    free(end);
    free(in.item);
    return status;
}

static enum ar_status run_ports(struct state *s)
{
    size_t nranks = (size_t)s->schedule->problem.nranks;
    const struct ar_active *active = &s->exchange.active;
    uint64_t balance;
    enum ar_status status = list_messages(s, NULL, &balance);
    if (status == AR_OK && balance != 0)
        status = explain_mismatch(s);
    if (status != AR_OK)
        return status;
    if (!s->ports) {
        s->ports = ar_ports_new((int)nranks);
        s->done = ar_alloc(nranks, sizeof *s->done);
    }
    for (int i = 0; i < active->n; i++)
        s->done[active->rank[i]] = s->clock[active->rank[i]];
    ar_ports_run(s->ports, s->out.item, s->out.n, s->clock, s->done);
    for (int i = 0; i < active->n; i++)
        s->clock[active->rank[i]] = s->done[active->rank[i]] + s->end[active->rank[i]];
    s->transfers += s->out.n;
    return AR_OK;
}

/* ---- All rounds -------------------------------------------------------------------------------------- */

static enum ar_status run_round(struct state *s)
{
    int from, to;
    int64_t elements;
    if (!ar_exchange_round(&s->exchange, s->k))
        return run_ports(s);
    if (!ar_exchange_matches(&s->exchange, &from, &to, &elements))
        return unmatched(s, from, to, elements);
    if (s->exchange.patterned)
        run_pattern(s);
    else
        run_ranks(s);
    return AR_OK;
}

static void free_state(struct state *s)
{
    ar_exchange_free(&s->exchange);
    ar_ports_free(s->ports);
    free(s->end);
    free(s->out.item);
    free(s->done);
}

enum ar_status ar_clocks_run(const struct ar_schedule *schedule, const struct ar_layout *layout,
                             int64_t elem_bytes, const struct ar_hockney *model, struct ar_clocks *clocks,
                             struct ar_error *error)
{
    size_t nranks = (size_t)schedule->problem.nranks;
    const double rank_bytes = 2 * sizeof(double) + ar_exchange_rank_bytes;
    enum ar_status status = AR_OK;
    if (nranks > FEW_RANKS) /* asking the machine takes longer than a small simulation */
        status = ar_memory_check((double)nranks * rank_bytes, "the simulation", error);
    if (status != AR_OK)
        return status;
    struct state s = {.schedule = schedule, .layout = layout, .error = error};
    s.alpha_s = model->alpha_s;
    s.beta_s = (double)elem_bytes * model->beta_s_per_byte;
    s.gamma_s = (double)elem_bytes * model->gamma_s_per_byte;
    s.clock = ar_alloc(nranks, sizeof *s.clock);
    s.end = ar_alloc(nranks, sizeof *s.end);
    ar_exchange_init(&s.exchange, schedule, layout);
    for (s.k = 0; s.k < ar_nrounds(schedule) && status == AR_OK; s.k++)
        status = run_round(&s);
    free_state(&s);
    if (status != AR_OK) {
        free(s.clock);
        return status;
    }
    *clocks = (struct ar_clocks){.end_s = s.clock, .transfers = s.transfers};
    for (size_t rank = 0; rank < nranks; rank++)
        clocks->time_s = max(clocks->time_s, s.clock[rank]);
    return AR_OK;
}

void ar_clocks_free(struct ar_clocks *clocks)
{
    free(clocks->end_s);
    *clocks = (struct ar_clocks){0};
}
