/* Laws of the combinators: what they make of right schedules is right. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "collectives/combinators.h"
#include "collectives/verify/verify.h"
#include "tests/laws/every_schedule.h"

/* ---- Reversed ---------------------------------------------------------------------------------------- */

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

/* Whether some step is of a kind in `kinds` (1 << kind). */
static bool has_step(const struct ar_schedule *schedule, unsigned kinds)
{
    bool has = false;
    struct ar_sink sink = {.full = ar_sink_grow};
    for (int rank = 0; rank < schedule->problem.nranks; rank++)
        for (int64_t k = 0; k < ar_nrounds(schedule); k++) {
            sink.n = 0;
            ar_schedule_round(schedule, rank, k, &sink);
            for (int i = 0; i < sink.n; i++)
                has |= kinds >> sink.step[i].kind & 1;
        }
    free(sink.step);
    return has;
}

enum { LOCAL = 1 << AR_COPY | 1 << AR_FOLD };

static struct ar_algorithm reversed_as(enum ar_collective_id collective, const struct ar_schedule *schedule,
                                       enum ar_direction direction)
{
    inner = schedule;
    inner_direction = direction;
    return (struct ar_algorithm){.name = "reversed",
                                 .collective = collective,
                                 .parts = schedule->algorithm->parts,
                                 .splits = schedule->algorithm->splits,
                                 .rounds = inner_rounds,
                                 .round = once_reversed};
}

/* Time reversed twice is the schedule itself. */
static void reversed_twice_is_itself(const struct ar_schedule *schedule, const char *name)
{
    if (has_step(schedule, LOCAL | 1 << AR_RECEIVE_REDUCE))
        return;
    struct ar_algorithm once = reversed_as(schedule->algorithm->collective, schedule, AR_BACKWARD);
    struct ar_schedule reversed = *schedule;
    struct ar_sink a = {.full = ar_sink_grow}, b = {.full = ar_sink_grow};
    reversed.algorithm = &once;
    for (inner_direction = AR_BACKWARD; inner_direction <= AR_BACKWARD_REDUCE; inner_direction++)
        for (int rank = 0; rank < schedule->problem.nranks; rank++)
            for (int64_t k = 0; k < ar_nrounds(schedule); k++) {
                a.n = b.n = 0;
                ar_schedule_round(schedule, rank, k, &a);
                b.nblocks = ar_nblocks(schedule);
                ar_reversed_round(&reversed, AR_BACKWARD, rank, k, &b);
                cr_assert_eq(a.n, b.n, "%s: rank %d, round %d", name, rank, (int)k + 1);
                for (int i = 0; i < a.n; i++)
                    cr_assert(same_step(&a.step[i], &b.step[i]), "%s: rank %d, round %d, step %d", name, rank,
                              (int)k + 1, i);
            }
    free(a.step);
    free(b.step);
}

Test(combinators, reversing_twice_gives_the_schedule_back)
{
    for_every_schedule(reversed_twice_is_itself, 12, 1);
}

/* What a collective becomes when time runs backwards. */
static const struct dual {
    enum ar_collective_id of, is;
    enum ar_direction direction;
} duals[] = {
    {AR_COLLECTIVE_allgather, AR_COLLECTIVE_reduce_scatter, AR_BACKWARD_REDUCE},
    {AR_COLLECTIVE_broadcast, AR_COLLECTIVE_reduce, AR_BACKWARD_REDUCE},
    {AR_COLLECTIVE_reduce_scatter, AR_COLLECTIVE_allgather, AR_BACKWARD},
    {AR_COLLECTIVE_reduce, AR_COLLECTIVE_broadcast, AR_BACKWARD},
    {AR_COLLECTIVE_scatter, AR_COLLECTIVE_gather, AR_BACKWARD},
    {AR_COLLECTIVE_gather, AR_COLLECTIVE_scatter, AR_BACKWARD},
};

/* Algorithms without local steps that have no dual all the same, and why. */
static const struct {
    const struct ar_algorithm *algorithm;
    const char *reason;
    int most;      /* up to so many ranks it has one; 0: on one rank only */
    int64_t outer; /* the value of its third parameter where this holds */
} without_dual[] = {
    {&ar_broadcast_scatter_allgather, "its ring brings blocks to ranks that hold them already"},
    {&ar_allgather_gather_broadcast, "its broadcast brings blocks to ranks that hold them already"},
    {&ar_broadcast_scatter_recursive_doubling, "it brings blocks to ranks that hold them already"},
    {&ar_broadcast_scatter_circulant, "it brings blocks to ranks that hold them already"},
    {&ar_reduce_scatter_recursive_doubling, "ranks send partial results of a block more than once", 2},
    {&ar_broadcast_hierarchical, "its outer child brings blocks to ranks that hold them already", 0, 1},
};

static const char *reason_against(const struct ar_schedule *schedule)
{
    for (size_t i = 0; i < sizeof without_dual / sizeof *without_dual; i++)
        if (without_dual[i].algorithm == schedule->algorithm && schedule->problem.nranks > 1 &&
            without_dual[i].outer == schedule->problem.param[2] &&
            schedule->problem.nranks > without_dual[i].most)
            return without_dual[i].reason;
    return has_step(schedule, LOCAL) ? "it copies or folds" : NULL;
}

/* Right, or refused where it must be. */
static void dual_is_right(const struct ar_schedule *schedule, const char *name)
{
    const char *reason = reason_against(schedule);
    for (size_t i = 0; i < sizeof duals / sizeof *duals; i++) {
        if (duals[i].of != schedule->algorithm->collective)
            continue;
        struct ar_algorithm algorithm = reversed_as(duals[i].is, schedule, duals[i].direction);
        struct ar_schedule dual = {.algorithm = &algorithm, .problem = schedule->problem};
        struct ar_proof proof;
        struct ar_error error = {""};
        cr_assert_eq(ar_verify(&dual, &proof, &error), reason ? AR_FAILED : AR_OK, "%s reversed: %s", name,
                     reason ? reason : error.text);
    }
}

Test(combinators, reversing_gives_the_dual_collective_or_is_refused)
{
    for_every_schedule(dual_is_right, 17, 1);
}

/* ---- Sequence ---------------------------------------------------------------------------------------- */

static const struct ar_algorithm *sequence[2];

/* Cut differently, so that neither block space serves for both. */
static void make_children(const struct ar_problem *p, struct ar_schedule child[2])
{
    static const int64_t nsegments[] = {4, 6};
    for (int c = 0; c < 2; c++) {
        child[c] = ar_child(sequence[c], p);
        for (int i = 0; i < sequence[c]->nparams; i++)
            if (sequence[c]->params[i].unit == AR_PARAM_BYTES)
                child[c].problem.param[i] = nsegments[c];
    }
}

static int64_t sequence_parts(const struct ar_problem *p)
{
    struct ar_schedule child[2];
    make_children(p, child);
    return ar_sequence_blocks(child, 2);
}

static int64_t sequence_rounds(const struct ar_problem *p)
{
    struct ar_schedule child[2];
    make_children(p, child);
    return ar_sequence_rounds(child, 2);
}

static void sequence_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct ar_schedule child[2];
    make_children(p, child);
    ar_sequence_round(child, 2, rank, k, sink);
}

static bool makes_an_allreduce(enum ar_collective_id first, enum ar_collective_id second)
{
    return (first == AR_COLLECTIVE_reduce && second == AR_COLLECTIVE_broadcast) ||
           (first == AR_COLLECTIVE_reduce_scatter && second == AR_COLLECTIVE_allgather);
}

static void prove_sequence(int nranks, int64_t *most_blocks)
{
    static const struct ar_algorithm both = {.name = "sequence",
                                             .collective = AR_COLLECTIVE_allreduce,
                                             .parts = sequence_parts,
                                             .rounds = sequence_rounds,
                                             .round = sequence_round};
    struct ar_problem problem = {.nranks = nranks};
    struct ar_schedule schedule;
    struct ar_proof proof;
    struct ar_error error = {""};
    for (int c = 0; c < 2; c++)
        if (ar_algorithm_admits(sequence[c], nranks, NULL) != AR_OK)
            return;
    cr_assert_eq(ar_schedule_of_problem(&schedule, &both, &problem, &error), AR_OK, "%s", error.text);
    cr_assert_eq(ar_verify(&schedule, &proof, &error), AR_OK, "%s, then %s: %s", sequence[0]->name,
                 sequence[1]->name, error.text);
    *most_blocks = ar_nblocks(&schedule) > *most_blocks ? ar_nblocks(&schedule) : *most_blocks;
}

Test(combinators, a_reduction_and_then_a_distribution_is_an_allreduce)
{
    int64_t most_blocks = 0;
    for (int i = 0; i < ar_nalgorithms; i++)
        for (int j = 0; j < ar_nalgorithms; j++) {
            sequence[0] = ar_algorithms[i];
            sequence[1] = ar_algorithms[j];
            if (makes_an_allreduce(sequence[0]->collective, sequence[1]->collective))
                for (int nranks = 1; nranks <= 9; nranks++)
                    prove_sequence(nranks, &most_blocks);
        }
    cr_expect_geq(most_blocks, 12, "4 and 6 segments must share 12 blocks");
}

/* ---- Segments ---------------------------------------------------------------------------------------- */

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

/* ---- Overlap ------------------------------------------------------------------------------------------- */

static struct ar_schedule overlapped[2];
static const int64_t overlap_from[2] = {2, 0};

static int64_t overlapped_splits(const struct ar_problem *p)
{
    (void)p;
    return ar_overlap_blocks(overlapped, 2) / ar_nparts(&overlapped[0]);
}

static int64_t overlapped_rounds(const struct ar_problem *p)
{
    (void)p;
    return ar_overlap_rounds(overlapped, overlap_from, 2);
}

static void overlapped_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p;
    ar_overlap_round(overlapped, overlap_from, 2, rank, k, sink);
}

static bool overlap_is_right(const struct ar_algorithm *a, const struct ar_algorithm *b, int nranks)
{
    struct ar_problem problem = {.nranks = nranks,
                                 .root = ar_collective_rooted(a->collective) ? nranks / 2 : 0};
    struct ar_algorithm both = {.name = "overlapped",
                                .collective = a->collective,
                                .parts = a->parts,
                                .splits = overlapped_splits,
                                .rounds = overlapped_rounds,
                                .round = overlapped_round};
    struct ar_schedule schedule;
    struct ar_proof proof;
    struct ar_error error;
    if (ar_algorithm_admits(a, nranks, NULL) != AR_OK || ar_algorithm_admits(b, nranks, NULL) != AR_OK)
        return false;
    overlapped[0] = ar_child(a, &problem);
    overlapped[1] = ar_child(b, &problem);
    if (ar_nparts(&overlapped[0]) != ar_nparts(&overlapped[1]))
        return false;
    cr_assert_eq(ar_schedule_of_problem(&schedule, &both, &problem, &error), AR_OK, "%s", error.text);
    cr_assert_eq(ar_verify(&schedule, &proof, &error), AR_OK, "%s:%s with %s: %s",
                 ar_collectives[a->collective].name, a->name, b->name, error.text);
    ar_schedule_free(&schedule);
    return true;
}

/* Each algorithm of a collective beside the next one of it, which began two rounds before. */
Test(combinators, right_schedules_side_by_side_are_right)
{
    int tried = 0;
    for (int i = 0; i < ar_nalgorithms; i++)
        for (int j = 0; j < ar_nalgorithms; j++)
            for (int nranks = 2; nranks <= 5; nranks++)
                if (ar_algorithms[i]->collective == ar_algorithms[j]->collective && (i + j) % 3 == 0)
                    tried += overlap_is_right(ar_algorithms[i], ar_algorithms[j], nranks);
    cr_assert_gt(tried, ar_nalgorithms);
}
