/* Pieces: whatever the pieces of messages and however tasks overtake one another, the bits and the counts are
 * those of strict rounds. For every algorithm of the registry, type and operator. */
#include <criterion/criterion.h>

#include <string.h>

#include "collectives/messages.h"
#include "tests/laws/runs.h"

/* Tiny, so that short vectors are cut; parts of a piece remain at many ends. */
static const struct ar_pieces cuts[] = {{16, 16}, {40, 24}, {64, 8}};
enum { NCUTS = sizeof cuts / sizeof *cuts };

/* Any bits but those of NaN and infinity, whose signs and payloads are the processor's choice. */
static void fill(struct run *run, uint64_t seed)
{
    const struct ar_type_info *type = &ar_types[run->setup.type];
    size_t n = (size_t)ar_layout_elements(&run->setup.layout) * type->bytes;
    for (int r = 0; r < run->nranks; r++)
        for (size_t i = 0; i < n; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            run->vector[r][i] = (unsigned char)(seed >> 56);
            if (type->kind == AR_FLOAT && i % type->bytes == type->bytes - 1)
                run->vector[r][i] &= 0xbb; /* the uppermost bit of the exponent but one */
        }
}

/* Messages on the wire that `rank` sends when they are cut so. */
static int64_t wire_messages(const struct run *run, int rank, struct ar_pieces pieces)
{
    struct ar_messages messages = {0};
    size_t elem_bytes = ar_types[run->setup.type].bytes;
    int64_t n = 0;
    for (int64_t k = 0; k < ar_nrounds(&run->schedule); k++) {
        ar_messages_of_round(&run->schedule, &run->setup.layout, rank, k, &messages);
        for (int i = 0; i < messages.nmessages; i++) {
            size_t bytes = (size_t)messages.message[i].elements * elem_bytes;
            if (messages.message[i].sent)
                n += bytes > pieces.above ? (int64_t)((bytes + pieces.bytes - 1) / pieces.bytes) : 1;
        }
    }
    ar_messages_free(&messages);
    return n;
}

static void compare(struct run *strict, struct run *cut)
{
    size_t bytes = (size_t)ar_layout_elements(&strict->setup.layout) * ar_types[strict->setup.type].bytes;
    for (int r = 0; r < strict->nranks; r++) {
        struct ar_counter a = ar_execution_total(strict->execution[r]);
        struct ar_counter b = ar_execution_total(cut->execution[r]);
        cr_assert_eq(memcmp(strict->vector[r], cut->vector[r], bytes), 0,
                     "%s, rank %d, pieces of %zu: other bits", strict->name, r, cut->setup.pieces.bytes);
        cr_assert(a.sent_messages == b.sent_messages && a.sent_bytes == b.sent_bytes &&
                      a.received_messages == b.received_messages && a.received_bytes == b.received_bytes,
                  "%s, rank %d: other messages", strict->name, r);
        cr_assert_eq(a.sent_wire_messages, a.sent_messages, "%s, rank %d", strict->name, r);
        cr_assert_eq(b.sent_wire_messages, wire_messages(cut, r, cut->setup.pieces),
                     "%s, rank %d: messages on the wire", strict->name, r);
    }
}

/* Twice: buffers and counters must be as good the second time. */
static void same_bits(const struct ar_algorithm *algorithm, int nranks, int root, int64_t count,
                      enum ar_type type, const struct ar_operator *op, struct ar_pieces pieces)
{
    struct run strict, cut;
    plan_run(&strict, algorithm, nranks, root, count, NULL, type, op, false);
    strict.setup.pieces = AR_STRICT_ROUNDS;
    start_run(&strict);
    plan_run(&cut, algorithm, nranks, root, count, NULL, type, op, false);
    cut.setup.pieces = pieces;
    start_run(&cut);
    for (uint64_t times = 1; times <= 2; times++) {
        fill(&strict, times);
        fill(&cut, times);
        go(&strict);
        go(&cut);
        compare(&strict, &cut);
    }
    close_run(&strict);
    close_run(&cut);
}

/* Tasks are numbered with ints: more pieces than that are refused, and before they take memory. */
Test(pieces, too_many_are_refused)
{
    struct run run;
    struct ar_error error;
    plan_run(&run, ar_algorithm_find(ar_collective_find("allreduce"), "ring"), 2, 0, INT64_C(1) << 35, NULL,
             AR_TYPE_float32, ar_operator_find("sum"), false);
    run.setup.pieces = (struct ar_pieces){8, 8};
    ar_loopback_open(run.nranks, run.end);
    cr_assert_eq(ar_execution_new(&run.execution[0], &run.setup, run.end[0], &error), AR_OK);
    cr_assert_eq(ar_execution_prepare(run.execution[0], &error), AR_INVALID);
    cr_expect_not_null(strstr(error.text, "rank 0: pieces of 8 B make"), "%s", error.text);
    close_run(&run);
}

Test(pieces, every_type_and_operator)
{
    static const int ranks[] = {2, 3, 5, 8};
    for (int a = 0; a < ar_nalgorithms; a++)
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < AR_NTYPES * (ar_noperators + 1); k++) {
                const struct ar_operator *op =
                    k / AR_NTYPES < ar_noperators ? &ar_operators[k / AR_NTYPES] : &affine_maps;
                enum ar_type type = (enum ar_type)(k % AR_NTYPES);
                int nranks = ranks[i],
                    root = ar_collective_rooted(ar_algorithms[a]->collective) ? k % nranks : 0;
                if (ar_algorithm_admits(ar_algorithms[a], nranks, NULL) != AR_OK || !op->combine[type])
                    continue;
                same_bits(ar_algorithms[a], nranks, root, 41 * nranks + 5, type, op, cuts[k % NCUTS]);
            }
}

Test(pieces, every_root_and_number_of_ranks)
{
    for (int a = 0; a < ar_nalgorithms; a++)
        for (int nranks = 1; nranks <= MAX_RANKS; nranks++)
            for (int root = 0; root < (ar_collective_rooted(ar_algorithms[a]->collective) ? nranks : 1);
                 root++)
                if (ar_algorithm_admits(ar_algorithms[a], nranks, NULL) == AR_OK)
                    same_bits(ar_algorithms[a], nranks, root, 60 * nranks + 7, AR_TYPE_uint64, &affine_maps,
                              cuts[(nranks + root) % NCUTS]);
}

/* 2048 + 1 is 2048 in float16, seven times over; in float32 all seven count, and 2055 is rounded to 2056
 * once. For whoever combines everything in one round. */
Test(pieces, a_round_rounds_once)
{
    enum { P = 8, COUNT = 100 };
    static const uint16_t big = 0x6800, one = 0x3c00, all = 0x6804; /* 2048, 1, 2056 */
    int tried = 0;
    for (int a = 0; a < 2 * ar_nalgorithms; a++) {
        struct run run;
        const struct ar_algorithm *algorithm = ar_algorithms[a / 2];
        if (!ar_collectives[algorithm->collective].reduces)
            continue;
        plan_run(&run, algorithm, P, 0, COUNT, NULL, AR_TYPE_float16, ar_operator_find("sum"), false);
        run.setup.pieces = a % 2 ? AR_STRICT_ROUNDS : cuts[0];
        start_run(&run);
        for (int r = 0; r < P; r++)
            for (int i = 0; i < COUNT; i++)
                memcpy(run.vector[r] + 2 * i, r == 3 ? &big : &one, 2);
        go(&run);
        if (ar_nrounds(&run.schedule) == 1) {
            tried++;
            for (int i = 0; i < COUNT / P; i++) /* rank 0 has these in any case */
                cr_assert_eq(memcmp(run.vector[0] + 2 * i, &all, 2), 0, "%s: element %d", run.name, i);
        }
        close_run(&run);
    }
    cr_assert_geq(tried, 4);
}

/* Long enough for the pieces that users get. */
Test(pieces, as_by_default)
{
    for (int a = 0; a < ar_nalgorithms; a++)
        if (ar_algorithm_admits(ar_algorithms[a], 3, NULL) == AR_OK)
            same_bits(ar_algorithms[a], 3, 0, 530000, AR_TYPE_float32, ar_operator_find("sum"),
                      AR_PIECES_DEFAULT);
}

/* ---- Other orders ----------------------------------------------------------------------------------------
 */

/* Loopback, but it keeps back at random what is finished, and wants the second half of a piece first. */
static struct ar_transport moody;
static const struct ar_transport *calm;
static uint64_t mood;

/* 0 .. n-1 */
static int draw(int n)
{
    mood = mood * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((mood >> 33) % (uint64_t)n);
}

enum { MOST_SLOTS = 4096 };

static struct {
    int slot[MOST_SLOTS], n;
} kept[MAX_RANKS];

static enum ar_status finish_few(struct ar_end *end, int nslots, bool wait, int *finished, int *n,
                                 struct ar_error *error)
{
    int rank = end->rank, *slot = kept[rank].slot;
    enum ar_status status = calm->finish_some(end, nslots, wait, finished, n, error);
    cr_assert_leq(nslots, MOST_SLOTS);
    memcpy(slot + kept[rank].n, finished, (size_t)*n * sizeof *finished);
    kept[rank].n += *n;
    for (*n = 0; kept[rank].n > 0 && draw(3);) {
        int i = draw(kept[rank].n);
        finished[(*n)++] = slot[i];
        slot[i] = slot[--kept[rank].n];
    }
    return status;
}

static bool always(const struct ar_end *end, int peer)
{
    return end->rank != peer;
}

static void go_moodily(struct run *run)
{
    struct ar_error error;
    int left = run->nranks;
    bool done[MAX_RANKS] = {false};
    calm = run->end[0]->transport;
    moody = *calm;
    moody.finish_some = finish_few;
    moody.prefers_halves = always;
    for (int r = 0; r < run->nranks; r++) {
        ar_execution_release(run->execution[r]);
        run->end[r]->transport = &moody;
        cr_assert_eq(ar_execution_prepare(run->execution[r], &error), AR_OK, "%s: %s", run->name, error.text);
        ar_execution_start(run->execution[r], run->vector[r]);
    }
    for (int tries = 0; left > 0; tries++) {
        int r = draw(run->nranks);
        bool before = done[r];
        cr_assert_lt(tries, 1000000, "%s, pieces of %zu: ranks wait for ever", run->name,
                     run->setup.pieces.bytes);
        cr_assert_eq(ar_execution_progress(run->execution[r], &done[r], &error), AR_OK, "%s: %s", run->name,
                     error.text);
        left -= done[r] && !before;
    }
}

/* Whatever the pieces, whoever goes first and whatever is finished late. */
Test(pieces, at_random)
{
    mood = 1;
    for (int times = 0; times < 12; times++)
        for (int a = 0; a < ar_nalgorithms; a++) {
            const struct ar_algorithm *algorithm = ar_algorithms[a];
            int nranks = 1 + draw(MAX_RANKS);
            int root = draw(ar_collective_rooted(algorithm->collective) ? nranks : 1);
            int64_t count = draw(600);
            size_t bytes = 8 * (size_t)(1 + draw(16));
            enum ar_type type = times % 2 ? AR_TYPE_float16 : AR_TYPE_uint64;
            const struct ar_operator *op = times % 2 ? ar_operator_find("sum") : &affine_maps;
            struct run strict, cut;
            if (ar_algorithm_admits(algorithm, nranks, NULL) != AR_OK)
                continue;
            plan_run(&strict, algorithm, nranks, root, count, NULL, type, op, false);
            strict.setup.pieces = AR_STRICT_ROUNDS;
            start_run(&strict);
            plan_run(&cut, algorithm, nranks, root, count, NULL, type, op, false);
            cut.setup.pieces = (struct ar_pieces){bytes + (size_t)draw(100), bytes};
            start_run(&cut);
            fill(&strict, (uint64_t)times);
            fill(&cut, (uint64_t)times);
            go(&strict);
            go_moodily(&cut);
            compare(&strict, &cut);
            close_run(&strict);
            close_run(&cut);
        }
}
