/* Circulant graphs: their skips, the schedules of the broadcast, and a published table that is wrong. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/combinators.h"
#include "collectives/patterns/circulant.h"
#include "collectives/patterns/ring.h"
#include "collectives/verify/verify.h"
#include "tests/laws/every_schedule.h"

enum { MOST_RANKS = 2000 };

/* ---- Skips ------------------------------------------------------------------------------------------- */

Test(circulant, skips_halve_rounding_up)
{
    static const int published[] = {1, 2, 3, 5, 9, 17}; /* 17 ranks, arXiv 2407.18004 */
    for (int k = 0; k <= 5; k++)
        cr_expect_eq(ar_circulant_skip(17, k), published[k], "skip %d", k);
    for (int nranks = 1; nranks <= MOST_RANKS; nranks++) {
        int q = ar_log2_ceil(nranks);
        cr_assert(ar_circulant_skip(nranks, q) == nranks && ar_circulant_skip(nranks, 0) == 1, "%d", nranks);
        for (int k = 0; k < q; k++)
            cr_assert_eq(ar_circulant_skip(nranks, k), (ar_circulant_skip(nranks, k + 1) + 1) / 2, "%d, %d",
                         nranks, k);
    }
    cr_expect_eq(ar_circulant_skip(INT32_MAX, 30), 1 << 30);
}

/* ---- Receive schedules --------------------------------------------------------------------------------- */

typedef int8_t entries[AR_CIRCULANT_ROUNDS];

/* The caller frees it. */
static entries *table_of(int nranks)
{
    entries *table = ar_alloc((size_t)nranks, sizeof *table);
    for (int vrank = 0; vrank < nranks; vrank++)
        ar_circulant_receives(nranks, vrank, ar_log2_ceil(nranks), table[vrank]);
    return table;
}

Test(circulant, receive_schedules_are_the_published_ones)
{
    static const int8_t published[5][17] = {
        /* arXiv 2407.18004, the table for 17 ranks */
        {-4, 0, -5, -4, -3, -5, -2, -5, -4, -3, -1, -5, -4, -3, -5, -2, -5},
        {-5, -4, 1, -5, -4, -3, -3, -2, -5, -4, -3, -1, -5, -4, -3, -3, -2},
        {-2, -2, -2, 2, 0, -4, -4, -3, -2, -2, -4, -3, -1, -1, -4, -4, -3},
        {-1, -3, -3, -2, -2, 3, 0, 1, 2, -5, -2, -2, -2, -2, -1, -1, -1},
        {-3, -1, -1, -1, -1, -1, -1, -1, -1, 4, 0, 1, 2, 0, 3, 0, 1},
    };
    entries *table = table_of(17);
    for (int vrank = 0; vrank < 17; vrank++)
        for (int k = 0; k < 5; k++)
            cr_expect_eq(table[vrank][k], published[k][vrank], "rank %d, round %d", vrank, k);
    free(table);
}

/* The base block: the one entry that is not negative, or -1. */
static int base_of(const int8_t *block, int q)
{
    for (int k = 0; k < q; k++)
        if (block[k] >= 0)
            return block[k];
    return -1;
}

/* Over any phase a rank receives q different blocks, and has what it sends. `table` may be a wrong one. */
static bool makes_a_broadcast(entries *table, int nranks, struct ar_text *why)
{
    int q = ar_log2_ceil(nranks);
    for (int vrank = 0; vrank < nranks; vrank++) {
        int base = base_of(table[vrank], q);
        uint64_t received = 0;
        for (int k = 0; k < q; k++) {
            int sends = table[(vrank + ar_circulant_skip(nranks, k)) % nranks][k], earlier = 0;
            while (earlier < k && table[vrank][earlier] != sends)
                earlier++;
            bool has = vrank == 0 ? sends == k : sends == base - q || earlier < k;
            if (!has) {
                ar_text_add(why, "%d ranks: rank %d sends %d in round %d without it", nranks, vrank, sends,
                            k);
                return false;
            }
            received |= UINT64_C(1) << (table[vrank][k] + q);
        }
        uint64_t all = (UINT64_C(1) << q) - 1; /* -q .. -1 */
        if (vrank > 0)
            all = (all & ~(UINT64_C(1) << base)) | UINT64_C(1) << (base + q);
        if (received != all) {
            ar_text_add(why, "%d ranks: rank %d receives a block twice", nranks, vrank);
            return false;
        }
    }
    return true;
}

Test(circulant, receive_schedules_make_a_broadcast_for_every_number_of_ranks)
{
    struct ar_text why = {0};
    for (int nranks = 2; nranks <= MOST_RANKS; nranks++) {
        entries *table = table_of(nranks);
        cr_assert(makes_a_broadcast(table, nranks, &why), "%s", why.data);
        free(table);
    }
}

Test(circulant, the_first_entries_do_not_need_the_rest)
{
    for (int nranks = 2; nranks <= 200; nranks++)
        for (int vrank = 0; vrank < nranks; vrank++) {
            entries all, some;
            int q = ar_log2_ceil(nranks);
            ar_circulant_receives(nranks, vrank, q, all);
            for (int n = 1; n < q; n++) {
                ar_circulant_receives(nranks, vrank, n, some);
                cr_assert_eq(memcmp(some, all, (size_t)n), 0, "%d ranks: rank %d, %d", nranks, vrank, n);
            }
        }
}

/* ---- The broadcast ------------------------------------------------------------------------------------- */

/* A bound schedule; the caller frees it. */
static struct ar_schedule schedule_of(const struct ar_algorithm *algorithm, int nranks, int root,
                                      int64_t nblocks)
{
    struct ar_problem problem = {.nranks = nranks, .root = root, .param = {nblocks}};
    struct ar_schedule schedule;
    struct ar_error error = {""};
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, &problem, &error), AR_OK, "%s", error.text);
    return schedule;
}

static bool same_rounds(const struct ar_schedule *a, const struct ar_schedule *b)
{
    struct ar_sink x = {.full = ar_sink_grow}, y = {.full = ar_sink_grow};
    bool same = ar_nrounds(a) == ar_nrounds(b);
    for (int rank = 0; rank < a->problem.nranks && same; rank++)
        for (int64_t k = 0; k < ar_nrounds(a) && same; k++) {
            x.n = y.n = 0;
            ar_schedule_round(a, rank, k, &x);
            ar_schedule_round(b, rank, k, &y);
            same = x.n == y.n;
            for (int i = 0; i < x.n && same; i++)
                same = same_step(&x.step[i], &y.step[i]);
        }
    free(x.step);
    free(y.step);
    return same;
}

Test(circulant, tables_change_nothing)
{
    for (int nranks = 1; nranks <= 70; nranks++)
        for (int64_t nblocks = 1; nblocks <= 13; nblocks += 4) {
            struct ar_schedule with = schedule_of(&ar_broadcast_circulant, nranks, nranks / 3, nblocks);
            struct ar_schedule without = with;
            cr_assert_eq(with.problem.prepared != NULL, nranks > 1);
            without.problem.prepared = NULL;
            cr_assert(same_rounds(&with, &without), "%d ranks, %d blocks", nranks, (int)nblocks);
            ar_schedule_free(&with);
        }
}

/* n' - 1 + ceil(log2 P) rounds, no less is possible. (arXiv 2312.11236) */
Test(circulant, rounds_are_the_published_ones)
{
    static const struct {
        int nranks, nblocks, nrounds;
    } published[] = {{17, 1, 5}, {17, 10, 14}, {33, 8, 13}, {64, 1, 6}, {9, 5, 8}};
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        for (int reduces = 0; reduces < 2; reduces++) {
            struct ar_schedule schedule =
                schedule_of(reduces ? &ar_reduce_circulant : &ar_broadcast_circulant, published[i].nranks, 0,
                            published[i].nblocks);
            struct ar_proof proof;
            struct ar_error error = {""};
            cr_assert_eq(ar_verify(&schedule, &proof, &error), AR_OK, "%s", error.text);
            cr_expect_eq(proof.rounds, published[i].nrounds, "%d ranks", published[i].nranks);
            ar_schedule_free(&schedule);
        }
}

/* Segments fewer and more than rounds in a phase, all roots. */
Test(circulant, broadcast_and_reduce_are_right_for_every_number_of_blocks)
{
    static const int nranks[] = {2, 3, 5, 9, 17, 31, 33, 34, 48};
    struct ar_proof proof;
    struct ar_error error = {""};
    for (size_t i = 0; i < sizeof nranks / sizeof *nranks; i++)
        for (int64_t nblocks = 1; nblocks <= 14; nblocks++)
            for (int root = 0; root < nranks[i]; root += 4)
                for (int reduces = 0; reduces < 2; reduces++) {
                    struct ar_schedule schedule = schedule_of(
                        reduces ? &ar_reduce_circulant : &ar_broadcast_circulant, nranks[i], root, nblocks);
                    cr_assert_eq(ar_verify(&schedule, &proof, &error), AR_OK, "%s", error.text);
                    cr_assert_eq(proof.rounds, ar_nrounds(&schedule), "%d ranks", nranks[i]);
                    ar_schedule_free(&schedule);
                }
}

/* ---- A published table that is wrong ------------------------------------------------------------------- */

/* MPICH, src/mpi/coll/algorithms/circ_graph/circ_graph.c (commit 6a79bf6, 2026): where its generators, which
 * work out what is sent and what is received by different rules, part from the paper's on 33 ranks. In rounds
 * of this k `vrank` sends or receives that block. */
static const struct wrong {
    bool sent;
    int vrank, k, block;
} wrong[] = {
    {false, 1, 2, -5}, {false, 1, 3, -4}, {false, 1, 4, -1}, {false, 1, 5, -2},
    {true, 17, 5, -2}, {true, 25, 4, -1}, {true, 31, 2, -3},
};

enum { NWRONG = sizeof wrong / sizeof *wrong, WRONG_RANKS = 33, ALL_WRONG = (1 << NWRONG) - 1 };

static unsigned taken; /* which of them, as bits */

/* The block of an entry, as the paper says; negative: none. */
static int64_t block_of(int entry, int64_t k, int64_t nblocks)
{
    int q = ar_log2_ceil(WRONG_RANKS);
    int64_t first = (q - (nblocks - 1) % q) % q, block = entry - first + (first + k) / q * q;
    return block < nblocks ? block : nblocks - 1;
}

static int entry_of(int receiver, int sender, int at, bool sent)
{
    entries block;
    for (int i = 0; i < NWRONG; i++)
        if ((taken >> i & 1) && wrong[i].sent == sent && wrong[i].k == at &&
            wrong[i].vrank == (sent ? sender : receiver))
            return wrong[i].block;
    ar_circulant_receives(WRONG_RANKS, receiver, at + 1, block);
    return block[at];
}

static void round_of_wrong(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int q = ar_log2_ceil(p->nranks);
    int at = (int)(((q - (p->param[0] - 1) % q) % q + k) % q), skip = ar_circulant_skip(p->nranks, at);
    int to = (rank + skip) % p->nranks, from = ar_wrap(rank - skip, p->nranks);
    int64_t sends = block_of(entry_of(to, rank, at, true), k, p->param[0]);
    int64_t receives = block_of(entry_of(rank, from, at, false), k, p->param[0]);
    if (to != 0 && sends >= 0)
        ar_send(sink, to, ar_block(sends));
    if (rank != 0 && receives >= 0)
        ar_receive(sink, from, ar_block(receives));
}

static enum ar_status verdict(int64_t nblocks, struct ar_error *error)
{
    struct ar_algorithm algorithm = ar_broadcast_circulant;
    struct ar_problem problem = {.nranks = WRONG_RANKS, .param = {nblocks}};
    struct ar_proof proof;
    algorithm.round = round_of_wrong;
    struct ar_schedule schedule = {.algorithm = &algorithm, .problem = problem};
    *error = (struct ar_error){""};
    return ar_verify(&schedule, &proof, error);
}

/* All of them, and each alone. */
Test(circulant, mpichs_wrong_entries_for_33_ranks_are_refused)
{
    struct ar_error error;
    taken = 0;
    cr_assert_eq(verdict(8, &error), AR_OK, "without them: %s", error.text);
    for (int64_t nblocks = 7; nblocks <= 20; nblocks++) {
        taken = ALL_WRONG;
        cr_expect_eq(verdict(nblocks, &error), AR_FAILED, "all, %d blocks", (int)nblocks);
        for (int i = 0; i < NWRONG; i++) {
            taken = 1U << i;
            cr_expect_eq(verdict(nblocks, &error), AR_FAILED, "entry %d, %d blocks", i, (int)nblocks);
        }
    }
    taken = ALL_WRONG;
    verdict(8, &error);
    cr_log_info("8 blocks: %s\n", error.text);
    cr_expect(strstr(error.text, "rank 1"), "%s", error.text);
    cr_expect_eq(verdict(4, &error), AR_FAILED);
    cr_log_info("4 blocks: %s\n", error.text);
}

Test(circulant, mpichs_receive_schedule_for_33_ranks_breaks_the_conditions)
{
    struct ar_text why = {0};
    entries *table = table_of(WRONG_RANKS);
    for (int i = 0; i < NWRONG; i++)
        if (!wrong[i].sent)
            table[wrong[i].vrank][wrong[i].k] = (int8_t)wrong[i].block;
    cr_expect(!makes_a_broadcast(table, WRONG_RANKS, &why));
    cr_expect(why.data && strstr(why.data, "rank "), "a reason is given");
    ar_text_free(&why);
    free(table);
}

/* ---- The others ---------------------------------------------------------------------------------------- */

static void backwards(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct ar_schedule child = ar_child(&ar_reduce_scatter_circulant, p);
    ar_reversed_round(&child, AR_BACKWARD, rank, k, sink);
}

/* Up to the order of a rank's steps: send first. */
Test(circulant, allgather_is_the_reduce_scatter_backwards)
{
    struct ar_algorithm reversed = ar_allgather_circulant;
    reversed.round = backwards;
    reversed.pattern = NULL; /* else it is asked first */
    for (int nranks = 1; nranks <= 130; nranks++) {
        struct ar_schedule a = {.algorithm = &ar_allgather_circulant, .problem = {.nranks = nranks}};
        struct ar_schedule b = {.algorithm = &reversed, .problem = {.nranks = nranks}};
        struct ar_sink x = {.full = ar_sink_grow}, y = {.full = ar_sink_grow};
        for (int rank = 0; rank < nranks; rank++)
            for (int64_t k = 0; k < ar_nrounds(&a); k++) {
                x.n = y.n = 0;
                ar_schedule_round(&a, rank, k, &x);
                ar_schedule_round(&b, rank, k, &y);
                cr_assert(x.n == 2 && y.n == 2, "%d ranks", nranks);
                for (int i = 0; i < 2; i++) { /* names are the same modulo nranks */
                    y.step[i].set.first = (y.step[i].set.first + nranks) % nranks;
                    x.step[i].set.first = (x.step[i].set.first + nranks) % nranks;
                }
                cr_assert(same_step(&x.step[0], &y.step[1]) && same_step(&x.step[1], &y.step[0]),
                          "%d ranks: rank %d, round %d", nranks, rank, (int)k);
            }
        free(x.step);
        free(y.step);
    }
}

/* Where a public library's versions of these got an operator that does not commute wrong
 * (open-mpi/ompi#8010). */
Test(circulant, butterfly_and_doubling_keep_the_operands_order)
{
    const struct ar_algorithm *const algorithm[] = {&ar_reduce_scatter_butterfly,
                                                    &ar_reduce_scatter_recursive_doubling};
    for (int i = 0; i < 2; i++)
        for (int nranks = 1; nranks <= 130; nranks++) {
            struct ar_proof proof;
            struct ar_error error = {""};
            if (ar_algorithm_admits(algorithm[i], nranks, NULL) != AR_OK)
                continue;
            struct ar_schedule schedule = {.algorithm = algorithm[i], .problem = {.nranks = nranks}};
            cr_assert_eq(ar_verify(&schedule, &proof, &error), AR_OK, "%s", error.text);
            cr_assert(proof.ordered, "%s, %d ranks: %s", algorithm[i]->name, nranks, proof.order_why.text);
        }
}
