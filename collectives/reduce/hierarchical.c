/* Each group, e.g. a host, combines its vectors at its leader, then the leaders theirs at the root: slow
 * links between groups carry one vector per group instead of one per rank.
 *
 * Cost: the child's in the largest group, then the child's among the leaders; with binomial trees
 * (ceil(log2 g) + ceil(log2 groups)) (alpha + n beta + n gamma). Groups may differ in size.
 *
 *     $ allround explain reduce:hierarchical -n 4
 *     ->R: send to R; +<-R: combine what comes from R; below: ranks in the vector
 *              rank 0  rank 1  rank 2  rank 3
 *     start    0       1       2       3
 *     round 1  +<-1    ->0     +<-3    ->2
 *              01      1       23      3
 *     round 2  +<-2    -       ->0     -
 *              0123    1       23      3
 */
#include "collectives/groups.h"
#include "collectives/registry.h"

static const struct ar_algorithm *const inner[] = {&ar_reduce_binomial, &ar_reduce_linear};
static const struct ar_algorithm *const outer[] = {&ar_reduce_binomial, &ar_reduce_circulant_gather};

static int stages(const struct ar_problem *p, struct ar_stage stage[AR_MAX_STAGES])
{
    stage[0] = (struct ar_stage){inner[p->param[1]], false};
    stage[1] = (struct ar_stage){outer[p->param[2]], true};
    return 2;
}

AR_STAGES_OF(stages);

static const char *const inner_words[] = {"binomial", "linear"};
static const char *const outer_words[] = {"binomial", "circulant_gather"};
static const struct ar_param params[] = {
    AR_PARAM_OF_GROUPS,
    {"inner", "how a group reduces to its leader", AR_PARAM_WORD, 0, 0, 1, inner_words},
    {"outer", "how the leaders reduce to the root", AR_PARAM_WORD, 0, 0, 1, outer_words},
};

const struct ar_algorithm ar_reduce_hierarchical = {
    .name = "hierarchical",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "inside the groups to a leader each, then among the leaders",
    .source = "Luo et al., HAN: a hierarchical autotuned collective communication framework, CLUSTER 2020, "
              "without its pipelining",
    .params = params,
    .nparams = 3,
    .openmpi = "coll/han",
    .mpich = "smp",
    AR_STAGES_MEMBERS,
};
