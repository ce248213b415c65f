#include "topologies/placement.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/names.h"
#include "collectives/base/random.h"
#include "collectives/base/units.h"

enum { BLOCK, CYCLIC, RING, RANDOM, LIST, FILE_ };

const struct ar_placement_kind ar_placement_kinds[] = {
    [BLOCK] = {"block", "in the order of the hosts, node after node"},
    [CYCLIC] = {"cyclic", "one rank on each node in turn, round and round"},
    [RING] = {"ring", "consecutive ranks near each other, on grids along a snake"},
    [RANDOM] = {"random", "any hosts in any order, random:SEED"},
    [LIST] = {"list", "the hosts named, list:0,4,8..11"},
    [FILE_] = {"file", "a rank file with one host a line, file:FILE"},
};

const int ar_nplacement_kinds = sizeof ar_placement_kinds / sizeof *ar_placement_kinds;

void ar_placement_free(struct ar_placement *placement)
{
    free(placement->host);
    *placement = (struct ar_placement){0};
}

/* ---- By a rule --------------------------------------------------------------------------------------- */

/* The host in turn i, where node after node gives one; the last node may be smaller. */
static void place_cyclic(const struct ar_topology *t, struct ar_placement *p)
{
    int64_t rank = 0;
    for (int64_t i = 0; rank < p->nranks; i++)
        for (int64_t host = i; host < t->nhosts && rank < p->nranks; host += t->node_hosts)
            p->host[rank++] = host;
}

static void place_random(const struct ar_topology *t, uint64_t seed, struct ar_placement *p)
{
    int64_t *host = ar_alloc((size_t)t->nhosts, sizeof *host);
    for (int64_t i = 0; i < t->nhosts; i++)
        host[i] = i;
    for (int64_t rank = 0; rank < p->nranks; rank++) {
        int64_t other = rank + (int64_t)ar_random_below(&seed, (uint64_t)(t->nhosts - rank));
        p->host[rank] = host[other];
        host[other] = host[rank];
    }
    free(host);
}

/* ---- Hosts by number --------------------------------------------------------------------------------- */

static enum ar_status place_list(const char *text, const struct ar_topology *t, struct ar_placement *p,
                                 struct ar_error *error)
{
    int64_t *value;
    int n;
    enum ar_status status = ar_parse_list(text, "list", 0, t->nhosts - 1, &value, &n, error);
    if (status != AR_OK)
        return status;
    if (n < p->nranks)
        status = ar_fail(error, AR_INVALID, "list: expected a host for each of %" PRId64 " ranks, got %d",
                         p->nranks, n);
    else
        memcpy(p->host, value, (size_t)p->nranks * sizeof *value);
    free(value);
    return status;
}

static enum ar_status read_line(const char *path, int number, char *line, const struct ar_topology *t,
                                int64_t *rank, struct ar_placement *p, struct ar_error *error)
{
    struct ar_error inner;
    line[strcspn(line, "#\n")] = '\0';
    char *word = line + strspn(line, " \t\r");
    word[strcspn(word, " \t\r")] = '\0';
    if (!*word || *rank == p->nranks)
        return AR_OK;
    if (ar_parse_int(word, "host", 0, t->nhosts - 1, &p->host[(*rank)++], &inner) != AR_OK)
        return ar_fail_at(error, path, number, 0, "%s", inner.text);
    return AR_OK;
}

static enum ar_status place_file(const char *path, const struct ar_topology *t, struct ar_placement *p,
                                 struct ar_error *error)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return ar_fail(error, AR_SYSTEM, "cannot read '%.400s': %s", path, strerror(errno));
    char *line = NULL;
    size_t size = 0;
    int64_t rank = 0;
    enum ar_status status = AR_OK;
    errno = 0;
    for (int number = 1; status == AR_OK && getline(&line, &size, file) >= 0; number++)
        status = read_line(path, number, line, t, &rank, p, error);
    if (status == AR_OK && ferror(file))
        status = ar_fail(error, AR_SYSTEM, "cannot read '%.400s': %s", path, strerror(errno));
    else if (status == AR_OK && rank < p->nranks)
        status = ar_fail_at(error, path, 0, 0, "expected a host for each of %" PRId64 " ranks, got %" PRId64,
                            p->nranks, rank);
    free(line);
    fclose(file);
    return status;
}

/* ------------------------------------------------------------------------------------------------------ */

/* `rest` is what follows the colon; NULL: there is none. */
static enum ar_status place(int kind, const char *rest, const struct ar_topology *t, struct ar_placement *p,
                            struct ar_error *error)
{
    int64_t seed = 0;
    const char *name = ar_placement_kinds[kind].name;
    if (rest && kind < RANDOM)
        return ar_fail(error, AR_INVALID, "%s takes no value, got '%.100s'", name, rest);
    if (!rest && kind > RANDOM)
        return ar_fail(error, AR_INVALID, "expected %s:%s", name, kind == LIST ? "HOSTS" : "FILE");
    if (kind == LIST)
        return place_list(rest, t, p, error);
    if (kind == FILE_)
        return place_file(rest, t, p, error);
    if (p->nranks > t->nhosts)
        return ar_fail(error, AR_INVALID,
                       "%s: expected at most %" PRId64 " ranks, one on each host, got %" PRId64, name,
                       t->nhosts, p->nranks);
    enum ar_status status = rest ? ar_parse_int(rest, "seed", 0, INT64_MAX, &seed, error) : AR_OK;
    if (status == AR_OK && kind == CYCLIC)
        place_cyclic(t, p);
    else if (status == AR_OK && kind == RANDOM)
        place_random(t, (uint64_t)seed, p);
    else
        for (int64_t rank = 0; rank < p->nranks && status == AR_OK; rank++)
            p->host[rank] = kind == RING ? ar_topology_walk(t, rank) : rank;
    return status;
}

enum ar_status ar_placement_parse(const char *text, const struct ar_topology *topology, int64_t nranks,
                                  struct ar_placement *placement, struct ar_error *error)
{
    int kind;
    char *copy = memcpy(ar_alloc(strlen(text) + 1, 1), text, strlen(text)), *rest = copy;
    const char *name = strsep(&rest, ":");
    enum ar_status status =
        ar_names_pick(AR_NAMES(ar_placement_kinds, ar_nplacement_kinds), "placement", name, &kind, error);
    if (status == AR_OK) {
        struct ar_placement made = {nranks, ar_alloc((size_t)nranks, sizeof *made.host)};
        status = place(kind, rest, topology, &made, error);
        if (status == AR_OK)
            *placement = made;
        else
            ar_placement_free(&made);
    }
    free(copy);
    return status;
}
