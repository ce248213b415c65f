/* What every descriptor in the registry must say. */
#include <criterion/criterion.h>
#include <string.h>

#include "collectives/registry.h"
#include "collectives/schedule.h"

static bool is_name(const char *text)
{
    return text && *text && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(text);
}

static bool is_one_line(const char *text)
{
    return text && *text && !strchr(text, '\n');
}

static void check_params(const struct ar_algorithm *algorithm, const char *name)
{
    cr_assert(algorithm->nparams >= 0 && algorithm->nparams <= AR_MAX_PARAMS, "%s: %d parameters", name,
              algorithm->nparams);
    cr_assert(algorithm->nparams == 0 || algorithm->params, "%s: no table of parameters", name);
    for (int i = 0; i < algorithm->nparams; i++) {
        const struct ar_param *param = &algorithm->params[i];
        cr_expect(is_name(param->name), "%s: parameter '%s'", name, param->name);
        cr_expect(is_one_line(param->help), "%s:%s has no help", name, param->name);
        cr_expect(param->unit <= AR_PARAM_WORD, "%s:%s", name, param->name);
        cr_expect_eq(param->unit == AR_PARAM_WORD, param->words != NULL, "%s:%s: words", name, param->name);
        for (int64_t w = 0; param->words && w <= param->max; w++)
            cr_expect(is_name(param->words[w]), "%s:%s: word %d", name, param->name, (int)w);
        cr_expect(param->min <= param->fallback && param->fallback <= param->max,
                  "%s:%s: the default is out of range", name, param->name);
        for (int j = 0; j < i; j++)
            cr_expect_str_neq(param->name, algorithm->params[j].name, "%s: parameter %s twice", name,
                              param->name);
    }
}

/* Blocks and rounds where the algorithm exists. */
static void check_functions(const struct ar_algorithm *algorithm, const char *name)
{
    cr_assert(algorithm->rounds && (algorithm->round || algorithm->pattern), "%s: no rounds", name);
    for (int nranks = 1; nranks <= 64; nranks++) {
        struct ar_problem problem = {.nranks = nranks};
        struct ar_schedule schedule = {.algorithm = algorithm, .problem = problem};
        if (ar_algorithm_admits(algorithm, nranks, NULL) != AR_OK)
            continue;
        schedule = ar_child(algorithm, &problem);
        if (nranks == 1)
            cr_expect_eq(ar_nrounds(&schedule), 0, "%s: one rank has nothing to do", name);
        if (ar_collective_owned(algorithm->collective))
            cr_expect_eq(ar_nparts(&schedule), nranks * ar_collective_rows(algorithm->collective, nranks),
                         "%s: parts belong to ranks", name);
        cr_expect_geq(ar_nblocks(&schedule), 1, "%s, %d ranks", name, nranks);
        cr_expect_geq(ar_nrounds(&schedule), 0, "%s, %d ranks", name, nranks);
    }
}

Test(registry, every_descriptor_is_whole)
{
    for (int i = 0; i < ar_nalgorithms; i++) {
        const struct ar_algorithm *algorithm = ar_algorithms[i];
        const char *name = algorithm->name;
        cr_assert(is_name(name), "'%s'", name);
        cr_assert(algorithm->collective >= 0 && algorithm->collective < AR_NCOLLECTIVES, "%s", name);
        cr_expect(is_one_line(algorithm->summary), "%s has no summary", name);
        cr_expect(is_one_line(algorithm->source), "%s has no source", name);
        cr_expect_eq(algorithm->needs & ~(unsigned)(AR_NEEDS_POWER_OF_TWO | AR_NEEDS_EVEN), 0,
                     "%s needs what is not known", name);
        cr_expect(ar_algorithm_find(algorithm->collective, name) == algorithm, "%s:%s twice",
                  ar_collectives[algorithm->collective].name, name);
        check_params(algorithm, name);
        check_functions(algorithm, name);
    }
}

Test(registry, every_collective_has_a_name_a_summary_and_an_algorithm)
{
    for (int id = 0; id < AR_NCOLLECTIVES; id++) {
        int n = 0;
        for (int i = 0; i < ar_nalgorithms; i++)
            n += ar_algorithms[i]->collective == (enum ar_collective_id)id;
        cr_expect(is_name(ar_collectives[id].name), "'%s'", ar_collectives[id].name);
        cr_expect(is_one_line(ar_collectives[id].summary), "%s has no summary", ar_collectives[id].name);
        cr_expect_eq(ar_collective_find(ar_collectives[id].name), (enum ar_collective_id)id, "%s twice",
                     ar_collectives[id].name);
        cr_expect_gt(n, 0, "%s has no algorithm", ar_collectives[id].name);
    }
}

static int64_t one_too_many(const struct ar_problem *p)
{
    return p->nranks + 1;
}

/* Where parts belong to ranks there must be one for each. */
Test(registry, other_parts_than_ranks_are_refused)
{
    struct ar_problem problem = {.nranks = 4};
    for (int i = 0; i < ar_nalgorithms; i++)
        for (int missing = 0; missing < 2; missing++) {
            struct ar_algorithm algorithm = *ar_algorithms[i];
            struct ar_schedule schedule;
            struct ar_error error = {""};
            if (!ar_collective_owned(algorithm.collective) ||
                ar_algorithm_admits(&algorithm, problem.nranks, NULL) != AR_OK)
                continue;
            algorithm.parts = missing ? NULL : one_too_many;
            cr_expect_eq(ar_schedule_of_problem(&schedule, &algorithm, &problem, &error), AR_INVALID, "%s:%s",
                         ar_collectives[algorithm.collective].name, algorithm.name);
            cr_expect(strstr(error.text, "must cut the vector into one part per rank"), "%s", error.text);
        }
}
