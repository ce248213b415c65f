/* Laws of schedules over groups of ranks and over tori, whatever the shape. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/cost.h"
#include "collectives/groups.h"
#include "collectives/registry.h"
#include "collectives/verify/verify.h"
#include "sim/engine/clocks.h"
#include "tests/laws/every_schedule.h"

static const struct ar_param by_groups = {"groups", "", AR_PARAM_GROUPS, 0, 0, INT64_MAX, NULL};
static const struct ar_param by_dims = {"dims", "", AR_PARAM_DIMS, 0, 0, INT64_MAX, NULL};

static int64_t parsed(const struct ar_param *param, const char *text)
{
    int64_t value;
    struct ar_error error = {""};
    cr_assert_eq(ar_shape_parse(param, text, &value, &error), AR_OK, "%s", error.text);
    return value;
}

/* ---- Shapes ------------------------------------------------------------------------------------------ */

Test(shapes, what_is_typed_is_what_is_printed)
{
    static const char *const texts[] = {"auto",
                                        "1",
                                        "2147483647",
                                        "3+4+2",
                                        "1+1",
                                        "8+8+8+4",
                                        "1024+1000+1+1",
                                        "1+2+3+4+5+6+7+1+2+3+4+5+6+7",
                                        "4096+1+4095",
                                        "63+1+1+1",
                                        "63+63+63+63+63+63+63+63+63"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[AR_UNITS_TEXT];
        cr_expect_str_eq(ar_shape_format(&by_groups, parsed(&by_groups, texts[i]), text), texts[i]);
    }
    char text[AR_UNITS_TEXT];
    cr_expect_str_eq(ar_shape_format(&by_dims, parsed(&by_dims, "4x4x8"), text), "4x4x8");
}

Test(shapes, what_is_no_list_of_sizes_is_refused)
{
    static const char *const texts[] = {"",
                                        "0",
                                        "-1",
                                        "3+",
                                        "+3",
                                        "3++4",
                                        "3+0",
                                        "3x4",
                                        "a",
                                        "3+a",
                                        "3+4 2",
                                        "2147483648",
                                        "1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1",
                                        "100000+100000+100000+100000",
                                        "63+63+63+63+63+63+63+63+63+63"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t value;
        struct ar_error error = {""};
        cr_expect_eq(ar_shape_parse(&by_groups, texts[i], &value, &error), AR_INVALID, "'%s'", texts[i]);
        cr_expect(strstr(error.text, texts[i]), "'%s': %s", texts[i], error.text);
    }
}

static const char *const listed[] = {"3+4+2", "1+1",   "5+1+1+9", "7+1",   "1+15",      "2+3+4+5+6+7",
                                     "16+48", "33+31", "1+62+1",  "8+8+8", "4+4+4+4+3", "1+1+1+1+1+1+1+1+1"};
enum { NLISTED = sizeof listed / sizeof *listed };

static int sum_of(int64_t value)
{
    struct ar_shape shape = ar_shape_of(value);
    int sum = 0;
    for (int i = 0; i < shape.n; i++)
        sum += shape.size[i];
    return sum;
}

static int product_of(const struct ar_shape *shape)
{
    int product = 1;
    for (int i = 0; i < shape->n; i++)
        product *= shape->size[i];
    return product;
}

/* A value taken as it is for so many ranks, AR_OK or AR_INVALID. */
static enum ar_status settled(const struct ar_param *param, int nranks, int64_t value, int64_t *result)
{
    struct ar_error error = {""};
    *result = value;
    enum ar_status status = ar_shape_settle(param, nranks, result, &error);
    cr_assert_eq(status == AR_OK, error.text[0] == '\0', "%s", error.text);
    return status;
}

Test(shapes, fit_their_ranks_or_are_refused)
{
    struct ar_param equal = by_groups;
    equal.unit = AR_PARAM_EQUAL_GROUPS;
    for (int nranks = 1; nranks <= 70; nranks++) {
        int64_t value, again;
        for (int i = 0; i < NLISTED; i++)
            cr_expect_eq(settled(&by_groups, nranks, parsed(&by_groups, listed[i]), &value) == AR_OK,
                         nranks == sum_of(parsed(&by_groups, listed[i])), "%s, %d ranks", listed[i], nranks);
        for (int each = 1; each <= nranks + 2; each++) {
            cr_expect_eq(settled(&by_groups, nranks, each, &value), AR_OK);
            cr_expect_eq(settled(&equal, nranks, each, &value) == AR_OK, nranks % each == 0);
            cr_expect_eq(settled(&by_dims, nranks, each, &value) == AR_OK, nranks == each);
        }
        cr_expect_eq(settled(&equal, nranks, 0, &value), AR_OK);
        cr_expect(nranks % value == 0 && value * value <= nranks, "%d: %d", nranks, (int)value);
        for (int64_t more = value + 1; more * more <= nranks; more++)
            cr_expect_neq(nranks % more, 0, "%d: %d is not the largest", nranks, (int)value);
        cr_expect_eq(settled(&by_dims, nranks, 0, &value), AR_OK);
        struct ar_shape dims = ar_shape_of(value);
        cr_expect_eq(product_of(&dims), nranks);
        cr_expect_eq(settled(&by_dims, nranks, value, &again), AR_OK);
        cr_expect_eq(value, again, "%d ranks: settled twice", nranks);
        cr_expect_eq(settled(&by_dims, nranks, -1, &value), AR_INVALID);
        cr_expect_eq(settled(&by_groups, nranks, INT64_C(1) << 40, &value), AR_INVALID);
    }
    int64_t value;
    cr_expect_eq(settled(&equal, 12, parsed(&by_groups, "4+4+4"), &value), AR_OK);
    cr_expect_eq(value, 4);
    cr_expect_eq(settled(&equal, 12, parsed(&by_groups, "4+5+3"), &value), AR_INVALID);
}

Test(shapes, refusals_say_the_sum_only_where_there_is_one)
{
    static const struct {
        const char *dims, *sentence;
    } refused[] = {
        {"8", "dims: expected a product of 16, the ranks, got 8"},
        {"3x5", "dims: expected a product of 16, the ranks, got 3x5 = 15"},
    };
    struct ar_error error;
    int64_t value;
    for (int i = 0; i < 2; i++) {
        value = parsed(&by_dims, refused[i].dims);
        cr_expect_eq(ar_shape_settle(&by_dims, 16, &value, &error), AR_INVALID);
        cr_expect_str_eq(error.text, refused[i].sentence);
    }
    struct ar_param equal = by_groups;
    equal.unit = AR_PARAM_EQUAL_GROUPS;
    value = 3;
    cr_expect_eq(ar_shape_settle(&equal, 1, &value, &error), AR_INVALID);
    cr_expect(strstr(error.text, "got 1 rank in groups of 3"), "%s", error.text);
}

/* ---- Partitions -------------------------------------------------------------------------------------- */

enum { MANY_SHAPES = 8 };

/* Group sizes and lists for so many ranks. */
static int shapes_of(int nranks, int64_t value[MANY_SHAPES + NLISTED])
{
    static const int64_t each[MANY_SHAPES] = {0, 1, 2, 3, 5, 8, 13, 64};
    int n = MANY_SHAPES;
    memcpy(value, each, sizeof each);
    for (int i = 0; i < NLISTED; i++)
        if (sum_of(parsed(&by_groups, listed[i])) == nranks)
            value[n++] = parsed(&by_groups, listed[i]);
    if (nranks >= 5) { /* a list for every number of ranks */
        char text[AR_UNITS_TEXT];
        snprintf(text, sizeof text, "%d+1+%d", nranks / 3, nranks - 1 - nranks / 3);
        value[1] = parsed(&by_groups, text);
    }
    return n;
}

Test(groups, every_rank_is_in_one_group)
{
    for (int nranks = 1; nranks <= 64; nranks++) {
        int64_t value[MANY_SHAPES + NLISTED];
        int n = shapes_of(nranks, value);
        for (int i = 0; i < n; i++) {
            struct ar_groups groups = ar_groups_of(value[i], nranks);
            int rank = 0;
            for (int g = 0; g < groups.n; g++) {
                struct ar_group group = ar_groups_at(&groups, g);
                cr_assert(group.index == g && group.first == rank && group.size >= 1);
                for (; rank < group.first + group.size; rank++) {
                    struct ar_group with = ar_groups_with(&groups, rank);
                    cr_assert(with.index == g && with.first == group.first && with.size == group.size);
                }
            }
            cr_assert_eq(rank, nranks);
        }
    }
}

/* ---- Proofs ------------------------------------------------------------------------------------------ */

static void make(struct ar_schedule *schedule, const struct ar_algorithm *algorithm,
                 const struct ar_problem *problem)
{
    struct ar_error error = {""};
    cr_assert_eq(ar_schedule_of_problem(schedule, algorithm, problem, &error), AR_OK, "%s:%s: %s",
                 ar_collectives[algorithm->collective].name, algorithm->name, error.text);
}

static void prove(const struct ar_algorithm *algorithm, const struct ar_problem *problem)
{
    struct ar_schedule schedule;
    struct ar_proof proof;
    struct ar_error error = {""};
    char text[AR_UNITS_TEXT];
    make(&schedule, algorithm, problem);
    cr_assert_eq(ar_verify(&schedule, &proof, &error), AR_OK, "%s=%s: %s", algorithm->params[0].name,
                 ar_param_format(&algorithm->params[0], problem->param[0], text), error.text);
    ar_schedule_free(&schedule);
}

/* The variant-th combination of the words after the shape, over and over. */
static void choose_words(const struct ar_algorithm *algorithm, int variant, struct ar_problem *problem)
{
    for (int i = 1; i < algorithm->nparams; i++) {
        int64_t nwords = algorithm->params[i].max + 1;
        problem->param[i] = variant % nwords;
        variant /= (int)nwords;
    }
}

static const struct ar_algorithm *const over_groups[] = {&ar_broadcast_hierarchical, &ar_reduce_hierarchical,
                                                         &ar_allreduce_hierarchical};

Test(groups, every_partition_and_root_is_right)
{
    int variant = 0;
    for (int a = 0; a < 3; a++)
        for (int nranks = 1; nranks <= 64; nranks++) {
            int64_t value[MANY_SHAPES + NLISTED];
            int n = shapes_of(nranks, value);
            int nroots = ar_collective_rooted(over_groups[a]->collective) ? nranks : 8; /* 8: all words */
            for (int i = 0; i < n; i++)
                for (int root = 0; root < nroots; root++, variant++) {
                    struct ar_problem problem = {.nranks = nranks, .param = {value[i]}};
                    problem.root = ar_collective_rooted(over_groups[a]->collective) ? root : 0;
                    choose_words(over_groups[a], variant, &problem);
                    prove(over_groups[a], &problem);
                }
        }
}

static const struct ar_algorithm *const on_torus[] = {&ar_reduce_scatter_bucket, &ar_allgather_bucket,
                                                      &ar_allreduce_bucket};

Test(torus, every_factorisation_is_right)
{
    for (int nranks = 1; nranks <= 64; nranks++)
        for (int a = 1; a <= nranks; a++)
            for (int b = 1; nranks % a == 0 && b <= nranks / a; b++) {
                if (nranks / a % b != 0)
                    continue;
                char text[AR_UNITS_TEXT];
                snprintf(text, sizeof text, "%dx%dx%d", a, b, nranks / a / b);
                struct ar_problem problem = {.nranks = nranks, .param = {parsed(&by_dims, text)}};
                for (int i = 0; i < 3; i++)
                    prove(on_torus[i], &problem);
            }
}

Test(torus, rails_of_every_length_are_right)
{
    for (int nranks = 1; nranks <= 64; nranks++)
        for (int each = 1; each <= nranks; each++)
            for (int variant = 0; nranks % each == 0 && variant < 8; variant++) {
                struct ar_problem problem = {.nranks = nranks, .param = {each}};
                choose_words(&ar_allreduce_split_rail, variant, &problem);
                prove(&ar_allreduce_split_rail, &problem);
            }
}

/* ---- Where a shape is none --------------------------------------------------------------------------- */

static void same_schedules(const struct ar_algorithm *algorithm, int64_t shape,
                           const struct ar_algorithm *child, int nranks, int root)
{
    struct ar_problem p = {.nranks = nranks, .root = root, .param = {shape}};
    struct ar_schedule schedule, alone = ar_child(child, &p);
    struct ar_sink a = {.full = ar_sink_grow}, b = {.full = ar_sink_grow};
    make(&schedule, algorithm, &p);
    cr_assert_eq(ar_nrounds(&schedule), ar_nrounds(&alone), "%s", algorithm->name);
    for (int rank = 0; rank < nranks; rank++)
        for (int64_t k = 0; k < ar_nrounds(&alone); k++) {
            a.n = b.n = 0;
            ar_schedule_round(&schedule, rank, k, &a);
            ar_schedule_round(&alone, rank, k, &b);
            cr_assert_eq(a.n, b.n, "%s, %d ranks, rank %d, round %d", algorithm->name, nranks, rank, (int)k);
            for (int i = 0; i < a.n; i++)
                cr_assert(same_step(&a.step[i], &b.step[i]), "%s, %d ranks, rank %d, round %d",
                          algorithm->name, nranks, rank, (int)k);
        }
    free(a.step);
    free(b.step);
    ar_schedule_free(&schedule);
}

Test(groups, groups_of_one_and_one_group_are_the_child_alone)
{
    for (int nranks = 1; nranks <= 20; nranks++) {
        for (int root = 0; root < nranks; root++)
            for (int one = 0; one < 2; one++) {
                same_schedules(&ar_broadcast_hierarchical, one ? nranks : 1, &ar_broadcast_binomial, nranks,
                               root);
                same_schedules(&ar_reduce_hierarchical, one ? nranks : 1, &ar_reduce_binomial, nranks, root);
            }
        same_schedules(&ar_allreduce_hierarchical, 1, &ar_allreduce_ring, nranks, 0);
        same_schedules(&ar_allreduce_split_rail, 1, &ar_allreduce_ring, nranks, 0);
        same_schedules(&ar_allreduce_split_rail, nranks, &ar_allreduce_ring, nranks, 0);
        same_schedules(&ar_reduce_scatter_bucket, nranks, &ar_reduce_scatter_ring, nranks, 0);
        same_schedules(&ar_allreduce_bucket, nranks, &ar_allreduce_ring, nranks, 0);
    }
}

/* ---- Costs ------------------------------------------------------------------------------------------- */

static const struct ar_hockney model = {2e-6, 1e-9, 3e-9};
enum { ELEM_BYTES = 4 };

/* The declared form and the simulated time of a vector of equal blocks. */
static void price(const struct ar_algorithm *algorithm, const struct ar_problem *problem, double *form_s,
                  double *time_s)
{
    struct ar_schedule schedule;
    struct ar_layout layout;
    struct ar_clocks clocks;
    make(&schedule, algorithm, problem);
    int64_t count = 3 * ar_nblocks(&schedule);
    cr_assert_eq(ar_schedule_layout(&schedule, count, NULL, NULL, &layout, NULL), AR_OK);
    cr_assert_eq(ar_clocks_run(&schedule, &layout, ELEM_BYTES, &model, &clocks, NULL), AR_OK);
    *time_s = clocks.time_s;
    *form_s = ar_hockney_time(&model, algorithm->cost(&schedule.problem), (double)count * ELEM_BYTES);
    ar_clocks_free(&clocks);
    ar_schedule_free(&schedule);
}

/* With equal groups exactly, children with an exact form given (inner=binomial); else never more. */
Test(groups, forms_are_exact_for_equal_groups_and_bounds_for_others)
{
    int nexact = 0;
    for (int a = 0; a < 3; a++)
        for (int nranks = 1; nranks <= 40; nranks++) {
            int64_t value[MANY_SHAPES + NLISTED];
            int n = shapes_of(nranks, value);
            for (int i = 0; i < n; i++)
                for (int variant = 0; variant < 8; variant++) {
                    struct ar_problem problem = {.nranks = nranks, .param = {value[i]}};
                    struct ar_groups groups = ar_groups_of(value[i], nranks);
                    double form_s, time_s;
                    choose_words(over_groups[a], variant, &problem);
                    price(over_groups[a], &problem, &form_s, &time_s);
                    cr_assert_geq(form_s * (1 + 1e-12), time_s, "%s, %d ranks, shape %d",
                                  over_groups[a]->name, nranks, i);
                    if (!groups.each || nranks % groups.each != 0 || problem.param[1] != 0)
                        continue;
                    cr_assert_leq(form_s, time_s * (1 + 1e-12), "%s:%s, %d ranks, groups of %d, outer %d",
                                  ar_collectives[over_groups[a]->collective].name, over_groups[a]->name,
                                  nranks, groups.each, (int)problem.param[2]);
                    nexact++;
                }
        }
    cr_assert_gt(nexact, 500);
}

Test(torus, costs_are_the_published_ones)
{
    static const char *const tori[] = {"4x4", "2x3x4", "5x1x2", "16", "2x2x2x2x2", "3x7"};
    for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
        struct ar_shape dims = ar_shape_of(parsed(&by_dims, tori[i]));
        double P = product_of(&dims), steps = 0, form_s, time_s;
        for (int d = 0; d < dims.n; d++)
            steps += dims.size[d] - 1;
        struct ar_problem problem = {.nranks = (int)P, .param = {parsed(&by_dims, tori[i])}};
        struct ar_cost cost = ar_allreduce_bucket.cost(&problem);
        cr_expect(fabs(cost.alpha - 2 * steps) + fabs(cost.beta - 2 * (P - 1) / P) +
                          fabs(cost.gamma - (P - 1) / P) <
                      1e-12,
                  "%s: %g %g %g", tori[i], cost.alpha, cost.beta, cost.gamma);
        for (int a = 0; a < 3; a++) {
            price(on_torus[a], &problem, &form_s, &time_s);
            cr_expect(fabs(form_s - time_s) <= 1e-12 * time_s, "%s: %g, %g", tori[i], form_s, time_s);
        }
    }
}

Test(torus, costs_along_rails_are_exact)
{
    for (int nranks = 1; nranks <= 40; nranks++)
        for (int each = 1; each <= nranks; each++)
            for (int variant = 0; nranks % each == 0 && variant < 8; variant++) {
                double form_s, time_s;
                struct ar_problem problem = {.nranks = nranks, .param = {each}};
                choose_words(&ar_allreduce_split_rail, variant, &problem);
                price(&ar_allreduce_split_rail, &problem, &form_s, &time_s);
                cr_assert(fabs(form_s - time_s) <= 1e-12 * time_s, "%d ranks in groups of %d: %g, %g", nranks,
                          each, form_s, time_s);
            }
}

/* ---- What cannot be reversed ------------------------------------------------------------------------- */

static const struct ar_schedule *turned;

static int64_t turned_rounds(const struct ar_problem *p)
{
    (void)p;
    return ar_nrounds(turned);
}

static int64_t turned_parts(const struct ar_problem *p)
{
    (void)p;
    return ar_nblocks(turned);
}

static void turned_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p;
    ar_reversed_round(turned, AR_BACKWARD_REDUCE, rank, k, sink);
}

static enum ar_status prove_reversed(const struct ar_algorithm *algorithm, struct ar_problem problem,
                                     enum ar_collective_id as, struct ar_error *error)
{
    struct ar_algorithm reversed = {.name = "reversed",
                                    .collective = as,
                                    .parts = turned_parts,
                                    .rounds = turned_rounds,
                                    .round = turned_round};
    struct ar_schedule schedule, backward;
    struct ar_proof proof;
    make(&schedule, algorithm, &problem);
    turned = &schedule;
    make(&backward, &reversed, &problem);
    enum ar_status status = ar_verify(&backward, &proof, error);
    ar_schedule_free(&schedule);
    return status;
}

/* A broadcast over groups backwards is a reduce over groups, unequal ones too, unless its children repeat
 * themselves; the refusal names the round, the rank and what is counted twice. */
Test(groups, what_cannot_be_reversed_is_refused_with_the_reason)
{
    struct ar_problem problem = {.nranks = 9, .root = 4, .param = {parsed(&by_groups, "3+4+2")}};
    struct ar_error error = {""};
    cr_expect_eq(prove_reversed(&ar_broadcast_hierarchical, problem, AR_COLLECTIVE_reduce, &error), AR_OK,
                 "%s", error.text);
    problem.param[2] = 1; /* scatter_allgather */
    cr_expect_eq(prove_reversed(&ar_broadcast_hierarchical, problem, AR_COLLECTIVE_reduce, &error),
                 AR_FAILED);
    cr_expect(strstr(error.text,
                     "round 5: rank 4, block 2 combines {3-6} with {0-8}: the contribution of rank 3 "
                     "would count twice"),
              "%s", error.text);
    problem = (struct ar_problem){.nranks = 12};
    cr_expect_eq(prove_reversed(&ar_allgather_bucket, problem, AR_COLLECTIVE_reduce_scatter, &error), AR_OK,
                 "%s", error.text);
    cr_expect_eq(prove_reversed(&ar_allreduce_bucket, problem, AR_COLLECTIVE_allreduce, &error), AR_FAILED);
    cr_expect(strstr(error.text, "the contribution of rank 0 would count twice"), "%s", error.text);
}
