#include "collectives/run/site.h"

/* Operators without a fold give the same bits one operand at a time. */
void ar_site_fold(const struct ar_site *site, unsigned char *to, const void *const *other, int n,
                  enum ar_order order, size_t bytes)
{
    const struct ar_operator *op = site->op;
    size_t length = bytes / site->elem_bytes;
    ar_combine *combine = op->combine[site->type];
    if (n > 1 && op->fold[site->type]) {
        op->fold[site->type](to, other, n, length);
        return;
    }
    if (order == AR_OTHER_FIRST && op->combine_back[site->type])
        combine = op->combine_back[site->type];
    for (int i = 0; i < n; i++)
        combine(to, other[i], length);
}

int ar_site_lane(struct ar_site *site, int peer, bool sent)
{
    const struct ar_counter *counter = ar_counters_of(&site->counters, peer);
    return (int)((sent ? counter->sent_messages : counter->received_messages) % AR_LANES);
}

void ar_site_count(struct ar_site *site, int peer, bool sent, bool first, size_t message_bytes)
{
    struct ar_counter *counter = ar_counters_of(&site->counters, peer);
    *(sent ? &counter->sent_wire_messages : &counter->received_wire_messages) += 1;
    if (!first)
        return;
    *(sent ? &counter->sent_messages : &counter->received_messages) += 1;
    *(sent ? &counter->sent_bytes : &counter->received_bytes) += (int64_t)message_bytes;
}
