/* The extended generalised fat tree: any number of levels, oversubscribed where m_l > w_l p_l (of the level
 * above the leaf switches: m hosts share w p cables). See topologies/tree.h. */
#include "topologies/tree.h"

static const char *const routings[] = {"dmodk", "hashed"};

enum { M, W, P, ROUTING };

static const struct ar_topology_param params[] = {
    {"m", "children of a switch, from the lowest level up", AR_TOPOLOGY_LIST, .needed = true, .min = 1,
     .max = AR_TOPOLOGY_MOST_HOSTS},
    {"w", "parents of a node, from the hosts up; 1 each", AR_TOPOLOGY_LIST, .min = 1, .max = 1 << 20},
    {"p", "parallel cables to each parent; 1 each", AR_TOPOLOGY_LIST, .min = 1, .max = 1 << 20},
    {"routing", "which way up: by the destination, or by a hash of source and destination", AR_TOPOLOGY_WORD,
     .max = 1, .words = routings},
};

/* A list that says only what its default says is forgotten. */
static enum ar_status take(struct ar_topology *t, int which, int64_t *size, struct ar_error *error)
{
    struct ar_topology_value *value = &t->value[which];
    int levels = t->value[M].n;
    bool ones = true;
    if (value->n > 0 && value->n != levels)
        return ar_fail(error, AR_INVALID, "%s: expected %d sizes, as m has, got %d", params[which].name,
                       levels, value->n);
    for (int l = 0; l < levels; l++) {
        size[l] = value->n ? value->size[l] : 1;
        ones = ones && size[l] == 1;
    }
    if (ones && which != M)
        value->n = 0;
    return AR_OK;
}

static enum ar_status make(struct ar_topology *t, struct ar_error *error)
{
    struct ar_tree_shape shape = {.levels = t->value[M].n, .hashed = t->value[ROUTING].size[0] == 1};
    enum ar_status status = take(t, M, shape.m, error);
    if (status == AR_OK)
        status = take(t, W, shape.w, error);
    if (status == AR_OK)
        status = take(t, P, shape.p, error);
    return status == AR_OK ? ar_tree_make(t, &shape, error) : status;
}

const struct ar_topology_kind ar_topology_xgft = {
    .name = "xgft",
    .summary = "fat tree of any shape: m children, w parents, p parallel cables per level",
    .source = "Ohring, Ibel, Das and Kumar, On generalized fat trees, IPPS 1995",
    .example = "xgft:m=4x4,w=1x2",
    .params = params,
    .nparams = 4,
    .make = make,
    AR_TREE_FUNCTIONS,
};
