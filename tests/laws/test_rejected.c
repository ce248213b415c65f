/* Published wrong schedules and their neighbours: the proof must tell which is which, and say why. */
#include <criterion/criterion.h>

#include "collectives/patterns/swing.h"
#include "collectives/registry.h"
#include "collectives/verify/verify.h"

static enum ar_status proved(const struct ar_algorithm *algorithm, int nranks, int64_t param,
                             struct ar_proof *proof, struct ar_error *error)
{
    struct ar_problem problem = {.nranks = nranks, .param = {param}};
    struct ar_schedule schedule;
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, &problem, error), AR_OK, "%s", error->text);
    enum ar_status status = ar_verify(&schedule, proof, error);
    ar_schedule_free(&schedule);
    return status;
}

/* ---- Whole vectors where blocks are needed ----------------------------------------------------------- */

static int64_t ceil_rounds(const struct ar_problem *p)
{
    return ar_log2_ceil(p->nranks);
}

static void swing_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int peer = ar_swing_peer(rank, (int)k, p->nranks);
    ar_send(sink, peer, ar_block(0));
    ar_receive_reduce(sink, peer, AR_BY_RANK, ar_block(0));
}

/* Swing's latency form without folding in: on even numbers of ranks other than powers of two the sums of its
 * distances meet, and contributions count twice. */
Test(rejected, latency_swing_is_right_on_powers_of_two_only)
{
    static const struct ar_algorithm raw = {.name = "raw_swing",
                                            .collective = AR_COLLECTIVE_allreduce,
                                            .rounds = ceil_rounds,
                                            .round = swing_round};
    static const struct {
        int nranks;
        const char *why;
    } wrong[] = {
        {6, "allreduce:raw_swing, 6 ranks, round 3: rank 0, block 0 combines {0,1,4,5} with {2-5}: the "
            "contribution of rank 4 would count twice"},
        {10, "allreduce:raw_swing, 10 ranks, round 4: rank 0, block 0 combines {0-5,8,9} with {0-7}: the "
             "contribution of rank 0 would count twice"},
        {12, "allreduce:raw_swing, 12 ranks, round 4: rank 0, block 0 combines {0-5,10,11} with {2-9}: the "
             "contribution of rank 2 would count twice"},
        {14, "allreduce:raw_swing, 14 ranks, round 4: rank 0, block 0 combines {0-5,12,13} with {4-11}: the "
             "contribution of rank 4 would count twice"},
        {20, "allreduce:raw_swing, 20 ranks, round 5: rank 0, block 0 combines {0-5,10-19} with {0,1,6-19}: "
             "the contribution of rank 0 would count twice"},
    };
    struct ar_proof proof;
    struct ar_error error = {""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(proved(&raw, wrong[i].nranks, 0, &proof, &error), AR_FAILED, "%d ranks",
                     wrong[i].nranks);
        cr_expect_str_eq(error.text, wrong[i].why);
    }
    for (int nranks = 2; nranks <= 64; nranks += 2)
        cr_expect_eq(proved(&raw, nranks, 0, &proof, &error),
                     (nranks & (nranks - 1)) == 0 ? AR_OK : AR_FAILED, "%d ranks", nranks);
}

static bool xor_pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)p, (void)i;
    *pattern = (struct ar_pattern){
        .kind = AR_XOR, .distance = 1 << k, .reduce = true, .set = ar_block(0), .align = 1};
    return true;
}

/* tile-ai/tilelang issue 2542: a sum over 48 lanes lost the last 16. */
Test(rejected, butterfly_on_48_ranks)
{
    static const struct ar_algorithm raw = {.name = "raw_butterfly",
                                            .collective = AR_COLLECTIVE_allreduce,
                                            .rounds = ceil_rounds,
                                            .pattern = xor_pattern};
    struct ar_proof proof;
    struct ar_error error = {""};
    cr_expect_eq(proved(&raw, 48, 0, &proof, &error), AR_FAILED);
    cr_expect_str_eq(error.text, "allreduce:raw_butterfly, 48 ranks, after the last round: rank 16, block 0 "
                                 "holds {0-31}, should hold {0-47}: {32-47} missing");
    cr_expect_eq(proved(&raw, 64, 0, &proof, &error), AR_OK, "%s", error.text);
}

/* An all-gather whose declared need is ignored. */
Test(rejected, doubling_past_its_need)
{
    struct ar_algorithm raw = ar_allgather_recursive_doubling;
    struct ar_proof proof;
    struct ar_error error = {""};
    raw.needs = 0;
    cr_expect_eq(proved(&raw, 6, 0, &proof, &error), AR_FAILED);
    cr_expect_str_eq(error.text, "allgather:recursive_doubling, 6 ranks, after the last round: rank 4, block "
                                 "0 holds nothing, should hold {0}");
}

/* ---- The same bits everywhere ------------------------------------------------------------------------ */

/* From 8 ranks on each rank of latency Swing adds up in an order of its own. */
Test(rejected, latency_swing_differs_between_ranks)
{
    enum { LATENCY = 1 };
    struct ar_proof proof;
    struct ar_error error = {""};
    for (int nranks = 2; nranks <= 64; nranks += 2) {
        cr_assert_eq(proved(&ar_allreduce_swing, nranks, LATENCY, &proof, &error), AR_OK, "%s", error.text);
        cr_expect_eq(proof.same_bits, nranks < 8, "%d ranks", nranks);
        cr_assert_eq(proved(&ar_allreduce_swing, nranks, 0, &proof, &error), AR_OK, "%s", error.text);
        cr_expect(proof.same_bits, "by blocks, %d ranks", nranks);
    }
}

/* openucx/ucc issue 585 (15 and 28 ranks) and 1145, pmodels/mpich pull request 6538: exchanges among k ranks
 * went wrong off powers of k, or every rank combined in another order. */
Test(rejected, groups_of_k_get_the_same_bits_for_every_k)
{
    struct ar_proof proof;
    struct ar_error error = {""};
    for (int radix = 2; radix <= 16; radix++)
        for (int nranks = 1; nranks <= 40; nranks++) {
            cr_assert_eq(proved(&ar_allreduce_recursive_multiplying, nranks, radix, &proof, &error), AR_OK,
                         "%s", error.text);
            cr_expect(proof.same_bits, "radix %d, %d ranks: %s", radix, nranks, proof.bits_why.text);
            cr_assert_eq(proved(&ar_allreduce_recexch, nranks, radix, &proof, &error), AR_OK, "%s",
                         error.text);
            cr_expect(proof.ordered && proof.same_bits, "radix %d, %d ranks: %s %s", radix, nranks,
                      proof.order_why.text, proof.bits_why.text);
        }
}

/* open-mpi/ompi pull request 12258: the fold ran from the last rank down. */
Test(rejected, allgather_reduce_keeps_the_order)
{
    struct ar_proof proof;
    struct ar_error error = {""};
    for (int nranks = 1; nranks <= 40; nranks++) {
        cr_assert_eq(proved(&ar_allreduce_allgather_reduce, nranks, 0, &proof, &error), AR_OK, "%s",
                     error.text);
        cr_expect(proof.ordered && proof.same_bits, "%d ranks: %s %s", nranks, proof.order_why.text,
                  proof.bits_why.text);
    }
}
