#include "sim/engine/clocks.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collectives/active.h"
#include "collectives/base/memory.h"
#include "collectives/messages.h"
#include "sim/engine/ports.h"

enum { NOBODY = -1, FEW_RANKS = 1 << 16 };

/* One way of a rank in a round of one message per port. */
struct end {
    int peer; /* NOBODY between the rounds */
    int64_t elements;
};

struct transfers {
    struct ar_transfer *item;
    int64_t n, capacity;
};

struct state {
    const struct ar_schedule *schedule;
    const struct ar_layout *layout;
    double alpha_s, beta_s, gamma_s; /* per message, per element */
    double *clock, *next;            /* in the round, and after it; the same between the rounds */
    struct end *sent, *received;
    struct ar_active active;
    struct ar_messages messages;
    struct ar_error *error;
    int64_t k, transfers;
    /* For rounds of several messages per port; NULL before the first of them. */
    struct ar_ports *ports;
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

static bool is_other_rank(const struct state *s, int peer, int rank)
{
    return peer >= 0 && peer < s->schedule->problem.nranks && peer != rank;
}

/* ---- One message per port ---------------------------------------------------------------------------- */

/* Works out when the rank is done; false where a port has a second message. */
static bool move_rank(struct state *s, int rank)
{
    double done_s = s->clock[rank];
    for (int i = 0; i < s->messages.nmessages; i++) {
        const struct ar_message *message = &s->messages.message[i];
        struct end *end = message->sent ? &s->sent[rank] : &s->received[rank];
        if (end->peer != NOBODY)
            return false;
        *end = (struct end){message->peer, message->elements};
        if (is_other_rank(s, message->peer, rank)) /* else it is found unmatched */
            done_s = max(done_s, max(s->clock[rank], s->clock[message->peer]) + s->alpha_s +
                                     (double)message->elements * s->beta_s);
    }
    int64_t elements = ar_messages_combined(&s->messages);
    s->next[rank] = elements ? done_s + (double)elements * s->gamma_s : done_s;
    return true;
}

static void forget_ends(struct state *s)
{
    for (int i = 0; i < s->active.n; i++)
        s->sent[s->active.rank[i]].peer = s->received[s->active.rank[i]].peer = NOBODY;
}

static bool same_end(const struct state *s, const struct end *mine, const struct end *theirs, int rank)
{
    if (mine->peer == NOBODY)
        return true;
    return is_other_rank(s, mine->peer, rank) && theirs[mine->peer].peer == rank &&
           theirs[mine->peer].elements == mine->elements;
}

/* Every message has two ends; then time passes. */
static enum ar_status end_round(struct state *s)
{
    for (int i = 0; i < s->active.n; i++) {
        int rank = s->active.rank[i];
        const struct end *sent = &s->sent[rank], *received = &s->received[rank];
        if (!same_end(s, sent, s->received, rank))
            return unmatched(s, rank, sent->peer, sent->elements);
        if (!same_end(s, received, s->sent, rank))
            return unmatched(s, received->peer, rank, received->elements);
        s->transfers += sent->peer != NOBODY;
    }
    forget_ends(s);
    for (int i = 0; i < s->active.n; i++)
        s->clock[s->active.rank[i]] = s->next[s->active.rank[i]];
    return AR_OK;
}

/* ---- Several messages per port ----------------------------------------------------------------------- */

static void add_transfer(struct transfers *list, struct ar_transfer transfer)
{
    AR_GROW(list->item, list->n, list->capacity);
    list->item[list->n++] = transfer;
}

/* Lists the messages of all ranks; next[rank] becomes how long it combines. */
static enum ar_status list_messages(struct state *s)
{
    s->out.n = s->in.n = 0;
    for (int i = 0; i < s->active.n; i++) {
        int rank = s->active.rank[i];
        ar_messages_of_round(s->schedule, s->layout, rank, s->k, &s->messages);
        s->next[rank] = (double)ar_messages_combined(&s->messages) * s->gamma_s;
        for (int m = 0; m < s->messages.nmessages; m++) {
            const struct ar_message *message = &s->messages.message[m];
            int from = message->sent ? rank : message->peer, to = message->sent ? message->peer : rank;
            if (!is_other_rank(s, message->peer, rank))
                return unmatched(s, from, to, message->elements);
            add_transfer(message->sent ? &s->out : &s->in,
                         (struct ar_transfer){from, to, message->elements,
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
    int nranks = s->schedule->problem.nranks;
    int64_t *end = s->expected, *elements = s->expected + nranks, first = 0;
    int64_t *index = by_receiver(&s->out, nranks, end);
    enum ar_status status = AR_OK;
    for (int64_t i = 0; i < s->in.n && status == AR_OK; i++) {
        const struct ar_transfer *in = &s->in.item[i];
        if (i == 0 || in->to != s->in.item[i - 1].to) { /* the first of this receiver's */
            for (int64_t j = in->to ? end[in->to - 1] : 0; j < end[in->to]; j++)
                elements[s->out.item[index[j]].from] = s->out.item[index[j]].elements;
            first = i;
        }
        if (elements[in->from] != in->elements)
            status = unmatched(s, in->from, in->to, in->elements);
        elements[in->from] = 0;
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
    forget_ends(s);
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
    for (int i = 0; i < s->active.n; i++)
        done_s[s->active.rank[i]] = s->clock[s->active.rank[i]];
    ar_ports_run(s->ports, s->out.item, s->out.n, s->clock, done_s);
    for (int i = 0; i < s->active.n; i++) {
        int rank = s->active.rank[i];
        s->clock[rank] = s->next[rank] = done_s[rank] + s->next[rank];
    }
    free(done_s);
    s->transfers += s->out.n;
    return AR_OK;
}

/* ---- All rounds -------------------------------------------------------------------------------------- */

static enum ar_status run_round(struct state *s)
{
    ar_active_round(&s->active, s->k);
    for (int i = 0; i < s->active.n; i++) {
        ar_messages_of_round(s->schedule, s->layout, s->active.rank[i], s->k, &s->messages);
        if (!move_rank(s, s->active.rank[i]))
            return run_ports(s);
    }
    return end_round(s);
}

static void free_state(struct state *s)
{
    ar_active_free(&s->active);
    ar_messages_free(&s->messages);
    ar_ports_free(s->ports);
    free(s->next);
    free(s->sent);
    free(s->received);
    free(s->out.item);
    free(s->in.item);
    free(s->expected);
}

enum ar_status ar_clocks_run(const struct ar_schedule *schedule, const struct ar_layout *layout,
                             int64_t elem_bytes, const struct ar_hockney *model, struct ar_clocks *clocks,
                             struct ar_error *error)
{
    size_t nranks = (size_t)schedule->problem.nranks;
    const double rank_bytes = 2 * sizeof(double) + 2 * sizeof(struct end) + 32; /* 32: struct ar_active */
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
    s.next = ar_alloc(nranks, sizeof *s.next);
    s.sent = ar_alloc(nranks, sizeof *s.sent);
    s.received = ar_alloc(nranks, sizeof *s.received);
    for (size_t rank = 0; rank < nranks; rank++)
        s.sent[rank].peer = s.received[rank].peer = NOBODY;
    ar_active_init(&s.active, schedule);
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
