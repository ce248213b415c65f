/* Reduce inside each group, e.g. a host, to its leader, all-reduce among the leaders, broadcast inside: only
 * leaders use the links between groups.
 *
 * Cost: the sum of the three children's, inside as in the largest group; with binomial trees of g ranks and a
 * ring of m leaders 2(ceil(log2 g) + m-1) alpha + 2(ceil(log2 g) + (m-1)/m) n beta + (ceil(log2 g) + (m-1)/m)
 * n gamma. The leaders carry most of it; split_rail shares it out. Groups may differ in size.
 *
 *     $ allround explain allreduce:hierarchical -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R; below: ranks per block
 *              rank 0      rank 1     rank 2      rank 3
 *     start    0    0      1    1     2    2      3    3
 *     round 1  +0,1<-1     0,1->0     +0,1<-3     0,1->2
 *              01   01     1    1     23   23     3    3
 *     round 2  1->2 +0<-2  -          0->0 +1<-0  -
 *              0123 01     1    1     23   0123   3    3
 *     round 3  0->2 =1<-2  -          1->0 =0<-0  -
 *              0123 0123   1    1     0123 0123   3    3
 *     round 4  0,1->1      =0,1<-0    0,1->3      =0,1<-2
 *              0123 0123   0123 0123  0123 0123   0123 0123
 */
#include "collectives/groups.h"
#include "collectives/registry.h"

static const struct ar_algorithm *const inner[][2] = {
    {&ar_reduce_binomial, &ar_broadcast_binomial},
    {&ar_reduce_linear, &ar_broadcast_linear},
};
static const struct ar_algorithm *const outer[] = {
    &ar_allreduce_ring,
    &ar_allreduce_recursive_doubling,
    &ar_allreduce_rabenseifner,
    &ar_allreduce_circulant,
};

static int stages(const struct ar_problem *p, struct ar_stage stage[AR_MAX_STAGES])
{
    stage[0] = (struct ar_stage){inner[p->param[1]][0], false};
    stage[1] = (struct ar_stage){outer[p->param[2]], true};
    stage[2] = (struct ar_stage){inner[p->param[1]][1], false};
    return 3;
}

AR_STAGES_OF(stages);

static const char *const inner_words[] = {"binomial", "linear"};
static const char *const outer_words[] = {"ring", "recursive_doubling", "rabenseifner", "circulant"};
static const struct ar_param params[] = {
    AR_PARAM_OF_GROUPS,
    {"inner", "the reduce and broadcast inside a group", AR_PARAM_WORD, 0, 0, 1, inner_words},
    {"outer", "the all-reduce among the leaders", AR_PARAM_WORD, 0, 0, 3, outer_words},
};

const struct ar_algorithm ar_allreduce_hierarchical = {
    .name = "hierarchical",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "reduce inside the groups, all-reduce among their leaders, broadcast inside",
    .source = "Luo et al., HAN: a hierarchical autotuned collective communication framework, CLUSTER 2020, "
              "without its pipelining; UCC, cl/hier/allreduce/allreduce_rab.c",
    .params = params,
    .nparams = 3,
    .openmpi = "coll/han",
    .mpich = "smp",
    AR_STAGES_MEMBERS,
};
