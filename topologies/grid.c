#include "topologies/grid.h"

#include "collectives/base/memory.h"

enum { MOST_DIMENSIONS = 31 };

struct dimension {
    int64_t size, stride; /* in hosts */
    int64_t span;         /* cables along one line of it */
    int64_t first;        /* number of its first cable */
};

/* Dimensions of size 1 are left out. */
struct grid {
    int n;
    bool wrap;
    struct dimension dimension[MOST_DIMENSIONS];
};

enum ar_status ar_grid_make(struct ar_topology *t, const int64_t *size, int n, bool wrap,
                            struct ar_error *error)
{
    struct grid *grid = t->shape = ar_alloc(1, sizeof *grid);
    int64_t hosts = 1, cables = 0;
    for (int d = 0; d < n; d++) {
        int64_t stride = hosts;
        enum ar_status status = ar_topology_multiply(&hosts, size[d], AR_TOPOLOGY_MOST_HOSTS, "hosts", error);
        if (status != AR_OK)
            return status;
        if (size[d] > 1)
            grid->dimension[grid->n++] = (struct dimension){size[d], stride, wrap ? size[d] : size[d] - 1, 0};
    }
    for (int d = 0; d < grid->n; d++) {
        grid->dimension[d].first = cables;
        cables += hosts / grid->dimension[d].size * grid->dimension[d].span;
    }
    grid->wrap = wrap;
    t->nhosts = t->nnodes = hosts;
    t->nlinks = 2 * cables;
    t->symmetric = grid->n < 2 && !wrap;
    t->alike = true;
    for (int d = 0; d < grid->n; d++)
        t->alike = t->alike && (wrap || grid->dimension[d].size == 2);
    return AR_OK;
}

enum ar_status ar_grid_make_mesh(struct ar_topology *t, struct ar_error *error)
{
    return ar_grid_make(t, t->value[0].size, t->value[0].n, false, error);
}

enum ar_status ar_grid_make_torus(struct ar_topology *t, struct ar_error *error)
{
    return ar_grid_make(t, t->value[0].size, t->value[0].n, true, error);
}

/* ---- Links ------------------------------------------------------------------------------------------- */

static int64_t coordinate(const struct dimension *d, int64_t host)
{
    return host / d->stride % d->size;
}

/* The link that goes up from the host in its dimension. */
static int64_t link_up(const struct dimension *d, int64_t host)
{
    int64_t low = host % d->stride, line = host / (d->stride * d->size);
    return 2 * (d->first + (line * d->span + coordinate(d, host)) * d->stride + low);
}

/* The host `by` (-1 or 1) further, around the end. */
static int64_t beside(const struct dimension *d, int64_t host, int64_t by)
{
    int64_t x = coordinate(d, host);
    return host + ((x + by + d->size) % d->size - x) * d->stride;
}

static int64_t link_down(const struct dimension *d, int64_t host)
{
    return link_up(d, beside(d, host, -1)) + 1;
}

void ar_grid_cable(const struct ar_topology *t, int64_t cable, struct ar_link *link)
{
    const struct grid *grid = t->shape;
    int i = grid->n - 1;
    while (grid->dimension[i].first > cable)
        i--;
    const struct dimension *d = &grid->dimension[i];
    cable -= d->first;
    int64_t low = cable % d->stride, x = cable / d->stride % d->span, line = cable / d->stride / d->span;
    link->from = (line * d->size + x) * d->stride + low;
    link->to = beside(d, link->from, 1);
}

static bool goes(const struct grid *grid, const struct dimension *d, int64_t host, bool up)
{
    return grid->wrap || coordinate(d, host) != (up ? d->size - 1 : 0);
}

int64_t ar_grid_degree(const struct ar_topology *t, int64_t node)
{
    const struct grid *grid = t->shape;
    int64_t n = 0;
    for (int d = 0; d < grid->n; d++)
        n += goes(grid, &grid->dimension[d], node, true) + goes(grid, &grid->dimension[d], node, false);
    return n;
}

int64_t ar_grid_leaving(const struct ar_topology *t, int64_t node, int64_t i)
{
    const struct grid *grid = t->shape;
    for (const struct dimension *d = grid->dimension;; d++) {
        if (goes(grid, d, node, true) && i-- == 0)
            return link_up(d, node);
        if (goes(grid, d, node, false) && i-- == 0)
            return link_down(d, node);
    }
}

void ar_grid_route(const struct ar_topology *t, int64_t from, int64_t to, struct ar_route *route)
{
    const struct grid *grid = t->shape;
    for (const struct dimension *d = grid->dimension; d < grid->dimension + grid->n; d++) {
        int64_t x = coordinate(d, from), y = coordinate(d, to);
        int64_t up = (y - x + d->size) % d->size;
        bool upwards = grid->wrap ? 2 * up <= d->size : y > x;
        for (; x != y; from = beside(d, from, upwards ? 1 : -1), x = coordinate(d, from))
            ar_route_add(route, upwards ? link_up(d, from) : link_down(d, from));
    }
}

int64_t ar_grid_hops(const struct ar_topology *t, int64_t from, int64_t to)
{
    const struct grid *grid = t->shape;
    int64_t sum = 0;
    for (const struct dimension *d = grid->dimension; d < grid->dimension + grid->n; d++) {
        int64_t x = coordinate(d, from), y = coordinate(d, to), apart = x < y ? y - x : x - y;
        sum += grid->wrap && 2 * apart > d->size ? d->size - apart : apart;
    }
    return sum;
}

/* ---- Of the whole ------------------------------------------------------------------------------------ */

int64_t ar_grid_diameter(const struct ar_topology *t)
{
    const struct grid *grid = t->shape;
    int64_t sum = 0;
    for (int d = 0; d < grid->n; d++)
        sum += grid->wrap ? grid->dimension[d].size / 2 : grid->dimension[d].size - 1;
    return sum;
}

int64_t ar_grid_bisection(const struct ar_topology *t)
{
    const struct grid *grid = t->shape;
    int64_t longest = 1, each = grid->wrap ? 2 : 1;
    for (int d = 0; d < grid->n; d++)
        longest = grid->dimension[d].size > longest ? grid->dimension[d].size : longest;
    if (grid->n <= 1)
        return grid->n * each;
    return longest % 2 == 0 ? each * (t->nhosts / longest) : -1;
}

int64_t ar_grid_row(const struct ar_topology *t)
{
    const struct grid *grid = t->shape;
    return grid->n == 2 ? grid->dimension[0].size : 0;
}

/* Place i of a snake over the dimensions but `except`, first ones fastest. */
static int64_t snake(const struct grid *grid, int except, int64_t i)
{
    int64_t host = 0;
    for (int k = 0; k < grid->n; k++) {
        const struct dimension *d = &grid->dimension[k];
        if (k == except)
            continue;
        int64_t x = i % d->size;
        i /= d->size;
        host += (i % 2 ? d->size - 1 - x : x) * d->stride; /* every other line backwards */
    }
    return host;
}

/* Lines `line` x places `across`, `lines` even: out over all but the first place of each line, and back along
 * those. */
int64_t ar_grid_walk(const struct ar_topology *t, int64_t i)
{
    const struct grid *grid = t->shape;
    int even = grid->n - 1;
    while (even >= 0 && grid->dimension[even].size % 2 != 0)
        even--;
    if (even < 0 || grid->n == 1)
        return snake(grid, -1, i);
    int64_t lines = grid->dimension[even].size, width = t->nhosts / lines - 1, line, across;
    if (i == 0) {
        line = across = 0;
    } else if (i <= lines * width) {
        line = (i - 1) / width;
        across = line % 2 ? width - (i - 1) % width : 1 + (i - 1) % width;
    } else {
        line = t->nhosts - i;
        across = 0;
    }
    return line * grid->dimension[even].stride + snake(grid, even, across);
}
