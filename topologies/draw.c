#include "topologies/draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collectives/base/units.h"

static bool is_numbered(const struct ar_topology *t)
{
    char name[AR_NODE_TEXT];
    return strcmp(ar_topology_node_name(t, 0, name), "host 0") == 0;
}

/* Cables between two nodes. */
static int64_t cables(const struct ar_topology *t, int64_t node, int64_t other)
{
    int64_t n = 0;
    for (int64_t i = 0; i < ar_topology_degree(t, node); i++)
        n += ar_topology_link(t, ar_topology_leaving(t, node, i)).to == other;
    return n;
}

static const char *times(int64_t n, char text[AR_UNITS_TEXT + 8])
{
    char count[AR_UNITS_TEXT];
    if (n == 1)
        return "";
    if (n == 2)
        return " twice";
    snprintf(text, AR_UNITS_TEXT + 8, " %s times", ar_format_count(count, (uint64_t)n));
    return text;
}

/* Adds "hosts 0-1, " for those of first..end-1 that `n` cables join to the node. */
static void add_numbers(const struct ar_topology *t, int64_t node, int64_t first, int64_t end, int64_t n,
                        struct ar_text *text)
{
    struct ar_text list = {0};
    char count[AR_UNITS_TEXT + 8];
    struct ar_ranges ranges = {&list};
    for (int64_t other = first; other < end; other++)
        if (cables(t, node, other) == n)
            ar_ranges_add(&ranges, other);
    ar_ranges_end(&ranges);
    if (ranges.n > 0)
        ar_text_add(text, "%s%s %s%s, ",
                    first < t->nhosts ? "host"
                    : ranges.n > 1    ? "switche"
                                      : "switch",
                    ranges.n > 1 ? "s" : "", list.data, times(n, count));
    ar_text_free(&list);
}

static void add_names(const struct ar_topology *t, int64_t node, struct ar_text *text)
{
    char name[AR_NODE_TEXT], count[AR_UNITS_TEXT + 8];
    for (int64_t other = 0; other < t->nnodes; other++) {
        int64_t n = cables(t, node, other);
        if (n > 0) {
            ar_text_add_visible(text, ar_topology_node_name(t, other, name));
            ar_text_add(text, "%s, ", times(n, count));
        }
    }
}

void ar_topology_draw(const struct ar_topology *t, struct ar_text *text)
{
    char name[AR_NODE_TEXT];
    size_t width = 0;
    for (int64_t node = 0; node < t->nnodes; node++) {
        size_t own = ar_text_width(ar_topology_node_name(t, node, name));
        width = own > width ? own : width;
    }
    for (int64_t node = 0; node < t->nnodes; node++) {
        int64_t most = 0;
        ar_text_add_visible(text, ar_topology_node_name(t, node, name));
        ar_text_pad(text, width + 2);
        for (int64_t other = 0; other < t->nnodes; other++) {
            int64_t n = cables(t, node, other);
            most = n > most ? n : most;
        }
        if (!is_numbered(t))
            add_names(t, node, text);
        for (int64_t n = 1; n <= most && is_numbered(t); n++) {
            add_numbers(t, node, 0, t->nhosts, n, text);
            add_numbers(t, node, t->nhosts, t->nnodes, n, text);
        }
        while (text->data[text->length - 1] == ' ' || text->data[text->length - 1] == ',')
            text->data[--text->length] = '\0';
        ar_text_add(text, "\n");
    }
}

static void add_quoted(const struct ar_topology *t, int64_t node, struct ar_text *text)
{
    char name[AR_NODE_TEXT];
    ar_text_add(text, "\"");
    for (const char *at = ar_topology_node_name(t, node, name); *at; at++)
        ar_text_add(text, "%s%c", *at == '"' || *at == '\\' ? "\\" : "", *at);
    ar_text_add(text, "\"");
}

enum ar_status ar_topology_dot(const struct ar_topology *t, struct ar_text *text, struct ar_error *error)
{
    char rate[AR_UNITS_TEXT];
    if (t->nlinks > AR_DOT_LINKS)
        return ar_fail(error, AR_INVALID, "a graph of at most %d links can be drawn, this one has %" PRId64,
                       AR_DOT_LINKS, t->nlinks);
    ar_text_add(text, "graph {\n  node [shape=ellipse];\n");
    for (int64_t host = 0; host < t->nhosts; host++) {
        ar_text_add(text, "  ");
        add_quoted(t, host, text);
        ar_text_add(text, " [shape=box];\n");
    }
    for (int64_t number = 0; number < t->nlinks; number += 2) {
        struct ar_link link = ar_topology_link(t, number);
        ar_text_add(text, "  ");
        add_quoted(t, link.from, text);
        ar_text_add(text, " -- ");
        add_quoted(t, link.to, text);
        if (!isnan(link.bandwidth_Bps))
            ar_text_add(text, " [label=\"%s\"]", ar_format_rate(rate, link.bandwidth_Bps));
        ar_text_add(text, ";\n");
    }
    ar_text_add(text, "}\n");
    return AR_OK;
}
