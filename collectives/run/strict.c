#include "collectives/run/strict.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"

void ar_strict_prepare(struct ar_strict *strict, const struct ar_rounds_needs *needs)
{
    struct ar_end *end = strict->site->end;
    const struct ar_rounds *rounds = strict->rounds;
    strict->shape = ar_alloc(rounds->ntransfers, sizeof(struct ar_shape *));
    for (size_t i = 0; i < rounds->ntransfers; i++)
        strict->shape[i] = end->transport->shape(end, &rounds->extent[rounds->transfer[i].extent],
                                                 rounds->transfer[i].nextents);
    strict->operand = ar_alloc((size_t)needs->most_operands, sizeof *strict->operand);
    strict->nreserved = needs->nslots;
    end->transport->reserve(end, strict->nreserved);
}

void ar_strict_release(struct ar_strict *strict)
{
    for (size_t i = 0; strict->shape && i < strict->rounds->ntransfers; i++)
        strict->site->end->transport->forget(strict->site->end, strict->shape[i]);
    free(strict->shape);
    free(strict->operand);
    strict->shape = NULL;
    strict->operand = NULL;
}

/* ---- A round ------------------------------------------------------------------------------------------- */

/* The next round with something to do, or NULL after the last. */
static const struct ar_round *next_round(struct ar_strict *s)
{
    if (!s->setup->simulated)
        return s->next < s->rounds->nrounds ? &s->rounds->round[s->next++] : NULL;
    ar_rounds_clear(s->rounds);
    while (s->next_k <= s->last)
        if (ar_rounds_add(s->rounds, s->setup, s->next_k++))
            return &s->rounds->round[0];
    return NULL;
}

static void do_work(const struct ar_strict *s, size_t first, int n)
{
    const struct ar_work *work = &s->rounds->work[first], *end = work + n;
    for (int operands = 0; work < end; work++) {
        unsigned char *to = s->site->area[work->to] + work->to_at;
        size_t bytes = work->n * s->site->elem_bytes;
        s->operand[operands++] = s->site->area[work->from] + work->from_at;
        if (work->more)
            continue;
        if (work->kind == AR_COPY)
            memmove(to, s->operand[0], bytes); /* a copy may name one place twice */
        else
            ar_site_fold(s->site, to, s->operand, operands, work->order, bytes);
        operands = 0;
    }
}

static enum ar_status start_transfer(struct ar_strict *s, int slot, size_t index, struct ar_error *error)
{
    struct ar_end *end = s->site->end;
    const struct ar_transport *transport = end->transport;
    const struct ar_transfer *transfer = &s->rounds->transfer[index];
    enum ar_status status;
    if (s->setup->simulated) {
        status = (transfer->sent ? transport->send_bytes : transport->receive_bytes)(
            end, slot, transfer->peer, transfer->bytes, error);
    } else {
        unsigned char *base = s->site->area[transfer->area];
        const struct ar_shape *shape = s->shape[index];
        int lane = ar_site_lane(s->site, transfer->peer, transfer->sent);
        status = transfer->sent ? transport->send(end, slot, transfer->peer, lane, base, shape, error)
                                : transport->receive(end, slot, transfer->peer, lane, base, shape, error);
    }
    if (status == AR_OK)
        ar_site_count(s->site, transfer->peer, transfer->sent, true, transfer->bytes);
    return status;
}

/* Receives first, so that arriving messages find their place. A transfer's slot is its index in the round. */
static enum ar_status start_round(struct ar_strict *s, const struct ar_round *round, struct ar_error *error)
{
    s->k = round->k;
    s->ntransfers = round->ntransfers;
    if (round->ntransfers > s->nreserved) { /* simulated only */
        s->nreserved = 2 * round->ntransfers;
        s->site->end->transport->reserve(s->site->end, s->nreserved);
    }
    do_work(s, round->work, round->npacking);
    enum ar_status status = AR_OK;
    for (int sends = 0; sends <= 1; sends++)
        for (int i = 0; i < round->ntransfers && status == AR_OK; i++) {
            size_t index = round->transfer + (size_t)i;
            if (s->rounds->transfer[index].sent == sends)
                status = start_transfer(s, i, index, error);
        }
    return status;
}

static void end_round(struct ar_strict *s)
{
    if (s->setup->simulated)
        return;
    const struct ar_round *round = &s->rounds->round[s->next - 1];
    do_work(s, round->work + (size_t)round->npacking, round->nwork - round->npacking);
}

/* ---- A run --------------------------------------------------------------------------------------------- */

void ar_strict_start(struct ar_strict *s)
{
    s->in_round = s->done = false;
    s->next = 0;
    s->next_k = s->first;
}

/* Finishes the round under way and starts the next, or ends the run. *moved is false when it has to wait. */
static enum ar_status advance(struct ar_strict *s, bool *moved, struct ar_error *error)
{
    if (s->in_round) {
        enum ar_status status = s->site->end->transport->finish(s->site->end, s->ntransfers, moved, error);
        if (status != AR_OK || !*moved)
            return status;
        end_round(s);
        s->in_round = false;
        s->nadvances++;
    }
    *moved = true;
    s->nadvances++;
    const struct ar_round *round = next_round(s);
    s->in_round = round;
    s->done = !round;
    return round ? start_round(s, round, error) : AR_OK;
}

enum ar_status ar_strict_progress(struct ar_strict *s, struct ar_error *error)
{
    enum ar_status status = AR_OK;
    bool moved = true;
    while (status == AR_OK && !s->done && moved)
        status = advance(s, &moved, error);
    return status;
}
