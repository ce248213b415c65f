/* Every algorithm of the registry, run over loopback: the result to the bit, and the bytes that the schedule
 * says. No algorithm is named here. */
#include <criterion/criterion.h>

#include <string.h>

#include "collectives/messages.h"
#include "collectives/registry.h"
#include "collectives/run/check.h"
#include "collectives/verify/verify.h"
#include "tests/laws/runs.h"

static void prepare_again(struct run *run)
{
    for (int r = 0; r < run->nranks; r++) {
        ar_execution_release(run->execution[r]);
        cr_assert_eq(ar_execution_prepare(run->execution[r], NULL), AR_OK, "%s", run->name);
    }
}

static void run_and_check(struct run *run)
{
    struct ar_check *check = ar_check_new(&run->setup);
    struct ar_error error;
    for (int r = 0; r < run->nranks; r++)
        ar_check_fill(check, r, run->vector[r]);
    go(run);
    for (int r = 0; r < run->nranks; r++)
        cr_assert_eq(ar_check_result(check, r, run->vector[r], &error), AR_OK, "%s: %s", run->name,
                     error.text);
    ar_check_free(check);
}

/* ---- Counters ------------------------------------------------------------------------------------------ */

static struct ar_counter counted(struct ar_execution *execution, int peer)
{
    int n;
    const struct ar_counter *counter = ar_execution_counters(execution, &n);
    for (int i = 0; i < n; i++) {
        cr_assert(i == 0 || counter[i - 1].peer < counter[i].peer, "peers ascend");
        if (counter[i].peer == peer)
            return counter[i];
    }
    return (struct ar_counter){.peer = peer};
}

/* What the last run counted is what the schedule says, and both ends of a pair agree. */
static void check_counters(const struct run *run)
{
    int64_t bytes = (int64_t)ar_types[run->setup.type].bytes;
    for (int r = 0; r < run->nranks; r++) {
        struct ar_counter total = ar_execution_total(run->execution[r]);
        struct ar_traffic traffic = ar_traffic_of_rank(&run->schedule, &run->setup.layout, r);
        cr_assert_eq(total.sent_messages, traffic.messages_sent, "%s, rank %d", run->name, r);
        cr_assert_eq(total.received_messages, traffic.messages_received, "%s, rank %d", run->name, r);
        cr_assert_eq(total.sent_bytes, traffic.elements_sent * bytes, "%s, rank %d", run->name, r);
        cr_assert_eq(total.received_bytes, traffic.elements_received * bytes, "%s, rank %d", run->name, r);
        for (int s = 0; s < run->nranks; s++) {
            struct ar_counter there = counted(run->execution[r], s), back = counted(run->execution[s], r);
            cr_assert(there.sent_bytes == back.received_bytes &&
                          there.sent_messages == back.received_messages,
                      "%s: %d -> %d", run->name, r, s);
        }
    }
}

static void check_same_counters(const struct run *a, const struct run *b)
{
    for (int r = 0; r < a->nranks; r++) {
        int n, m;
        const struct ar_counter *x = ar_execution_counters(a->execution[r], &n);
        const struct ar_counter *y = ar_execution_counters(b->execution[r], &m);
        cr_assert(n == m && (n == 0 || memcmp(x, y, (size_t)n * sizeof *x) == 0),
                  "%s, rank %d: simulated counters differ", a->name, r);
    }
}

/* ---- Right results and counts -------------------------------------------------------------------------- */

/* Once right is not enough: staging and counters must be as good the second time, and the third after all was
 * given back. */
static void full_case(const struct ar_algorithm *algorithm, int nranks, int root, int64_t count,
                      const int64_t *counts)
{
    struct run data, simulated;
    const struct ar_operator *sum = ar_operator_find("sum");
    open_run(&data, algorithm, nranks, root, count, counts, AR_TYPE_float32, sum, false);
    open_run(&simulated, algorithm, nranks, root, count, counts, AR_TYPE_float32, sum, true);
    for (int times = 1; times <= 3; times++) {
        if (times == 3)
            prepare_again(&data);
        run_and_check(&data);
        check_counters(&data);
        go(&simulated);
        check_same_counters(&data, &simulated);
    }
    close_run(&data);
    close_run(&simulated);
}

static bool wanted_root(const struct ar_algorithm *algorithm, int nranks, int root)
{
    if (!ar_collective_rooted(algorithm->collective))
        return root == 0;
    return nranks <= 5 || root == 0 || root == nranks / 2 || root == nranks - 1;
}

static const int ranks[] = {1, 2, 3, 4, 5, 7, 8, 13};
enum { NRANKS = sizeof ranks / sizeof *ranks };

/* For each algorithm, number of ranks it admits, and root. */
#define FOR_EACH_CASE(algorithm, nranks, root)                                                               \
    for (int a_ = 0; a_ < ar_nalgorithms; a_++)                                                              \
        for (int r_ = 0; r_ < NRANKS; r_++)                                                                  \
            for (int root = 0, nranks = ranks[r_]; root < nranks; root++)                                    \
                for (const struct ar_algorithm *algorithm = ar_algorithms[a_]; algorithm; algorithm = NULL)  \
                    if (wanted_root(algorithm, nranks, root) &&                                              \
                        ar_algorithm_admits(algorithm, nranks, NULL) == AR_OK)

Test(loopback, results_and_counters_are_right)
{
    FOR_EACH_CASE(algorithm, nranks, root)
    {
        const int64_t counts[] = {0, 1, nranks - 1, nranks, nranks + 1, 3 * nranks + 2, 1000};
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
            full_case(algorithm, nranks, root, counts[i], NULL);
    }
}

/* Parts of nothing, of one element and of many, also all in one rank's hands. */
Test(loopback, uneven_parts)
{
    FOR_EACH_CASE(algorithm, nranks, root)
    {
        if (!ar_collective_owned(algorithm->collective))
            continue;
        for (int shape = 0; shape < 4; shape++) {
            int64_t counts[MAX_RANKS], count = 0;
            for (int r = 0; r < nranks; r++) {
                counts[r] = shape == 0   ? (r * 7 + 3) % 5
                            : shape == 1 ? (r % 2 ? 0 : 40 + r)
                            : shape == 2 ? (r == nranks / 2 ? 100 : 0)
                                         : (r == nranks - 1 ? 0 : 1);
                count += counts[r];
            }
            full_case(algorithm, nranks, root, count, counts);
        }
    }
}

/* Vectors of several tiles, so that misplaced data shows at any distance. */
Test(loopback, long_vectors)
{
    for (int a = 0; a < ar_nalgorithms; a++) {
        struct run run;
        if (ar_algorithm_admits(ar_algorithms[a], 4, NULL) != AR_OK)
            continue;
        open_run(&run, ar_algorithms[a], 4, 0, 5 * AR_TILE + 3, NULL, AR_TYPE_int64, ar_operator_find("sum"),
                 false);
        run_and_check(&run);
        check_counters(&run);
        close_run(&run);
    }
}

Test(loopback, every_type_and_operator)
{
    for (int a = 0; a < ar_nalgorithms; a++)
        for (int nranks = 3; nranks <= 5; nranks++)
            for (int k = 0; k < AR_NTYPES * ar_noperators; k++) {
                struct run run;
                const struct ar_algorithm *algorithm = ar_algorithms[a];
                int root = ar_collective_rooted(algorithm->collective) ? nranks - 2 : 0;
                if (ar_algorithm_admits(algorithm, nranks, NULL) != AR_OK)
                    continue;
                open_run(&run, algorithm, nranks, root, 3 * nranks + 2, NULL, (enum ar_type)(k % AR_NTYPES),
                         &ar_operators[k / AR_NTYPES], false);
                run_and_check(&run);
                close_run(&run);
            }
}

/* ---- What the proof says about order and bits ---------------------------------------------------------- */

/* The result under the operator: 1 right on all ranks, 0 wrong on some. */
static int right_in_order(const struct ar_algorithm *algorithm, int nranks, int root)
{
    struct run run;
    struct ar_error error;
    int right = 1;
    open_run(&run, algorithm, nranks, root, 3 * nranks + 2, NULL, AR_TYPE_uint64, &affine_maps, false);
    struct ar_check *check = ar_check_new(&run.setup);
    for (int r = 0; r < nranks; r++)
        ar_check_fill(check, r, run.vector[r]);
    go(&run);
    for (int r = 0; r < nranks; r++)
        right &= ar_check_result(check, r, run.vector[r], &error) == AR_OK;
    ar_check_free(check);
    close_run(&run);
    return right;
}

Test(loopback, order_is_kept_where_it_is_proved_and_only_there)
{
    int kept = 0, lost = 0;
    FOR_EACH_CASE(algorithm, nranks, root)
    {
        struct ar_schedule schedule;
        struct ar_choice choice = small_segments(algorithm);
        struct ar_proof proof;
        struct ar_error error;
        struct ar_size size = {3 * nranks + 2, 0, sizeof(uint64_t)};
        if (!ar_collectives[algorithm->collective].reduces)
            continue;
        cr_assert_eq(ar_schedule_init(&schedule, &choice, nranks, root, size, &error), AR_OK, "%s",
                     error.text);
        cr_assert_eq(ar_verify(&schedule, &proof, &error), AR_OK, "%s", error.text);
        cr_assert_eq(right_in_order(algorithm, nranks, root), proof.ordered,
                     "%s:%s, %d ranks, root %d: proved %s, run otherwise",
                     ar_collectives[algorithm->collective].name, algorithm->name, nranks, root,
                     proof.ordered ? "in order" : "out of order");
        *(proof.ordered ? &kept : &lost) += 1;
        ar_schedule_free(&schedule);
    }
    cr_assert(kept > 0 && lost > 0, "both happen: %d kept, %d lost", kept, lost);
}

/* Numbers of all sizes, so that every other order of additions rounds differently somewhere. */
static float inexact(int rank, int64_t i)
{
    uint64_t h = ((uint64_t)rank << 32 | (uint64_t)i) * 0x9e3779b97f4a7c15U;
    h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9U;
    uint32_t bits = (uint32_t)(h >> 32);
    bits = (bits & 0x807fffffU) | (120U + (bits >> 23) % 16U) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

Test(loopback, ranks_agree_to_the_bit_where_it_is_proved)
{
    int agreed = 0;
    FOR_EACH_CASE(algorithm, nranks, root)
    {
        struct run run;
        struct ar_proof proof;
        struct ar_error error;
        enum { N = 400 };
        if (!ar_collectives[algorithm->collective].reduces ||
            ar_collectives[algorithm->collective].ends != AR_AT_ALL)
            continue;
        open_run(&run, algorithm, nranks, root, N, NULL, AR_TYPE_float32, ar_operator_find("sum"), false);
        cr_assert_eq(ar_verify(&run.schedule, &proof, &error), AR_OK, "%s", error.text);
        for (int r = 0; r < nranks; r++)
            for (int64_t i = 0; i < N; i++)
                ((float *)(void *)run.vector[r])[i] = inexact(r, i);
        go(&run);
        for (int r = 1; r < nranks && proof.same_bits; r++) {
            cr_assert(memcmp(run.vector[0], run.vector[r], N * sizeof(float)) == 0, "%s: rank %d differs",
                      run.name, r);
            agreed++;
        }
        close_run(&run);
    }
    cr_assert_gt(agreed, 0);
}

/* ---- Huge ---------------------------------------------------------------------------------------------- */

/* Elements that all ranks together send at least. */
static int64_t least_elements(enum ar_collective_id id, int nranks, int64_t count)
{
    if (ar_collectives[id].token)
        return 0;
    if (ar_collective_rooted(id) && ar_collective_owned(id)) /* the root's part stays */
        return count - (count + nranks - 1) / nranks;
    return (nranks - 1) * count;
}

Test(loopback, more_elements_than_31_bits)
{
    const int64_t count = (INT64_C(1) << 33) + 5;
    for (int a = 0; a < ar_nalgorithms; a++)
        for (int nranks = 3; nranks <= 5; nranks += 2) {
            const struct ar_algorithm *algorithm = ar_algorithms[a];
            struct ar_schedule schedule;
            struct ar_choice choice = ar_choice_default(algorithm);
            struct ar_execution_setup setup = {.schedule = &schedule,
                                               .type = AR_TYPE_float32,
                                               .op = ar_operator_find("sum"),
                                               .simulated = true};
            struct ar_end *end[5];
            struct ar_execution *execution[5];
            struct ar_error error;
            for (int i = 0; i < algorithm->nparams; i++)
                if (algorithm->params[i].unit == AR_PARAM_BYTES)
                    choice.value[i] = INT64_C(3) << 30; /* few messages, each of more than 2^31 bytes */
            if (ar_algorithm_admits(algorithm, nranks, NULL) != AR_OK)
                continue;
            cr_assert_eq(
                ar_schedule_init(&schedule, &choice, nranks, 0, (struct ar_size){count, 0, 4}, &error), AR_OK,
                "%s", error.text);
            cr_assert_eq(ar_schedule_layout(&schedule, count, NULL, NULL, &setup.layout, &error), AR_OK);
            ar_loopback_open(nranks, end);
            for (int r = 0; r < nranks; r++)
                cr_assert_eq(ar_execution_new(&execution[r], &setup, end[r], &error), AR_OK, "%s",
                             error.text);
            cr_assert_eq(ar_execution_run_all(execution, NULL, nranks, &error), AR_OK, "%s", error.text);
            int64_t sent = 0, least = least_elements(algorithm->collective, nranks, count);
            for (int r = 0; r < nranks; r++) {
                struct ar_traffic traffic = ar_traffic_of_rank(&schedule, &setup.layout, r);
                struct ar_counter total = ar_execution_total(execution[r]);
                cr_assert_eq(total.sent_bytes, traffic.elements_sent * 4, "%s: rank %d", algorithm->name, r);
                cr_assert_eq(total.received_bytes, traffic.elements_received * 4, "%s: rank %d",
                             algorithm->name, r);
                sent += total.sent_bytes;
                ar_execution_free(execution[r]);
                end[r]->transport->close(end[r]);
            }
            cr_assert_geq(sent, least * 4, "%s:%s, %d ranks", ar_collectives[algorithm->collective].name,
                          algorithm->name, nranks);
            ar_schedule_free(&schedule);
        }
}
