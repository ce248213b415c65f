#include "collectives/draw/history.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/messages.h"
#include "collectives/registry.h"

/* ---- Walking ----------------------------------------------------------------------------------------- */

struct walk {
    struct ar_history *history;
    const struct ar_layout *layout; /* the elements */
    struct ar_layout blocks;
    struct ar_messages messages;
    int64_t *of_pair; /* [from * nranks + to]: 1 + the message of this round, or one of an earlier round */
};

static int64_t elements_of(const struct walk *w, const struct ar_action *action)
{
    int64_t sum = 0;
    for (int64_t i = 0, offset, length; i < action->length; i++) {
        ar_layout_block(w->layout, action->offset + i, &offset, &length);
        sum += length;
    }
    return sum;
}

static void add_message(struct walk *w, int rank, int m)
{
    struct ar_history *h = w->history;
    struct ar_told told = {.busy = h->nbusy,
                           .from = rank,
                           .to = w->messages.message[m].peer,
                           .first = h->nblock_names,
                           .sent = w->layout->token};
    for (int i = 0; i < w->messages.nactions; i++) {
        const struct ar_action *action = &w->messages.action[i];
        if (action->message != m)
            continue;
        told.elements += elements_of(w, action);
        for (int64_t j = 0; j < action->length; j++) {
            AR_GROW(h->block, h->nblock_names, h->block_capacity);
            h->block[h->nblock_names++] = action->offset + j;
        }
    }
    told.nblocks = h->nblock_names - told.first;
    told.sent |= told.elements > 0;
    AR_GROW(h->message, h->nmessages, h->message_capacity);
    h->message[h->nmessages++] = told;
    w->of_pair[told.from * h->nranks + told.to] = h->nmessages;
}

/* A rank's part in a round: its sends first, for all ranks, then what is known on arrival. */
static bool look_at(struct walk *w, int rank, int64_t k, bool sends)
{
    struct ar_history *h = w->history;
    ar_messages_of_round(h->schedule, &w->blocks, rank, k, &w->messages);
    if (sends) {
        for (int m = 0; m < w->messages.nmessages; m++)
            if (w->messages.message[m].sent)
                add_message(w, rank, m);
        return w->messages.nmessages > 0 || w->messages.nactions > 0;
    }
    int64_t *combined = &h->combined[h->nbusy * h->nranks + rank];
    *combined = 0;
    for (int i = 0; i < w->messages.nactions; i++) {
        const struct ar_action *action = &w->messages.action[i];
        if (action->kind != AR_RECEIVE_REDUCE && action->kind != AR_FOLD)
            continue;
        *combined += elements_of(w, action);
        if (action->message >= 0) {
            int from = w->messages.message[action->message].peer;
            h->message[w->of_pair[from * h->nranks + rank] - 1].combines = true;
        }
    }
    return true;
}

static void remember(struct ar_history *h, int64_t moment)
{
    for (int rank = 0; rank < h->nranks; rank++)
        for (int64_t block = 0; block < h->nblocks; block++)
            h->held[(moment * h->nranks + rank) * h->nblocks + block] =
                ar_symbolic_held(h->symbolic, rank, block);
}

static void make_room(struct ar_history *h)
{
    if (h->nbusy < h->busy_capacity)
        return;
    h->busy_capacity = h->busy_capacity ? 2 * h->busy_capacity : 8;
    size_t rounds = (size_t)h->busy_capacity, nranks = (size_t)h->nranks;
    h->round = ar_realloc(h->round, rounds, sizeof *h->round);
    h->combined = ar_realloc(h->combined, rounds * nranks, sizeof *h->combined);
    h->held = ar_realloc(h->held, (rounds + 1) * nranks * (size_t)h->nblocks, sizeof *h->held);
}

static enum ar_status walk_round(struct walk *w, int64_t k, struct ar_error *error)
{
    struct ar_history *h = w->history;
    enum ar_status status = ar_symbolic_round(h->symbolic, k, error);
    if (status != AR_OK)
        return status;
    bool busy = false;
    make_room(h);
    for (int rank = 0; rank < h->nranks; rank++)
        busy |= look_at(w, rank, k, true);
    if (!busy)
        return AR_OK;
    for (int rank = 0; rank < h->nranks; rank++)
        look_at(w, rank, k, false);
    h->round[h->nbusy++] = k;
    remember(h, h->nbusy);
    return AR_OK;
}

static void count_contributions(struct ar_history *h)
{
    const struct ar_expressions *expressions = ar_symbolic_expressions(h->symbolic);
    h->count = ar_alloc((size_t)expressions->n + 1, sizeof *h->count);
    for (int64_t i = 1; i < expressions->n; i++)
        for (int rank = 0; rank < h->nranks; rank++)
            h->count[i] += ar_expressions_contains(expressions, (int)i, rank);
}

enum ar_status ar_history_new(const struct ar_schedule *schedule, const struct ar_layout *layout,
                              struct ar_history *history, struct ar_error *error)
{
    int nranks = schedule->problem.nranks;
    int64_t nblocks = ar_nblocks(schedule), nrounds = ar_nrounds(schedule);
    *history = (struct ar_history){.schedule = schedule, .nranks = nranks, .nblocks = nblocks, .most = 1};
    if (nranks > AR_HISTORY_RANKS || nblocks > AR_HISTORY_CELLS ||
        nrounds > AR_HISTORY_CELLS / (nranks * nblocks))
        return ar_fail(error, AR_INVALID,
                       "other drawings than steps show at most %d ranks and %d ranks x blocks x rounds, "
                       "got %d x %" PRId64 " x %" PRId64,
                       AR_HISTORY_RANKS, AR_HISTORY_CELLS, nranks, nblocks, nrounds);
    enum ar_status status = ar_symbolic_new(schedule, &history->symbolic, error);
    if (status != AR_OK)
        return status;
    if (ar_collective_combines(schedule->algorithm->collective))
        history->most = nranks;
    struct walk w = {.history = history, .layout = layout, .blocks = ar_layout_of_blocks(nblocks)};
    w.of_pair = ar_alloc((size_t)nranks * (size_t)nranks, sizeof *w.of_pair);
    make_room(history);
    remember(history, 0);
    for (int64_t k = 0; k < nrounds && status == AR_OK; k++)
        status = walk_round(&w, k, error);
    count_contributions(history);
    free(w.of_pair);
    ar_messages_free(&w.messages);
    return status;
}

void ar_history_free(struct ar_history *history)
{
    ar_symbolic_free(history->symbolic);
    free(history->round);
    free(history->message);
    free(history->block);
    free(history->held);
    free(history->count);
    free(history->combined);
    free(history->done_s);
    *history = (struct ar_history){0};
}

/* ---- Timing ------------------------------------------------------------------------------------------ */

struct port {
    double send_s, receive_s;   /* free again */
    struct ar_told *next, *end; /* what is still to leave */
};

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* The sender whose next transfer starts first: a receiver takes the one that could have left first. NULL: all
 * have left. */
static struct port *first_to_start(const struct ar_history *h, struct port *port, const double *ready_s)
{
    struct port *first = NULL;
    double first_s = 0, first_released_s = 0;
    for (int rank = 0; rank < h->nranks; rank++) {
        struct port *p = &port[rank];
        if (p->next == p->end)
            continue;
        double released_s = later(p->send_s, ready_s[p->next->to]);
        double start_s = later(released_s, port[p->next->to].receive_s);
        if (!first || start_s < first_s || (start_s == first_s && released_s < first_released_s)) {
            first = p;
            first_s = start_s;
            first_released_s = released_s;
        }
    }
    if (first)
        first->next->start_s = first_s;
    return first;
}

static void skip_empty(struct port *p)
{
    while (p->next != p->end && !p->next->sent)
        p->next++;
}

/* The messages [first, end) of a round; ready_s: when ranks enter it; done_s: when they leave it. */
static void time_round(const struct ar_history *h, struct ar_pace pace, struct ar_told *first,
                       struct ar_told *end, const double *ready_s, double *done_s, struct port *port)
{
    for (int rank = 0; rank < h->nranks; rank++) {
        struct ar_told *mine = first;
        while (first != end && first->from == rank)
            first++;
        port[rank] = (struct port){ready_s[rank], ready_s[rank], mine, first};
        skip_empty(&port[rank]);
        done_s[rank] = ready_s[rank];
    }
    for (struct port *p; (p = first_to_start(h, port, ready_s));) {
        struct ar_told *now = p->next++;
        now->end_s = now->start_s + (pace.alpha_s + (double)now->elements * pace.element_s);
        p->send_s = port[now->to].receive_s = now->end_s;
        done_s[now->from] = later(done_s[now->from], now->end_s);
        done_s[now->to] = later(done_s[now->to], now->end_s);
        skip_empty(p);
    }
}

void ar_history_time(struct ar_history *h, struct ar_pace pace)
{
    size_t nranks = (size_t)h->nranks;
    struct port *port = ar_alloc(nranks, sizeof *port);
    double *ready_s = ar_alloc(nranks, sizeof *ready_s);
    struct ar_told *first = h->message, *last = h->message + h->nmessages;
    free(h->done_s);
    h->done_s = ar_alloc((size_t)h->nbusy * nranks, sizeof *h->done_s);
    h->pace = pace;
    h->time_s = 0;
    for (int64_t busy = 0; busy < h->nbusy; busy++) {
        struct ar_told *end = first;
        while (end != last && end->busy == busy)
            end++;
        double *done_s = &h->done_s[busy * h->nranks];
        time_round(h, pace, first, end, ready_s, done_s, port);
        for (int rank = 0; rank < h->nranks; rank++) {
            done_s[rank] += (double)h->combined[busy * h->nranks + rank] * pace.combine_s;
            ready_s[rank] = done_s[rank];
            h->time_s = later(h->time_s, done_s[rank]);
        }
        first = end;
    }
    free(ready_s);
    free(port);
}

/* ---- In words ---------------------------------------------------------------------------------------- */

void ar_history_who(const struct ar_history *history, int expression, struct ar_text *text)
{
    struct ar_ranges ranges = {text};
    for (int rank = 0; rank < history->nranks; rank++)
        if (!ar_expressions_contains(ar_symbolic_expressions(history->symbolic), expression, rank))
            continue;
        else if (history->nranks <= 10)
            ar_text_add(text, "%d", rank);
        else
            ar_ranges_add(&ranges, rank);
    ar_ranges_end(&ranges);
}

void ar_history_blocks(const struct ar_history *history, const struct ar_told *message, struct ar_text *text)
{
    struct ar_ranges ranges = {text};
    for (int64_t i = 0; i < message->nblocks && history->nblocks > 1; i++)
        ar_ranges_add(&ranges, history->block[message->first + i]);
    ar_ranges_end(&ranges);
}
