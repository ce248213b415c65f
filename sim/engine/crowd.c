#include "sim/engine/crowd.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collectives/base/memory.h"

enum { NOTHING = -1 };

enum ar_status ar_unmatched(int64_t k, int from, int to, int64_t elements, struct ar_error *error)
{
    return ar_fail(error, AR_FAILED,
                   "round %" PRId64 ": %" PRId64 " elements go from rank %d to rank %d, which do not agree",
                   k + 1, elements, from, to);
}

static void add_transfer(struct ar_crowd_list *list, struct ar_delivery transfer)
{
    AR_GROW(list->item, list->n, list->capacity);
    list->item[list->n++] = transfer;
}

static enum ar_status list_messages(struct ar_crowd *crowd, struct ar_exchange *exchange, int64_t k,
                                    struct ar_error *error)
{
    int nranks = exchange->schedule->problem.nranks;
    crowd->out.n = crowd->in.n = 0;
    for (int i = 0; i < exchange->active.n; i++) {
        int rank = exchange->active.rank[i];
        crowd->combined[rank] = ar_exchange_messages(exchange, rank, k);
        for (int m = 0; m < exchange->nmessages; m++) {
            const struct ar_message *message = &exchange->message[m];
            int from = message->sent ? rank : message->peer, to = message->sent ? message->peer : rank;
            if (message->peer < 0 || message->peer >= nranks || message->peer == rank)
                return ar_unmatched(k, from, to, message->elements, error);
            add_transfer(message->sent ? &crowd->out : &crowd->in,
                         (struct ar_delivery){from, to, message->elements, 0});
        }
    }
    return AR_OK;
}

static void group_by_receiver(struct ar_crowd *crowd, int nranks)
{
    int64_t *end = crowd->end, at = 0;
    crowd->index = ar_realloc(crowd->index, (size_t)crowd->out.n + 1, sizeof *crowd->index);
    for (int rank = 0; rank < nranks; rank++)
        end[rank] = 0;
    for (int64_t i = 0; i < crowd->out.n; i++)
        end[crowd->out.item[i].to]++;
    for (int rank = 0; rank < nranks; rank++) {
        int64_t n = end[rank];
        end[rank] = at;
        at += n;
    }
    for (int64_t i = 0; i < crowd->out.n; i++)
        crowd->index[end[crowd->out.item[i].to]++] = i;
}

/* Messages to one receiver, those of `in` from `first` to before `last`: laid out by sender, and compared. */
static enum ar_status match_receiver(struct ar_crowd *crowd, int64_t first, int64_t last, int64_t k,
                                     struct ar_error *error)
{
    int to = crowd->in.item[first].to;
    int64_t *expected = crowd->expected, begin = to ? crowd->end[to - 1] : 0, end = crowd->end[to];
    enum ar_status status = AR_OK;
    for (int64_t j = begin; j < end; j++)
        expected[crowd->out.item[crowd->index[j]].from] = crowd->out.item[crowd->index[j]].elements;
    for (int64_t i = first; i < last && status == AR_OK; i++) {
        const struct ar_delivery *in = &crowd->in.item[i];
        if (expected[in->from] != in->elements)
            status = ar_unmatched(k, in->from, to, in->elements, error);
        expected[in->from] = NOTHING;
    }
    for (int64_t j = begin; j < end && status == AR_OK; j++) {
        const struct ar_delivery *out = &crowd->out.item[crowd->index[j]];
        if (expected[out->from] != NOTHING)
            status = ar_unmatched(k, out->from, to, out->elements, error);
    }
    return status;
}

/* A message to a rank that receives nothing. */
static enum ar_status left_over(struct ar_crowd *crowd, int64_t k, struct ar_error *error)
{
    for (int64_t i = 0; i < crowd->in.n; i++)
        crowd->expected[crowd->in.item[i].to] = 0;
    int64_t at = 0;
    while (crowd->expected[crowd->out.item[at].to] != NOTHING)
        at++;
    const struct ar_delivery *out = &crowd->out.item[at];
    return ar_unmatched(k, out->from, out->to, out->elements, error);
}

enum ar_status ar_crowd_match(struct ar_crowd *crowd, struct ar_exchange *exchange, int64_t k,
                              struct ar_error *error)
{
    int nranks = exchange->schedule->problem.nranks;
    if (!crowd->end) {
        crowd->end = ar_alloc((size_t)nranks, sizeof *crowd->end);
        crowd->combined = ar_alloc((size_t)nranks, sizeof *crowd->combined);
        crowd->expected = ar_alloc((size_t)nranks, sizeof *crowd->expected);
        for (int rank = 0; rank < nranks; rank++)
            crowd->expected[rank] = NOTHING;
    }
    enum ar_status status = list_messages(crowd, exchange, k, error);
    if (status != AR_OK)
        return status;
    group_by_receiver(crowd, nranks);
    for (int64_t first = 0, last; first < crowd->in.n && status == AR_OK; first = last) {
        last = first + 1;
        while (last < crowd->in.n && crowd->in.item[last].to == crowd->in.item[first].to)
            last++;
        status = match_receiver(crowd, first, last, k, error);
    }
    if (status == AR_OK && crowd->in.n < crowd->out.n)
        status = left_over(crowd, k, error);
    return status;
}

void ar_crowd_free(struct ar_crowd *crowd)
{
    free(crowd->out.item);
    free(crowd->in.item);
    free(crowd->index);
    free(crowd->end);
    free(crowd->combined);
    free(crowd->expected);
    *crowd = (struct ar_crowd){0};
}
