#include "topologies/tree.h"

#include "collectives/base/memory.h"
#include "collectives/base/random.h"

/* Between level l and the one above, and what is below. */
struct level {
    int64_t m, w, p; /* children of a node of this level (l >= 1); parents and cables to each (l < h) */
    int64_t below;   /* M_l: hosts of a subtree */
    int64_t abreast; /* W_l: switches above a subtree */
    int64_t first;   /* node number of the level's first */
    int64_t cable;   /* number of the first cable going up */
};

struct tree {
    int top;
    bool hashed;
    struct level level[AR_TOPOLOGY_SIZES + 1];
};

enum { MOST_NODES_BITS = 40 }; /* keeps all products within 64 bits, far beyond what is ever built */

enum ar_status ar_tree_make(struct ar_topology *t, const struct ar_tree_shape *shape, struct ar_error *error)
{
    struct tree *tree = t->shape = ar_alloc(1, sizeof *tree);
    const int64_t most = INT64_C(1) << MOST_NODES_BITS;
    int64_t hosts = 1, nodes = 0, cables = 0;
    enum ar_status status = AR_OK;
    *tree = (struct tree){.top = shape->levels, .hashed = shape->hashed};
    for (int l = 0; l < shape->levels && status == AR_OK; l++)
        status = ar_topology_multiply(&hosts, shape->m[l], AR_TOPOLOGY_MOST_HOSTS, "hosts", error);
    tree->level[0] = (struct level){.below = 1, .abreast = 1};
    for (int l = 0; l <= tree->top && status == AR_OK; l++) {
        struct level *level = &tree->level[l];
        int64_t up = hosts / level->below * level->abreast, wide = level->abreast;
        level->first = nodes;
        level->cable = cables;
        nodes += up;
        if (l == tree->top ||
            (status = ar_topology_multiply(&up, shape->w[l], most, "links", error)) != AR_OK ||
            (status = ar_topology_multiply(&up, shape->p[l], most, "links", error)) != AR_OK ||
            (status = ar_topology_multiply(&wide, shape->w[l], most, "switches", error)) != AR_OK)
            break;
        level->w = shape->w[l];
        level->p = shape->p[l];
        cables += up;
        level[1] = (struct level){.m = shape->m[l], .below = level->below * shape->m[l], .abreast = wide};
    }
    t->nhosts = hosts;
    t->nnodes = nodes;
    t->nlinks = 2 * cables;
    t->node_hosts = shape->m[0];
    t->nlevels = tree->top;
    t->alike = true;
    t->symmetric = true; /* where there is one way only */
    for (int l = 0; l < tree->top; l++)
        t->symmetric = t->symmetric && shape->w[l] * shape->p[l] == 1;
    return status;
}

enum ar_status ar_tree_make_switch(struct ar_topology *t, struct ar_error *error)
{
    return ar_tree_make(t, &(struct ar_tree_shape){1, {t->value[0].size[0]}, {1}, {1}, false}, error);
}

/* ---- Links ------------------------------------------------------------------------------------------- */

/* Cable `port` of the w p ones from a node of level l (number `at` in it) up; port j w + i is cable j to
 * parent i. */
static int64_t cable_up(const struct level *level, int64_t at, int64_t port)
{
    return level->cable + at * level->w * level->p + port;
}

static int64_t parent(const struct level *level, int64_t at, int64_t port)
{
    int64_t subtree = at / level->abreast, y = at % level->abreast;
    return subtree / level[1].m * level[1].abreast + y + level->abreast * (port % level->w);
}

void ar_tree_cable(const struct ar_topology *t, int64_t cable, struct ar_link *link)
{
    const struct tree *tree = t->shape;
    int l = tree->top - 1;
    while (tree->level[l].cable > cable)
        l--;
    const struct level *level = &tree->level[l];
    int64_t ports = level->w * level->p, at = (cable - level->cable) / ports;
    link->from = level->first + at;
    link->to = level[1].first + parent(level, at, (cable - level->cable) % ports);
    link->level = l;
}

int64_t ar_tree_cables_at(const struct ar_topology *t, int level)
{
    const struct tree *tree = t->shape;
    return (level + 1 < tree->top ? tree->level[level + 1].cable : t->nlinks / 2) - tree->level[level].cable;
}

static const struct level *level_of(const struct tree *tree, int64_t node)
{
    int l = tree->top;
    while (tree->level[l].first > node)
        l--;
    return &tree->level[l];
}

int64_t ar_tree_degree(const struct ar_topology *t, int64_t node)
{
    const struct tree *tree = t->shape;
    const struct level *level = level_of(tree, node);
    int64_t down = level > tree->level ? level->m * level[-1].p : 0;
    return level->w * level->p + down;
}

/* Those up, then those down, child by child. */
int64_t ar_tree_leaving(const struct ar_topology *t, int64_t node, int64_t i)
{
    const struct tree *tree = t->shape;
    const struct level *level = level_of(tree, node), *below = level - 1;
    int64_t at = node - level->first, ports = level->w * level->p;
    if (i < ports)
        return 2 * cable_up(level, at, i);
    i -= ports;
    int64_t subtree = at / level->abreast, y = at % level->abreast;
    int64_t child = (subtree * level->m + i / below->p) * below->abreast + y % below->abreast;
    return 2 * cable_up(below, child, y / below->abreast + i % below->p * below->w) + 1;
}

static int64_t port_towards(const struct tree *tree, int l, int64_t from, int64_t to)
{
    const struct level *level = &tree->level[l];
    uint64_t ports = (uint64_t)(level->w * level->p);
    if (tree->hashed)
        return (int64_t)(ar_mix(((uint64_t)from << 32 | (uint64_t)to) ^ (uint64_t)(l + 1) << 60) % ports);
    return (int64_t)((uint64_t)(to / level->abreast) % ports);
}

void ar_tree_route(const struct ar_topology *t, int64_t from, int64_t to, struct ar_route *route)
{
    const struct tree *tree = t->shape;
    int64_t at = from;
    int l = 0;
    for (; from / tree->level[l].below != to / tree->level[l].below; l++) {
        int64_t port = port_towards(tree, l, from, to);
        ar_route_add(route, 2 * cable_up(&tree->level[l], at, port));
        at = parent(&tree->level[l], at, port);
    }
    for (int64_t y = at % tree->level[l].abreast; l-- > 0;) {
        const struct level *level = &tree->level[l];
        int64_t parallel = port_towards(tree, l, from, to) / level->w;
        int64_t child = to / level->below * level->abreast + y % level->abreast;
        ar_route_add(route, 2 * cable_up(level, child, y / level->abreast + parallel * level->w) + 1);
        y %= level->abreast;
    }
}

/* ---- Of the whole ------------------------------------------------------------------------------------ */

int64_t ar_tree_diameter(const struct ar_topology *t)
{
    const struct tree *tree = t->shape;
    for (int l = tree->top; l > 0; l--)
        if (tree->level[l].m > 1)
            return 2 * l;
    return 0;
}

int64_t ar_tree_bisection(const struct ar_topology *t)
{
    const struct tree *tree = t->shape;
    int64_t least = INT64_MAX;
    if (tree->top > 1 && tree->level[tree->top].m % 2 != 0)
        return -1;
    for (int l = 0; l < tree->top; l++) {
        const struct level *level = &tree->level[l];
        int64_t cut = t->nhosts / level->below / 2 * level->abreast * level->w * level->p;
        least = cut < least ? cut : least;
    }
    return least;
}
