#include "collectives/messages.h"

#include <stdlib.h>

#include "collectives/base/memory.h"

struct ar_message_slot {
    uint64_t generation;
    int peer, sent, message;
};

/* ---- The hash of (peer, direction) ------------------------------------------------------------------- */

static struct ar_message_slot *slot_of(const struct ar_messages *messages, int peer, bool sent)
{
    unsigned mask = (unsigned)messages->nslots - 1;
    unsigned at = (2U * (unsigned)peer + sent) * 2654435769U >> 7 & mask;
    for (;; at = (at + 1) & mask) {
        struct ar_message_slot *slot = &messages->slot[at];
        if (slot->generation != messages->generation || (slot->peer == peer && slot->sent == sent))
            return slot;
    }
}

static void fill_slot(struct ar_messages *messages, int index)
{
    const struct ar_message *message = &messages->message[index];
    *slot_of(messages, message->peer, message->sent) =
        (struct ar_message_slot){messages->generation, message->peer, message->sent, index};
}

static void grow_slots(struct ar_messages *messages)
{
    free(messages->slot);
    messages->nslots = messages->nslots ? 4 * messages->nslots : 16;
    messages->slot = ar_alloc((size_t)messages->nslots, sizeof *messages->slot);
    messages->generation = 1;
    for (int i = 0; i < messages->nmessages; i++)
        fill_slot(messages, i);
}

/* So few messages are found faster without the hash, which is filled when there are more. */
enum { FEW_MESSAGES = 4 };

int ar_messages_find(const struct ar_messages *messages, int peer, bool sent)
{
    if (messages->nmessages <= FEW_MESSAGES) {
        for (int i = 0; i < messages->nmessages; i++)
            if (messages->message[i].peer == peer && messages->message[i].sent == sent)
                return i;
        return -1;
    }
    const struct ar_message_slot *slot = slot_of(messages, peer, sent);
    return slot->generation == messages->generation ? slot->message : -1;
}

static int find_or_add(struct ar_messages *messages, int peer, bool sent)
{
    int found = ar_messages_find(messages, peer, sent);
    if (found >= 0)
        return found;
    AR_GROW(messages->message, messages->nmessages, messages->message_capacity);
    int added = messages->nmessages++;
    messages->message[added] = (struct ar_message){.peer = peer, .sent = sent};
    if (2 * messages->nmessages > messages->nslots)
        grow_slots(messages);
    else if (added > FEW_MESSAGES)
        fill_slot(messages, added);
    else if (added == FEW_MESSAGES)
        for (int i = 0; i <= added; i++)
            fill_slot(messages, i);
    return added;
}

/* ---- Steps to actions -------------------------------------------------------------------------------- */

static uint8_t resolved_order(const struct ar_step *step, int rank)
{
    if (step->order != AR_BY_RANK)
        return step->order;
    return rank < step->peer ? AR_HELD_FIRST : AR_OTHER_FIRST;
}

static bool continues(const struct ar_action *last, const struct ar_action *next)
{
    return last->message == next->message && last->kind == next->kind && last->order == next->order &&
           last->from == next->from && last->to == next->to && last->offset + last->length == next->offset &&
           (next->message < 0 || last->at + last->length == next->at);
}

/* A step on its way into actions; the message is made with its first element. */
struct expansion {
    struct ar_messages *out;
    const struct ar_layout *layout;
    const struct ar_step *step;
    uint8_t order;
    int message; /* -1: none yet, or local work */
};

static void add_piece(struct expansion *e, int64_t offset, int64_t length)
{
    if (length == 0 && !e->layout->token)
        return;
    const struct ar_step *step = e->step;
    struct ar_messages *out = e->out;
    if (step->peer >= 0 && e->message < 0)
        e->message = find_or_add(out, step->peer, step->kind == AR_SEND);
    if (length == 0) /* a token: a message with nothing in it */
        return;
    struct ar_action action = {step->kind, e->order, step->from, step->to, e->message, offset, length, 0};
    if (e->message >= 0) {
        struct ar_message *message = &out->message[e->message];
        action.at = message->elements;
        message->elements += length;
        if (step->kind == AR_RECEIVE_REDUCE)
            message->combined += length;
    }
    struct ar_action *last = out->nactions ? &out->action[out->nactions - 1] : NULL;
    if (last && continues(last, &action)) {
        last->length += length;
        return;
    }
    AR_GROW(out->action, out->nactions, out->action_capacity);
    out->action[out->nactions++] = action;
}

/* Blocks first .. first + n - 1, all inside the block space, of parts that are not split: consecutive parts
 * are consecutive elements. */
static int64_t run_length(const struct ar_layout *layout, int64_t first, int64_t n, int64_t *offset)
{
    int64_t last_offset, length;
    ar_layout_block(layout, first, offset, &length);
    if (n == 1)
        return length;
    ar_layout_block(layout, first + n - 1, &last_offset, &length);
    return last_offset + length - *offset;
}

static void add_blocks(void *expansion, int64_t first, int64_t n)
{
    struct expansion *e = expansion;
    int64_t offset, length;
    if (e->layout->splits == 1) {
        length = run_length(e->layout, first, n, &offset);
        add_piece(e, offset, length);
        return;
    }
    for (int64_t block = first; block < first + n; block++) {
        ar_layout_block(e->layout, block, &offset, &length);
        add_piece(e, offset, length);
    }
}

/* Calls `take` for every run of consecutive blocks of the step, in order; inline, so that it is no call. */
static inline void for_runs(const struct ar_step *step, void (*take)(void *context, int64_t first, int64_t n),
                            void *context)
{
    const struct ar_blocks *set = &step->set;
    for (int64_t i = 0; i < set->count; i++) {
        int64_t at = set->first + i * set->stride;
        at += at < 0 ? step->modulus : 0; /* mostly enough, and no division */
        if (at < 0 || at >= step->modulus) {
            at %= step->modulus;
            at += at < 0 ? step->modulus : 0;
        }
        for (int64_t left = set->length; left > 0;) {
            int64_t n = step->modulus - at < left ? step->modulus - at : left;
            take(context, step->base + at, n);
            left -= n;
            at = 0;
        }
    }
}

static void add_step(struct ar_messages *out, const struct ar_layout *layout, const struct ar_step *step,
                     int rank)
{
    struct expansion e = {out, layout, step, resolved_order(step, rank), -1};
    for_runs(step, add_blocks, &e);
}

struct sum {
    const struct ar_layout *layout;
    int64_t elements;
};

static void sum_blocks(void *context, int64_t first, int64_t n)
{
    struct sum *sum = context;
    int64_t offset, length;
    if (sum->layout->splits == 1) {
        sum->elements += run_length(sum->layout, first, n, &offset);
        return;
    }
    for (int64_t block = first; block < first + n; block++) {
        ar_layout_block(sum->layout, block, &offset, &length);
        sum->elements += length;
    }
}

int64_t ar_step_elements(const struct ar_layout *layout, const struct ar_step *step)
{
    struct sum sum = {layout, 0};
    for_runs(step, sum_blocks, &sum);
    return sum.elements;
}

/* ---- Names below a bound ----------------------------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t modulo(int64_t a, int64_t modulus)
{
    a += a < 0 ? modulus : 0; /* mostly enough, and no division */
    if (a >= 0 && a < modulus)
        return a;
    a %= modulus;
    return a < 0 ? a + modulus : a;
}

/* Of the run at, at + 1, ... modulo `modulus`. */
static int64_t run_below(int64_t at, int64_t length, int64_t modulus, int64_t bound)
{
    int64_t sum = 0;
    for (int64_t n; length > 0; length -= n, at = 0) {
        n = smaller(length, modulus - at);
        sum += smaller(at + n, bound) - smaller(at, bound);
    }
    return sum;
}

/* The sum over i < n of floor((i * step + at) / modulus), itself modulo 2^64: whole multiples of the modulus
 * come out, and what is left counts points below a line, along the other axis in the next turn, as Euclid's
 * algorithm goes. (Graham, Knuth, Patashnik, Concrete Mathematics, section 3.5; AtCoder library, floor_sum)
 */
static uint64_t floor_sum(uint64_t n, uint64_t modulus, uint64_t step, uint64_t at)
{
    uint64_t sum = 0;
    for (;;) {
        if (step >= modulus) {
            sum += n * (n - 1) / 2 * (step / modulus);
            step %= modulus;
        }
        if (at >= modulus) {
            sum += n * (at / modulus);
            at %= modulus;
        }
        uint64_t end = step * n + at, swap = modulus;
        if (end < modulus)
            return sum;
        n = end / modulus;
        at = end % modulus;
        modulus = step;
        step = swap;
    }
}

enum { FEW_RUNS = 8 }; /* are added up faster one by one */

int64_t ar_blocks_below(const struct ar_blocks *set, int64_t modulus, int64_t bound)
{
    int64_t sum = 0;
    if (bound <= 0 || bound >= modulus)
        return bound <= 0 ? 0 : set->count * set->length;
    if (set->count <= FEW_RUNS || set->count <= set->length || set->count > INT32_MAX ||
        modulus > INT64_MAX / set->count) {
        for (int64_t i = 0; i < set->count; i++)
            sum += run_below(modulo(set->first + i * set->stride, modulus), set->length, modulus, bound);
        return sum;
    }
    /* a mod modulus < bound: then, and only then, a and a + modulus - bound have the same quotient */
    uint64_t n = (uint64_t)set->count, m = (uint64_t)modulus, step = (uint64_t)modulo(set->stride, modulus);
    for (int64_t j = 0; j < set->length; j++) {
        uint64_t at = (uint64_t)modulo(set->first + j, modulus);
        sum += (int64_t)(n - (floor_sum(n, m, step, at + (uint64_t)(modulus - bound)) -
                              floor_sum(n, m, step, at)));
    }
    return sum;
}

void ar_messages_emit(const struct ar_schedule *schedule, int rank, int64_t k, struct ar_messages *out)
{
    out->sink.full = ar_sink_grow;
    out->sink.n = 0;
    ar_schedule_round(schedule, rank, k, &out->sink);
}

void ar_messages_expand(const struct ar_layout *layout, int rank, struct ar_messages *out)
{
    out->nmessages = out->nactions = 0;
    out->generation++; /* empties the hash */
    for (int i = 0; i < out->sink.n; i++)
        add_step(out, layout, &out->sink.step[i], rank);
}

void ar_messages_of_round(const struct ar_schedule *schedule, const struct ar_layout *layout, int rank,
                          int64_t k, struct ar_messages *out)
{
    ar_messages_emit(schedule, rank, k, out);
    ar_messages_expand(layout, rank, out);
}

int64_t ar_messages_combined(const struct ar_messages *messages)
{
    int64_t elements = 0;
    for (int i = 0; i < messages->nmessages; i++)
        elements += messages->message[i].combined;
    for (int i = 0; i < messages->nactions; i++)
        if (messages->action[i].kind == AR_FOLD)
            elements += messages->action[i].length;
    return elements;
}

void ar_messages_free(struct ar_messages *messages)
{
    free(messages->message);
    free(messages->action);
    free(messages->slot);
    free(messages->sink.step);
    *messages = (struct ar_messages){0};
}

struct ar_traffic ar_traffic_of_rank(const struct ar_schedule *schedule, const struct ar_layout *layout,
                                     int rank)
{
    struct ar_traffic traffic = {0};
    struct ar_messages messages = {0};
    int64_t first, last;
    ar_schedule_span(schedule, rank, &first, &last);
    for (int64_t k = first; k <= last; k++) {
        ar_messages_of_round(schedule, layout, rank, k, &messages);
        for (int i = 0; i < messages.nmessages; i++) {
            const struct ar_message *message = &messages.message[i];
            *(message->sent ? &traffic.messages_sent : &traffic.messages_received) += 1;
            *(message->sent ? &traffic.elements_sent : &traffic.elements_received) += message->elements;
            traffic.elements_combined += message->combined;
        }
        for (int i = 0; i < messages.nactions; i++)
            if (messages.action[i].kind == AR_FOLD)
                traffic.elements_folded += messages.action[i].length;
    }
    ar_messages_free(&messages);
    return traffic;
}
