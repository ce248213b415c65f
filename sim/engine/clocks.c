#include "sim/engine/clocks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/exchange.h"
#include "collectives/messages.h"
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
    struct ar_messages messages;
    struct transfers out, in;
    int64_t *expected; /* by receiver: where its messages end; by sender: elements */
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

/* Lists the messages of all ranks; end[rank] becomes how long it combines. */
static enum ar_status list_messages(struct state *s)
{
    s->out.n = s->in.n = 0;
    for (int i = 0; i < s->exchange.active.n; i++) {
        int rank = s->exchange.active.rank[i];
        ar_messages_of_round(s->schedule, s->layout, rank, s->k, &s->messages);
        s->end[rank] = (double)ar_messages_combined(&s->messages) * s->gamma_s;
        for (int m = 0; m < s->messages.nmessages; m++) {
            const struct ar_message *message = &s->messages.message[m];
            int from = message->sent ? rank : message->peer, to = message->sent ? message->peer : rank;
            if (!is_other_rank(s, message->peer, rank))
                return unmatched(s, from, to, message->elements);
            add_transfer(message->sent ? &s->out : &s->in,
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

/* Both lists hold the same messages: those to one receiver are laid out by sender, and compared. */
static enum ar_status match(struct state *s)
{
    enum { NONE = 0, SOME = 1 }; /* so that a token differs from nothing */
    int nranks = s->schedule->problem.nranks;
    int64_t *end = s->expected, *elements = s->expected + nranks, first = 0;
    int64_t *index = by_receiver(&s->out, nranks, end);
    enum ar_status status = AR_OK;
    for (int64_t i = 0; i < s->in.n && status == AR_OK; i++) {
        const struct ar_delivery *in = &s->in.item[i];
        if (i == 0 || in->to != s->in.item[i - 1].to) { /* the first of this receiver's */
            for (int64_t j = in->to ? end[in->to - 1] : 0; j < end[in->to]; j++)
                elements[s->out.item[index[j]].from] = SOME + s->out.item[index[j]].elements;
            first = i;
        }
        if (elements[in->from] != SOME + in->elements)
            status = unmatched(s, in->from, in->to, in->elements);
        elements[in->from] = NONE;
        bool last = i + 1 == s->in.n || s->in.item[i + 1].to != in->to;
        if (last && status == AR_OK && i + 1 - first != end[in->to] - (in->to ? end[in->to - 1] : 0))
            status = ar_fail(s->error, AR_FAILED, "round %" PRId64 ": rank %d is sent more than it expects",
                             s->k + 1, in->to);
    }
    free(index);
    if (status == AR_OK && s->in.n != s->out.n)
        status = ar_fail(s->error, AR_FAILED,
                         "round %" PRId64 ": %" PRId64 " messages are sent and %" PRId64 " received",
                         s->k + 1, s->out.n, s->in.n);
    return status;
}

static enum ar_status run_ports(struct state *s)
{
    int nranks = s->schedule->problem.nranks;
    if (!s->ports) {
        s->ports = ar_ports_new(nranks);
        s->expected = ar_alloc(2 * (size_t)nranks, sizeof *s->expected);
    }
    enum ar_status status = list_messages(s);
    if (status == AR_OK)
        status = match(s);
    if (status != AR_OK)
        return status;
    double *done_s = ar_alloc((size_t)nranks, sizeof *done_s);
    for (int i = 0; i < s->exchange.active.n; i++)
        done_s[s->exchange.active.rank[i]] = s->clock[s->exchange.active.rank[i]];
    ar_ports_run(s->ports, s->out.item, s->out.n, s->clock, done_s);
    for (int i = 0; i < s->exchange.active.n; i++) {
        int rank = s->exchange.active.rank[i];
        s->clock[rank] = done_s[rank] + s->end[rank];
    }
    free(done_s);
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
    ar_messages_free(&s->messages);
    ar_ports_free(s->ports);
    free(s->end);
    free(s->out.item);
    free(s->in.item);
    free(s->expected);
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
