/* The verifier rejects what is wrong, and says why. */
#include "collectives/verify/verify.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "collectives/registry.h"
#include "tests/damage.h"

/* ---- One fault each, with its sentence --------------------------------------------------------------- */

/* The blocks of a vector in two halves, exchanged on two ranks: a message of two blocks, and equal bits only
 * if both ranks combine in the same order. */
static int64_t two(const struct ar_problem *p)
{
    (void)p;
    return 2;
}

static int64_t one(const struct ar_problem *p)
{
    (void)p;
    return 1;
}

static int64_t none(const struct ar_problem *p)
{
    (void)p;
    return 0;
}

static void exchange_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p, (void)k;
    ar_send(sink, 1 - rank, ar_block(0));
    ar_send(sink, 1 - rank, ar_block(1));
    ar_receive_reduce(sink, 1 - rank, AR_BY_RANK, ar_block_run(0, 2));
}

static const struct ar_algorithm exchange = {
    .name = "exchange",
    .collective = AR_COLLECTIVE_allreduce,
    .splits = two,
    .rounds = one,
    .round = exchange_round,
};

struct fault {
    const struct ar_algorithm *algorithm;
    int nranks, root;
    struct damage damage;
    const char *sentence;
};

static const struct fault faults[] = {
    /* clang-format off */
    /* lost contribution */
    {&ar_reduce_scatter_ring, 4, 0, {STORE, 2, 1, 1},
     "reduce_scatter:ring, 4 ranks, after the last round: rank 3, block 3 holds {0,1,3}, should hold "
     "{0-3}: {2} missing"},
    {&ar_reduce_binomial, 4, 0, {STORE, 0, 0, 0},
     "reduce:binomial, 4 ranks, root 0, after the last round: rank 0, block 0 holds {1-3}, should hold "
     "{0-3}: {0} missing"},
    /* double reduction */
    {&ar_reduce_linear, 4, 1, {COMBINE, 1, 0, 0},
     "reduce:linear, 4 ranks, root 1, round 1: rank 1, block 0 combines {0,1} with {1}: the contribution "
     "of rank 1 would count twice"},
    {&exchange, 2, 0, {DUPLICATE, 0, 0, 1},
     "allreduce:exchange, 2 ranks, round 1: rank 1 expects blocks 0,1 from rank 0, which sends blocks "
     "0,1,1"},
    /* unmatched messages */
    {&ar_broadcast_linear, 3, 0, {DROP, 2, 1, 0},
     "broadcast:linear, 3 ranks, root 0, round 2: rank 0 sends block 0 to rank 2, which does not expect a "
     "message"},
    {&ar_broadcast_linear, 3, 0, {DROP, 0, 1, 0},
     "broadcast:linear, 3 ranks, root 0, round 2: rank 2 expects a message from rank 0, which sends none"},
    {&ar_broadcast_linear, 4, 0, {PEER, 0, 0, 0, 2},
     "broadcast:linear, 4 ranks, root 0, round 1: rank 1 expects a message from rank 0, which sends none; "
     "rank 0 sends block 0 to rank 2, which does not expect it"},
    {&ar_broadcast_linear, 4, 0, {PEER, 2, 1, 0, 1},
     "broadcast:linear, 4 ranks, root 0, round 2: rank 2 expects a message from rank 1, which sends none; "
     "rank 0 sends block 0 to rank 2, which does not expect it"},
    {&exchange, 2, 0, {DROP, 1, 0, 1},
     "allreduce:exchange, 2 ranks, round 1: rank 0 expects blocks 0,1 from rank 1, which sends block 0"},
    /* off by one */
    {&ar_reduce_scatter_ring, 4, 0, {BLOCK, 1, 1, 0},
     "reduce_scatter:ring, 4 ranks, round 2: rank 2 expects block 3 from rank 1, which sends block 0"},
    {&ar_allgather_ring, 4, 0, {BLOCK, 2, 0, 1},
     "allgather:ring, 4 ranks, round 1: rank 2 expects block 2 from rank 1, which sends block 1"},
    /* sending nothing */
    {&ar_allgather_ring, 4, 0, {BLOCK, 1, 0, 0},
     "allgather:ring, 4 ranks, round 1: rank 1 sends block 2 but holds nothing there"},
    {&exchange, 2, 0, {FROM, 1, 0, 0, AR_SCRATCH},
     "allreduce:exchange, 2 ranks, round 1: rank 1 sends block 0 but holds nothing there"},
    /* combining with nothing */
    {&exchange, 2, 0, {TO, 1, 0, 2, AR_SCRATCH},
     "allreduce:exchange, 2 ranks, round 1: rank 1 combines block 0 but holds nothing there"},
    {&ar_reduce_linear, 3, 1, {FROM, 1, 0, 1, AR_SCRATCH},
     "reduce:linear, 3 ranks, root 1, round 1: rank 1 folds block 0 but holds nothing there"},
    /* peers and blocks that do not exist */
    {&ar_broadcast_binomial, 4, 0, {PEER, 0, 0, 0, 4},
     "broadcast:binomial, 4 ranks, root 0, round 1: rank 0 names rank 4, which does not exist"},
    {&ar_broadcast_binomial, 4, 0, {PEER, 2, 0, 0, -1},
     "broadcast:binomial, 4 ranks, root 0, round 1: rank 2 names rank -1, which does not exist"},
    {&ar_broadcast_binomial, 4, 0, {PEER, 0, 1, 0, 0},
     "broadcast:binomial, 4 ranks, root 0, round 2: rank 0 sends a message to itself"},
    {&ar_broadcast_binomial, 4, 0, {PEER, 1, 1, 0, 1},
     "broadcast:binomial, 4 ranks, root 0, round 2: rank 1 expects a message from itself"},
    {&ar_allgather_ring, 4, 0, {BASE, 0, 0, 0, 1},
     "allgather:ring, 4 ranks, round 1: rank 0 names blocks 1..4, but there are only 4 (counted from 0)"},
    {&ar_allgather_ring, 4, 0, {BASE, 0, 0, 0, -1},
     "allgather:ring, 4 ranks, round 1: rank 0 names blocks -1..2, but there are only 4 (counted from 0)"},
    {&ar_allgather_ring, 4, 0, {MODULUS, 0, 0, 0, INT64_MAX},
     "allgather:ring, 4 ranks, round 1: rank 0 names blocks 0..9223372036854775806, but there are only 4 "
     "(counted from 0)"},
    /* sets that cannot be expanded, or only in ages */
    {&ar_allgather_ring, 4, 0, {MODULUS, 0, 0, 0, 0},
     "allgather:ring, 4 ranks, round 1: rank 0 names blocks modulo 0, expected at least 1"},
    {&ar_allgather_ring, 4, 0, {LENGTH, 0, 0, 1, -1},
     "allgather:ring, 4 ranks, round 1: rank 0 names 1 x -1 blocks in one step, expected 0..4"},
    {&ar_allgather_ring, 4, 0, {LENGTH, 0, 0, 1, 5},
     "allgather:ring, 4 ranks, round 1: rank 0 names 1 x 5 blocks in one step, expected 0..4"},
    {&ar_allgather_ring, 4, 0, {COUNT, 3, 1, 0, -7},
     "allgather:ring, 4 ranks, round 2: rank 3 names -7 x 1 blocks in one step, expected 0..4"},
    {&ar_allgather_ring, 4, 0, {COUNT, 3, 1, 0, 5},
     "allgather:ring, 4 ranks, round 2: rank 3 names 5 x 1 blocks in one step, expected 0..4"},
    {&ar_allgather_ring, 4, 0, {COUNT, 3, 1, 0, INT64_MAX},
     "allgather:ring, 4 ranks, round 2: rank 3 names 9223372036854775807 x 1 blocks in one step, expected "
     "0..4"},
    {&ar_allgather_ring, 4, 0, {STRIDE, 1, 0, 0, INT64_MAX},
     "allgather:ring, 4 ranks, round 1: rank 1 names blocks from 1 on, one every 9223372036854775807: that "
     "leaves 64 bits"},
    /* steps that may not be */
    {&ar_broadcast_linear, 3, 1, {COMBINE, 2, 0, 0},
     "broadcast:linear, 3 ranks, root 1, round 1: rank 2 combines, but a broadcast does not reduce"},
    {&ar_reduce_linear, 3, 1, {TO, 1, 0, 0, AR_INPUT},
     "reduce:linear, 3 ranks, root 1, round 1: rank 1 writes to its input"},
    {&ar_reduce_linear, 3, 1, {PEER, 1, 0, 1, 2},
     "reduce:linear, 3 ranks, root 1, round 1: rank 1 names rank 2 in a local step"},
    {&ar_reduce_linear, 3, 1, {ORDER, 1, 0, 1, AR_BY_RANK},
     "reduce:linear, 3 ranks, root 1, round 1: rank 1 folds without saying which operand comes first"},
    {&ar_reduce_linear, 3, 1, {ORDER, 1, 0, 1, 7},
     "reduce:linear, 3 ranks, root 1, round 1: rank 1 emits a step that does not exist (kind 4, order 7, "
     "from 1, to 0)"},
    /* clang-format on */
};

Test(verify, names_every_fault)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct fault *fault = &faults[i];
        struct ar_algorithm algorithm = damaged(fault->algorithm);
        struct ar_proof proof;
        struct ar_error error = {""};
        damage = (struct damage){NOTHING};
        cr_expect_eq(verify(&algorithm, fault->nranks, fault->root, 1, &proof, &error), AR_OK,
                     "undamaged: %s", error.text);
        damage = fault->damage;
        cr_expect_eq(verify(&algorithm, fault->nranks, fault->root, 1, &proof, &error), AR_FAILED,
                     "not found: %s", fault->sentence);
        cr_expect_str_eq(error.text, fault->sentence);
    }
}

Test(verify, finds_a_wrong_root)
{
    struct ar_proof proof;
    struct ar_error error = {""};
    root_shift = 1;
    struct ar_algorithm broadcast = damaged(&ar_broadcast_binomial);
    cr_expect_eq(verify(&broadcast, 4, 2, 1, &proof, &error), AR_FAILED);
    cr_expect_str_eq(error.text,
                     "broadcast:binomial, 4 ranks, root 2, round 1: rank 3 sends block 0 but holds "
                     "nothing there");
    struct ar_algorithm reduce = damaged(&ar_reduce_linear);
    cr_expect_eq(verify(&reduce, 4, 2, 1, &proof, &error), AR_FAILED);
    cr_expect_str_eq(error.text,
                     "reduce:linear, 4 ranks, root 2, after the last round: rank 2, block 0 holds "
                     "{2}, should hold {0-3}: {0,1,3} missing");
}

Test(verify, finds_an_empty_schedule)
{
    struct ar_algorithm empty[] = {ar_allreduce_ring, ar_broadcast_linear, ar_allgather_ring};
    const char *sentence[] = {
        "allreduce:ring, 3 ranks, after the last round: rank 0, block 0 holds {0}, should hold {0-2}: {1,2} "
        "missing",
        "broadcast:linear, 3 ranks, root 0, after the last round: rank 1, block 0 holds nothing, should hold "
        "{0}",
        "allgather:ring, 3 ranks, after the last round: rank 1, block 0 holds nothing, should hold {0}",
    };
    for (int i = 0; i < 3; i++) {
        struct ar_proof proof;
        struct ar_error error = {""};
        empty[i].rounds = none;
        cr_expect_eq(verify(&empty[i], 3, 0, 1, &proof, &error), AR_FAILED, "%s", empty[i].name);
        cr_expect_str_eq(error.text, sentence[i]);
    }
}

static void strays_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p, (void)k;
    if (rank < 2)
        ar_send(sink, 3, ar_block(rank));
    if (rank == 2)
        ar_receive(sink, 1, ar_block(1));
}

Test(verify, names_the_nearest_stray_message)
{
    struct ar_algorithm strays = ar_allgather_ring;
    struct ar_proof proof;
    struct ar_error error = {""};
    strays.pattern = NULL;
    strays.round = strays_round;
    cr_expect_eq(verify(&strays, 4, 0, 1, &proof, &error), AR_FAILED);
    cr_expect_str_eq(error.text,
                     "allgather:ring, 4 ranks, round 1: rank 2 expects a message from rank 1, which "
                     "sends none; rank 1 sends block 1 to rank 3, which does not expect it");
}

Test(verify, refuses_a_vector_without_blocks)
{
    struct ar_algorithm empty = ar_broadcast_linear;
    struct ar_proof proof;
    struct ar_error error = {""};
    empty.splits = none;
    cr_expect_eq(verify(&empty, 3, 1, 1, &proof, &error), AR_FAILED);
    cr_expect_str_eq(error.text,
                     "broadcast:linear, 3 ranks, root 1: the vector is cut into 0 blocks, expected "
                     "at least 1");
}

Test(verify, describes_schedules)
{
    struct ar_text text = {0};
    struct ar_schedule schedule = {.algorithm = &ar_allreduce_ring, .problem = {.nranks = 1}};
    ar_schedule_describe(&schedule, &text);
    schedule = (struct ar_schedule){.algorithm = &ar_reduce_linear, .problem = {.nranks = 3, .root = 2}};
    ar_text_add(&text, "; ");
    ar_schedule_describe(&schedule, &text);
    cr_expect_str_eq(text.data, "allreduce:ring, 1 rank; reduce:linear, 3 ranks, root 2");
    ar_text_free(&text);
}

/* ---- Local work and the order of a round ------------------------------------------------------------- */

enum { RECEIVE_THEN_COPY, COPY_THEN_RECEIVE, FORWARD_AT_ONCE };
static int relay_variant;

/* 0 -> 1 -> 2; rank 1 keeps the vector in its scratch and passes it on from there. */
static void relay_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p;
    struct ar_step copy = {AR_COPY, AR_BY_RANK, AR_VECTOR, AR_SCRATCH, -1, ar_block(0), 0, 1};
    struct ar_step pass_on = {AR_SEND, AR_BY_RANK, AR_SCRATCH, AR_VECTOR, 2, ar_block(0), 0, 1};
    int64_t forward = relay_variant == FORWARD_AT_ONCE ? 0 : 1;
    if (rank == 0 && k == 0)
        ar_send(sink, 1, ar_block(0));
    if (rank == 1 && k == 0 && relay_variant == COPY_THEN_RECEIVE)
        ar_emit(sink, copy);
    if (rank == 1 && k == 0)
        ar_receive(sink, 0, ar_block(0));
    if (rank == 1 && k == 0 && relay_variant != COPY_THEN_RECEIVE)
        ar_emit(sink, copy);
    if (rank == 1 && k == forward)
        ar_emit(sink, pass_on);
    if (rank == 2 && k == forward)
        ar_receive(sink, 1, ar_block(0));
}

Test(verify, sends_read_the_start_of_a_round_and_the_rest_applies_in_order)
{
    struct ar_algorithm relay = ar_broadcast_linear;
    struct ar_proof proof;
    struct ar_error error = {""};
    relay.name = "relay";
    relay.round = relay_round;
    relay.span = NULL;
    cr_expect_eq(verify(&relay, 3, 0, 1, &proof, &error), AR_OK, "%s", error.text);
    cr_expect(proof.ordered && proof.same_bits && proof.rounds == 2 && proof.messages == 2);
    relay_variant = COPY_THEN_RECEIVE;
    cr_expect_eq(verify(&relay, 3, 0, 1, &proof, &error), AR_FAILED);
    cr_expect_str_eq(
        error.text,
        "broadcast:relay, 3 ranks, root 0, round 1: rank 1 copies block 0 but holds nothing there");
    relay_variant = FORWARD_AT_ONCE;
    cr_expect_eq(verify(&relay, 3, 0, 1, &proof, &error), AR_FAILED);
    cr_expect_str_eq(
        error.text,
        "broadcast:relay, 3 ranks, root 0, round 1: rank 1 sends block 0 but holds nothing there");
}

/* ---- Order and bits ---------------------------------------------------------------------------------- */

Test(verify, finds_swapped_operands)
{
    struct ar_proof proof;
    struct ar_error error = {""};

    struct ar_algorithm linear = damaged(&ar_reduce_linear);
    damage = (struct damage){NOTHING};
    cr_assert_eq(verify(&linear, 3, 0, 1, &proof, &error), AR_OK, "%s", error.text);
    cr_expect(proof.ordered && proof.same_bits);
    damage = (struct damage){ORDER, 0, 0, 1, AR_OTHER_FIRST};
    cr_assert_eq(verify(&linear, 3, 0, 1, &proof, &error), AR_OK, "%s", error.text);
    cr_expect(!proof.ordered && proof.same_bits);
    cr_expect_str_eq(proof.order_why.text, "rank 0, block 0: (2 o (0 o 1)) is not in rank order");

    struct ar_algorithm both = damaged(&exchange);
    damage = (struct damage){NOTHING};
    cr_assert_eq(verify(&both, 2, 0, 1, &proof, &error), AR_OK, "%s", error.text);
    cr_expect(proof.ordered && proof.same_bits);
    damage = (struct damage){ORDER, 1, 0, 2, AR_HELD_FIRST};
    cr_assert_eq(verify(&both, 2, 0, 1, &proof, &error), AR_OK, "%s", error.text);
    cr_expect(!proof.ordered && !proof.same_bits);
    cr_expect_str_eq(proof.order_why.text, "rank 1, block 0: (1 o 0) is not in rank order");
    cr_expect_str_eq(proof.bits_why.text, "block 0: rank 0 holds (0 o 1), rank 1 holds (1 o 0)");
}

Test(verify, names_the_offending_part_of_a_long_expression)
{
    struct ar_proof proof;
    struct ar_error error = {""};
    cr_assert_eq(verify(&ar_reduce_scatter_ring, 200, 0, 1, &proof, &error), AR_OK, "%s", error.text);
    cr_expect(!proof.ordered);
    cr_expect_str_eq(proof.order_why.text, "rank 1, block 1: {0} o {2-199} is not in rank order");
}

/* A tree as deep as there are ranks. */
Test(verify, names_the_offending_part_of_a_deep_expression)
{
    struct ar_proof proof;
    struct ar_error error = {""};
    struct ar_algorithm linear = damaged(&ar_reduce_linear);
    damage = (struct damage){ORDER, 0, 0, 1, AR_OTHER_FIRST};
    cr_assert_eq(verify(&linear, 300000, 0, 1, &proof, &error), AR_OK, "%s", error.text);
    cr_expect_str_eq(proof.order_why.text, "rank 0, block 0: {2} o {0,1} is not in rank order");
}

/* Rank 0 makes ((0 o 1) o 2) o ..., rank 1 makes ((1 o 0) o 2) o ... */
static void everyone_folds_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)k;
    for (int peer = 0; peer < p->nranks; peer++)
        if (peer != rank)
            ar_send(sink, peer, ar_block(0));
    for (int peer = 0; peer < p->nranks; peer++)
        if (peer != rank)
            ar_receive_reduce(sink, peer, AR_HELD_FIRST, ar_block(0));
}

Test(verify, names_where_two_long_expressions_differ)
{
    struct ar_proof proof;
    struct ar_error error = {""};
    struct ar_algorithm everyone_folds = exchange;
    everyone_folds.splits = NULL;
    everyone_folds.round = everyone_folds_round;
    cr_assert_eq(verify(&everyone_folds, 3, 0, 1, &proof, &error), AR_OK, "%s", error.text);
    cr_expect_str_eq(proof.bits_why.text, "block 0: rank 0 holds ((0 o 1) o 2), rank 1 holds ((1 o 0) o 2)");
    cr_assert_eq(verify(&everyone_folds, 100, 0, 1, &proof, &error), AR_OK, "%s", error.text);
    cr_expect_str_eq(proof.bits_why.text, "block 0: where rank 0 holds {0} o {1}, rank 1 holds {1} o {0}");
}

/* An associative operator cannot tell the left fold from other trees in rank order; the proof can. */
static void expect_left_fold(const struct ar_algorithm *algorithm, int nranks, int root)
{
    struct ar_schedule schedule;
    struct ar_symbolic *symbolic;
    struct ar_problem problem = {.nranks = nranks, .root = root};
    struct ar_text fold = {0}, held = {0};
    struct ar_error error = {""};
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, &problem, &error), AR_OK, "%s", error.text);
    cr_assert_eq(ar_symbolic_new(&schedule, &symbolic, &error), AR_OK, "%s", error.text);
    for (int64_t k = 0; k < ar_nrounds(&schedule); k++)
        cr_assert_eq(ar_symbolic_round(symbolic, k, &error), AR_OK, "%s", error.text);
    for (int rank = 1; rank < nranks; rank++)
        ar_text_add(&fold, "(");
    ar_text_add(&fold, "0");
    for (int rank = 1; rank < nranks; rank++)
        ar_text_add(&fold, " o %d)", rank);
    for (int rank = 0; rank < nranks; rank++)
        for (int64_t block = 0; block < ar_nblocks(&schedule); block++) {
            if (!ar_schedule_at(&schedule, ar_collectives[algorithm->collective].ends, rank, block))
                continue;
            held.length = 0;
            cr_expect(ar_expressions_tree(ar_symbolic_expressions(symbolic),
                                          ar_symbolic_held(symbolic, rank, block), 1000, &held));
            cr_expect_str_eq(held.data, fold.data, "%s, %d ranks, root %d: %s", algorithm->name, nranks, root,
                             held.data);
        }
    ar_text_free(&fold);
    ar_text_free(&held);
    ar_symbolic_free(symbolic);
    ar_schedule_free(&schedule);
}

Test(verify, algorithms_in_rank_order_fold_from_the_left)
{
    for (int nranks = 1; nranks <= 16; nranks++) {
        for (int root = 0; root < nranks; root++)
            expect_left_fold(&ar_reduce_linear, nranks, root);
        expect_left_fold(&ar_reduce_scatter_direct, nranks, 0);
        expect_left_fold(&ar_allreduce_direct, nranks, 0);
    }
}

/* ---- Sets that are not runs of ranks ----------------------------------------------------------------- */

static bool repeats_a_distance;

static int64_t halving_rounds(const struct ar_problem *p)
{
    return __builtin_ctz((unsigned)p->nranks);
}

/* Recursive doubling, the farthest partner first: rank 0 holds {0}, {0,4}, {0,2,4,6}, {0-7}. */
static void halving_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    bool last = k == halving_rounds(p) - 1;
    int distance = p->nranks >> (last && repeats_a_distance ? k : k + 1);
    ar_send(sink, rank ^ distance, ar_block(0));
    ar_receive_reduce(sink, rank ^ distance, AR_BY_RANK, ar_block(0));
}

static const struct ar_algorithm halving = {
    .name = "halving",
    .collective = AR_COLLECTIVE_allreduce,
    .needs = AR_NEEDS_POWER_OF_TWO,
    .rounds = halving_rounds,
    .round = halving_round,
};

Test(verify, keeps_scattered_sets_of_contributions)
{
    struct ar_proof proof;
    struct ar_error error = {""};
    for (int nranks = 2; nranks <= 256; nranks *= 2) {
        repeats_a_distance = false;
        cr_expect_eq(verify(&halving, nranks, 0, 1, &proof, &error), AR_OK, "%s", error.text);
        cr_expect_eq(proof.ordered, nranks == 2, "%d ranks", nranks);
        cr_expect(proof.same_bits, "%d ranks: %s", nranks, proof.bits_why.text);
        repeats_a_distance = nranks > 2;
        if (nranks > 2)
            cr_expect_eq(verify(&halving, nranks, 0, 1, &proof, &error), AR_FAILED, "%d ranks", nranks);
        if (nranks == 8)
            cr_expect_str_eq(error.text,
                             "allreduce:halving, 8 ranks, round 3: rank 0, block 0 combines {0,2,4,6} "
                             "with {0,2,4,6}: the contribution of rank 0 would count twice");
    }
}

/* ---- Memory ------------------------------------------------------------------------------------------ */

Test(verify, refuses_what_does_not_fit_before_it_is_taken)
{
    struct ar_proof proof;
    struct ar_error error = {""};
    cr_expect_eq(verify(&ar_reduce_scatter_ring, 4000000, 0, 1, &proof, &error), AR_NO_MEMORY);
    cr_expect(strstr(error.text, "the proof needs ") && strstr(error.text, ", this machine has "), "%s",
              error.text);
}

#if defined __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__
#endif
#endif

/* Expressions and messages are only met on the way. */
Test(verify, refuses_what_the_system_does_not_give)
{
#ifdef __SANITIZE_ADDRESS__
    cr_skip_test("the address sanitizer aborts where memory is refused");
#endif
    static const struct ar_algorithm *const algorithm[] = {&ar_reduce_scatter_ring, &ar_allreduce_direct};
    struct rlimit limit = {256 << 20, 256 << 20};
    cr_assert_eq(setrlimit(RLIMIT_DATA, &limit), 0); /* not known beforehand */
    for (int i = 0; i < 2; i++) {
        struct ar_proof proof;
        struct ar_error error = {""};
        cr_expect_eq(verify(algorithm[i], 4000, 0, 1, &proof, &error), AR_NO_MEMORY);
        cr_expect(strstr(error.text, "the proof needs ") && strstr(error.text, ", which the system refuses"),
                  "%s", error.text);
    }
}

Test(verify, refuses_what_this_process_may_not_have)
{
#ifdef __SANITIZE_ADDRESS__
    cr_skip_test("the address sanitizer needs more address space than that");
#endif
    struct rlimit limit = {256 << 20, 256 << 20};
    struct ar_proof proof;
    struct ar_error error = {""};
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
    cr_expect_eq(verify(&ar_reduce_scatter_ring, 4000, 0, 1, &proof, &error), AR_NO_MEMORY);
    cr_expect(strstr(error.text, ", this machine has 268.4 MB"), "%s", error.text);
}
