/* Patterns: of a round (what all ranks do alike), rounds seen at once, and the rank arithmetic of trees and
 * rings. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/combinators.h"
#include "collectives/exchange.h"
#include "collectives/messages.h"
#include "collectives/patterns/binomial.h"
#include "collectives/patterns/halving.h"
#include "collectives/patterns/knomial.h"
#include "collectives/patterns/pairs.h"
#include "collectives/patterns/ring.h"
#include "collectives/patterns/swing.h"
#include "collectives/verify/verify.h"
#include "tests/laws/every_schedule.h"

/* ---- Patterns of rounds ------------------------------------------------------------------------------ */

/* Whether the algorithm's `round` and `pattern` mean the same; else `where` says where they part. */
static bool says_the_same(const struct ar_schedule *schedule, struct ar_text *where)
{
    struct ar_algorithm only_round = *schedule->algorithm, only_pattern = *schedule->algorithm;
    struct ar_schedule by_hand = *schedule, derived = *schedule;
    struct ar_sink a = {.full = ar_sink_grow}, b = {.full = ar_sink_grow};
    bool same = true;
    only_round.pattern = NULL;
    by_hand.algorithm = &only_round;
    only_pattern.round = NULL;
    derived.algorithm = &only_pattern;
    for (int rank = 0; rank < schedule->problem.nranks && same; rank++)
        for (int64_t k = 0; k < ar_nrounds(schedule) && same; k++) {
            a.n = b.n = 0;
            ar_schedule_round(&by_hand, rank, k, &a);
            ar_schedule_round(&derived, rank, k, &b);
            same = a.n == b.n;
            for (int i = 0; i < a.n && same; i++)
                same = same_step(&a.step[i], &b.step[i]);
            if (!same)
                ar_text_add(where, "rank %d, round %d", rank, (int)k + 1);
        }
    free(a.step);
    free(b.step);
    return same;
}

/* Algorithms written twice, once as patterns and once by hand. */

static int64_t one_round(const struct ar_problem *p)
{
    return p->nranks > 1;
}

static int64_t others(const struct ar_problem *p)
{
    return p->nranks - 1;
}

static int64_t doublings(const struct ar_problem *p)
{
    return ar_log2_ceil(p->nranks);
}

static int64_t masks(const struct ar_problem *p)
{
    return ((int64_t)1 << ar_log2_ceil(p->nranks)) - 1;
}

static int64_t one_per_rank(const struct ar_problem *p)
{
    return p->nranks;
}

static int64_t two(const struct ar_problem *p)
{
    (void)p;
    return 2;
}

/* All shifts in one round: an all-gather... */
static bool shifts_pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)k;
    *pattern = (struct ar_pattern){AR_SHIFT, i + 1, false, i + 2 < p->nranks, ar_block(0), 1};
    return true;
}

static void shifts_by_hand(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)k;
    for (int distance = 1; distance < p->nranks; distance++) {
        int from = ar_wrap(rank - distance, p->nranks);
        ar_send(sink, (rank + distance) % p->nranks, ar_block(rank));
        ar_receive(sink, from, ar_block(from));
    }
}

/* ...and a reduce-scatter. */
static bool reducing_shifts_pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)k;
    *pattern = (struct ar_pattern){AR_SHIFT, i + 1, true, i + 2 < p->nranks, ar_block(i + 1), 1};
    return true;
}

static void reducing_shifts_by_hand(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)k;
    for (int distance = 1; distance < p->nranks; distance++) {
        int from = ar_wrap(rank - distance, p->nranks);
        ar_send(sink, (rank + distance) % p->nranks, ar_block(rank + distance));
        ar_receive_reduce(sink, from, AR_BY_RANK, ar_block(from + distance));
    }
}

/* Pairs exchange their parts, one mask a round: an all-gather for any number of ranks. */
static bool pairs_pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)p, (void)i;
    *pattern = (struct ar_pattern){AR_XOR, (int)k + 1, false, false, ar_block(0), 1};
    return true;
}

static void pairs_by_hand(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int peer = rank ^ ((int)k + 1);
    if (peer >= p->nranks)
        return;
    ar_send(sink, peer, ar_block(rank));
    ar_receive(sink, peer, ar_block(peer));
}

/* Recursive doubling of the whole vector, an all-reduce for powers of two only. */
static bool doubling_pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)p, (void)i;
    *pattern = (struct ar_pattern){AR_XOR, 1 << k, true, false, ar_block(0), 1};
    return true;
}

static void doubling_by_hand(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int peer = rank ^ 1 << k;
    if (peer >= p->nranks)
        return;
    ar_send(sink, peer, ar_block(rank));
    ar_receive_reduce(sink, peer, AR_BY_RANK, ar_block(peer));
}

/* All-gather with blocks named downwards: r, r-1, ... */
static struct ar_blocks downwards(const struct ar_problem *p, int first, int64_t k)
{
    int64_t distance = (int64_t)1 << k, left = p->nranks - distance;
    return (struct ar_blocks){first, 1, -1, distance < left ? distance : left};
}

static bool downwards_pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)i;
    *pattern = (struct ar_pattern){AR_SHIFT, 1 << k, false, false, downwards(p, 0, k), 1};
    return true;
}

static void downwards_by_hand(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int from = ar_wrap(rank - (1 << k), p->nranks);
    ar_send(sink, (rank + (1 << k)) % p->nranks, downwards(p, rank, k));
    ar_receive(sink, from, downwards(p, from, k));
}

/* An all-gather ring of parts in two pieces, which lie nranks names apart. */
static bool pieces_pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)i;
    struct ar_blocks both = {-k, 1, p->nranks, 2};
    *pattern = (struct ar_pattern){AR_SHIFT, 1, false, false, both, 1};
    return true;
}

static void pieces_by_hand(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int from = ar_wrap(rank - 1, p->nranks);
    ar_send(sink, (rank + 1) % p->nranks, (struct ar_blocks){rank - k, 1, p->nranks, 2});
    ar_receive(sink, from, (struct ar_blocks){from - k, 1, p->nranks, 2});
}

/* Two rings, once by their patterns and once through views. */
AR_SEQUENCE_OF(ar_reduce_scatter_ring, ar_allgather_ring);

static const struct ar_algorithm twice[] = {
    {.name = "shifts",
     .collective = AR_COLLECTIVE_allgather,
     .parts = one_per_rank,
     .rounds = one_round,
     .round = shifts_by_hand,
     .pattern = shifts_pattern},
    {.name = "reducing shifts",
     .collective = AR_COLLECTIVE_reduce_scatter,
     .parts = one_per_rank,
     .rounds = one_round,
     .round = reducing_shifts_by_hand,
     .pattern = reducing_shifts_pattern},
    {.name = "pairs",
     .collective = AR_COLLECTIVE_allgather,
     .parts = one_per_rank,
     .rounds = masks,
     .round = pairs_by_hand,
     .pattern = pairs_pattern},
    {.name = "doubling",
     .collective = AR_COLLECTIVE_allreduce,
     .needs = AR_NEEDS_POWER_OF_TWO,
     .rounds = doublings,
     .round = doubling_by_hand,
     .pattern = doubling_pattern},
    {.name = "downwards",
     .collective = AR_COLLECTIVE_allgather,
     .parts = one_per_rank,
     .rounds = doublings,
     .round = downwards_by_hand,
     .pattern = downwards_pattern},
    {.name = "pieces",
     .collective = AR_COLLECTIVE_allgather,
     .parts = one_per_rank,
     .splits = two,
     .rounds = others,
     .round = pieces_by_hand,
     .pattern = pieces_pattern},
    {.name = "two rings",
     .collective = AR_COLLECTIVE_allreduce,
     .parts = parts,
     .rounds = rounds,
     .round = round_of,
     .pattern = pattern},
};

enum { NTWICE = sizeof twice / sizeof *twice };

Test(patterns, say_the_same_as_rounds_written_by_hand_and_are_right)
{
    for (int i = 0; i < NTWICE; i++)
        for (int nranks = 1; nranks <= 17; nranks++) {
            struct ar_schedule schedule = {.algorithm = &twice[i], .problem = {.nranks = nranks}};
            struct ar_text where = {0};
            struct ar_proof proof;
            struct ar_error error = {""};
            bool admits = ar_algorithm_admits(&twice[i], nranks, NULL) == AR_OK;
            cr_expect(says_the_same(&schedule, &where), "%s, %d ranks: %s", twice[i].name, nranks,
                      where.data);
            cr_expect_eq(ar_verify(&schedule, &proof, &error), admits ? AR_OK : AR_FAILED, "%s, %d ranks: %s",
                         twice[i].name, nranks, error.text);
        }
}

Test(patterns, differ_from_the_rounds_of_another_algorithm)
{
    for (int i = 0; i < NTWICE; i++)
        for (int j = 0; j < NTWICE; j++) {
            struct ar_algorithm mixed = twice[i];
            struct ar_schedule schedule = {.algorithm = &mixed, .problem = {.nranks = 8}};
            struct ar_text where = {0};
            mixed.pattern = twice[j].pattern;
            cr_expect_eq(says_the_same(&schedule, &where), i == j, "the rounds of %s, the patterns of %s",
                         twice[i].name, twice[j].name);
            ar_text_free(&where);
        }
}

/* ---- All ranks at once ------------------------------------------------------------------------------- */

/* What a rank does by its messages; false: a second one of a direction. */
static bool part_of_messages(const struct ar_messages *messages, struct ar_part *part)
{
    *part = (struct ar_part){AR_NOBODY, AR_NOBODY, 0, 0, ar_messages_combined(messages)};
    for (int i = 0; i < messages->nmessages; i++) {
        const struct ar_message *message = &messages->message[i];
        int *peer = message->sent ? &part->to : &part->from;
        if (*peer != AR_NOBODY)
            return false;
        *peer = message->peer;
        *(message->sent ? &part->sent : &part->received) = message->elements;
    }
    return true;
}

static void check_messages(struct ar_exchange *exchange, int rank, int64_t k, const struct ar_messages *of,
                           const char *name)
{
    cr_assert_eq(ar_exchange_messages(exchange, rank, k), ar_messages_combined(of), "%s, round %d, rank %d",
                 name, (int)k + 1, rank);
    cr_assert_eq(exchange->nmessages, of->nmessages, "%s, round %d, rank %d", name, (int)k + 1, rank);
    for (int i = 0; i < of->nmessages; i++) {
        const struct ar_message *said = &exchange->message[i], *is = &of->message[i];
        cr_assert(said->peer == is->peer && said->sent == is->sent && said->elements == is->elements,
                  "%s, round %d, rank %d, message %d", name, (int)k + 1, rank, i + 1);
    }
}

/* The runs of a patterned round name the same peers; where blocks are short, also those of no message. */
static void check_runs(const struct ar_exchange *exchange, const char *name)
{
    int nranks = exchange->schedule->problem.nranks;
    for (int sends = 0; sends <= 1; sends++)
        for (int rank = 0, n, first; rank < nranks; rank += n) {
            n = ar_exchange_run(exchange, sends, rank, &first);
            cr_assert(n >= 1 && rank + n <= nranks && first + n <= nranks, "%s: run of %d from %d", name, n,
                      rank);
            for (int i = 0; i < n; i++) {
                struct ar_part part = ar_exchange_part(exchange, rank + i);
                int peer = sends ? part.to : part.from;
                cr_assert(peer == AR_NOBODY || peer == first + i, "%s: rank %d", name, rank + i);
            }
        }
}

static int64_t npatterned, nuneven;

static void check_exchange(const struct ar_schedule *schedule, const struct ar_layout *layout,
                           const char *name)
{
    int nranks = schedule->problem.nranks, from, to;
    int64_t elements;
    struct ar_exchange exchange;
    struct ar_messages messages = {0};
    ar_exchange_init(&exchange, schedule, layout);
    for (int64_t k = 0; k < ar_nrounds(schedule); k++) {
        bool one_port = true, at_once = ar_exchange_round(&exchange, k);
        for (int rank = 0; rank < nranks; rank++) {
            struct ar_part is, said;
            ar_messages_of_round(schedule, layout, rank, k, &messages);
            one_port &= part_of_messages(&messages, &is);
            check_messages(&exchange, rank, k, &messages, name);
            if (!at_once)
                continue;
            said = ar_exchange_part(&exchange, rank);
            cr_assert(is.to == said.to && is.from == said.from && is.sent == said.sent &&
                          is.received == said.received && is.combined == said.combined,
                      "%s, %d elements, round %d, rank %d", name, (int)layout->count, (int)k + 1, rank);
        }
        cr_assert_eq(one_port, at_once, "%s, round %d", name, (int)k + 1);
        cr_assert(!at_once || ar_exchange_matches(&exchange, &from, &to, &elements), "%s, round %d", name,
                  (int)k + 1);
        if (at_once && exchange.patterned) {
            check_runs(&exchange, name);
            npatterned++;
            nuneven += exchange.more != NULL;
        }
    }
    ar_messages_free(&messages);
    ar_exchange_free(&exchange);
}

/* Also fewer elements than blocks, and a number of each rank's own. */
static void seen_at_once(const struct ar_schedule *schedule, const char *name)
{
    int64_t nblocks = ar_nblocks(schedule), P = schedule->problem.nranks;
    const int64_t counts[] = {0, 1, P - 1, P + 1, nblocks, 3 * nblocks, 3 * nblocks + 1, 4 * nblocks - 1};
    struct ar_layout layout;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        cr_assert_eq(ar_schedule_layout(schedule, counts[i], NULL, NULL, &layout, NULL), AR_OK);
        check_exchange(schedule, &layout, name);
    }
    if (!ar_collective_owned(schedule->algorithm->collective))
        return;
    int64_t *own = ar_alloc((size_t)P, sizeof *own), *offsets, count = 0;
    for (int64_t rank = 0; rank < P; rank++)
        count += own[rank] = rank * rank % 5;
    cr_assert_eq(ar_schedule_layout(schedule, count, own, &offsets, &layout, NULL), AR_OK);
    check_exchange(schedule, &layout, name);
    free(offsets);
    free(own);
}

Test(rounds, seen_at_once_are_those_of_the_ranks)
{
    for_every_schedule(seen_at_once, 17, 3);
    cr_expect_gt(npatterned, nuneven);
    cr_expect_gt(nuneven, 1000);
}

Test(rounds, seen_at_once_are_those_of_any_pattern)
{
    for (int i = 0; i < NTWICE; i++)
        for (int nranks = 1; nranks <= 17; nranks++) {
            struct ar_algorithm by_hand = twice[i];
            struct ar_schedule schedule = {.algorithm = &twice[i], .problem = {.nranks = nranks}};
            seen_at_once(&schedule, twice[i].name);
            by_hand.pattern = NULL;
            schedule.algorithm = &by_hand;
            seen_at_once(&schedule, twice[i].name);
        }
}

/* ---- Rank arithmetic --------------------------------------------------------------------------------- */

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

Test(ranks, knomial_trees_reach_every_rank_once_in_contiguous_subtrees)
{
    for (int k = 2; k <= 9; k++)
        for (int nranks = 1; nranks <= 130; nranks++)
            check_knomial(nranks, k);
}

Test(ranks, binomial_is_knomial_of_two)
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
Test(ranks, knomial_trees_are_the_published_ones)
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

Test(ranks, relative_to_the_root_and_back)
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

/* Survivors are in the order of the ranks, and all that neighbours answer for is one run of blocks. */
Test(ranks, pairs_fold_in_and_share_the_blocks_out)
{
    for (int n = 1; n <= 32; n *= 2)
        for (int pairs = 0; pairs < n; pairs++) {
            int nsurvivors = 0;
            for (int rank = 0; rank < n + pairs; rank++) {
                int survivor = ar_pairs_survivor(rank, pairs), owner = ar_pairs_owner(rank, pairs);
                struct ar_blocks owned = ar_pairs_blocks(owner, 1, pairs);
                cr_assert(rank >= owned.first && rank < owned.first + owned.length, "%d and %d: block %d", n,
                          pairs, rank);
                if (survivor < 0)
                    continue;
                cr_assert_eq(survivor, nsurvivors++, "%d and %d: rank %d", n, pairs, rank);
                cr_assert(owner == survivor && ar_pairs_rank(survivor, pairs) == rank, "%d and %d: rank %d",
                          n, pairs, rank);
            }
            cr_assert_eq(nsurvivors, n, "%d and %d", n, pairs);
            for (int first = 0; first < n; first++)
                for (int m = 1, length = 0; first + m <= n; m++) {
                    struct ar_blocks run = ar_pairs_blocks(first, m, pairs);
                    length += (int)ar_pairs_blocks(first + m - 1, 1, pairs).length;
                    cr_assert(run.length == length && run.first == ar_pairs_blocks(first, 1, pairs).first,
                              "%d and %d: %d survivors from %d", n, pairs, m, first);
                    cr_assert_leq(length, ar_pairs_most_blocks(m, pairs));
                    cr_assert(first > 0 || length == ar_pairs_most_blocks(m, pairs));
                }
        }
}

Test(ranks, halving_ends_with_the_mirrored_part)
{
    for (int q = 1; q <= 8; q++)
        for (int r = 0; r < 1 << q; r++) {
            int kept, given;
            cr_assert_eq(ar_halving_step(r, q - 1, 1 << q, &kept, &given), 1);
            cr_assert_eq(kept, ar_halving_mirror(r, q), "%d of 2^%d", r, q);
            cr_assert_eq(ar_halving_mirror(kept, q), r, "%d of 2^%d", r, q);
        }
}

/* ---- Swing ------------------------------------------------------------------------------------------- */

/* Steps 0 to 9 as published (De Sensi and others 2024, section 3). */
Test(patterns, swing_distances_are_the_published_ones)
{
    static const int64_t distance[] = {1, -1, 3, -5, 11, -21, 43, -85, 171, -341};
    for (int s = 0; s < 10; s++)
        cr_assert_eq(ar_swing_distance(s), distance[s], "step %d", s);
}

enum { SWINGING = 140 };

/* What comes in step s is what the partner has and the rank has not; no block is named twice. */
static void swing_step(int nranks, int s, bool has[][SWINGING])
{
    static bool had[SWINGING][SWINGING];
    memcpy(had, has, (size_t)nranks * sizeof *had);
    for (int rank = 0; rank < nranks; rank++) {
        int peer = ar_swing_peer(rank, s, nranks);
        cr_assert(peer >= 0 && peer < nranks && peer != rank && ar_swing_peer(peer, s, nranks) == rank,
                  "%d ranks, step %d: %d and %d", nranks, s, rank, peer);
        for (int i = 0; i < 2; i++) {
            struct ar_blocks set = ar_swing_blocks(rank, s, nranks, i);
            for (int64_t n = 0; n < set.count; n++) {
                int64_t block = ((set.first + n * set.stride) % nranks + nranks) % nranks;
                cr_assert(had[peer][block] && !has[rank][block], "%d ranks, step %d: rank %d, block %d",
                          nranks, s, rank, (int)block);
                has[rank][block] = true;
            }
        }
        for (int block = 0; block < nranks; block++)
            cr_assert_eq(has[rank][block], had[rank][block] || had[peer][block],
                         "%d ranks, step %d: rank %d, block %d", nranks, s, rank, block);
    }
}

Test(patterns, swing_brings_what_the_partner_has_and_the_rank_has_not)
{
    static bool has[SWINGING][SWINGING];
    for (int nranks = 2; nranks <= SWINGING; nranks += 2) {
        memset(has, 0, sizeof has);
        for (int rank = 0; rank < nranks; rank++)
            has[rank][rank] = true;
        for (int s = ar_log2_ceil(nranks) - 1; s >= 0; s--)
            swing_step(nranks, s, has);
    }
}
