/* Reduce-scatter inside equal groups of g ranks, all-reduce along the g rails, all-gather inside. A rail is
 * the ranks of equal place in their groups, and has one g-th of the vector: every rank uses the links between
 * groups, and all of them together no more than the leaders alone in hierarchical.
 *
 * Cost, with rings: 2(g-1 + m-1) alpha + 2(P-1)/P n beta + (P-1)/P n gamma for m groups: bandwidth-optimal,
 * with fewer rounds than one ring. Unequal groups are refused, since their rails would differ in length;
 * hierarchical takes them.
 *
 *     $ allround explain allreduce:split_rail -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R; below: ranks per block
 *              rank 0               rank 1               rank 2               rank 3
 *     start    0    0    0    0     1    1    1    1     2    2    2    2     3    3    3    3
 *     round 1  2,3->1 +0,1<-1       0,1->0 +2,3<-0       2,3->3 +0,1<-3       0,1->2 +2,3<-2
 *              01   01   0    0     1    1    01   01    23   23   2    2     3    3    23   23
 *     round 2  1->2 +0<-2           3->3 +2<-3           0->0 +1<-0           2->1 +3<-1
 *              0123 01   0    0     1    1    0123 01    23   0123 2    2     3    3    23   0123
 *     round 3  0->2 =1<-2           2->3 =3<-3           1->0 =0<-0           3->1 =2<-1
 *              0123 0123 0    0     1    1    0123 0123  0123 0123 2    2     3    3    0123 0123
 *     round 4  0,1->1 =2,3<-1       2,3->0 =0,1<-0       0,1->3 =2,3<-3       2,3->2 =0,1<-2
 *              0123 0123 0123 0123  0123 0123 0123 0123  0123 0123 0123 0123  0123 0123 0123 0123
 */
#include "collectives/registry.h"
#include "collectives/torus.h"

static const struct ar_algorithm *const inner[][2] = {
    {&ar_reduce_scatter_ring, &ar_allgather_ring},
    {&ar_reduce_scatter_circulant, &ar_allgather_circulant},
};
static const struct ar_algorithm *const outer[] = {
    &ar_allreduce_ring,
    &ar_allreduce_recursive_doubling,
    &ar_allreduce_rabenseifner,
    &ar_allreduce_circulant,
};

enum { ACROSS, INSIDE };

static int legs(const struct ar_problem *p, struct ar_shape *dims, struct ar_leg leg[AR_MAX_LEGS])
{
    int each = ar_shape_equal_group(p->param[0], p->nranks);
    dims->n = 2;
    dims->size[ACROSS] = p->nranks / each;
    dims->size[INSIDE] = each;
    leg[0] = (struct ar_leg){inner[p->param[1]][0], INSIDE};
    leg[1] = (struct ar_leg){outer[p->param[2]], ACROSS};
    leg[2] = (struct ar_leg){inner[p->param[1]][1], INSIDE};
    return 3;
}

AR_TORUS_OF(legs);

static const char *const inner_words[] = {"ring", "circulant"};
static const char *const outer_words[] = {"ring", "recursive_doubling", "rabenseifner", "circulant"};
static const struct ar_param params[] = {
    {"groups", "ranks per group, all equal", AR_PARAM_EQUAL_GROUPS, 0, 0, INT64_MAX, NULL},
    {"inner", "the reduce-scatter and all-gather inside a group", AR_PARAM_WORD, 0, 0, 1, inner_words},
    {"outer", "the all-reduce along the rails", AR_PARAM_WORD, 0, 0, 3, outer_words},
};

const struct ar_algorithm ar_allreduce_split_rail = {
    .name = "split_rail",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "reduce-scatter inside equal groups, all-reduce along the rails, all-gather inside",
    .source = "UCC, cl/hier/allreduce/allreduce_split_rail.c",
    .params = params,
    .nparams = 3,
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
