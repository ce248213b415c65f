/* Scatter, gather, all-to-all and barrier: what sets them apart, published numbers, and published mistakes.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/cost.h"
#include "collectives/messages.h"
#include "collectives/patterns/alltoall.h"
#include "collectives/registry.h"
#include "collectives/verify/verify.h"

static struct ar_schedule schedule_of(const struct ar_algorithm *algorithm, int nranks)
{
    struct ar_problem problem = {.nranks = nranks};
    struct ar_schedule schedule, child = ar_child(algorithm, &problem);
    struct ar_error error = {""};
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, &child.problem, &error), AR_OK, "%s",
                 error.text);
    return schedule;
}

static struct ar_layout layout_of(const struct ar_schedule *schedule, int64_t count)
{
    struct ar_layout layout;
    cr_assert_eq(ar_schedule_layout(schedule, count, NULL, NULL, &layout, NULL), AR_OK);
    return layout;
}

/* ---- Published numbers -----------------------------------------------------------------------------------
 */

static double steps(double P)
{
    return ceil(log2(P));
}

static struct ar_cost one_by_one(double P)
{
    return (struct ar_cost){P - 1, (P - 1) / P, 0};
}

static struct ar_cost by_halves(double P)
{
    return (struct ar_cost){steps(P), (P - 1) / P, 0};
}

static struct ar_cost disseminated(double P)
{
    return (struct ar_cost){steps(P), 0, 0};
}

static struct ar_cost doubled(double P)
{
    double q = floor(log2(P));
    return (struct ar_cost){exp2(q) < P ? q + 2 : q, 0, 0};
}

static struct ar_cost up_and_down(double P)
{
    return (struct ar_cost){2 * steps(P), 0, 0};
}

static struct ar_cost twice_round(double P)
{
    return (struct ar_cost){2 * P, 0, 0};
}

static struct ar_cost gathered_and_sent(double P)
{
    return (struct ar_cost){2 * steps(P), steps(P) + (P - 1) / P, 0};
}

static struct ar_cost reduced_and_scattered(double P)
{
    return (struct ar_cost){2 * steps(P), steps(P) + (P - 1) / P, steps(P)};
}

static const struct {
    const struct ar_algorithm *algorithm;
    struct ar_cost (*cost)(double P);
} forms[] = {
    {&ar_scatter_linear, one_by_one},
    {&ar_scatter_binomial, by_halves},
    {&ar_gather_linear, one_by_one},
    {&ar_gather_binomial, by_halves},
    {&ar_alltoall_linear, one_by_one},
    {&ar_alltoall_pairwise, one_by_one},
    {&ar_alltoall_linear_sync, one_by_one},
    {&ar_barrier_dissemination, disseminated},
    {&ar_barrier_recursive_doubling, doubled},
    {&ar_barrier_tree, up_and_down},
    {&ar_barrier_double_ring, twice_round},
    {&ar_allgather_gather_broadcast, gathered_and_sent},
    {&ar_reduce_scatter_non_overlapping, reduced_and_scattered},
};

Test(collectives, closed_forms_are_the_published_ones)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int nranks = 2; nranks <= 70; nranks++) {
            struct ar_schedule schedule = schedule_of(forms[i].algorithm, nranks);
            struct ar_cost published = forms[i].cost(nranks),
                           declared = forms[i].algorithm->cost(&schedule.problem);
            cr_expect(declared.alpha == published.alpha && fabs(declared.beta - published.beta) < 1e-12 &&
                          declared.gamma == published.gamma,
                      "%s:%s, %d ranks: declared %g %g %g",
                      ar_collectives[forms[i].algorithm->collective].name, forms[i].algorithm->name, nranks,
                      declared.alpha, declared.beta, declared.gamma);
            ar_schedule_free(&schedule);
        }
}

/* Bruck's all-to-all: rounds, and blocks that every rank sends; on 2^q ranks half of its vector q times. */
Test(collectives, bruck_sends_as_many_blocks_as_published)
{
    static const struct {
        int nranks, rounds, blocks;
    } published[] = {{4, 2, 4},  {5, 3, 5},   {6, 3, 7},   {7, 3, 9},
                     {8, 3, 12}, {13, 4, 22}, {16, 4, 32}, {17, 5, 33}};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        int nranks = published[i].nranks;
        struct ar_schedule schedule = schedule_of(&ar_alltoall_bruck, nranks);
        struct ar_layout layout = layout_of(&schedule, nranks);
        cr_expect_eq(ar_nrounds(&schedule), published[i].rounds, "%d ranks", nranks);
        for (int rank = 0; rank < nranks; rank++) {
            struct ar_traffic traffic = ar_traffic_of_rank(&schedule, &layout, rank);
            cr_expect_eq(traffic.messages_sent, published[i].rounds, "%d ranks", nranks);
            cr_expect_eq(traffic.elements_sent, published[i].blocks, "%d ranks", nranks);
        }
        ar_schedule_free(&schedule);
    }
}

/* Double ring: 2P messages; tree: 2(P-1), the fewest possible. */
Test(collectives, barriers_send_as_many_messages_as_published)
{
    for (int nranks = 2; nranks <= 33; nranks++) {
        struct ar_schedule ring = schedule_of(&ar_barrier_double_ring, nranks);
        struct ar_schedule tree = schedule_of(&ar_barrier_tree, nranks);
        struct ar_layout layout = layout_of(&ring, 0);
        cr_expect_eq(ar_cost_of_schedule(&ring, &layout).messages_total, 2 * nranks, "%d ranks", nranks);
        cr_expect_eq(ar_cost_of_schedule(&tree, &layout).messages_total, 2 * (nranks - 1), "%d ranks",
                     nranks);
        ar_schedule_free(&ring);
        ar_schedule_free(&tree);
    }
}

/* ---- All-to-all: a row per source ------------------------------------------------------------------------
 */

/* The count is what one rank has: whatever it is, every row is cut alike, and the rows follow one another. */
Test(collectives, rows_of_an_alltoall_are_cut_alike)
{
    struct ar_schedule schedule = schedule_of(&ar_alltoall_linear, 4);
    const int64_t counts[] = {3, 0, 5, 1};
    int64_t *offsets;
    for (int uneven = 0; uneven < 2; uneven++) {
        struct ar_layout layout;
        cr_assert_eq(ar_schedule_layout(&schedule, 9, uneven ? counts : NULL, &offsets, &layout, NULL),
                     AR_OK);
        cr_expect_eq(layout.count, 9);
        cr_expect_eq(ar_layout_elements(&layout), 36);
        for (int64_t block = 0, at = 0; block < 16; block++) {
            int64_t offset, length;
            ar_layout_block(&layout, block, &offset, &length);
            cr_expect_eq(offset, at, "block %d", (int)block);
            cr_expect_eq(length, uneven ? counts[block % 4] : block % 4 == 0 ? 3 : 2, "block %d", (int)block);
            at += length;
        }
    }
    free(offsets);
    ar_schedule_free(&schedule);
}

/* In a direct all-to-all every rank sends its vector but for its own part. */
Test(collectives, direct_alltoalls_send_every_block_once)
{
    for (int nranks = 1; nranks <= 9; nranks++)
        for (int64_t count = 0; count <= 2 * nranks + 1; count++) {
            struct ar_schedule schedule = schedule_of(&ar_alltoall_pairwise, nranks);
            struct ar_layout layout = layout_of(&schedule, count);
            for (int rank = 0; rank < nranks; rank++) {
                int64_t offset, own;
                ar_layout_block(&layout, ar_pair_block(rank, rank, nranks), &offset, &own);
                cr_expect_eq(ar_traffic_of_rank(&schedule, &layout, rank).elements_sent, count - own,
                             "%d ranks, rank %d", nranks, rank);
            }
            ar_schedule_free(&schedule);
        }
}

/* ---- Barrier: a token ------------------------------------------------------------------------------------
 */

/* Its messages exist whatever the count, and are empty. */
Test(collectives, tokens_are_sent_without_elements)
{
    for (int i = 0; i < ar_nalgorithms; i++) {
        if (ar_algorithms[i]->collective != AR_COLLECTIVE_barrier)
            continue;
        for (int64_t count = 0; count <= 100; count += 50) {
            struct ar_schedule schedule = schedule_of(ar_algorithms[i], 7);
            struct ar_layout layout = layout_of(&schedule, count);
            struct ar_schedule_cost cost = ar_cost_of_schedule(&schedule, &layout);
            struct ar_proof proof;
            cr_assert_eq(ar_verify(&schedule, &proof, NULL), AR_OK);
            cr_expect(cost.messages_total == proof.messages && proof.messages >= 2 * 6, "%s",
                      ar_algorithms[i]->name);
            cr_expect_eq(cost.elements_sent_total, 0, "%s", ar_algorithms[i]->name);
            ar_schedule_free(&schedule);
        }
    }
}

/* A barrier must not end a round early, and as an all-reduce off powers of two dissemination counts twice. */
static int64_t fewer_rounds;

static int64_t too_few(const struct ar_problem *p)
{
    return ar_barrier_dissemination.rounds(p) - fewer_rounds;
}

Test(collectives, knowing_twice_is_allowed_in_a_barrier_only_and_not_knowing_never)
{
    struct ar_proof proof;
    for (int nranks = 2; nranks <= 40; nranks++) {
        struct ar_algorithm algorithm = ar_barrier_dissemination;
        struct ar_error error = {""};
        algorithm.rounds = too_few;
        struct ar_schedule schedule = schedule_of(&algorithm, nranks);
        fewer_rounds = 1;
        cr_expect_eq(ar_verify(&schedule, &proof, &error), AR_FAILED, "%d ranks", nranks);
        cr_expect(strstr(error.text, "missing"), "%s", error.text);
        fewer_rounds = 0;
        algorithm.collective = AR_COLLECTIVE_allreduce;
        bool power_of_two = (nranks & (nranks - 1)) == 0;
        cr_expect_eq(ar_verify(&schedule, &proof, &error), power_of_two ? AR_OK : AR_FAILED, "%d ranks",
                     nranks);
        cr_expect(power_of_two || strstr(error.text, "would count twice"), "%s", error.text);
        ar_schedule_free(&schedule);
    }
}

/* ---- Published mistakes ----------------------------------------------------------------------------------
 */

/* Open MPI b682b635c1: in the double ring rank 0 received from rank -1. */
static void from_minus_one(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int before = sink->n;
    ar_barrier_double_ring.round(p, rank, k, sink);
    for (int i = before; i < sink->n; i++)
        if (sink->step[i].kind != AR_SEND)
            sink->step[i].peer = rank - 1;
}

Test(collectives, a_double_ring_that_receives_from_rank_minus_one_is_rejected)
{
    for (int nranks = 2; nranks <= 9; nranks++) {
        struct ar_algorithm algorithm = ar_barrier_double_ring;
        struct ar_proof proof;
        struct ar_error error = {""};
        algorithm.round = from_minus_one;
        struct ar_schedule schedule = schedule_of(&algorithm, nranks);
        cr_expect_eq(ar_verify(&schedule, &proof, &error), AR_FAILED);
        cr_expect(strstr(error.text, "rank 0 names rank -1, which does not exist"), "%s", error.text);
        ar_schedule_free(&schedule);
    }
}

/* MPICH issue 2317: a gather of 2 MB from each of 2,048 ranks had a negative count. */
Test(collectives, large_gathers_have_no_negative_counts)
{
    const int nranks = 2048;
    const int64_t each = 2 << 20;
    for (int i = 0; i < ar_nalgorithms; i++) {
        if (ar_algorithms[i]->collective != AR_COLLECTIVE_gather)
            continue;
        struct ar_schedule schedule = schedule_of(ar_algorithms[i], nranks);
        struct ar_layout layout = layout_of(&schedule, nranks * each);
        cr_expect_eq(ar_traffic_of_rank(&schedule, &layout, 0).elements_received, (nranks - 1) * each, "%s",
                     ar_algorithms[i]->name);
        ar_schedule_free(&schedule);
    }
}
