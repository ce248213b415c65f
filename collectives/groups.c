#include "collectives/groups.h"

#include "collectives/base/memory.h"

/* ---- The partition ----------------------------------------------------------------------------------- */

struct ar_groups ar_groups_of(int64_t value, int nranks)
{
    struct ar_groups groups;
    groups.nranks = nranks;
    groups.listed = ar_shape_of(value ? value : ar_shape_group(nranks));
    groups.n = groups.listed.n;
    groups.each = 0;
    if (groups.n == 1) {
        groups.each = groups.listed.size[0] < nranks ? groups.listed.size[0] : nranks;
        groups.n = (nranks - 1) / groups.each + 1;
    }
    return groups;
}

struct ar_group ar_groups_at(const struct ar_groups *groups, int index)
{
    struct ar_group group = {.index = index};
    if (groups->each) {
        group.first = index * groups->each;
        group.size = index < groups->n - 1 ? groups->each : groups->nranks - group.first;
        return group;
    }
    for (int i = 0; i < index; i++)
        group.first += groups->listed.size[i];
    group.size = groups->listed.size[index];
    return group;
}

struct ar_group ar_groups_with(const struct ar_groups *groups, int rank)
{
    if (groups->each)
        return ar_groups_at(groups, rank / groups->each);
    struct ar_group group = {0, 0, groups->listed.size[0]};
    while (rank >= group.first + group.size) {
        group.first += group.size;
        group.size = groups->listed.size[++group.index];
    }
    return group;
}

/* The next group that may have another size than those before. */
static int next_size(const struct ar_groups *groups, int index)
{
    return groups->each && index < groups->n - 2 ? groups->n - 1 : index + 1;
}

/* ---- A stage ----------------------------------------------------------------------------------------- */

static int leader_of(const struct ar_problem *p, struct ar_group group)
{
    bool with_root = group.first <= p->root && p->root < group.first + group.size;
    return with_root ? p->root : group.first;
}

static struct ar_schedule inside(const struct ar_problem *p, const struct ar_stage *stage,
                                 struct ar_group group)
{
    struct ar_schedule child = ar_child(stage->child, p);
    child.problem.nranks = group.size;
    child.problem.root =
        ar_collective_rooted(stage->child->collective) ? leader_of(p, group) - group.first : 0;
    return child;
}

static struct ar_schedule among_leaders(const struct ar_problem *p, const struct ar_stage *stage,
                                        const struct ar_groups *groups)
{
    struct ar_schedule child = ar_child(stage->child, p);
    child.problem.nranks = groups->n;
    child.problem.root = ar_groups_with(groups, p->root).index;
    return child;
}

static int64_t stage_rounds(const struct ar_problem *p, const struct ar_stage *stage,
                            const struct ar_groups *groups)
{
    struct ar_schedule child;
    int64_t most = 0;
    if (stage->across) {
        child = among_leaders(p, stage, groups);
        return ar_nrounds(&child);
    }
    for (int i = 0; i < groups->n; i = next_size(groups, i)) {
        child = inside(p, stage, ar_groups_at(groups, i));
        int64_t rounds = ar_nrounds(&child);
        most = rounds > most ? rounds : most;
    }
    return most;
}

/* ---- All of them ------------------------------------------------------------------------------------- */

/* What does not depend on the rank and the round. */
struct plan {
    struct ar_groups groups;
    int64_t rounds[AR_MAX_STAGES], nblocks;
};

static void make_plan(const struct ar_problem *p, int64_t value, const struct ar_stage *stage, int nstages,
                      struct plan *plan)
{
    *plan = (struct plan){.groups = ar_groups_of(value, p->nranks), .nblocks = 1};
    for (int i = 0; i < nstages; i++) {
        plan->rounds[i] = stage_rounds(p, &stage[i], &plan->groups);
        for (int g = 0; g < plan->groups.n;
             g = stage[i].across ? plan->groups.n : next_size(&plan->groups, g)) {
            struct ar_schedule child = stage[i].across ? among_leaders(p, &stage[i], &plan->groups)
                                                       : inside(p, &stage[i], ar_groups_at(&plan->groups, g));
            plan->nblocks = ar_least_common_multiple(plan->nblocks, ar_nblocks(&child));
        }
    }
}

/* The prepared one, or one in `room`. */
static const struct plan *plan_of(const struct ar_problem *p, int64_t value, const struct ar_stage *stage,
                                  int nstages, struct plan *room)
{
    if (p->prepared)
        return p->prepared;
    make_plan(p, value, stage, nstages, room);
    return room;
}

void *ar_stages_prepare(const struct ar_problem *p, int64_t value, const struct ar_stage *stage, int nstages)
{
    struct plan *plan = ar_alloc(1, sizeof *plan);
    make_plan(p, value, stage, nstages, plan);
    return plan;
}

int64_t ar_stages_rounds(const struct ar_problem *p, int64_t value, const struct ar_stage *stage, int nstages)
{
    struct plan room;
    const struct plan *plan = plan_of(p, value, stage, nstages, &room);
    int64_t rounds = 0;
    for (int i = 0; i < nstages; i++)
        rounds += plan->rounds[i];
    return rounds;
}

int64_t ar_stages_blocks(const struct ar_problem *p, int64_t value, const struct ar_stage *stage, int nstages)
{
    struct plan room;
    return plan_of(p, value, stage, nstages, &room)->nblocks;
}

struct leaders {
    const struct ar_problem *p;
    const struct ar_groups *groups;
};

static int leader_rank(const void *context, int index)
{
    const struct leaders *leaders = context;
    return leader_of(leaders->p, ar_groups_at(leaders->groups, index));
}

static int member_rank(const void *first, int place)
{
    return *(const int *)first + place;
}

/* What `rank` plays in a stage. False: nothing. */
static bool role_in(const struct ar_problem *p, const struct ar_stage *stage, const struct ar_groups *groups,
                    int rank, struct ar_group mine, struct ar_schedule *child, int *child_rank)
{
    if (stage->across && rank != leader_of(p, mine))
        return false;
    *child = stage->across ? among_leaders(p, stage, groups) : inside(p, stage, mine);
    *child_rank = stage->across ? mine.index : rank - mine.first;
    return true;
}

void ar_stages_round(const struct ar_problem *p, int64_t value, const struct ar_stage *stage, int nstages,
                     int rank, int64_t k, struct ar_sink *sink)
{
    struct plan room;
    const struct plan *plan = plan_of(p, value, stage, nstages, &room);
    int i = 0, child_rank;
    for (; i < nstages && k >= plan->rounds[i]; i++)
        k -= plan->rounds[i];
    struct ar_group mine = ar_groups_with(&plan->groups, rank);
    struct ar_schedule child;
    if (i == nstages || !role_in(p, &stage[i], &plan->groups, rank, mine, &child, &child_rank))
        return;
    struct leaders leaders = {p, &plan->groups};
    struct ar_view view = {.scale = sink->nblocks / ar_nblocks(&child)};
    view.rank = stage[i].across ? leader_rank : member_rank;
    view.context = stage[i].across ? (const void *)&leaders : &mine.first;
    ar_sub(&child, child_rank, k, view, sink);
}

struct ar_activity ar_stages_activity(const struct ar_problem *p, int64_t value, const struct ar_stage *stage,
                                      int nstages, int rank)
{
    struct plan room;
    const struct plan *plan = plan_of(p, value, stage, nstages, &room);
    struct ar_group mine = ar_groups_with(&plan->groups, rank);
    struct ar_activity activity = AR_IDLE;
    int64_t before = 0;
    for (int i = 0; i < nstages; before += plan->rounds[i++]) {
        struct ar_schedule child;
        int child_rank;
        if (role_in(p, &stage[i], &plan->groups, rank, mine, &child, &child_rank))
            ar_activity_add(&activity, &child, child_rank, before);
    }
    return activity;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static struct ar_cost stage_cost(const struct ar_problem *p, const struct ar_stage *stage,
                                 const struct ar_groups *groups)
{
    struct ar_cost most = {0};
    struct ar_schedule child;
    if (stage->across) {
        child = among_leaders(p, stage, groups);
        return stage->child->cost(&child.problem);
    }
    for (int i = 0; i < groups->n; i = next_size(groups, i)) {
        child = inside(p, stage, ar_groups_at(groups, i));
        struct ar_cost one = stage->child->cost(&child.problem);
        most = (struct ar_cost){larger(most.alpha, one.alpha), larger(most.beta, one.beta),
                                larger(most.gamma, one.gamma)};
    }
    return most;
}

struct ar_cost ar_stages_cost(const struct ar_problem *p, int64_t value, const struct ar_stage *stage,
                              int nstages)
{
    struct ar_groups groups = ar_groups_of(value, p->nranks);
    struct ar_cost cost = {0};
    for (int i = 0; i < nstages; i++)
        cost = ar_cost_plus(cost, stage_cost(p, &stage[i], &groups));
    return cost;
}
