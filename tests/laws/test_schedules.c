/* Laws that every schedule keeps, over the whole registry and without naming an algorithm. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/combinators.h"
#include "collectives/messages.h"
#include "collectives/patterns/binomial.h"
#include "collectives/patterns/knomial.h"
#include "collectives/patterns/ring.h"
#include "collectives/registry.h"
#include "collectives/verify/verify.h"

/* ---- Every case -------------------------------------------------------------------------------------- */

enum { MANY_VALUES = 12, SMALL_RANGE = 8 };

/* Values worth trying for one parameter. */
static int values_of(const struct ar_param *param, int64_t value[MANY_VALUES])
{
    int n = 0;
    if (param->unit == AR_PARAM_BYTES) { /* a number of segments in the problem */
        static const int64_t nsegments[] = {1, 2, 5, 8};
        memcpy(value, nsegments, sizeof nsegments);
        return 4;
    }
    value[n++] = param->fallback;
    if (param->min != param->fallback)
        value[n++] = param->min;
    if (param->max <= SMALL_RANGE && param->max != param->fallback)
        value[n++] = param->max;
    return n;
}

static void for_params(void (*law)(const struct ar_schedule *schedule, const char *name),
                       const struct ar_algorithm *algorithm, struct ar_problem *problem, int param)
{
    if (param < algorithm->nparams) {
        int64_t value[MANY_VALUES];
        int n = values_of(&algorithm->params[param], value);
        for (int i = 0; i < n; i++) {
            problem->param[param] = value[i];
            for_params(law, algorithm, problem, param + 1);
        }
        return;
    }
    struct ar_schedule schedule;
    struct ar_error error = {""};
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, problem, &error), AR_OK, "%s", error.text);
    struct ar_text name = {0};
    ar_text_add(&name, "%s:%s, %d ranks, root %d, params", ar_collectives[algorithm->collective].name,
                algorithm->name, problem->nranks, problem->root);
    for (int i = 0; i < algorithm->nparams; i++)
        ar_text_add(&name, " %s=%lld", algorithm->params[i].name, (long long)problem->param[i]);
    law(&schedule, name.data);
    ar_text_free(&name);
    ar_schedule_free(&schedule);
}

/* Calls `law` for every algorithm, nranks up to `most`, and root (every `stride`-th). */
static void for_every_schedule(void (*law)(const struct ar_schedule *schedule, const char *name), int most,
                               int stride)
{
    for (int i = 0; i < ar_nalgorithms; i++)
        for (int nranks = 1; nranks <= most; nranks++) {
            if (ar_algorithm_admits(ar_algorithms[i], nranks, NULL) != AR_OK)
                continue;
            int nroots = ar_collective_rooted(ar_algorithms[i]->collective) ? nranks : 1;
            for (int root = 0; root < nroots; root += stride) {
                struct ar_problem problem = {.nranks = nranks, .root = root};
                for_params(law, ar_algorithms[i], &problem, 0);
            }
        }
}

/* ---- Right, idle outside the span, patterns ---------------------------------------------------------- */

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

static void is_idle_outside_span(const struct ar_schedule *schedule, const char *name)
{
    struct ar_sink sink = {.full = ar_sink_grow};
    int64_t nrounds = ar_nrounds(schedule);
    for (int rank = 0; rank < schedule->problem.nranks; rank++) {
        int64_t first, last;
        ar_schedule_span(schedule, rank, &first, &last);
        for (int64_t k = 0; k < nrounds; k++) {
            sink.n = 0;
            ar_schedule_round(schedule, rank, k, &sink);
            cr_assert(sink.n == 0 || (first <= k && k <= last), "%s: rank %d acts in round %d", name, rank,
                      (int)k);
        }
        cr_assert(first > last || (first >= 0 && last < nrounds), "%s: the span of rank %d leaves the rounds",
                  name, rank);
    }
    free(sink.step);
}

Test(schedules, are_idle_outside_their_span)
{
    for_every_schedule(is_idle_outside_span, 17, 1);
}

static bool same_step(const struct ar_step *a, const struct ar_step *b)
{
    return a->kind == b->kind && a->order == b->order && a->from == b->from && a->to == b->to &&
           a->peer == b->peer && a->set.first == b->set.first && a->set.length == b->set.length &&
           a->set.stride == b->set.stride && a->set.count == b->set.count && a->base == b->base &&
           a->modulus == b->modulus;
}

/* An algorithm that has both functions must mean the same by them. */
static void round_is_pattern(const struct ar_schedule *schedule, const char *name)
{
    if (!schedule->algorithm->pattern || !schedule->algorithm->round)
        return;
    struct ar_algorithm only_pattern = *schedule->algorithm;
    struct ar_schedule derived = *schedule;
    struct ar_sink a = {.full = ar_sink_grow}, b = {.full = ar_sink_grow};
    only_pattern.round = NULL;
    derived.algorithm = &only_pattern;
    for (int rank = 0; rank < schedule->problem.nranks; rank++)
        for (int64_t k = 0; k < ar_nrounds(schedule); k++) {
            a.n = b.n = 0;
            ar_schedule_round(schedule, rank, k, &a);
            ar_schedule_round(&derived, rank, k, &b);
            cr_assert_eq(a.n, b.n, "%s: rank %d, round %d", name, rank, (int)k);
            for (int i = 0; i < a.n; i++)
                cr_assert(same_step(&a.step[i], &b.step[i]), "%s: rank %d, round %d, step %d", name, rank,
                          (int)k, i);
        }
    free(a.step);
    free(b.step);
}

Test(schedules, patterns_say_the_same_as_rounds)
{
    for_every_schedule(round_is_pattern, 17, 1);
}

/* Two rings, once by their patterns and once through views. */
static int64_t two_rings_parts(const struct ar_problem *p)
{
    return p->nranks;
}

static int64_t two_rings_rounds(const struct ar_problem *p)
{
    return 2 * (int64_t)(p->nranks - 1);
}

static void two_rings_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    ar_sequence_round(AR_CHILDREN(ar_reduce_scatter_ring, ar_allgather_ring), 2, rank, k, sink);
}

static bool two_rings_pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    const struct ar_algorithm *const rings[] = {&ar_reduce_scatter_ring, &ar_allgather_ring};
    return ar_sequence_pattern(rings, 2, p, k, i, pattern);
}

Test(schedules, patterns_of_a_sequence_say_the_same_as_its_rounds)
{
    const struct ar_algorithm two_rings = {.name = "two rings",
                                           .collective = AR_COLLECTIVE_allreduce,
                                           .parts = two_rings_parts,
                                           .rounds = two_rings_rounds,
                                           .round = two_rings_round,
                                           .pattern = two_rings_pattern};
    for (int nranks = 1; nranks <= 17; nranks++) {
        struct ar_problem problem = {.nranks = nranks};
        struct ar_schedule schedule;
        struct ar_error error;
        cr_assert_eq(ar_schedule_of_problem(&schedule, &two_rings, &problem, &error), AR_OK);
        round_is_pattern(&schedule, "two rings");
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

/* Every sent message of the round is received with as many elements, and none is empty. */
static void check_pairs(const struct ar_messages *of_rank, int nranks, const char *name, int64_t k)
{
    for (int rank = 0; rank < nranks; rank++)
        for (int i = 0; i < of_rank[rank].nmessages; i++) {
            const struct ar_message *message = &of_rank[rank].message[i];
            cr_assert(message->peer >= 0 && message->peer < nranks && message->peer != rank,
                      "%s, round %d: rank %d, peer %d", name, (int)k, rank, message->peer);
            cr_assert_gt(message->elements, 0, "%s, round %d: rank %d", name, (int)k, rank);
            int found = ar_messages_find(&of_rank[message->peer], rank, !message->sent);
            cr_assert_geq(found, 0, "%s, round %d: rank %d and %d", name, (int)k, rank, message->peer);
            cr_assert_eq(of_rank[message->peer].message[found].elements, message->elements,
                         "%s, round %d: rank %d and %d", name, (int)k, rank, message->peer);
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
            check_actions(&messages[rank], layout->count, name);
            add_traffic(&traffic[rank], &messages[rank]);
        }
        check_pairs(messages, nranks, name, k);
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
    int64_t nparts = ar_nparts(schedule), count = 0;
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

/* ---- Patterns of ranks ------------------------------------------------------------------------------- */

/* parent(child) is the rank itself, every rank but 0 is the child of one, children hang on their own level,
 * and the subtree of v is the run from v to its next sibling or uncle. */
static void check_knomial(int nranks, int k)
{
    char *reached = ar_alloc((size_t)nranks, 1);
    int levels = ar_knomial_levels(nranks, k);
    for (int v = 0; v < nranks; v++)
        for (int level = levels - 1; level >= 0; level--)
            for (int c = 1; c < k; c++) {
                int child = ar_knomial_child(v, level, c, k, nranks);
                if (child < 0)
                    continue;
                cr_assert(child < nranks && !reached[child], "k %d, %d ranks: %d -> %d", k, nranks, v, child);
                reached[child] = 1;
                cr_assert_eq(ar_knomial_parent(child, k), v, "k %d, %d ranks: %d -> %d", k, nranks, v, child);
                cr_assert_eq(ar_knomial_level(child, k), level, "k %d: child %d", k, child);
                cr_assert_eq(child, v + c * ar_knomial_stride(level, k), "k %d: child %d", k, child);
            }
    cr_assert_eq(reached[0], 0, "k %d, %d ranks: 0 is the root", k, nranks);
    for (int v = 1; v < nranks; v++) {
        cr_assert_eq(reached[v], 1, "k %d, %d ranks: %d is not reached", k, nranks, v);
        /* all of v .. v + k^level - 1 lie below v */
        int64_t end = v + ar_knomial_stride(ar_knomial_level(v, k), k);
        for (int u = v; u < nranks && u < end; u++) {
            int ancestor = u;
            while (ancestor > v)
                ancestor = ar_knomial_parent(ancestor, k);
            cr_assert_eq(ancestor, v, "k %d: %d is not below %d", k, u, v);
        }
    }
    free(reached);
}

Test(patterns, knomial_trees_reach_every_rank_once_in_contiguous_subtrees)
{
    for (int k = 2; k <= 9; k++)
        for (int nranks = 1; nranks <= 130; nranks++)
            check_knomial(nranks, k);
}

Test(patterns, binomial_is_knomial_of_two)
{
    for (int nranks = 1; nranks <= 300; nranks++) {
        cr_assert_eq(ar_log2_ceil(nranks), ar_knomial_levels(nranks, 2), "%d", nranks);
        cr_assert((1 << ar_log2_floor(nranks)) <= nranks && nranks < 2 << ar_log2_floor(nranks), "%d",
                  nranks);
        for (int v = 0; v < nranks; v++) {
            for (int level = 0; level < ar_log2_ceil(nranks) + 1; level++)
                cr_assert_eq(ar_binomial_child(v, level, nranks), ar_knomial_child(v, level, 1, 2, nranks),
                             "%d ranks: %d on level %d", nranks, v, level);
            if (v == 0)
                continue;
            cr_assert_eq(ar_binomial_level(v), ar_knomial_level(v, 2), "%d", v);
            cr_assert_eq(ar_binomial_parent(v), ar_knomial_parent(v, 2), "%d", v);
        }
    }
}

/* The trees on 10 ranks as published (Open MPI, coll_base_topo.c, ompi_coll_base_topo_build_kmtree). */
Test(patterns, knomial_trees_are_the_published_ones)
{
    static const struct {
        int k, v;
        const char *children;
    } tree[] = {
        {2, 0, " 8 4 2 1"}, {2, 4, " 6 5"}, {2, 8, " 9"},         {3, 0, " 9 3 6 1 2"}, {3, 3, " 4 5"},
        {3, 6, " 7 8"},     {3, 9, ""},     {4, 0, " 4 8 1 2 3"}, {4, 4, " 5 6 7"},     {4, 8, " 9"},
    };
    for (size_t i = 0; i < sizeof tree / sizeof *tree; i++) {
        struct ar_text children = {0};
        ar_text_add(&children, "%s", "");
        for (int level = ar_knomial_levels(10, tree[i].k) - 1; level >= 0; level--)
            for (int c = 1; c < tree[i].k; c++) {
                int child = ar_knomial_child(tree[i].v, level, c, tree[i].k, 10);
                if (child >= 0)
                    ar_text_add(&children, " %d", child);
            }
        cr_expect_str_eq(children.data, tree[i].children, "k %d, rank %d:%s", tree[i].k, tree[i].v,
                         children.data);
        ar_text_free(&children);
    }
}

Test(patterns, ranks_relative_to_the_root_and_back)
{
    for (int nranks = 1; nranks <= 20; nranks++)
        for (int root = 0; root < nranks; root++) {
            cr_assert_eq(ar_vrank(root, root, nranks), 0);
            for (int rank = 0; rank < nranks; rank++) {
                int v = ar_vrank(rank, root, nranks);
                cr_assert(v >= 0 && v < nranks);
                cr_assert_eq(ar_rank_of(v, root, nranks), rank, "%d of %d, root %d", rank, nranks, root);
                cr_assert_eq(ar_wrap(rank - root, nranks), v);
            }
        }
}

/* ---- Combinators ------------------------------------------------------------------------------------- */

/* Algorithms made on the spot from the one under test, which the schedule functions find here. */
static const struct ar_schedule *inner;
static enum ar_direction inner_direction;

static int64_t inner_rounds(const struct ar_problem *p)
{
    (void)p;
    return ar_nrounds(inner);
}

static void once_reversed(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p;
    ar_reversed_round(inner, inner_direction, rank, k, sink);
}

static bool only_sends_and_stores(const struct ar_schedule *schedule)
{
    bool plain = true;
    struct ar_sink sink = {.full = ar_sink_grow};
    for (int rank = 0; rank < schedule->problem.nranks; rank++)
        for (int64_t k = 0; k < ar_nrounds(schedule); k++) {
            sink.n = 0;
            ar_schedule_round(schedule, rank, k, &sink);
            for (int i = 0; i < sink.n; i++)
                plain &= sink.step[i].kind == AR_SEND || sink.step[i].kind == AR_RECEIVE;
        }
    free(sink.step);
    return plain;
}

/* Time reversed twice is the schedule itself. */
static void reversed_twice_is_itself(const struct ar_schedule *schedule, const char *name)
{
    if (!only_sends_and_stores(schedule))
        return;
    struct ar_algorithm once = {.name = "reversed", .collective = schedule->algorithm->collective};
    struct ar_schedule reversed = *schedule;
    struct ar_sink a = {.full = ar_sink_grow}, b = {.full = ar_sink_grow};
    once.parts = schedule->algorithm->parts;
    once.splits = schedule->algorithm->splits;
    once.rounds = inner_rounds;
    once.round = once_reversed;
    reversed.algorithm = &once;
    inner = schedule;
    for (inner_direction = AR_BACKWARD; inner_direction <= AR_BACKWARD_REDUCE; inner_direction++)
        for (int rank = 0; rank < schedule->problem.nranks; rank++)
            for (int64_t k = 0; k < ar_nrounds(schedule); k++) {
                a.n = b.n = 0;
                ar_schedule_round(schedule, rank, k, &a);
                b.nblocks = ar_nblocks(schedule);
                ar_reversed_round(&reversed, AR_BACKWARD, rank, k, &b);
                cr_assert_eq(a.n, b.n, "%s: rank %d, round %d", name, rank, (int)k);
                for (int i = 0; i < a.n; i++)
                    cr_assert(same_step(&a.step[i], &b.step[i]), "%s: rank %d, round %d, step %d", name, rank,
                              (int)k, i);
            }
    free(a.step);
    free(b.step);
}

Test(combinators, reversing_twice_gives_the_schedule_back)
{
    for_every_schedule(reversed_twice_is_itself, 12, 1);
}

/* A schedule in `inner_segments` segments, each started `inner_period` rounds after the one before. */
static int64_t inner_segments, inner_period;

static int64_t segmented_rounds(const struct ar_problem *p)
{
    (void)p;
    return ar_segments_rounds(inner, inner_segments, inner_period);
}

static int64_t segmented_splits(const struct ar_problem *p)
{
    (void)p;
    return inner_segments * ar_nblocks(inner) / ar_nparts(inner);
}

static void segmented_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p;
    ar_segments_round(inner, inner_segments, inner_period, rank, k, sink);
}

/* Segments of a right schedule are right, whatever their number and period. */
static void segmented_is_right(const struct ar_schedule *schedule, const char *name)
{
    struct ar_algorithm segmented = *schedule->algorithm;
    struct ar_schedule parent = *schedule;
    segmented.splits = segmented_splits;
    segmented.rounds = segmented_rounds;
    segmented.round = segmented_round;
    segmented.pattern = NULL;
    segmented.span = NULL;
    parent.algorithm = &segmented;
    inner = schedule;
    for (inner_segments = 1; inner_segments <= 4; inner_segments += 3)
        for (inner_period = 1; inner_period <= 3; inner_period++) {
            parent.nblocks = 0; /* not the child's */
            struct ar_proof proof;
            struct ar_error error = {""};
            cr_assert_eq(ar_verify(&parent, &proof, &error), AR_OK, "%s in %d segments, period %d: %s", name,
                         (int)inner_segments, (int)inner_period, error.text);
        }
}

Test(combinators, segments_of_a_right_schedule_are_right)
{
    for_every_schedule(segmented_is_right, 9, 2);
}
