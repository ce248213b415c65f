#include "collectives/run/dependences.h"

#include <stdlib.h>

#include "collectives/base/memory.h"

/* Between two neighbouring bounds all bytes have the same history. */
struct segment {
    int64_t reader; /* the newest of those that have read it since, in a list; -1: none */
    int writer;     /* the last task that wrote it, -1: none */
};

struct reader {
    int64_t before;
    int task;
};

struct history {
    size_t *bound; /* nbounds of them, ascending: segment i is [bound[i], bound[i+1]) */
    size_t nbounds;
    struct segment *segment;
};

struct edges {
    struct edge {
        int from, to;
    } * edge;
    size_t nedges, edge_capacity;
    int *newest; /* per task: the last it precedes, so that none is noted twice */
    struct reader *reader;
    size_t nreaders, reader_capacity;
};

static int by_size(const void *left, const void *right)
{
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

static struct history make_history(const struct ar_access *access, size_t naccesses, uint8_t area)
{
    struct history history = {0};
    size_t n = 0;
    for (size_t i = 0; i < naccesses; i++)
        n += access[i].area == area;
    history.bound = ar_alloc(2 * n, sizeof *history.bound);
    n = 0;
    for (size_t i = 0; i < naccesses; i++)
        if (access[i].area == area) {
            history.bound[n++] = access[i].first;
            history.bound[n++] = access[i].last;
        }
    qsort(history.bound, n, sizeof *history.bound, by_size);
    for (size_t i = 0; i < n; i++)
        if (history.nbounds == 0 || history.bound[history.nbounds - 1] != history.bound[i])
            history.bound[history.nbounds++] = history.bound[i];
    history.segment = ar_alloc(history.nbounds, sizeof *history.segment);
    for (size_t i = 0; i < history.nbounds; i++)
        history.segment[i] = (struct segment){.reader = -1, .writer = -1};
    return history;
}

static void precede(struct edges *edges, int from, int to)
{
    if (from < 0 || from == to || edges->newest[from] == to)
        return;
    edges->newest[from] = to;
    AR_GROW(edges->edge, edges->nedges, edges->edge_capacity);
    edges->edge[edges->nedges++] = (struct edge){from, to};
}

static void read_segment(struct edges *edges, struct segment *segment, int task)
{
    precede(edges, segment->writer, task);
    AR_GROW(edges->reader, edges->nreaders, edges->reader_capacity);
    edges->reader[edges->nreaders] = (struct reader){segment->reader, task};
    segment->reader = (int64_t)edges->nreaders++;
}

/* After all who read what was there; they came after the writer before. */
static void write_segment(struct edges *edges, struct segment *segment, int task)
{
    if (segment->reader < 0)
        precede(edges, segment->writer, task);
    for (int64_t i = segment->reader; i >= 0; i = edges->reader[i].before)
        precede(edges, edges->reader[i].task, task);
    *segment = (struct segment){.reader = -1, .writer = task};
}

/* A task's reads stand before its writes, so that it does not wait for itself. */
static void find_edges(const struct ar_access *all, size_t naccesses, struct edges *edges)
{
    struct history history[AR_NAREAS];
    for (uint8_t area = 0; area < AR_NAREAS; area++)
        history[area] = make_history(all, naccesses, area);
    for (size_t i = 0; i < naccesses; i++) {
        const struct ar_access *access = &all[i];
        struct history *h = &history[access->area];
        const size_t *bound = bsearch(&access->first, h->bound, h->nbounds, sizeof *h->bound, by_size);
        for (; *bound < access->last; bound++)
            (access->writes ? write_segment : read_segment)(edges, &h->segment[bound - h->bound],
                                                            access->task);
    }
    for (int area = 0; area < AR_NAREAS; area++) {
        free(history[area].bound);
        free(history[area].segment);
    }
}

void ar_find_dependences(struct ar_flow *flow, const struct ar_access *access, size_t naccesses)
{
    struct edges edges = {.newest = ar_alloc(flow->ntasks, sizeof(int))};
    find_edges(access, naccesses, &edges);
    flow->successor = ar_alloc(edges.nedges, sizeof *flow->successor);
    for (size_t i = 0; i < edges.nedges; i++) {
        flow->task[edges.edge[i].from].nnext++;
        flow->task[edges.edge[i].to].waits++;
    }
    for (size_t i = 0, next = 0; i < flow->ntasks; i++) {
        flow->task[i].next = next;
        next += (size_t)flow->task[i].nnext;
        flow->task[i].nnext = 0;
    }
    for (size_t i = 0; i < edges.nedges; i++) {
        struct ar_task *from = &flow->task[edges.edge[i].from];
        flow->successor[from->next + (size_t)from->nnext++] = edges.edge[i].to;
    }
    free(edges.newest);
    free(edges.edge);
    free(edges.reader);
}
