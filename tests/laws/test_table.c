/* Schedules against numbers that an independent symbolic simulator produced. */
#include <criterion/criterion.h>

#include "collectives/base/text.h"
#include "collectives/messages.h"
#include "collectives/registry.h"

/* Machine-checked schedule table: n = 48 P elements, root 0. Critical path: the sum over the rounds of the
 * most elements that one rank sends or receives in it. */
struct row {
    const struct ar_algorithm *algorithm;
    int nranks;
    int64_t rounds, most_sent_messages, messages, most_sent, sent, most_reduced, critical_path;
};

static const struct row table[] = {
    /* clang-format off */
    /* ranks; rounds; messages sent by a rank at most, by all; elements sent by a rank at most, by all;
     * elements reduced by a rank at most; critical path */
    {&ar_broadcast_binomial, 2, 1, 1, 1, 96, 96, 0, 96},
    {&ar_broadcast_binomial, 3, 2, 2, 2, 288, 288, 0, 288},
    {&ar_broadcast_binomial, 4, 2, 2, 3, 384, 576, 0, 384},
    {&ar_broadcast_binomial, 5, 3, 3, 4, 720, 960, 0, 720},
    {&ar_broadcast_binomial, 6, 3, 3, 5, 864, 1440, 0, 864},
    {&ar_broadcast_binomial, 7, 3, 3, 6, 1008, 2016, 0, 1008},
    {&ar_broadcast_binomial, 8, 3, 3, 7, 1152, 2688, 0, 1152},
    {&ar_broadcast_binomial, 9, 4, 4, 8, 1728, 3456, 0, 1728},
    {&ar_broadcast_binomial, 16, 4, 4, 15, 3072, 11520, 0, 3072},
    {&ar_reduce_binomial, 2, 1, 1, 1, 96, 96, 96, 96},
    {&ar_reduce_binomial, 3, 2, 1, 2, 144, 288, 288, 288},
    {&ar_reduce_binomial, 4, 2, 1, 3, 192, 576, 384, 384},
    {&ar_reduce_binomial, 5, 3, 1, 4, 240, 960, 720, 720},
    {&ar_reduce_binomial, 6, 3, 1, 5, 288, 1440, 864, 864},
    {&ar_reduce_binomial, 7, 3, 1, 6, 336, 2016, 1008, 1008},
    {&ar_reduce_binomial, 8, 3, 1, 7, 384, 2688, 1152, 1152},
    {&ar_reduce_binomial, 9, 4, 1, 8, 432, 3456, 1728, 1728},
    {&ar_reduce_binomial, 16, 4, 1, 15, 768, 11520, 3072, 3072},
    {&ar_allreduce_ring, 2, 2, 2, 4, 96, 192, 48, 96},
    {&ar_allreduce_ring, 3, 4, 4, 12, 192, 576, 96, 192},
    {&ar_allreduce_ring, 4, 6, 6, 24, 288, 1152, 144, 288},
    {&ar_allreduce_ring, 5, 8, 8, 40, 384, 1920, 192, 384},
    {&ar_allreduce_ring, 6, 10, 10, 60, 480, 2880, 240, 480},
    {&ar_allreduce_ring, 7, 12, 12, 84, 576, 4032, 288, 576},
    {&ar_allreduce_ring, 8, 14, 14, 112, 672, 5376, 336, 672},
    {&ar_allreduce_ring, 9, 16, 16, 144, 768, 6912, 384, 768},
    {&ar_allreduce_ring, 16, 30, 30, 480, 1440, 23040, 720, 1440},
    {&ar_reduce_scatter_ring, 2, 1, 1, 2, 48, 96, 48, 48},
    {&ar_reduce_scatter_ring, 3, 2, 2, 6, 96, 288, 96, 96},
    {&ar_reduce_scatter_ring, 4, 3, 3, 12, 144, 576, 144, 144},
    {&ar_reduce_scatter_ring, 5, 4, 4, 20, 192, 960, 192, 192},
    {&ar_reduce_scatter_ring, 6, 5, 5, 30, 240, 1440, 240, 240},
    {&ar_reduce_scatter_ring, 7, 6, 6, 42, 288, 2016, 288, 288},
    {&ar_reduce_scatter_ring, 8, 7, 7, 56, 336, 2688, 336, 336},
    {&ar_reduce_scatter_ring, 9, 8, 8, 72, 384, 3456, 384, 384},
    {&ar_reduce_scatter_ring, 16, 15, 15, 240, 720, 11520, 720, 720},
    {&ar_allgather_ring, 2, 1, 1, 2, 48, 96, 0, 48},
    {&ar_allgather_ring, 3, 2, 2, 6, 96, 288, 0, 96},
    {&ar_allgather_ring, 4, 3, 3, 12, 144, 576, 0, 144},
    {&ar_allgather_ring, 5, 4, 4, 20, 192, 960, 0, 192},
    {&ar_allgather_ring, 6, 5, 5, 30, 240, 1440, 0, 240},
    {&ar_allgather_ring, 7, 6, 6, 42, 288, 2016, 0, 288},
    {&ar_allgather_ring, 8, 7, 7, 56, 336, 2688, 0, 336},
    {&ar_allgather_ring, 9, 8, 8, 72, 384, 3456, 0, 384},
    {&ar_allgather_ring, 16, 15, 15, 240, 720, 11520, 0, 720},
    /* clang-format on */
};

static int64_t max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The largest number of elements that one rank sends or receives in round k. */
static int64_t busiest(const struct ar_schedule *schedule, const struct ar_layout *layout, int64_t k,
                       struct ar_messages *messages)
{
    int64_t most = 0;
    for (int rank = 0; rank < schedule->problem.nranks; rank++) {
        int64_t out = 0, in = 0;
        ar_messages_of_round(schedule, layout, rank, k, messages);
        for (int i = 0; i < messages->nmessages; i++)
            *(messages->message[i].sent ? &out : &in) += messages->message[i].elements;
        most = max(most, max(out, in));
    }
    return most;
}

static struct row measured(const struct ar_algorithm *algorithm, int nranks)
{
    struct row row = {.algorithm = algorithm, .nranks = nranks};
    struct ar_problem problem = {.nranks = nranks};
    struct ar_schedule schedule;
    struct ar_layout layout;
    struct ar_error error = {""};
    struct ar_messages messages = {0};
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, &problem, &error), AR_OK, "%s", error.text);
    cr_assert_eq(ar_schedule_layout(&schedule, 48 * nranks, NULL, NULL, &layout, &error), AR_OK, "%s",
                 error.text);
    for (int64_t k = 0; k < ar_nrounds(&schedule); k++) {
        int64_t most = busiest(&schedule, &layout, k, &messages);
        row.rounds += most > 0;
        row.critical_path += most;
    }
    for (int rank = 0; rank < nranks; rank++) {
        struct ar_traffic traffic = ar_traffic_of_rank(&schedule, &layout, rank);
        row.most_sent_messages = max(row.most_sent_messages, traffic.messages_sent);
        row.messages += traffic.messages_sent;
        row.most_sent = max(row.most_sent, traffic.elements_sent);
        row.sent += traffic.elements_sent;
        row.most_reduced = max(row.most_reduced, traffic.elements_combined + traffic.elements_folded);
    }
    ar_messages_free(&messages);
    ar_schedule_free(&schedule);
    return row;
}

Test(table, schedules_have_the_published_rounds_messages_and_elements)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct row *expected = &table[i];
        struct row row = measured(expected->algorithm, expected->nranks);
        struct ar_text name = {0};
        ar_text_add(&name, "%s:%s, %d ranks", ar_collectives[expected->algorithm->collective].name,
                    expected->algorithm->name, expected->nranks);
        cr_expect_eq(row.rounds, expected->rounds, "%s: rounds", name.data);
        cr_expect_eq(row.most_sent_messages, expected->most_sent_messages, "%s: messages of a rank",
                     name.data);
        cr_expect_eq(row.messages, expected->messages, "%s: messages", name.data);
        cr_expect_eq(row.most_sent, expected->most_sent, "%s: elements sent by a rank", name.data);
        cr_expect_eq(row.sent, expected->sent, "%s: elements sent", name.data);
        cr_expect_eq(row.most_reduced, expected->most_reduced, "%s: elements reduced by a rank", name.data);
        cr_expect_eq(row.critical_path, expected->critical_path, "%s: critical path", name.data);
        ar_text_free(&name);
    }
}
