/* Laws that every schedule keeps, over the whole registry and without naming an algorithm. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/messages.h"
#include "collectives/verify/verify.h"
#include "tests/laws/every_schedule.h"

/* ---- Right, idle where they say, patterns ----------------------------------------------------------- */

static void is_right(const struct ar_schedule *schedule, const char *name)
{
    struct ar_proof proof;
    struct ar_error error = {""};
    cr_assert_eq(ar_verify(schedule, &proof, &error), AR_OK, "%s: %s", name, error.text);
    cr_assert(proof.ordered || *proof.order_why.text, "%s: no reason given", name);
    cr_assert(proof.same_bits || *proof.bits_why.text, "%s: no reason given", name);
    cr_assert_leq(proof.rounds, ar_nrounds(schedule), "%s", name);
    if (schedule->problem.nranks == 1)
        cr_assert_eq(ar_nrounds(schedule), 0, "%s: one rank has nothing to do", name);
}

Test(schedules, are_right_for_every_number_of_ranks_and_root)
{
    for_every_schedule(is_right, 24, 1);
}

static void is_idle_where_it_says(const struct ar_schedule *schedule, const char *name)
{
    struct ar_sink sink = {.full = ar_sink_grow};
    int64_t nrounds = ar_nrounds(schedule);
    for (int rank = 0; rank < schedule->problem.nranks; rank++) {
        int64_t first, last, pause_first, pause_last;
        ar_schedule_span(schedule, rank, &first, &last);
        ar_schedule_pause(schedule, rank, &pause_first, &pause_last);
        for (int64_t k = 0; k < nrounds; k++) {
            bool may_act = first <= k && k <= last && !(pause_first <= k && k <= pause_last);
            sink.n = 0;
            ar_schedule_round(schedule, rank, k, &sink);
            cr_assert(sink.n == 0 || may_act, "%s: rank %d acts in round %d", name, rank, (int)k + 1);
        }
        cr_assert(pause_first > pause_last || (first < pause_first && pause_last < last),
                  "%s: the pause of rank %d leaves its span", name, rank);
        cr_assert(first > last || (first >= 0 && last < nrounds), "%s: the span of rank %d leaves the rounds",
                  name, rank);
    }
    free(sink.step);
}

Test(schedules, are_idle_outside_their_span_and_in_their_pause)
{
    for_every_schedule(is_idle_where_it_says, 17, 1);
}

/* ---- Tables ------------------------------------------------------------------------------------------ */

static int ntables;

static void is_the_same_without_table(const struct ar_schedule *schedule, const char *name)
{
    struct ar_schedule without = *schedule;
    struct ar_sink a = {.full = ar_sink_grow}, b = {.full = ar_sink_grow};
    without.problem.prepared = NULL;
    without.nblocks = 0;
    if (!schedule->problem.prepared)
        return;
    ntables++;
    cr_assert(ar_nblocks(schedule) == ar_nblocks(&without) && ar_nrounds(schedule) == ar_nrounds(&without),
              "%s", name);
    for (int rank = 0; rank < schedule->problem.nranks; rank++)
        for (int64_t k = 0; k < ar_nrounds(schedule); k++) {
            a.n = b.n = 0;
            ar_schedule_round(schedule, rank, k, &a);
            ar_schedule_round(&without, rank, k, &b);
            bool same = a.n == b.n;
            for (int i = 0; i < a.n && same; i++)
                same = same_step(&a.step[i], &b.step[i]);
            cr_assert(same, "%s, rank %d, round %d", name, rank, (int)k + 1);
        }
    free(a.step);
    free(b.step);
}

Test(schedules, are_the_same_without_their_tables)
{
    for_every_schedule(is_the_same_without_table, 24, 5);
    cr_expect_gt(ntables, 100);
}

/* ---- Names below a bound ----------------------------------------------------------------------------- */

static int64_t counted_below(const struct ar_blocks *set, int64_t modulus, int64_t bound)
{
    int64_t n = 0;
    for (int64_t i = 0; i < set->count; i++)
        for (int64_t j = 0; j < set->length; j++) {
            int64_t name = (set->first + i * set->stride + j) % modulus;
            n += (name < 0 ? name + modulus : name) < bound;
        }
    return n;
}

Test(names, below_a_bound_are_as_many_as_one_counts)
{
    for (int64_t modulus = 1; modulus <= 40; modulus += 1 + modulus / 12)
        for (int64_t bound = -1; bound <= modulus + 1; bound += 1 + modulus / 7)
            for (int64_t stride = -modulus - 1; stride <= 2 * modulus + 1; stride++)
                for (int64_t count = 0; count <= 45; count += 1 + count / 4)
                    for (int64_t length = 0; length <= 3; length++)
                        for (int64_t first = -modulus - 3; first <= modulus + 3; first += 1 + modulus / 5) {
                            struct ar_blocks set = {first, length, stride, count};
                            cr_assert_eq(ar_blocks_below(&set, modulus, bound),
                                         counted_below(&set, modulus, bound),
                                         "%d runs of %d every %d from %d, below %d of %d", (int)count,
                                         (int)length, (int)stride, (int)first, (int)bound, (int)modulus);
                        }
}

/* ---- Elements ---------------------------------------------------------------------------------------- */

static void add_traffic(struct ar_traffic *traffic, const struct ar_messages *messages)
{
    for (int i = 0; i < messages->nmessages; i++) {
        const struct ar_message *message = &messages->message[i];
        traffic->messages_sent += message->sent;
        traffic->messages_received += !message->sent;
        traffic->elements_sent += message->sent ? message->elements : 0;
        traffic->elements_received += message->sent ? 0 : message->elements;
        traffic->elements_combined += message->combined;
    }
    for (int i = 0; i < messages->nactions; i++)
        traffic->elements_folded += messages->action[i].kind == AR_FOLD ? messages->action[i].length : 0;
}

/* Every sent message of the round is received with as many elements; none is empty, a token always. */
static void check_pairs(const struct ar_messages *of_rank, int nranks, bool token, const char *name,
                        int64_t k)
{
    for (int rank = 0; rank < nranks; rank++)
        for (int i = 0; i < of_rank[rank].nmessages; i++) {
            const struct ar_message *message = &of_rank[rank].message[i];
            cr_assert(message->peer >= 0 && message->peer < nranks && message->peer != rank,
                      "%s, round %d: rank %d, peer %d", name, (int)k + 1, rank, message->peer);
            cr_assert_eq(message->elements == 0, token, "%s, round %d: rank %d", name, (int)k + 1, rank);
            int found = ar_messages_find(&of_rank[message->peer], rank, !message->sent);
            cr_assert_geq(found, 0, "%s, round %d: rank %d and %d", name, (int)k + 1, rank, message->peer);
            cr_assert_eq(of_rank[message->peer].message[found].elements, message->elements,
                         "%s, round %d: rank %d and %d", name, (int)k + 1, rank, message->peer);
        }
}

static void check_actions(const struct ar_messages *messages, int64_t count, const char *name)
{
    for (int i = 0; i < messages->nactions; i++) {
        const struct ar_action *action = &messages->action[i];
        cr_assert(action->length > 0 && action->offset >= 0 && action->offset + action->length <= count,
                  "%s: elements %lld + %lld of %lld", name, (long long)action->offset,
                  (long long)action->length, (long long)count);
        cr_assert_neq(action->order, AR_BY_RANK, "%s", name);
    }
}

static bool same_traffic(const struct ar_traffic *a, const struct ar_traffic *b)
{
    return a->messages_sent == b->messages_sent && a->messages_received == b->messages_received &&
           a->elements_sent == b->elements_sent && a->elements_received == b->elements_received &&
           a->elements_combined == b->elements_combined && a->elements_folded == b->elements_folded;
}

/* All that must hold for one layout: pairs agree, and ar_traffic_of_rank is the sum over the rounds. */
static void check_elements(const struct ar_schedule *schedule, const struct ar_layout *layout,
                           const char *name)
{
    int nranks = schedule->problem.nranks;
    struct ar_messages *messages = ar_alloc((size_t)nranks, sizeof *messages);
    struct ar_traffic *traffic = ar_alloc((size_t)nranks, sizeof *traffic);
    for (int64_t k = 0; k < ar_nrounds(schedule); k++) {
        for (int rank = 0; rank < nranks; rank++) {
            ar_messages_of_round(schedule, layout, rank, k, &messages[rank]);
            check_actions(&messages[rank], ar_layout_elements(layout), name);
            add_traffic(&traffic[rank], &messages[rank]);
        }
        check_pairs(messages, nranks, layout->token, name, k);
    }
    struct ar_traffic total = {0};
    for (int rank = 0; rank < nranks; rank++) {
        struct ar_traffic of_rank = ar_traffic_of_rank(schedule, layout, rank);
        cr_assert(same_traffic(&of_rank, &traffic[rank]), "%s: rank %d", name, rank);
        total.elements_sent += of_rank.elements_sent;
        total.elements_received += of_rank.elements_received;
        total.messages_sent += of_rank.messages_sent;
        total.messages_received += of_rank.messages_received;
        ar_messages_free(&messages[rank]);
    }
    cr_assert_eq(total.elements_sent, total.elements_received, "%s", name);
    cr_assert_eq(total.messages_sent, total.messages_received, "%s", name);
    free(messages);
    free(traffic);
}

static void elements_agree(const struct ar_schedule *schedule, const char *name)
{
    int64_t nranks = schedule->problem.nranks;
    int64_t counts[] = {0, 1, nranks - 1, nranks, nranks + 1, 3 * nranks + 2};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct ar_layout layout;
        struct ar_error error = {""};
        struct ar_text with_count = {0};
        ar_text_add(&with_count, "%s, count %lld", name, (long long)counts[i]);
        cr_assert_eq(ar_schedule_layout(schedule, counts[i], NULL, NULL, &layout, &error), AR_OK, "%s",
                     error.text);
        check_elements(schedule, &layout, with_count.data);
        ar_text_free(&with_count);
    }
}

Test(schedules, both_ends_of_every_message_agree)
{
    for_every_schedule(elements_agree, 13, 3);
}

static void uneven_counts_agree(const struct ar_schedule *schedule, const char *name)
{
    static uint32_t random = 1; /* a linear congruential generator: the same numbers everywhere */
    if (!ar_collective_owned(schedule->algorithm->collective))
        return;
    int64_t nparts = schedule->problem.nranks, count = 0;
    int64_t *counts = ar_alloc((size_t)nparts, sizeof *counts), *offsets = NULL;
    for (int64_t part = 0; part < nparts; part++) {
        random = random * 1664525U + 1013904223U;
        counts[part] = (random >> 16) % 3 == 0 ? 0 : (random >> 20) % 17;
        count += counts[part];
    }
    struct ar_layout layout;
    struct ar_error error = {""};
    cr_assert_eq(ar_schedule_layout(schedule, count, counts, &offsets, &layout, &error), AR_OK, "%s",
                 error.text);
    check_elements(schedule, &layout, name);
    free(counts);
    free(offsets);
}

Test(schedules, both_ends_agree_when_counts_differ_per_rank)
{
    for (int times = 0; times < 3; times++)
        for_every_schedule(uneven_counts_agree, 17, 1);
}
