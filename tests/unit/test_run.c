/* The parts of the executor: values for checking, loopback, the planning of a round, and what is refused.
 * That whole algorithms give the right result is tests/laws/test_loopback.c. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "bench/harness/verify_run.h"
#include "collectives/base/memory.h"
#include "collectives/registry.h"
#include "collectives/run/check.h"
#include "collectives/run/counters.h"
#include "collectives/run/execution.h"
#include "collectives/run/rounds.h"
#include "collectives/run/witness.h"

/* ---- Values for checking ------------------------------------------------------------------------------- */

/* Whether one contribution too many changes the result: not the extremes, and the mean of integers may round
 * it away. */
static bool repeats_show(const struct ar_operator *op, enum ar_type type)
{
    bool number = op->values == AR_VALUES_SUM || op->values == AR_VALUES_PRODUCT;
    return number && (!op->finish[type] || ar_types[type].kind == AR_FLOAT);
}

/* The contributions of many ranks, folded forwards, backwards and as a tree, must agree to the bit for every
 * type and operator; leaving out or repeating one rank must show. */
Test(run, check_values_are_exact_in_any_order)
{
    enum { N = 1031 };
    static const int ranks[] = {1, 2, 5, 64, 65, 300, 1024};
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
        for (int k = 0; k < ar_noperators * AR_NTYPES; k++) {
            int nranks = ranks[r];
            enum ar_type type = (enum ar_type)(k % AR_NTYPES);
            const struct ar_operator *op = &ar_operators[k / AR_NTYPES];
            size_t bytes = ar_types[type].bytes;
            struct ar_choice choice = ar_choice_default(&ar_reduce_linear);
            struct ar_schedule schedule;
            struct ar_execution_setup setup = {.schedule = &schedule, .type = type, .op = op};
            cr_assert_eq(ar_schedule_init(&schedule, &choice, nranks, 0, (struct ar_size){N, 0, 4}, NULL),
                         AR_OK);
            cr_assert_eq(ar_schedule_layout(&schedule, N, NULL, NULL, &setup.layout, NULL), AR_OK);
            struct ar_check *check = ar_check_new(&setup);
            unsigned char *held = ar_alloc(N, bytes), *other = ar_alloc(N, bytes),
                          *twice = ar_alloc(N, bytes);
            ar_check_fill(check, nranks - 1, held);
            for (int rank = nranks - 2; rank >= 0; rank--) {
                ar_check_fill(check, rank, other);
                op->combine[type](held, other, N);
            }
            if (nranks > 1 && repeats_show(op, type)) {
                memcpy(twice, held, N * bytes);
                op->combine[type](twice, other, N);
                if (op->finish[type])
                    op->finish[type](twice, N, nranks);
                cr_assert_eq(ar_check_result(check, 0, twice, NULL), AR_FAILED,
                             "%s %s, %d ranks: rank 0 twice", op->name, ar_types[type].name, nranks);
            }
            if (op->finish[type])
                op->finish[type](held, N, nranks);
            struct ar_error error;
            cr_assert_eq(ar_check_result(check, 0, held, &error), AR_OK, "%s %s, %d ranks: %s", op->name,
                         ar_types[type].name, nranks, error.text);
            held[N / 2 * bytes] ^= 1;
            cr_assert_eq(ar_check_result(check, 0, held, &error), AR_FAILED);
            cr_assert(strstr(error.text, "rank 0, element 515 (block 0): expected "), "%s", error.text);
            free(held);
            free(other);
            free(twice);
            ar_check_free(check);
            ar_schedule_free(&schedule);
        }
}

Test(run, check_poisons_what_a_rank_does_not_contribute)
{
    struct ar_choice choice = ar_choice_default(&ar_allgather_ring);
    struct ar_schedule schedule;
    struct ar_execution_setup setup = {.schedule = &schedule, .type = AR_TYPE_uint8};
    uint8_t vector[3][31];
    cr_assert_eq(ar_schedule_init(&schedule, &choice, 3, 0, (struct ar_size){31, 0, 1}, NULL), AR_OK);
    cr_assert_eq(ar_schedule_layout(&schedule, 31, NULL, NULL, &setup.layout, NULL), AR_OK);
    struct ar_check *check = ar_check_new(&setup);
    for (int rank = 0; rank < 3; rank++)
        ar_check_fill(check, rank, vector[rank]);
    for (int i = 0, owner; i < 31; i++) {
        owner = i < 11 ? 0 : i < 21 ? 1 : 2;
        for (int rank = 0; rank < 3; rank++)
            cr_assert(rank == owner || vector[rank][i] == 0xa5, "rank %d, element %d", rank, i);
    }
    cr_assert_eq(ar_check_result(check, 0, vector[0], NULL), AR_FAILED);
    memcpy(vector[0] + 11, vector[1] + 11, 10);
    memcpy(vector[0] + 21, vector[2] + 21, 10);
    cr_assert_eq(ar_check_result(check, 0, vector[0], NULL), AR_OK);
    ar_check_free(check);
    ar_schedule_free(&schedule);
}

/* Sentences show what the bits mean, in every type. */
Test(run, check_names_wrong_values)
{
    static const struct {
        enum ar_type type;
        uint64_t bits;
        const char *text;
    } cases[] = {
        {AR_TYPE_float16, 0x3e00, "got 1.5"},
        {AR_TYPE_float16, 0xfbff, "got -65504"},
        {AR_TYPE_float16, 0x0001, "got 5.96046448e-08"},
        {AR_TYPE_float16, 0x7c00, "got inf"},
        {AR_TYPE_float16, 0x8000, "got -0"},
        {AR_TYPE_bfloat16, 0x3fc0, "got 1.5"},
        {AR_TYPE_bfloat16, 0x0001, "got 9.18354962e-41"},
        {AR_TYPE_bfloat16, 0x7fc0, "got nan"},
        {AR_TYPE_float32, 0x40490fdb, "got 3.14159274"},
        {AR_TYPE_float32, 0xff800000, "got -inf"},
        {AR_TYPE_float64, 0x3fb999999999999a, "got 0.10000000000000001"},
        {AR_TYPE_float64, 0x0000000000000001, "got 4.9406564584124654e-324"},
        {AR_TYPE_int8, 0x80, "got -128"},
        {AR_TYPE_int64, 0x8000000000000000, "got -9223372036854775808"},
        {AR_TYPE_uint64, 0xffffffffffffffff, "got 18446744073709551615"},
    };
    struct ar_choice choice = ar_choice_default(&ar_broadcast_linear);
    struct ar_schedule schedule;
    cr_assert_eq(ar_schedule_init(&schedule, &choice, 2, 0, (struct ar_size){1, 0, 8}, NULL), AR_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ar_execution_setup setup = {.schedule = &schedule, .type = cases[i].type};
        struct ar_error error;
        uint64_t value = cases[i].bits; /* the tests run on little-endian machines */
        cr_assert_eq(ar_schedule_layout(&schedule, 1, NULL, NULL, &setup.layout, NULL), AR_OK);
        struct ar_check *check = ar_check_new(&setup);
        cr_assert_eq(ar_check_result(check, 1, &value, &error), AR_FAILED);
        const char *got = strstr(error.text, "got ");
        cr_assert(got && strcmp(got, cases[i].text) == 0, "%s: %s", ar_types[cases[i].type].name, error.text);
        ar_check_free(check);
    }
    ar_schedule_free(&schedule);
}

/* ---- Loopback ------------------------------------------------------------------------------------------ */

static struct ar_shape *shape_of(struct ar_end *end, size_t a, size_t n, size_t b, size_t m)
{
    struct ar_extent extent[] = {{a, n}, {b, m}};
    return end->transport->shape(end, extent, 2);
}

static bool finished(struct ar_end *end, int nslots)
{
    bool done = false;
    struct ar_error error = {{0}};
    cr_assert_eq(end->transport->finish(end, nslots, &done, &error), AR_OK, "%s", error.text);
    return done;
}

static void close_all(struct ar_end **ends, int n)
{
    for (int i = 0; i < n; i++)
        ends[i]->transport->close(ends[i]);
}

Test(run, loopback_gathers_scatters_and_keeps_order)
{
    struct ar_end *end[2];
    ar_loopback_open(2, end);
    const struct ar_transport *t = end[0]->transport;
    char from[] = "0123456789", to[11] = "..........";
    struct ar_shape *out = shape_of(end[0], 7, 3, 0, 2), *in = shape_of(end[1], 1, 1, 4, 4);
    t->reserve(end[0], 2);
    t->reserve(end[1], 2);
    cr_assert_eq(t->send(end[0], 0, 1, 0, from, out, NULL), AR_OK);
    cr_assert_not(finished(end[0], 1));
    cr_assert(t->pending(end[0], 0));
    cr_assert_eq(t->receive(end[1], 0, 0, 0, to, in, NULL), AR_OK);
    cr_assert(finished(end[0], 1));
    cr_assert(finished(end[1], 1));
    cr_assert_str_eq(to, ".7..8901..");

    /* Two of a pair match in their order, whoever comes first. */
    for (int receive_first = 0; receive_first <= 1; receive_first++) {
        char first[11] = "..........", second[11] = "..........";
        for (int step = 0; step < 2; step++)
            if (step == receive_first) {
                cr_assert_eq(t->send(end[0], 0, 1, 0, "abcdefghij", out, NULL), AR_OK);
                cr_assert_eq(t->send(end[0], 1, 1, 0, "ABCDEFGHIJ", out, NULL), AR_OK);
            } else {
                cr_assert_eq(t->receive(end[1], 1, 0, 0, first, in, NULL), AR_OK);
                cr_assert_eq(t->receive(end[1], 0, 0, 0, second, in, NULL), AR_OK);
            }
        cr_assert(finished(end[1], 2));
        cr_assert_str_eq(first, ".h..ijab..");
        cr_assert_str_eq(second, ".H..IJAB..");
    }
    t->forget(end[0], out);
    t->forget(end[1], in);
    close_all(end, 2);
}

Test(run, loopback_refuses_in_words)
{
    struct ar_end *end[3];
    struct ar_error error;
    ar_loopback_open(3, end);
    const struct ar_transport *t = end[0]->transport;
    t->reserve(end[1], 1);
    t->reserve(end[2], 1);
    cr_assert_eq(t->send_bytes(end[1], 0, 3, 8, &error), AR_INVALID);
    cr_assert_str_eq(error.text, "rank 1 sends to rank 3, expected 0..2");
    cr_assert_eq(t->send_bytes(end[1], 1, 2, 8, &error), AR_INVALID);
    cr_assert_str_eq(error.text, "rank 1 sends to rank 2 in slot 1, but 1 are reserved");
    cr_assert_eq(t->send_bytes(end[1], 0, 2, 64, &error), AR_OK);
    cr_assert_eq(t->send_bytes(end[1], 0, 2, 64, &error), AR_INVALID);
    cr_assert_str_eq(error.text, "rank 1 sends to rank 2 in slot 0, which is still in use");
    cr_assert_eq(t->receive_bytes(end[2], 0, 1, 32, &error), AR_OK);
    bool done;
    cr_assert_eq(t->finish(end[2], 1, &done, &error), AR_FAILED);
    cr_assert_str_eq(error.text, "rank 1 sends 64 B to rank 2, which expects 32 B");
    t->close(end[0]);
    t->reserve(end[1], 2);
    cr_assert_eq(t->receive_bytes(end[1], 1, 0, 8, &error), AR_INVALID);
    cr_assert_str_eq(error.text, "rank 1 receives from rank 0, which has closed its end");
    close_all(end + 1, 2);
}

/* Slots grow while others' messages already wait here. */
Test(run, loopback_keeps_waiting_messages_while_it_grows)
{
    enum { P = 40 };
    struct ar_end *end[P];
    ar_loopback_open(P, end);
    const struct ar_transport *t = end[0]->transport;
    for (int i = 1; i < P; i++) {
        t->reserve(end[i], 1);
        cr_assert_eq(t->send_bytes(end[i], 0, 0, (size_t)i, NULL), AR_OK);
        t->reserve(end[0], i);
    }
    for (int i = P - 1; i > 0; i--)
        cr_assert_eq(t->receive_bytes(end[0], i - 1, i, (size_t)i, NULL), AR_OK);
    cr_assert(finished(end[0], P - 1));
    close_all(end, P);
}

Test(run, counters_find_and_sort_any_number_of_peers)
{
    enum { PEERS = 500 };
    struct ar_counters counters = {0};
    for (int round = 0; round < 4; round++) {
        /* 167 and 500 have no common factor: each peer once, in a mixed order, a few new ones every round */
        for (int i = 0; i < PEERS; i++)
            if (i * 167 % PEERS < (round + 1) * PEERS / 4)
                ar_counters_of(&counters, i * 167 % PEERS)->sent_bytes += i;
        ar_counters_sort(&counters);
        cr_assert_eq(counters.n, (round + 1) * PEERS / 4);
        for (int peer = 0; peer < counters.n; peer++)
            cr_assert_eq(counters.item[peer].peer, peer);
    }
    for (int i = 0; i < PEERS; i++) {
        int peer = i * 167 % PEERS, rounds = 4 - peer / (PEERS / 4);
        cr_assert_eq(ar_counters_of(&counters, peer)->sent_bytes, (int64_t)i * rounds, "peer %d", peer);
    }
    ar_counters_free(&counters);
}

/* ---- Schedules made for the purpose -------------------------------------------------------------------- */

static int64_t one_round(const struct ar_problem *p)
{
    (void)p;
    return 1;
}

static int64_t four(const struct ar_problem *p)
{
    (void)p;
    return 4;
}

static double bytes_of_lists(const struct ar_execution_setup *setup, int rank)
{
    struct ar_rounds_setup rounds = {
        .schedule = setup->schedule, .layout = setup->layout, .elem_bytes = 4, .rank = rank};
    struct ar_rounds_needs needs = ar_rounds_measure(&rounds);
    cr_assert_gt(ar_rounds_bytes(&needs), 0);
    return ar_rounds_bytes(&needs);
}

/* Runs `algorithm` on two ranks with vectors of `n` int32, data or simulated. `memory`: what they
 * need besides the lists of their rounds. */
static enum ar_status run_two(const struct ar_algorithm *algorithm, int32_t *const vector[2], int64_t n,
                              bool simulated, double *memory, struct ar_error *error)
{
    struct ar_schedule schedule;
    struct ar_problem problem = {.nranks = 2};
    struct ar_end *end[2];
    struct ar_execution *execution[2];
    struct ar_execution_setup setup = {
        .schedule = &schedule, .type = AR_TYPE_int32, .op = ar_operator_find("sum"), .simulated = simulated};
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, &problem, NULL), AR_OK);
    cr_assert_eq(ar_schedule_layout(&schedule, n, NULL, NULL, &setup.layout, NULL), AR_OK);
    ar_loopback_open(2, end);
    for (int r = 0; r < 2; r++) {
        cr_assert_eq(ar_execution_new(&execution[r], &setup, end[r], NULL), AR_OK);
        if (memory)
            memory[r] = ar_execution_memory(execution[r]) - (simulated ? 0 : bytes_of_lists(&setup, r));
        cr_assert_eq(ar_execution_prepare(execution[r], NULL), AR_OK);
    }
    enum ar_status status =
        ar_execution_run_all(execution, simulated ? NULL : (void *[]){vector[0], vector[1]}, 2, error);
    for (int r = 0; r < 2; r++)
        ar_execution_free(execution[r]);
    close_all(end, 2);
    ar_schedule_free(&schedule);
    return status;
}

/* Both ranks exchange all four blocks. The receive of blocks 2, 3 comes after they were combined with the
 * input, and so must overwrite them; blocks 0, 1 are received, then combined with what they were before. */
static void overlapping(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p, (void)k;
    int peer = 1 - rank;
    ar_send(sink, peer, ar_block_run(0, 4));
    ar_fold_input(sink, AR_HELD_FIRST, ar_block_run(2, 2));
    ar_receive(sink, peer, ar_block_run(0, 4));
    ar_fold_input(sink, AR_HELD_FIRST, ar_block_run(0, 2));
}

Test(run, actions_of_a_round_apply_in_emission_order)
{
    const struct ar_algorithm algorithm = {.name = "overlapping",
                                           .collective = AR_COLLECTIVE_allreduce,
                                           .splits = four,
                                           .rounds = one_round,
                                           .round = overlapping};
    int32_t a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    double memory[2];
    struct ar_error error;
    cr_assert_eq(run_two(&algorithm, (int32_t *[]){a, b}, 4, false, memory, &error), AR_OK, "%s", error.text);
    cr_assert_arr_eq(a, ((int32_t[]){11, 22, 30, 40}), sizeof a);
    cr_assert_arr_eq(b, ((int32_t[]){11, 22, 3, 4}), sizeof b);
    cr_assert_eq(memory[0], 64 + 16, "a staged message and the input, got %g", memory[0]);
}

/* Receives emitted before the sends that read the same blocks: sends still read what was there before. */
static void swap(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p, (void)k;
    ar_receive(sink, 1 - rank, ar_block_run(0, 4));
    ar_send(sink, 1 - rank, ar_block_run(0, 4));
}

Test(run, sends_read_the_state_at_the_start_of_the_round)
{
    const struct ar_algorithm algorithm = {.name = "swap",
                                           .collective = AR_COLLECTIVE_allreduce,
                                           .splits = four,
                                           .rounds = one_round,
                                           .round = swap};
    int32_t a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    struct ar_error error;
    cr_assert_eq(run_two(&algorithm, (int32_t *[]){a, b}, 4, false, NULL, &error), AR_OK, "%s", error.text);
    cr_assert_arr_eq(a, ((int32_t[]){10, 20, 30, 40}), sizeof a);
    cr_assert_arr_eq(b, ((int32_t[]){1, 2, 3, 4}), sizeof b);
}

/* Rank 0 sends one message from two places; rank 1 receives it into two. */
static void several_places(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p;
    int64_t n = sink->nblocks;
    struct ar_blocks low = ar_block_run(0, 2), high = ar_block_run(2, 2);
    if (k == 0) { /* scratch := vector on the high half; then clear the vector's high half by doubling it */
        ar_emit(sink, (struct ar_step){AR_COPY, AR_HELD_FIRST, AR_VECTOR, AR_SCRATCH, -1, high, 0, n});
        ar_emit(sink, (struct ar_step){AR_FOLD, AR_HELD_FIRST, AR_SCRATCH, AR_VECTOR, -1, high, 0, n});
    } else if (k == 1 && rank == 0) {
        ar_emit(sink, (struct ar_step){AR_SEND, AR_BY_RANK, AR_INPUT, AR_VECTOR, 1, low, 0, n});
        ar_emit(sink, (struct ar_step){AR_SEND, AR_BY_RANK, AR_SCRATCH, AR_VECTOR, 1, high, 0, n});
    } else if (k == 1) {
        ar_receive(sink, 0, low);
        ar_emit(sink, (struct ar_step){AR_RECEIVE, AR_BY_RANK, AR_VECTOR, AR_SCRATCH, 0, high, 0, n});
    } else if (rank == 1) {
        ar_emit(sink, (struct ar_step){AR_FOLD, AR_HELD_FIRST, AR_SCRATCH, AR_VECTOR, -1, high, 0, n});
    }
}

static int64_t three_rounds(const struct ar_problem *p)
{
    (void)p;
    return 3;
}

Test(run, a_message_may_come_from_and_go_to_several_places)
{
    const struct ar_algorithm algorithm = {.name = "several",
                                           .collective = AR_COLLECTIVE_allreduce,
                                           .splits = four,
                                           .rounds = three_rounds,
                                           .round = several_places};
    int32_t a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    double memory[2];
    struct ar_error error;
    cr_assert_eq(run_two(&algorithm, (int32_t *[]){a, b}, 4, false, memory, &error), AR_OK, "%s", error.text);
    cr_assert_arr_eq(a, ((int32_t[]){1, 2, 6, 8}), sizeof a);
    cr_assert_arr_eq(b, ((int32_t[]){1, 2, 63, 84}), sizeof b);
    cr_assert_eq(memory[0], 64 + 8 + 8, "packing, half of the input, half of the scratch, got %g", memory[0]);
    cr_assert_eq(memory[1], 64 + 8, "staging and half of the scratch, got %g", memory[1]);
    cr_assert_eq(run_two(&algorithm, NULL, INT64_C(1) << 40, true, memory, &error), AR_OK, "%s", error.text);
    cr_assert_eq(memory[0], 0);
}

static void nobody_sends(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p, (void)k;
    ar_receive(sink, 1 - rank, ar_block(rank));
    if (rank == 1)
        ar_send(sink, 0, ar_block(2));
}

static void different_sizes(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p, (void)k;
    if (rank == 0)
        ar_send(sink, 1, ar_block_run(0, 2));
    else
        ar_receive(sink, 0, ar_block(0));
}

Test(run, damaged_schedules_end_in_words)
{
    const struct ar_algorithm stuck = {.name = "stuck",
                                       .collective = AR_COLLECTIVE_allreduce,
                                       .splits = four,
                                       .rounds = one_round,
                                       .round = nobody_sends};
    const struct ar_algorithm broken = {.name = "broken",
                                        .collective = AR_COLLECTIVE_allreduce,
                                        .splits = four,
                                        .rounds = one_round,
                                        .round = different_sizes};
    int32_t a[64] = {0}, b[64] = {0};
    for (int simulated = 0; simulated <= 1; simulated++) {
        struct ar_error error;
        cr_assert_eq(run_two(&stuck, (int32_t *[]){a, b}, 64, simulated, NULL, &error), AR_FAILED);
        cr_assert_str_eq(error.text,
                         "rank 1 waits in round 1 for 64 B from rank 0 (1 of 2 ranks cannot go on)");
        cr_assert_eq(run_two(&broken, (int32_t *[]){a, b}, 64, simulated, NULL, &error), AR_FAILED);
        cr_assert_str_eq(error.text, "round 1: rank 0 sends 128 B to rank 1, which expects 64 B");
    }
}

/* A transport that breaks like MPI: its status comes through, and a sweep ends instead of counting it. */
static enum ar_status cut_cable(struct ar_end *end, int nslots, bool *done, struct ar_error *error)
{
    (void)nslots, (void)done;
    return ar_fail(error, AR_SYSTEM, "rank %d: the cable is cut", end->rank);
}

Test(run, a_broken_transport_is_no_failed_check)
{
    struct ar_end *end[2];
    struct ar_error error;
    ar_loopback_open(2, end);
    struct ar_transport cut = *end[0]->transport;
    cut.finish = cut_cable;
    end[0]->transport = &cut;
    const struct ar_operator *sum = ar_operator_find("sum");
    const enum ar_type type = AR_TYPE_float32;
    const int64_t two = 2, seven = 7;
    struct ar_sweep sweep = {.ranks = &two,
                             .nranks = 1,
                             .root = 0,
                             .run = true,
                             .end = end[0],
                             .counts = &seven,
                             .ncounts = 1,
                             .types = &type,
                             .ntypes = 1,
                             .operators = &sum,
                             .noperators = 1};
    struct ar_swept swept = {0};
    struct ar_choice choice = ar_choice_default(&ar_allreduce_ring);
    cr_assert_eq(ar_sweep_choice(&sweep, &choice, &swept, &error), AR_SYSTEM);
    cr_assert_str_eq(error.text, "allreduce:ring, 2 ranks, 7 elements, float32, sum: round 1: rank 0: the "
                                 "cable is cut");
    close_all(end, 2);
}

/* What Open MPI tells the witness, told here. */
void mca_common_monitoring_record_pml(int world_rank, size_t data_size, int tag);

Test(run, witness_adds_up_per_peer)
{
    cr_assert_not(ar_witness_observed());
    ar_witness_expect(3);
    for (int i = 0; i < 10; i++)
        mca_common_monitoring_record_pml(i % 3, (size_t)i, i % 2);
    mca_common_monitoring_record_pml(1, 1000, -5);
    mca_common_monitoring_record_pml(7, 1, 0); /* nobody */
    cr_assert(ar_witness_observed());
    const int64_t messages[] = {4, 3, 3}, bytes[] = {0 + 3 + 6 + 9, 1 + 4 + 7, 2 + 5 + 8};
    for (int peer = 0; peer < 3; peer++) {
        struct ar_witnessed seen = ar_witness_sent_to(peer);
        cr_assert(seen.messages == messages[peer] && seen.bytes == bytes[peer], "to rank %d", peer);
    }
    cr_assert_eq(ar_witness_sent_to(7).messages, 0);
    cr_assert(ar_witness_library().messages == 1 && ar_witness_library().bytes == 1000);
}

Test(run, new_refuses_what_does_not_fit_together)
{
    struct ar_schedule schedule;
    struct ar_choice choice = ar_choice_default(&ar_allreduce_ring);
    struct ar_end *end[3];
    struct ar_execution *execution = NULL;
    struct ar_error error;
    struct ar_operator nothing = {.name = "nothing"};
    cr_assert_eq(ar_schedule_init(&schedule, &choice, 3, 0, (struct ar_size){9, 0, 4}, NULL), AR_OK);
    struct ar_execution_setup good = {.schedule = &schedule, .type = AR_TYPE_int8, .op = &ar_operators[0]};
    cr_assert_eq(ar_schedule_layout(&schedule, 9, NULL, NULL, &good.layout, NULL), AR_OK);
    ar_loopback_open(3, end);

    struct ar_execution_setup setup = good;
    setup.op = NULL;
    cr_assert_eq(ar_execution_new(&execution, &setup, end[0], &error), AR_INVALID);
    cr_assert_str_eq(error.text, "allreduce needs an operator");
    setup.op = &nothing;
    cr_assert_eq(ar_execution_new(&execution, &setup, end[0], &error), AR_INVALID);
    cr_assert_str_eq(error.text, "operator nothing does not combine int8");
    setup = good;
    setup.layout.parts = 4;
    cr_assert_eq(ar_execution_new(&execution, &setup, end[0], &error), AR_INVALID);
    cr_assert_str_eq(error.text, "the schedule has 3 blocks, the layout 4");
    close_all(end, 3);

    ar_loopback_open(2, end);
    cr_assert_eq(ar_execution_new(&execution, &good, end[0], &error), AR_INVALID);
    cr_assert_str_eq(error.text, "the schedule is for 3 ranks, the loopback transport has 2");
    cr_assert_null(execution);
    close_all(end, 2);
    ar_schedule_free(&schedule);
}
