#include "bench/harness/libraries.h"

#include <stdio.h>

#include "collectives/combinators.h"

enum { STEPS = 12, NAME = 96 };

/* What a number stands for. */
struct algorithm {
    enum ar_collective_id collective;
    int number;
    const char *choice;
    const char *short_choice; /* with fewer elements than the largest power of two of ranks; NULL: the same */
    const char *other_choice; /* for numbers of ranks that it does not admit; NULL: not known */
};

struct rule {
    enum ar_collective_id collective;
    int ranks_below; /* 0: any number */
    unsigned needs;  /* ar_need bits */
    struct {
        int64_t below_bytes;
        int number;
    } step[STEPS];
};

#define REST(number)                                                                                         \
    {                                                                                                        \
        INT64_MAX, number                                                                                    \
    }
#define AR_RULE(collective, RANKS, NEEDS, ...) {AR_COLLECTIVE_##collective, RANKS, NEEDS, {__VA_ARGS__}},

static const struct rule openmpi_rules[] = {
#include "bench/harness/openmpi.def"
};

static const struct rule mpich_rules[] = {
#include "bench/harness/mpich.def"
};

/* Its table passes neither a segment size nor a fan-out, so that pipelines run in one segment
 * (coll_base_util.h, COLL_BASE_COMPUTED_SEGCOUNT), the segmented ring as the ring (coll_base_allreduce.c) and
 * "chain" with one chain (coll_base_topo.c); linear_sync has no limit (coll_base_alltoall.c). */
static const struct algorithm openmpi_algorithms[] = {
    {AR_COLLECTIVE_allreduce, 3, "recursive_doubling"},
    {AR_COLLECTIVE_allreduce, 4, "ring", "recursive_doubling"},
    {AR_COLLECTIVE_allreduce, 5, "ring", "recursive_doubling"},
    {AR_COLLECTIVE_allreduce, 2, "reduce_broadcast"},
    {AR_COLLECTIVE_allreduce, 6, "rabenseifner:fold=half"},
    {AR_COLLECTIVE_broadcast, 1, "linear"},
    {AR_COLLECTIVE_broadcast, 2, "chain:segment=1TiB"},
    {AR_COLLECTIVE_broadcast, 3, "chain:segment=1TiB"},
    {AR_COLLECTIVE_broadcast, 4, "split_binary:segment=1TiB"},
    {AR_COLLECTIVE_broadcast, 5, "binary:segment=1TiB"},
    {AR_COLLECTIVE_broadcast, 6, "binomial:shape=high"},
    {AR_COLLECTIVE_broadcast, 7, "knomial"},
    {AR_COLLECTIVE_broadcast, 8, "scatter_recursive_doubling", "linear"},
    {AR_COLLECTIVE_reduce, 1, "linear"},
    {AR_COLLECTIVE_reduce, 2, "chain:segment=1TiB"},
    {AR_COLLECTIVE_reduce, 3, "chain:segment=1TiB"},
    {AR_COLLECTIVE_reduce, 4, "binary:segment=1TiB"},
    {AR_COLLECTIVE_reduce, 5, "binomial"},
    {AR_COLLECTIVE_reduce, 6, "in_order_binary:segment=1TiB"},
    {AR_COLLECTIVE_reduce, 7, "rabenseifner", "linear"},
    {AR_COLLECTIVE_reduce_scatter, 1, "non_overlapping"},
    {AR_COLLECTIVE_reduce_scatter, 2, "recursive_halving"},
    {AR_COLLECTIVE_reduce_scatter, 3, "ring"},
    {AR_COLLECTIVE_reduce_scatter, 4, "butterfly"},
    {AR_COLLECTIVE_allgather, 2, "bruck"},
    {AR_COLLECTIVE_allgather, 3, "recursive_doubling", NULL, "bruck"},
    {AR_COLLECTIVE_allgather, 4, "ring"},
    {AR_COLLECTIVE_allgather, 5, "neighbor_exchange", NULL, "ring"},
    {AR_COLLECTIVE_allgather, 6, "recursive_doubling"}, /* two_proc: the same of 2 ranks */
    {AR_COLLECTIVE_alltoall, 1, "linear"},
    {AR_COLLECTIVE_alltoall, 2, "pairwise"},
    {AR_COLLECTIVE_alltoall, 3, "bruck"},
    {AR_COLLECTIVE_alltoall, 4, "linear_sync:window=1048576"},
    {AR_COLLECTIVE_alltoall, 5, "pairwise"}, /* two_proc: the same of 2 ranks */
};

/* The window of its scattered alltoall: MPIR_CVAR_ALLTOALL_THROTTLE's default. */
static const struct algorithm mpich_algorithms[] = {
    {AR_COLLECTIVE_allreduce, 1, "recursive_doubling"},
    {AR_COLLECTIVE_allreduce, 2, "rabenseifner", "recursive_doubling"},
    {AR_COLLECTIVE_broadcast, 1, "binomial"},
    {AR_COLLECTIVE_broadcast, 2, "scatter_recursive_doubling"},
    {AR_COLLECTIVE_broadcast, 3, "scatter_allgather"},
    {AR_COLLECTIVE_reduce, 1, "binomial"},
    {AR_COLLECTIVE_reduce, 2, "rabenseifner", "binomial"},
    {AR_COLLECTIVE_reduce_scatter, 1, "recursive_halving"},
    {AR_COLLECTIVE_reduce_scatter, 2, "pairwise"},
    {AR_COLLECTIVE_allgather, 1, "recursive_doubling"},
    {AR_COLLECTIVE_allgather, 2, "bruck"},
    {AR_COLLECTIVE_allgather, 3, "ring"},
    {AR_COLLECTIVE_alltoall, 1, "bruck"},
    {AR_COLLECTIVE_alltoall, 2, "linear_sync:window=32"},
    {AR_COLLECTIVE_alltoall, 3, "pairwise"},
};

/* In the order of ar_libraries. */
static const struct table {
    const struct rule *rule;
    size_t nrules;
    const struct algorithm *algorithm;
    size_t nalgorithms;
} tables[] = {
#define TABLE(name)                                                                                          \
    {                                                                                                        \
        name##_rules, sizeof name##_rules / sizeof *name##_rules, name##_algorithms,                         \
            sizeof name##_algorithms / sizeof *name##_algorithms                                             \
    }
    TABLE(openmpi),
    TABLE(mpich),
};

const struct ar_library ar_libraries[] = {
    {"openmpi", "Open MPI 4.1", "ompi/mca/coll/tuned/coll_tuned_decision_fixed.c",
     "it runs pipelines in one segment, here written segment=1TiB"},
    {"mpich", "MPICH 4", "maint/tuning/coll/mpir/generic.json", "with one rank on each node"},
};

const int ar_nlibraries = sizeof ar_libraries / sizeof *ar_libraries;

static const struct rule *rule_of(const struct table *table, enum ar_collective_id collective, int nranks)
{
    for (const struct rule *rule = table->rule; rule < table->rule + table->nrules; rule++)
        if (rule->collective == collective && (rule->ranks_below == 0 || nranks < rule->ranks_below) &&
            (!(rule->needs & AR_NEEDS_POWER_OF_TWO) || (nranks & (nranks - 1)) == 0))
            return rule;
    return NULL;
}

static const struct algorithm *algorithm_of(const struct table *table, enum ar_collective_id collective,
                                            int number)
{
    for (size_t i = 0; i < table->nalgorithms; i++)
        if (table->algorithm[i].collective == collective && table->algorithm[i].number == number)
            return &table->algorithm[i];
    return NULL; /* never: a test looks all of them up */
}

/* The largest count that is below so many bytes; of an alltoall, whose rows are nranks, in whole blocks. */
static int64_t last_below(int64_t bytes, int64_t elem_bytes, int64_t rows)
{
    return bytes == INT64_MAX ? INT64_MAX : ((bytes - 1) / elem_bytes + 1) * rows - 1;
}

static enum ar_status parse(enum ar_collective_id collective, const char *choice, struct ar_choice *parsed,
                            struct ar_error *error)
{
    char text[NAME];
    snprintf(text, sizeof text, "%s:%s", ar_collectives[collective].name, choice);
    return ar_choice_parse(text, parsed, error);
}

static enum ar_status not_known(int library, enum ar_collective_id collective, int nranks, const char *why,
                                struct ar_error *error)
{
    return ar_fail(error, AR_INVALID, "what %s chooses for %s on %d rank%s is not known here%s%s",
                   ar_libraries[library].title, ar_collectives[collective].name, nranks,
                   nranks == 1 ? "" : "s", why ? ": " : "", why ? why : "");
}

enum ar_status ar_library_choose(int library, enum ar_collective_id collective, int nranks, int64_t count,
                                 int64_t elem_bytes, struct ar_choice *choice, int64_t *last_count,
                                 struct ar_error *error)
{
    const struct rule *rule = rule_of(&tables[library], collective, nranks);
    int64_t rows = ar_collective_rows(collective, nranks), few = ar_fold_in_survivors(nranks);
    int i = 0;
    if (!rule)
        return not_known(library, collective, nranks, NULL, error);
    while (count > last_below(rule->step[i].below_bytes, elem_bytes, rows))
        i++;
    *last_count = last_below(rule->step[i].below_bytes, elem_bytes, rows);
    const struct algorithm *algorithm = algorithm_of(&tables[library], collective, rule->step[i].number);
    bool is_short = algorithm->short_choice && count < few;
    if (is_short && *last_count >= few)
        *last_count = few - 1;
    struct ar_error why;
    enum ar_status status =
        parse(collective, is_short ? algorithm->short_choice : algorithm->choice, choice, error);
    if (status != AR_OK || ar_algorithm_admits(choice->algorithm, nranks, &why) == AR_OK)
        return status;
    return algorithm->other_choice ? parse(collective, algorithm->other_choice, choice, error)
                                   : not_known(library, collective, nranks, why.text, error);
}
