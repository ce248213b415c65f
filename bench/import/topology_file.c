#include "bench/import/topology_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/import/csv_text.h"
#include "bench/import/json.h"
#include "collectives/base/memory.h"
#include "collectives/base/text.h"
#include "collectives/base/units.h"

enum { A, B, BANDWIDTH, LATENCY, FIELDS };

static const char *const heading[FIELDS] = {"a", "b", "bandwidth", "latency"};

/* ---- Names ------------------------------------------------------------------------------------------- */

/* Nodes in the order of their appearance, found by their names' digests; open addressing. */
struct names {
    char **name;
    int64_t n, capacity;
    int64_t *slot; /* node + 1; 0: free */
    size_t slots;  /* a power of two, more than twice n */
};

static size_t slot_of(const struct names *names, const char *name)
{
    size_t i = (size_t)ar_digest(0, name, strlen(name)) & (names->slots - 1);
    while (names->slot[i] && strcmp(names->name[names->slot[i] - 1], name) != 0)
        i = (i + 1) & (names->slots - 1);
    return i;
}

static void make_room(struct names *names)
{
    if (2 * ((size_t)names->n + 1) < names->slots)
        return;
    free(names->slot);
    names->slots = names->slots ? 2 * names->slots : 64;
    names->slot = ar_alloc(names->slots, sizeof *names->slot);
    for (int64_t node = 0; node < names->n; node++)
        names->slot[slot_of(names, names->name[node])] = node + 1;
}

static int64_t node_of(struct names *names, const char *name)
{
    make_room(names);
    size_t slot = slot_of(names, name);
    if (!names->slot[slot]) {
        AR_GROW(names->name, names->n, names->capacity);
        names->name[names->n++] = strdup(name);
        names->slot[slot] = names->n;
    }
    return names->slot[slot] - 1;
}

/* ---- Rows -------------------------------------------------------------------------------------------- */

/* What the callbacks of libcsv share. */
struct reader {
    struct ar_csv csv; /* first */
    int nfields;
    int64_t row;
    int64_t end[2]; /* of the row's cable */
    double real[2];
    struct names names;
    struct ar_graph *graph;
    int64_t capacity[4]; /* of its arrays */
};

static enum ar_status take_node(struct reader *r, const char *text, struct ar_error *error)
{
    enum ar_status status = ar_name_check(text, error);
    if (status == AR_OK && !*text)
        return ar_fail(error, AR_INVALID, "%s: expected the name of a host or switch", heading[r->nfields]);
    if (status != AR_OK)
        return status;
    r->end[r->nfields] = node_of(&r->names, text);
    if (r->nfields == B && r->end[A] == r->end[B])
        return ar_fail(error, AR_INVALID, "b: expected another node than '%s'", text);
    return AR_OK;
}

static enum ar_status take_field(struct reader *r, const char *text, struct ar_error *error)
{
    if (r->nfields >= FIELDS)
        return ar_fail(error, AR_INVALID, "expected four fields, a,b,bandwidth,latency, got more");
    const char *what = heading[r->nfields];
    double *real = &r->real[r->nfields == LATENCY];
    if (r->row == 0 && strcmp(text, what) != 0)
        return ar_fail(error, AR_INVALID, "expected the heading a,b,bandwidth,latency, got '%.100s'", text);
    if (r->row == 0)
        return AR_OK;
    if (r->nfields <= B)
        return take_node(r, text, error);
    *real = NAN;
    if (!*text)
        return AR_OK;
    return r->nfields == BANDWIDTH ? ar_parse_rate(text, what, real, error)
                                   : ar_parse_time(text, what, real, error);
}

static void on_field(void *data, size_t length, void *context)
{
    struct reader *r = context;
    struct ar_error inner;
    if (r->csv.status != AR_OK)
        return;
    char *text = ar_alloc(length + 1, 1);
    if (length)
        memcpy(text, data, length);
    if (strlen(text) != length)
        r->csv.status = ar_fail(&inner, AR_INVALID, "expected text, got a NUL character");
    else
        r->csv.status = take_field(r, text, &inner);
    if (r->csv.status != AR_OK)
        ar_fail_at(r->csv.error, r->csv.path, r->csv.field_line ? r->csv.field_line : r->csv.line,
                   r->csv.field_line ? r->csv.field_column : r->csv.column, "%s", inner.text);
    free(text);
    r->csv.field_line = 0;
    r->nfields++;
}

static void on_row(int end, void *context)
{
    (void)end;
    struct reader *r = context;
    struct ar_graph *graph = r->graph;
    if (r->csv.status == AR_OK && r->nfields < FIELDS) {
        r->csv.status = ar_fail_at(r->csv.error, r->csv.path, r->csv.line, r->csv.column,
                                   "expected four fields, a,b,bandwidth,latency, got %d", r->nfields);
    } else if (r->csv.status == AR_OK && r->row > 0) {
        AR_GROW(graph->a, graph->ncables, r->capacity[A]);
        AR_GROW(graph->b, graph->ncables, r->capacity[B]);
        AR_GROW(graph->bandwidth_Bps, graph->ncables, r->capacity[BANDWIDTH]);
        AR_GROW(graph->latency_s, graph->ncables, r->capacity[LATENCY]);
        graph->a[graph->ncables] = r->end[A];
        graph->b[graph->ncables] = r->end[B];
        graph->bandwidth_Bps[graph->ncables] = r->real[0];
        graph->latency_s[graph->ncables++] = r->real[1];
    }
    r->nfields = 0;
    r->row++;
}

/* ---- The graph --------------------------------------------------------------------------------------- */

/* Hosts first, then switches, each in the order of appearance. */
static void number_nodes(struct names *names, struct ar_graph *graph)
{
    static const char begins[] = "switch";
    int64_t *number = ar_alloc((size_t)names->n, sizeof *number), next = 0;
    graph->name = ar_alloc((size_t)names->n, sizeof *graph->name);
    graph->nnodes = names->n;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t node = 0; node < names->n; node++)
            if ((strncmp(names->name[node], begins, sizeof begins - 1) == 0) == pass) {
                graph->name[next] = names->name[node];
                number[node] = next++;
            }
        if (pass == 0)
            graph->nhosts = next;
    }
    for (int64_t c = 0; c < graph->ncables; c++) {
        graph->a[c] = number[graph->a[c]];
        graph->b[c] = number[graph->b[c]];
    }
    names->n = 0; /* the graph has them now */
    free(number);
}

enum ar_status ar_topology_file_read(const char *path, struct ar_graph *graph, struct ar_error *error)
{
    char *text;
    size_t length;
    enum ar_status status = ar_file_read(path, &text, &length, error);
    if (status != AR_OK)
        return status;
    *graph = (struct ar_graph){0};
    struct reader r = {.csv = {.path = path, .error = error, .line = 1, .column = 1}, .graph = graph};
    status = ar_csv_read(&r.csv, text, length, on_field, on_row);
    if (status == AR_OK && graph->ncables == 0)
        status = ar_fail_at(error, path, r.csv.line, r.csv.column,
                            "expected the heading a,b,bandwidth,latency and at least one cable");
    number_nodes(&r.names, graph);
    if (status == AR_OK && graph->nhosts == 0)
        status = ar_fail_at(error, path, 0, 0, "expected at least one host (a name not begun with switch)");
    if (status != AR_OK)
        ar_graph_free(graph);
    free(r.names.name);
    free(r.names.slot);
    free(text);
    return status;
}

enum ar_status ar_topology_read(const char *description, struct ar_topology *topology, struct ar_error *error)
{
    return ar_topology_parse(description, ar_topology_file_read, topology, error);
}
