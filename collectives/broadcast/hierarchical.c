/* The vector goes to one leader per group, e.g. per host, and each leader passes it on inside its group: slow
 * links between groups carry it no more often than there are groups.
 *
 * Cost: the child's among the leaders, then the child's in the largest group; with binomial trees
 * (ceil(log2 groups) + ceil(log2 g)) (alpha + n beta). Groups may differ in size.
 *
 *     $ allround explain broadcast:hierarchical -n 4
 *     ->R: send to R; =<-R: store what comes from R; below: ranks in the vector (. nothing)
 *              rank 0  rank 1  rank 2  rank 3
 *     start    0       .       .       .
 *     round 1  ->2     -       =<-0    -
 *              0       .       0       .
 *     round 2  ->1     =<-0    ->3     =<-2
 *              0       0       0       0
 */
#include "collectives/groups.h"
#include "collectives/registry.h"

static const struct ar_algorithm *const inner[] = {&ar_broadcast_binomial, &ar_broadcast_linear};
static const struct ar_algorithm *const outer[] = {&ar_broadcast_binomial, &ar_broadcast_scatter_allgather};

static int stages(const struct ar_problem *p, struct ar_stage stage[AR_MAX_STAGES])
{
    stage[0] = (struct ar_stage){outer[p->param[2]], true};
    stage[1] = (struct ar_stage){inner[p->param[1]], false};
    return 2;
}

AR_STAGES_OF(stages);

static const char *const inner_words[] = {"binomial", "linear"};
static const char *const outer_words[] = {"binomial", "scatter_allgather"};
static const struct ar_param params[] = {
    AR_PARAM_OF_GROUPS,
    {"inner", "how the vector spreads inside a group", AR_PARAM_WORD, 0, 0, 1, inner_words},
    {"outer", "how it reaches the leaders", AR_PARAM_WORD, 0, 0, 1, outer_words},
};

const struct ar_algorithm ar_broadcast_hierarchical = {
    .name = "hierarchical",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "to one leader per group, then inside the groups",
    .source = "Luo et al., HAN: a hierarchical autotuned collective communication framework, CLUSTER 2020, "
              "without its pipelining",
    .params = params,
    .nparams = 3,
    .openmpi = "coll/han",
    .mpich = "smp",
    AR_STAGES_MEMBERS,
};
