/* The verifier rejects what is wrong, and says why: right schedules with one step damaged. */
#include "collectives/verify/verify.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "collectives/registry.h"

/* ---- Damaging a schedule ----------------------------------------------------------------------------- */

enum kind {
    NOTHING,
    DROP,      /* the step is left out */
    PEER,      /* its peer becomes `value` */
    BLOCK,     /* its blocks move by one */
    STORE,     /* RECEIVE_REDUCE -> RECEIVE, FOLD -> COPY */
    COMBINE,   /* RECEIVE -> RECEIVE_REDUCE */
    DUPLICATE, /* it is emitted twice */
    RECEIVE,   /* SEND -> RECEIVE */
    ORDER,     /* its operand order becomes `value` */
    FROM,      /* it reads the place `value` */
    TO,        /* it writes to the place `value` */
    BASE,      /* its window of blocks starts at `value` */
    NKINDS
};

struct damage {
    enum kind kind;
    int rank;
    int64_t k;
    int step, value;
};

/* Schedule functions are pure, so what the damaged one does is set here. */
static const struct ar_algorithm *right_algorithm;
static struct damage damage;
static int root_shift;

/* The steps of the right schedule; the caller frees sink.step. */
static struct ar_sink right_steps(const struct ar_problem *p, int rank, int64_t k)
{
    struct ar_schedule right = {.algorithm = right_algorithm, .problem = *p};
    struct ar_sink sink = {.full = ar_sink_grow};
    right.problem.root = (p->root + root_shift) % p->nranks;
    ar_schedule_round(&right, rank, k, &sink);
    return sink;
}

static struct ar_step moved_block(struct ar_step step, int64_t nblocks)
{
    if (step.modulus > 1)
        step.set.first++;
    else
        step.base = (step.base + 1) % nblocks;
    return step;
}

static void emit_damaged(struct ar_sink *sink, struct ar_step step)
{
    int64_t nblocks = sink->nblocks;
    switch (damage.kind) {
    case DROP:
        return;
    case PEER:
        step.peer = damage.value;
        break;
    case BLOCK:
        step = moved_block(step, nblocks);
        break;
    case STORE:
        step.kind = step.kind == AR_FOLD ? AR_COPY : AR_RECEIVE;
        break;
    case COMBINE:
        step.kind = AR_RECEIVE_REDUCE;
        break;
    case DUPLICATE:
        ar_emit(sink, step);
        break;
    case RECEIVE:
        step.kind = AR_RECEIVE;
        break;
    case ORDER:
        step.order = (uint8_t)damage.value;
        break;
    case FROM:
        step.from = (uint8_t)damage.value;
        break;
    case TO:
        step.to = (uint8_t)damage.value;
        break;
    case BASE:
        step.base = damage.value;
        break;
    default:
        break;
    }
    ar_emit(sink, step);
}

static void damaged_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct ar_sink right = right_steps(p, rank, k);
    for (int i = 0; i < right.n; i++)
        if (damage.kind != NOTHING && damage.rank == rank && damage.k == k && damage.step == i)
            emit_damaged(sink, right.step[i]);
        else
            ar_emit(sink, right.step[i]);
    free(right.step);
}

/* `algorithm` with `damaged_round`; everything else as it was. */
static struct ar_algorithm damaged(const struct ar_algorithm *algorithm)
{
    struct ar_algorithm made = *algorithm;
    right_algorithm = algorithm;
    made.round = damaged_round;
    made.pattern = NULL;
    made.span = NULL;
    return made;
}

static enum ar_status verify(const struct ar_algorithm *algorithm, int nranks, int root, int64_t nsegments,
                             struct ar_proof *proof, struct ar_error *error)
{
    struct ar_problem problem = {.nranks = nranks, .root = root};
    for (int i = 0; i < algorithm->nparams; i++)
        problem.param[i] =
            algorithm->params[i].unit == AR_PARAM_BYTES ? nsegments : algorithm->params[i].fallback;
    struct ar_schedule schedule;
    enum ar_status status = ar_schedule_of_problem(&schedule, algorithm, &problem, error);
    cr_assert_eq(status, AR_OK, "%s", error->text);
    status = ar_verify(&schedule, proof, error);
    ar_schedule_free(&schedule);
    return status;
}

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

/* ---- The law: no damage to any step of any algorithm goes unnoticed ---------------------------------- */

static bool applies(enum kind kind, const struct ar_step *step)
{
    bool combines = step->kind == AR_RECEIVE_REDUCE || step->kind == AR_FOLD;
    switch (kind) {
    case PEER:
        return step->peer >= 0;
    case STORE:
        return combines;
    case RECEIVE:
        return step->kind == AR_SEND;
    case DROP:
    case BLOCK:
    case DUPLICATE:
        return true;
    default:
        return false;
    }
}

/* Damage that changes nothing: moving blocks by one where there is only one, and copying twice. */
static bool changes_nothing(enum kind kind, const struct ar_step *step, int64_t nblocks)
{
    return (kind == BLOCK && nblocks == 1) || (kind == DUPLICATE && step->kind == AR_COPY);
}

static const char *const kind_name[NKINDS] = {
    [DROP] = "drop",   [PEER] = "peer + 1",       [BLOCK] = "block + 1",
    [STORE] = "store", [DUPLICATE] = "duplicate", [RECEIVE] = "receive",
};

struct tally {
    long rejected, excluded;
};

static void damage_step(const struct ar_algorithm *algorithm, const struct ar_problem *p, struct damage at,
                        const struct ar_step *step, int64_t nblocks, struct tally *tally)
{
    for (enum kind kind = NOTHING; kind < NKINDS; kind++) {
        if (!applies(kind, step))
            continue;
        if (changes_nothing(kind, step, nblocks)) {
            tally->excluded++;
            continue;
        }
        struct ar_proof proof;
        struct ar_error error = {""};
        struct ar_schedule schedule;
        damage = at;
        damage.kind = kind;
        damage.value = (step->peer + 1) % p->nranks; /* for two ranks: the rank itself */
        cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, p, &error), AR_OK);
        cr_expect_eq(ar_verify(&schedule, &proof, &error), AR_FAILED,
                     "%s:%s, %d ranks, root %d, param %d: '%s' on step %d of rank %d in round %d (from 0)",
                     ar_collectives[algorithm->collective].name, algorithm->name, p->nranks, p->root,
                     (int)p->param[0], kind_name[kind], at.step, at.rank, (int)at.k);
        ar_schedule_free(&schedule);
        tally->rejected++;
    }
}

static void damage_every_step(const struct ar_algorithm *right, int nranks, int root, struct tally *tally)
{
    struct ar_algorithm algorithm = damaged(right);
    struct ar_problem problem = {.nranks = nranks, .root = root};
    for (int i = 0; i < right->nparams; i++) /* two segments: the shortest pipeline */
        problem.param[i] = right->params[i].unit == AR_PARAM_BYTES ? 2 : right->params[i].fallback;
    struct ar_schedule schedule;
    struct ar_error error = {""};
    cr_assert_eq(ar_schedule_of_problem(&schedule, right, &problem, &error), AR_OK, "%s", error.text);
    for (int rank = 0; rank < nranks; rank++)
        for (int64_t k = 0; k < ar_nrounds(&schedule); k++) {
            struct ar_sink steps = right_steps(&schedule.problem, rank, k);
            for (int i = 0; i < steps.n; i++)
                damage_step(&algorithm, &problem, (struct damage){NOTHING, rank, k, i, 0}, &steps.step[i],
                            ar_nblocks(&schedule), tally);
            free(steps.step);
        }
    ar_schedule_free(&schedule);
}

Test(verify, rejects_every_damaged_schedule)
{
    static const int nranks[] = {2, 3, 4, 5, 8};
    struct tally tally = {0};
    for (int i = 0; i < ar_nalgorithms; i++)
        for (size_t j = 0; j < sizeof nranks / sizeof *nranks; j++) {
            if (ar_algorithm_admits(ar_algorithms[i], nranks[j], NULL) != AR_OK)
                continue;
            int nroots = ar_collective_rooted(ar_algorithms[i]->collective) ? 2 : 1;
            for (int root = 0; root < nroots; root++) /* the first and the last rank */
                damage_every_step(ar_algorithms[i], nranks[j], root * (nranks[j] - 1), &tally);
        }
    cr_log_info("%ld damaged schedules rejected, %ld excluded because they are not damaged", tally.rejected,
                tally.excluded);
    cr_expect_gt(tally.rejected, 10 * tally.excluded);
}
