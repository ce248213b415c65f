#include "topologies/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectives/base/canvas.h"
#include "collectives/base/memory.h"
#include "topologies/kind.h"

enum { STEP = 44, MARGIN = 40, SIDE = 24, LEAST = 240 };

struct figure {
    const struct ar_topology *topology;
    double *x, *y; /* of the middle of each node */
    double width, height;
    bool wraps; /* a grid: cables further than one step are drawn as stubs */
};

/* ---- Where nodes stand ------------------------------------------------------------------------------- */

static void place_in_grid(struct figure *f, int64_t row)
{
    const struct ar_topology *t = f->topology;
    for (int64_t host = 0; host < t->nhosts; host++) {
        f->x[host] = MARGIN + (double)(host % row) * 2 * STEP;
        f->y[host] = MARGIN + (double)(host / row) * 2 * STEP;
    }
    f->wraps = true;
}

static void place_in_circle(struct figure *f)
{
    const double turn = 2 * acos(-1);
    double n = (double)f->topology->nhosts, radius = fmax(STEP, n * STEP / turn);
    for (int64_t host = 0; host < f->topology->nhosts; host++) {
        f->x[host] = MARGIN + radius + radius * sin(turn * (double)host / n);
        f->y[host] = MARGIN + radius - radius * cos(turn * (double)host / n);
    }
}

/* Links to the nearest host; returns the most. */
static int measure(const struct ar_topology *t, int *height)
{
    int level = 0;
    for (int64_t v = 0; v < t->nnodes; v++)
        height[v] = v < t->nhosts ? 0 : -1;
    for (bool more = true; more; level += more) {
        more = false;
        for (int64_t link = 0; link < t->nlinks; link++) {
            struct ar_link l = ar_topology_link(t, link);
            if (height[l.from] == level && height[l.to] < 0) {
                height[l.to] = level + 1;
                more = true;
            }
        }
    }
    return level;
}

struct standing {
    int64_t node;
    double below; /* mean x of what it is joined to in the row below */
};

static int by_place(const void *a, const void *b)
{
    const struct standing *x = a, *y = b;
    if (x->below != y->below)
        return x->below < y->below ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static double mean_below(const struct figure *f, const int *height, int64_t node)
{
    const struct ar_topology *t = f->topology;
    double sum = 0, n = 0;
    for (int64_t i = 0; i < ar_topology_degree(t, node); i++) {
        int64_t other = ar_topology_link(t, ar_topology_leaving(t, node, i)).to;
        if (height[other] < height[node]) {
            sum += f->x[other];
            n++;
        }
    }
    return n > 0 ? sum / n : 0;
}

/* Row by row from the hosts up, each switch as near above what it is joined to as the row admits. */
static void place_in_rows(struct figure *f)
{
    const struct ar_topology *t = f->topology;
    int *height = ar_alloc((size_t)t->nnodes, sizeof *height), top = measure(t, height);
    struct standing *row = ar_alloc((size_t)t->nnodes, sizeof *row);
    int64_t widest = 1;
    for (int pass = 0; pass < 2; pass++)
        for (int h = 0; h <= top; h++) {
            int64_t n = 0;
            for (int64_t v = 0; v < t->nnodes; v++)
                if (height[v] == h)
                    row[n++] = (struct standing){v, mean_below(f, height, v)};
            widest = n > widest ? n : widest;
            qsort(row, (size_t)n, sizeof *row, by_place);
            for (int64_t i = 0; i < n; i++) {
                f->x[row[i].node] = MARGIN + STEP * (double)widest * ((double)i + 0.5) / (double)n;
                f->y[row[i].node] = MARGIN + (top - h) * 3 * STEP;
            }
        }
    free(height);
    free(row);
}

/* Cables within a row pass over the heads of those between; 0: straight. */
static double rise_of(const struct figure *f, const struct ar_link *link)
{
    bool level = f->topology->nnodes > f->topology->nhosts && f->y[link->from] == f->y[link->to];
    return level ? 0.2 * fabs(f->x[link->from] - f->x[link->to]) : 0;
}

/* Moves everything down so far that no cable leaves the picture. */
static void make_headroom(struct figure *f)
{
    const struct ar_topology *t = f->topology;
    double needed = 0;
    for (int64_t number = 0; number < t->nlinks; number += 2) {
        struct ar_link link = ar_topology_link(t, number);
        needed = fmax(needed, rise_of(f, &link) - f->y[link.from] + MARGIN / 2);
    }
    for (int64_t v = 0; v < t->nnodes; v++)
        f->y[v] += needed;
}

static void place(struct figure *f)
{
    const struct ar_topology *t = f->topology;
    int64_t row = t->kind->row ? t->kind->row(t) : 0;
    if (t->nnodes > t->nhosts)
        place_in_rows(f);
    else if (row > 0)
        place_in_grid(f, row);
    else
        place_in_circle(f);
    make_headroom(f);
    for (int64_t v = 0; v < t->nnodes; v++) {
        f->width = fmax(f->width, f->x[v] + MARGIN);
        f->height = fmax(f->height, f->y[v] + MARGIN);
    }
}

/* ---- Drawing ----------------------------------------------------------------------------------------- */

static void draw_cable(const struct figure *f, struct ar_canvas *canvas, const struct ar_link *link)
{
    static const char *const shade[] = {"#9ecae1", "#6baed6", "#3182bd", "#08519c"};
    int level = link->level - f->topology->first_level;
    const struct ar_pen pen = {.stroke = shade[level < 3 ? level : 3],
                               .width = 1 + 0.5 * (level < 3 ? level : 3)};
    double x1 = f->x[link->from], y1 = f->y[link->from], x2 = f->x[link->to], y2 = f->y[link->to];
    double length = hypot(x2 - x1, y2 - y1);
    double rise = rise_of(f, link);
    if (rise > 0) {
        ar_canvas_line(canvas, x1, y1, (x1 + x2) / 2, y1 - rise, &pen);
        ar_canvas_line(canvas, (x1 + x2) / 2, y1 - rise, x2, y2, &pen);
        return;
    }
    if (!f->wraps || length <= 2.01 * STEP) {
        ar_canvas_line(canvas, x1, y1, x2, y2, &pen);
        return;
    }
    double dx = (x2 - x1) / length * 0.8 * STEP, dy = (y2 - y1) / length * 0.8 * STEP;
    ar_canvas_line(canvas, x1, y1, x1 - dx, y1 - dy, &pen);
    ar_canvas_line(canvas, x2, y2, x2 + dx, y2 + dy, &pen);
}

static void draw_node(const struct figure *f, struct ar_canvas *canvas, int64_t node)
{
    char name[AR_NODE_TEXT], number[32];
    bool host = node < f->topology->nhosts;
    const struct ar_pen pen = {.fill = host ? "#fff7bc" : "#deebf7", .stroke = "#555555", .width = 1};
    snprintf(number, sizeof number, "%" PRId64, node);
    ar_canvas_open(canvas, host ? "host" : "switch", ar_topology_node_name(f->topology, node, name));
    ar_canvas_rect(canvas,
                   (struct ar_box){f->x[node] - SIDE / 2.0, f->y[node] - (host ? SIDE : SIDE / 2) / 2.0, SIDE,
                                   host ? SIDE : SIDE / 2},
                   &pen);
    ar_canvas_text(canvas, f->x[node], f->y[node] + 4,
                   &(struct ar_lettering){.size = 10, .anchor = AR_MIDDLE}, number);
    ar_canvas_close(canvas);
}

enum ar_status ar_topology_figure(const struct ar_topology *t, struct ar_text *svg, struct ar_error *error)
{
    if (t->nnodes > AR_FIGURE_NODES)
        return ar_fail(error, AR_INVALID, "a figure shows at most %d hosts and switches, here are %" PRId64,
                       AR_FIGURE_NODES, t->nnodes);
    struct figure f = {.topology = t,
                       .x = ar_alloc((size_t)t->nnodes, sizeof(double)),
                       .y = ar_alloc((size_t)t->nnodes, sizeof(double)),
                       .width = LEAST};
    struct ar_canvas canvas = {0};
    struct ar_text title = {0};
    place(&f);
    for (int64_t link = 0; link < t->nlinks; link += 2) {
        struct ar_link l = ar_topology_link(t, link);
        draw_cable(&f, &canvas, &l);
    }
    for (int64_t node = 0; node < t->nnodes; node++)
        draw_node(&f, &canvas, node);
    ar_topology_write(t, &title);
    ar_canvas_end(&canvas, f.width, f.height, title.data, svg);
    ar_text_free(&title);
    free(f.x);
    free(f.y);
    return AR_OK;
}
