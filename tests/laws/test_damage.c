/* The verifier rejects every damage to any step of any algorithm. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "collectives/registry.h"
#include "collectives/verify/verify.h"
#include "tests/damage.h"

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
    case MODULUS:
    case LENGTH:
    case COUNT:
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
    [DROP] = "drop",        [PEER] = "peer + 1",       [BLOCK] = "block + 1",
    [STORE] = "store",      [DUPLICATE] = "duplicate", [RECEIVE] = "receive",
    [MODULUS] = "modulo 0", [LENGTH] = "length -1",    [COUNT] = "too many",
};

struct tally {
    long rejected, excluded;
};

static int64_t value_of(enum kind kind, const struct ar_step *step, int nranks)
{
    switch (kind) {
    case PEER:
        return (step->peer + 1) % nranks; /* for two ranks: the rank itself */
    case LENGTH:
        return -1;
    case COUNT:
        return INT64_MAX;
    default:
        return 0;
    }
}

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
        damage.value = value_of(kind, step, p->nranks);
        cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, p, &error), AR_OK);
        cr_expect_eq(ar_verify(&schedule, &proof, &error), AR_FAILED,
                     "%s:%s, %d ranks, root %d, param %d: '%s' on step %d of rank %d in round %d",
                     ar_collectives[algorithm->collective].name, algorithm->name, p->nranks, p->root,
                     (int)p->param[0], kind_name[kind], at.step, at.rank, (int)at.k + 1);
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

Test(damage, is_found_wherever_it_is)
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
