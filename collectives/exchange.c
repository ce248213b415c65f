#include "collectives/exchange.h"

#include <stdlib.h>

#include "collectives/base/memory.h"

const double ar_exchange_rank_bytes = sizeof(struct ar_part) + 3 * sizeof(int) + AR_ACTIVE_RANK_BYTES;

enum { MOST_PATTERNED = 1 << 30 }; /* so that the sum of two ranks is an int */

static const struct ar_part idle = {AR_NOBODY, AR_NOBODY, 0, 0, 0};

void ar_exchange_init(struct ar_exchange *exchange, const struct ar_schedule *schedule,
                      const struct ar_layout *layout)
{
    int nranks = schedule->problem.nranks;
    int64_t nblocks = layout->parts * layout->splits;
    *exchange = (struct ar_exchange){.schedule = schedule, .layout = layout, .sink.full = ar_sink_grow};
    exchange->each = layout->count / nblocks;
    exchange->nlonger = layout->count % nblocks;
    exchange->same_length = !layout->part_offset && exchange->nlonger == 0;
    exchange->part = ar_alloc((size_t)nranks, sizeof *exchange->part);
    exchange->more_room = ar_alloc((size_t)nranks, sizeof *exchange->more_room);
    for (int rank = 0; rank < nranks; rank++)
        exchange->part[rank] = idle;
    ar_active_init(&exchange->active, schedule);
}

void ar_exchange_free(struct ar_exchange *exchange)
{
    ar_active_free(&exchange->active);
    free(exchange->part);
    free(exchange->more_room);
    free(exchange->message);
    free(exchange->place);
    free(exchange->sink.step);
    *exchange = (struct ar_exchange){0};
}

/* ---- By pattern -------------------------------------------------------------------------------------- */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int ar_exchange_run(const struct ar_exchange *exchange, bool sends, int rank, int *peer)
{
    int nranks = exchange->schedule->problem.nranks, distance = exchange->pattern.distance;
    if (exchange->pattern.kind == AR_SHIFT) {
        *peer = rank + (sends ? distance : nranks - distance);
        *peer -= *peer >= nranks ? nranks : 0;
        return nranks - (rank > *peer ? rank : *peer);
    }
    int lowest = distance & -distance, n = smaller(lowest - (rank & (lowest - 1)), nranks - rank);
    *peer = rank ^ distance;
    if (*peer < nranks)
        return smaller(n, nranks - *peer);
    *peer = AR_NOBODY;
    return n;
}

/* more[rank] := how many of the blocks of the set moved by `rank` are of the longer ones. */
static void count_longer(const struct ar_exchange *exchange, int *restrict more)
{
    const struct ar_pattern *pattern = &exchange->pattern;
    int nranks = exchange->schedule->problem.nranks;
    int nblocks = (int)exchange->layout->parts, nlonger = (int)exchange->nlonger;
    int length = (int)pattern->set.length, first = (int)(pattern->set.first % nblocks);
    first += first < 0 ? nblocks : 0;
    for (int rank = 0; rank < nranks; rank++) {
        int at = first + (rank & -pattern->align);
        at -= at >= nblocks ? nblocks : 0;
        int end = at + length, wrapped = end - nblocks > 0 ? end - nblocks : 0;
        more[rank] = smaller(end, nlonger) - smaller(at, nlonger) + smaller(wrapped, nlonger);
    }
}

/* Whether count_longer can say what `pattern` moves. */
static bool countable(const struct ar_exchange *exchange, const struct ar_pattern *pattern)
{
    const struct ar_layout *layout = exchange->layout;
    return !layout->part_offset && layout->splits == 1 && ar_layout_rows(layout) == 1 &&
           layout->parts <= MOST_PATTERNED && layout->parts >= exchange->schedule->problem.nranks &&
           pattern->modulus == 0 && !pattern->of_peer && pattern->set.count == 1 &&
           pattern->set.length <= layout->parts;
}

static bool by_pattern(struct ar_exchange *exchange, int64_t k)
{
    const struct ar_problem *p = &exchange->schedule->problem;
    struct ar_pattern *pattern = &exchange->pattern;
    *pattern = (struct ar_pattern){0};
    if (p->nranks > MOST_PATTERNED || !exchange->schedule->algorithm->pattern ||
        !exchange->schedule->algorithm->pattern(p, k, 0, pattern) || pattern->more || pattern->distance < 1 ||
        (pattern->kind == AR_SHIFT && pattern->distance >= p->nranks))
        return false;
    if (!exchange->same_length && !countable(exchange, pattern))
        return false;
    exchange->least = pattern->set.count * pattern->set.length * exchange->each;
    exchange->more = exchange->same_length ? NULL : exchange->more_room;
    if (exchange->more)
        count_longer(exchange, exchange->more_room);
    return true;
}

/* ---- By rank ----------------------------------------------------------------------------------------- */

/* ar_step_elements, without a walk over the runs where parts are equal. */
static int64_t elements_of(const struct ar_exchange *exchange, const struct ar_step *step)
{
    const struct ar_blocks *set = &step->set;
    const struct ar_layout *layout = exchange->layout;
    int64_t sum = set->count * set->length * exchange->each;
    if (exchange->same_length)
        return sum;
    if (layout->part_offset)
        return ar_step_elements(layout, step);
    if (layout->rows <= 1) /* also of split parts the first nlonger blocks are the longer ones */
        return sum + ar_blocks_below(set, step->modulus, exchange->nlonger - step->base);
    if (layout->splits > 1 || step->base != 0 || step->modulus != layout->rows * layout->parts)
        return ar_step_elements(layout, step);
    return sum + ar_blocks_below(set, layout->parts, exchange->nlonger); /* all rows are alike */
}

static bool is_message(const struct ar_exchange *exchange, int64_t elements)
{
    return elements > 0 || exchange->layout->token;
}

static bool moves_nothing(const struct ar_exchange *exchange, const struct ar_step *step, int64_t elements)
{
    return !is_message(exchange, elements) || step->set.length < 1 || step->set.count < 1;
}

static bool add_message(int *known, int64_t *sum, int peer, int64_t elements)
{
    if (*known != AR_NOBODY && *known != peer)
        return false;
    *known = peer;
    *sum += elements;
    return true;
}

static bool ask(struct ar_exchange *exchange, int rank, int64_t k)
{
    struct ar_part part = idle;
    bool one_port = true;
    exchange->sink.n = 0;
    ar_schedule_round(exchange->schedule, rank, k, &exchange->sink);
    for (int i = 0; i < exchange->sink.n && one_port; i++) {
        const struct ar_step *step = &exchange->sink.step[i];
        int64_t elements = elements_of(exchange, step);
        if (moves_nothing(exchange, step, elements))
            continue;
        if (step->kind == AR_RECEIVE_REDUCE || step->kind == AR_FOLD)
            part.combined += elements;
        if (step->peer < 0)
            continue;
        one_port = step->kind == AR_SEND ? add_message(&part.to, &part.sent, step->peer, elements)
                                         : add_message(&part.from, &part.received, step->peer, elements);
    }
    exchange->part[rank] = part;
    return one_port;
}

static struct ar_message *message_with(struct ar_exchange *exchange, int peer, bool sent)
{
    int nranks = exchange->schedule->problem.nranks;
    int *place = peer < nranks ? &exchange->place[2 * (size_t)peer + sent] : NULL; /* a peer may be wrong */
    if (place && *place)
        return &exchange->message[*place - 1];
    AR_GROW(exchange->message, exchange->nmessages, exchange->message_capacity);
    struct ar_message *message = &exchange->message[exchange->nmessages++];
    *message = (struct ar_message){.peer = peer, .sent = sent};
    if (place)
        *place = exchange->nmessages;
    return message;
}

int64_t ar_exchange_messages(struct ar_exchange *exchange, int rank, int64_t k)
{
    int nranks = exchange->schedule->problem.nranks;
    int64_t combined = 0;
    if (!exchange->place)
        exchange->place = ar_alloc(2 * (size_t)nranks, sizeof *exchange->place);
    exchange->sink.n = exchange->nmessages = 0;
    ar_schedule_round(exchange->schedule, rank, k, &exchange->sink);
    for (int i = 0; i < exchange->sink.n; i++) {
        const struct ar_step *step = &exchange->sink.step[i];
        int64_t elements = elements_of(exchange, step);
        if (moves_nothing(exchange, step, elements))
            continue;
        if (step->kind == AR_RECEIVE_REDUCE || step->kind == AR_FOLD)
            combined += elements;
        if (step->peer >= 0)
            message_with(exchange, step->peer, step->kind == AR_SEND)->elements += elements;
    }
    for (int i = 0; i < exchange->nmessages; i++)
        if (exchange->message[i].peer < nranks)
            exchange->place[2 * (size_t)exchange->message[i].peer + exchange->message[i].sent] = 0;
    return combined;
}

bool ar_exchange_round(struct ar_exchange *exchange, int64_t k)
{
    struct ar_active *active = &exchange->active;
    if (active->span && !exchange->patterned) /* else all are asked again, or none was */
        for (int i = 0; i < active->n; i++)
            exchange->part[active->rank[i]] = idle;
    ar_active_round(active, k);
    exchange->patterned = by_pattern(exchange, k);
    for (int i = 0; i < active->n && !exchange->patterned; i++)
        if (!ask(exchange, active->rank[i], k))
            return false;
    return true;
}

bool ar_exchange_matches(const struct ar_exchange *exchange, int *from, int *to, int64_t *elements)
{
    const struct ar_part *part = exchange->part;
    int nranks = exchange->schedule->problem.nranks;
    for (int i = 0; i < exchange->active.n && !exchange->patterned; i++) {
        int rank = exchange->active.rank[i];
        *from = rank, *to = part[rank].to, *elements = part[rank].sent;
        if (*to != AR_NOBODY &&
            (*to >= nranks || *to == rank || part[*to].from != rank || part[*to].received != *elements))
            return false;
        *from = part[rank].from, *to = rank, *elements = part[rank].received;
        if (*from != AR_NOBODY &&
            (*from >= nranks || *from == rank || part[*from].to != rank || part[*from].sent != *elements))
            return false;
    }
    return true;
}

/* ---- Both -------------------------------------------------------------------------------------------- */

static int64_t sent_by(const struct ar_exchange *exchange, int rank)
{
    return exchange->least + (exchange->more ? exchange->more[rank] : 0);
}

struct ar_part ar_exchange_part(const struct ar_exchange *exchange, int rank)
{
    if (!exchange->patterned)
        return exchange->part[rank];
    struct ar_part part = idle;
    int to, from;
    ar_exchange_run(exchange, true, rank, &to);
    ar_exchange_run(exchange, false, rank, &from);
    if (to != AR_NOBODY && is_message(exchange, part.sent = sent_by(exchange, rank)))
        part.to = to;
    if (from != AR_NOBODY && is_message(exchange, part.received = sent_by(exchange, from)))
        part.from = from;
    part.combined = exchange->pattern.reduce ? part.received : 0;
    return part;
}
