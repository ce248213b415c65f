/* Laws of trees: their rank arithmetic, and the algorithms on them for more values of their parameters than
 * the laws of the whole registry try. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/cost.h"
#include "collectives/patterns/binary.h"
#include "collectives/patterns/chains.h"
#include "collectives/patterns/knomial.h"
#include "collectives/patterns/two_trees.h"
#include "collectives/verify/verify.h"
#include "sim/engine/clocks.h"
#include "tests/laws/every_schedule.h"

/* ---- Parents and children ---------------------------------------------------------------------------- */

enum { MOST_RANKS = 200 };

/* Both for v in 0 .. nranks-1; the parent of v > 0 only, the children into child[nranks]. */
struct tree {
    const char *name;
    int (*parent)(int v, int nranks);
    int (*children)(int v, int nranks, int *child);
};

static int high_parent(int v, int nranks)
{
    (void)nranks;
    return ar_binomial_high_parent(v);
}

static int high_children(int v, int nranks, int *child)
{
    int n = 0;
    for (int level = 0; level < ar_log2_ceil(nranks); level++)
        if ((child[n] = ar_binomial_high_child(v, level, nranks)) >= 0) {
            cr_assert_eq(ar_binomial_high_level(child[n]), level, "%d", child[n]);
            n++;
        }
    return n;
}

static int binary_parent(int v, int nranks)
{
    (void)nranks;
    return ar_binary_parent(v);
}

static int binary_children(int v, int nranks, int *child)
{
    int n = 0;
    for (int which = 0; which < 2; which++)
        if ((child[n] = ar_binary_child(v, which, nranks)) >= 0)
            n++;
    return n;
}

static int twin_parent(int v, int nranks)
{
    return ar_twin_parent(v, 1, nranks - 1);
}

static int twin_children(int v, int nranks, int *child)
{
    return nranks > 1 ? ar_twin_children(v, 1, nranks - 1, child) : 0;
}

static int in_order_parent(int v, int nranks)
{
    return ar_in_order_parent(v, nranks - 1);
}

static int in_order_children(int v, int nranks, int *child)
{
    return nranks > 1 ? ar_twin_children(v, 0, nranks - 1, child) : 0;
}

static int chain_parent(int v, int nranks)
{
    int n = ar_chains(3, nranks), head = ar_chain_head(ar_chain_of(v, n, nranks), n, nranks);
    return v == head ? 0 : v - 1;
}

static int chain_children(int v, int nranks, int *child)
{
    int n = ar_chains(3, nranks), nchildren = 0;
    for (int chain = 0; chain < n; chain++) {
        int head = ar_chain_head(chain, n, nranks), end = ar_chain_head(chain + 1, n, nranks);
        if (v == 0)
            child[nchildren++] = head;
        else if (head <= v && v + 1 < end)
            child[nchildren++] = v + 1;
    }
    return nchildren;
}

static const struct tree trees[] = {
    {"binomial, high", high_parent, high_children},   {"binary", binary_parent, binary_children},
    {"in order", in_order_parent, in_order_children}, {"second of two", twin_parent, twin_children},
    {"three chains", chain_parent, chain_children},
};

Test(trees, reach_every_rank_once_and_parents_are_who_has_the_child)
{
    for (size_t t = 0; t < sizeof trees / sizeof *trees; t++)
        for (int nranks = 1; nranks <= MOST_RANKS; nranks++) {
            int child[MOST_RANKS], reached[MOST_RANKS] = {1}, total = 1;
            for (int v = 0; v < nranks; v++)
                for (int i = trees[t].children(v, nranks, child) - 1; i >= 0; i--) {
                    cr_assert(child[i] > 0 && child[i] < nranks && !reached[child[i]]++, "%s, %d: %d -> %d",
                              trees[t].name, nranks, v, child[i]);
                    cr_assert_eq(trees[t].parent(child[i], nranks), v, "%s, %d: %d -> %d", trees[t].name,
                                 nranks, v, child[i]);
                    total++;
                }
            cr_assert_eq(total, nranks, "%s", trees[t].name);
            for (int v = 1, at; v < nranks; v++) { /* no cycles */
                int steps = 0;
                for (at = v; at > 0 && steps <= nranks; steps++)
                    at = trees[t].parent(at, nranks);
                cr_assert_eq(at, 0, "%s, %d: %d does not hang below 0", trees[t].name, nranks, v);
            }
        }
}

/* Open MPI, coll_base_topo.c: build_bmtree on 8 ranks, build_tree with fan-out 2 on 7. */
Test(trees, are_the_published_ones)
{
    static const int high[] = {-1, 0, 0, 1, 0, 1, 2, 3}, binary[] = {-1, 0, 0, 1, 2, 1, 2};
    for (int v = 1; v < 8; v++)
        cr_expect_eq(ar_binomial_high_parent(v), high[v], "%d", v);
    for (int v = 1; v < 7; v++)
        cr_expect_eq(ar_binary_parent(v), binary[v], "%d", v);
}

/* NCCL, src/graph/trees.cc, the figure for 14 ranks: the tree and its mirror image. */
Test(trees, in_order_is_the_published_one)
{
    static const int parent[] = {-1, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12};
    static const int mirrored[] = {1, 5, 3, 1, 3, 13, 7, 9, 7, 5, 11, 9, 11};
    for (int v = 1; v < 14; v++) {
        cr_expect_eq(ar_in_order_parent(v, 13), parent[v], "%d", v);
        cr_expect_eq(13 - ar_in_order_parent(v, 13), mirrored[13 - v], "%d", 13 - v);
    }
}

/* The lowest and highest rank in the subtree of v. */
static void check_in_order(int v, int last, int *low, int *high)
{
    int unused, left = ar_in_order_child(v, false, last), right = ar_in_order_child(v, true, last);
    *low = *high = v;
    if (left >= 0) {
        check_in_order(left, last, low, &unused);
        cr_assert_eq(unused, v - 1, "%d: left of %d", last, v);
    }
    if (right >= 0) {
        check_in_order(right, last, &unused, high);
        cr_assert_eq(unused, v + 1, "%d: right of %d", last, v);
    }
}

Test(trees, in_order_subtrees_are_the_neighbours_on_either_side)
{
    for (int last = 1; last <= MOST_RANKS; last++) {
        int low, high;
        check_in_order(0, last, &low, &high);
        cr_assert(low == 0 && high == last, "%d", last);
    }
}

/* ---- Arrivals ---------------------------------------------------------------------------------------- */

Test(trees, arrivals_follow_the_parent_and_rounds_are_the_last)
{
    for (int nranks = 2; nranks <= 600; nranks++) {
        int last = nranks - 1, binary = 0, in_order = 0;
        for (int v = 0; v < nranks; v++) {
            for (int which = 0; which < 2; which++) {
                int child = ar_binary_child(v, which, nranks);
                if (child >= 0)
                    cr_assert_eq(ar_binary_arrival(child), ar_binary_arrival(v) + 1 + which, "%d", child);
                child = ar_in_order_child(v, which, last);
                if (child >= 0)
                    cr_assert_eq(ar_in_order_arrival(child, last),
                                 v == 0 ? 0 : ar_in_order_arrival(v, last) + 1 + which, "%d", child);
            }
            int of_binary = ar_binary_arrival(v) + 1, of_in_order = v ? ar_in_order_arrival(v, last) + 1 : 0;
            binary = of_binary > binary ? of_binary : binary;
            in_order = of_in_order > in_order ? of_in_order : in_order;
        }
        cr_assert_eq(ar_binary_rounds(nranks), binary, "%d ranks", nranks);
        cr_assert_eq(ar_in_order_rounds(last), in_order, "last %d", last);
    }
}

/* The edges of v in two trees: one may arrive and one leave in every second round. */
static void check_two_trees(int v, int last, int depth[2], int *latest)
{
    int leaving[2] = {0}, internal = 0, child[2];
    for (int tree = 0; tree < 2; tree++) {
        int arrival = ar_twin_arrival(v, tree, last), n = ar_twin_children(v, tree, last, child);
        internal += n > 0;
        *latest = arrival > *latest ? arrival : *latest;
        for (int i = 0; i < n; i++) {
            int of_child = ar_twin_arrival(child[i], tree, last), since = of_child - arrival;
            cr_assert(v == 0 ? of_child == tree : since == 1 || since == 2, "last %d, tree %d: %d -> %d",
                      last, tree, v, child[i]);
            cr_assert_eq(leaving[of_child % 2]++, 0, "last %d: two edges leave %d at once", last, v);
        }
        for (int at = v; at > 0; depth[tree]++)
            at = ar_twin_parent(at, tree, last);
    }
    if (v > 0) {
        cr_assert_neq(ar_twin_arrival(v, 0, last) % 2, ar_twin_arrival(v, 1, last) % 2,
                      "last %d: two edges reach %d at once", last, v);
        cr_assert_leq(internal, 1, "last %d: %d has children in both trees", last, v);
    }
}

/* The depth: ceil(log2 P) (NCCL; Sanders, Speck, Traeff 2009). */
Test(trees, two_trees_share_no_internal_rank_and_no_port)
{
    for (int last = 1; last <= 600; last++) {
        int latest = 0, deepest = 0;
        for (int v = 0; v <= last; v++) {
            int depth[2] = {0};
            check_two_trees(v, last, depth, &latest);
            deepest = depth[0] > deepest ? depth[0] : deepest;
            deepest = depth[1] > deepest ? depth[1] : deepest;
        }
        cr_assert_eq(deepest, ar_log2_ceil(last + 1), "last %d", last);
        cr_assert_eq(ar_twin_rounds(last), latest + 1, "last %d", last);
    }
}

/* ---- Algorithms -------------------------------------------------------------------------------------- */

static struct ar_schedule schedule_of(const struct ar_algorithm *algorithm, int nranks, int root,
                                      int64_t first, int64_t second)
{
    struct ar_problem problem = {.nranks = nranks, .root = root, .param = {first, second}};
    struct ar_schedule schedule;
    struct ar_error error = {""};
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, &problem, &error), AR_OK, "%s", error.text);
    return schedule;
}

static struct ar_schedule_cost cost_of(const struct ar_schedule *schedule)
{
    struct ar_layout layout;
    cr_assert_eq(ar_schedule_layout(schedule, 3 * ar_nblocks(schedule), NULL, NULL, &layout, NULL), AR_OK);
    return ar_cost_of_schedule(schedule, &layout);
}

/* Proved, and of the exact cost it says, in rounds and in the simulation. */
static void is_right(const struct ar_algorithm *algorithm, int nranks, int root, int64_t first,
                     int64_t second)
{
    const struct ar_hockney model = {2e-6, 3e-6, 5e-6};
    struct ar_schedule schedule = schedule_of(algorithm, nranks, root, first, second);
    struct ar_layout layout;
    struct ar_clocks clocks;
    struct ar_proof proof;
    struct ar_error error = {""};
    int64_t count = 3 * ar_nblocks(&schedule);
    cr_assert_eq(ar_verify(&schedule, &proof, &error), AR_OK, "%s", error.text);
    cr_assert_eq(ar_schedule_layout(&schedule, count, NULL, NULL, &layout, NULL), AR_OK);
    cr_assert_eq(ar_clocks_run(&schedule, &layout, 1, &model, &clocks, &error), AR_OK, "%s", error.text);
    double form_s = ar_hockney_time(&model, algorithm->cost(&schedule.problem), (double)count);
    cr_assert(fabs(form_s - clocks.time_s) <= 1e-12 * form_s,
              "%s, %d ranks, root %d, %lld, %lld: %g, simulated %g", algorithm->name, nranks, root,
              (long long)first, (long long)second, form_s, clocks.time_s);
    cr_assert_eq((double)cost_of(&schedule).rounds, algorithm->cost(&schedule.problem).alpha, "%s, %d ranks",
                 algorithm->name, nranks);
    ar_clocks_free(&clocks);
    ar_schedule_free(&schedule);
}

/* Also a fan-out of 1 on two ranks, by which Open MPI once divided by zero (commit a74927fc72). */
Test(trees, of_any_radix_and_fanout_are_right_and_cost_what_they_say)
{
    for (int nranks = 1; nranks <= 30; nranks++)
        for (int root = 0; root < nranks; root += 1 + nranks / 3)
            for (int64_t n = 1; n <= 35; n += n < 7 ? 1 : 14) {
                for (int64_t segments = 1; segments <= 5; segments += 2) {
                    is_right(&ar_broadcast_chain, nranks, root, segments, n);
                    is_right(&ar_reduce_chain, nranks, root, segments, n);
                }
                is_right(&ar_broadcast_knomial, nranks, root, n + 1, 0);
                is_right(&ar_reduce_knomial, nranks, root, n + 1, 0);
            }
}

static void same_steps(const struct ar_schedule *a, const struct ar_schedule *b)
{
    struct ar_sink of_a = {.full = ar_sink_grow}, of_b = {.full = ar_sink_grow};
    cr_assert_eq(ar_nrounds(a), ar_nrounds(b), "%s and %s", a->algorithm->name, b->algorithm->name);
    for (int rank = 0; rank < a->problem.nranks; rank++)
        for (int64_t k = 0; k < ar_nrounds(a); k++) {
            of_a.n = of_b.n = 0;
            ar_schedule_round(a, rank, k, &of_a);
            ar_schedule_round(b, rank, k, &of_b);
            cr_assert(of_a.n == of_b.n && (of_a.n == 0 || same_step(&of_a.step[0], &of_b.step[0])),
                      "%s and %s, %d ranks: rank %d, round %lld", a->algorithm->name, b->algorithm->name,
                      a->problem.nranks, rank, (long long)k + 1);
        }
    free(of_a.step);
    free(of_b.step);
}

Test(trees, at_the_ends_of_a_parameter_are_simpler_ones)
{
    for (int nranks = 1; nranks <= 40; nranks++) {
        int root = nranks / 3;
        struct ar_schedule binomial = schedule_of(&ar_broadcast_binomial, nranks, root, 0, 0);
        struct ar_schedule knomial = schedule_of(&ar_broadcast_knomial, nranks, root, 2, 0);
        struct ar_schedule linear = schedule_of(&ar_broadcast_linear, nranks, root, 0, 0);
        struct ar_schedule fan = schedule_of(&ar_broadcast_chain, nranks, root, 1, nranks);
        same_steps(&knomial, &binomial);
        same_steps(&fan, &linear);
    }
}

/* Full trees of H levels below the root, N segments: (k - 1) H messages for k^H ranks; 2 (N - 1) + 2 H rounds
 * of a binary tree and one more where halves are exchanged. Two trees: at most 2 ceil(log2 P) + 2 N of N
 * segments per half (Sanders, Speck, Traeff 2009). Chains: at most F N + ceil((P - 1)/F) - 1. */
Test(trees, take_the_published_rounds)
{
    for (int64_t k = 2; k <= 5; k++)
        for (int64_t levels = 1, nranks = k; nranks <= 130; levels++, nranks *= k) {
            struct ar_schedule knomial = schedule_of(&ar_broadcast_knomial, (int)nranks, 0, k, 0);
            cr_expect_eq(ar_nrounds(&knomial), (k - 1) * levels, "radix %d", (int)k);
        }
    for (int64_t segments = 1; segments <= 9; segments += 4) {
        for (int levels = 1; levels <= 6; levels++) {
            int nranks = (2 << levels) - 1;
            struct ar_schedule whole = schedule_of(&ar_broadcast_binary, nranks, 0, segments, 0);
            struct ar_schedule split = schedule_of(&ar_broadcast_split_binary, nranks, 0, segments, 0);
            cr_expect_eq(ar_nrounds(&whole), 2 * (segments - 1) + 2 * levels, "%d ranks", nranks);
            cr_expect_eq(ar_nrounds(&split), 2 * (segments - 1) + 2 * levels + 1, "%d ranks", nranks);
        }
        for (int nranks = 2; nranks <= 130; nranks++) {
            struct ar_schedule two = schedule_of(&ar_broadcast_double_binary_tree, nranks, 0, segments, 0);
            cr_expect_leq(ar_nrounds(&two), 2 * ar_log2_ceil(nranks) + 2 * (segments - 1), "%d ranks",
                          nranks);
            for (int64_t fanout = 1; fanout < nranks; fanout += 3) {
                struct ar_schedule chains = schedule_of(&ar_broadcast_chain, nranks, 0, segments, fanout);
                cr_expect_leq(ar_nrounds(&chains), fanout * segments + (nranks - 2) / fanout,
                              "%d ranks, fanout %d", nranks, (int)fanout);
            }
            ar_schedule_free(&two);
        }
    }
}

Test(trees, need_one_port_each_way)
{
    static const struct ar_algorithm *const algorithms[] = {
        &ar_broadcast_binary,       &ar_broadcast_split_binary, &ar_broadcast_double_binary_tree,
        &ar_broadcast_knomial,      &ar_broadcast_chain,        &ar_reduce_double_binary_tree,
        &ar_reduce_in_order_binary, &ar_reduce_binary,          &ar_allreduce_double_binary_tree,
    };
    for (size_t i = 0; i < sizeof algorithms / sizeof *algorithms; i++)
        for (int nranks = 1; nranks <= 70; nranks += 1 + nranks / 20) {
            struct ar_schedule schedule = schedule_of(algorithms[i], nranks, 0, 4, 3);
            cr_expect(cost_of(&schedule).one_port, "%s, %d ranks", algorithms[i]->name, nranks);
            ar_schedule_free(&schedule);
        }
}

static void keeps_order(const struct ar_algorithm *algorithm, int nranks, int root, int64_t first)
{
    struct ar_schedule schedule = schedule_of(algorithm, nranks, root, first, 0);
    struct ar_proof proof;
    struct ar_error error = {""};
    cr_assert_eq(ar_verify(&schedule, &proof, &error), AR_OK, "%s", error.text);
    cr_expect(proof.ordered, "%s, %d ranks, root %d: %s", algorithm->name, nranks, root,
              proof.order_why.text);
    ar_schedule_free(&schedule);
}

/* As their files say. */
Test(trees, keep_the_order_of_the_operands)
{
    for (int nranks = 1; nranks <= 40; nranks++) {
        for (int root = 0; root < nranks; root++)
            keeps_order(&ar_reduce_in_order_binary, nranks, root, 3);
        for (int radix = 2; radix <= 6; radix++)
            keeps_order(&ar_reduce_knomial, nranks, 0, radix);
        if (nranks % 2)
            keeps_order(&ar_reduce_double_binary_tree, nranks, 0, 3);
    }
}
