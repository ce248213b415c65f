#include "bench/harness/topology_report.h"

#include <math.h>

#include "topologies/draw.h"
#include "topologies/kind.h"

#define COLUMNS(columns) columns, sizeof columns / sizeof *columns

static const struct ar_column columns[] = {
    {"hosts", "hosts", 0},
    {"switches", "switches", 0},
    {"cables", "cables", 0},
    {"diameter_links", "diameter, links", 0},
    {"mean_links", "mean distance, links", 4},
    {"mean_sampled", NULL, 0},
    {"bisection_cables", "bisection, cables", 0},
    {"bisection_gbps", "bisection, GB/s", 1}, /* each way */
};

static const struct ar_column level_columns[] = {
    {"level", "level", 0}, {"where", "where", 0}, {"cables", "cables", 0}};

static void add_levels(const struct ar_topology *t, struct ar_report *report)
{
    static const char *const where[] = {"between cores", "in a node", "to the first switch or neighbour",
                                        "in a group"};
    struct ar_table *table =
        ar_report_table(report, "levels", "Cables by distance, near to far", COLUMNS(level_columns));
    for (int level = t->first_level; level < t->first_level + t->nlevels; level++) {
        ar_table_row(table);
        ar_table_int(table, level);
        ar_table_text(table, "%s", level <= AR_LEVEL_GROUP ? where[level] : "between groups");
        ar_table_int(table, ar_topology_links_at(t, level) / 2);
    }
}

void ar_topology_report(const struct ar_topology *t, struct ar_report *report)
{
    struct ar_text description = {0};
    bool sampled;
    double mean = ar_topology_mean_hops(t, &sampled);
    int64_t bisection = ar_topology_bisection(t);
    ar_topology_write(t, &description);
    ar_report_field_text(report, "topology", description.data);
    ar_text_add(&report->body, "%s\n", description.data);
    if (t->nnodes <= AR_DRAW_NODES)
        ar_topology_draw(t, &report->body);
    struct ar_table *table = ar_report_table(report, "summary", NULL, COLUMNS(columns));
    ar_table_row(table);
    ar_table_int(table, t->nhosts);
    ar_table_int(table, t->nnodes - t->nhosts);
    ar_table_int(table, t->nlinks / 2);
    ar_table_int(table, ar_topology_diameter(t));
    ar_table_real(table, mean);
    ar_table_bool(table, sampled);
    if (bisection >= 0)
        ar_table_int(table, bisection);
    else
        ar_table_null(table);
    ar_table_real(table, bisection >= 0 ? (double)bisection * t->bandwidth_Bps / 1e9 : NAN);
    add_levels(t, report);
    if (sampled)
        ar_text_add(&report->notes, "The mean distance is that of a sample of pairs.\n");
    if (bisection < 0)
        ar_text_add(&report->notes, "No closed form of the bisection is known here.\n");
    ar_text_free(&description);
}

/* ---- The kinds --------------------------------------------------------------------------------------- */

static const struct ar_column kind_columns[] = {
    {"topology", "topology", 0}, {"parameters", "parameters", 0},
    {"example", "example", 0},   {"summary", "summary", 0},
    {"help", NULL, 0}, /* of the parameters */
    {"source", NULL, 0},
};

enum ar_status ar_list_topologies(struct ar_report *report, bool for_people, struct ar_error *error)
{
    (void)for_people, (void)error;
    struct ar_table *table = ar_report_table(report, "topologies", NULL, COLUMNS(kind_columns));
    for (int i = 0; i < ar_ntopology_kinds; i++) {
        const struct ar_topology_kind *kind = ar_topology_kinds[i];
        struct ar_text names = {0}, help = {0};
        for (int p = 0; p < kind->nparams; p++) {
            const struct ar_topology_param *param = &kind->params[p];
            ar_text_add(&names, param->needed ? "%s%s" : "%s[%s]", p ? "," : "", param->name);
            ar_text_add(&help, "%s%s: %s", p ? "; " : "", param->name, param->help);
        }
        ar_table_row(table);
        ar_table_text(table, "%s", kind->name);
        ar_table_text(table, "%s", names.data);
        ar_table_text(table, "%s", kind->example);
        ar_table_text(table, "%s", kind->summary);
        ar_table_text(table, "%s", help.data);
        ar_table_text(table, "%s", kind->source);
        ar_text_free(&names);
        ar_text_free(&help);
    }
    ar_text_add(&report->notes,
                "Every topology but csv also takes bandwidth=RATE and latency=TIME, of each link; "
                "NODE/NETWORK puts a node where the network has a host, and the node then takes "
                "nic=RATE. allround topo shows one.\n");
    return AR_OK;
}
