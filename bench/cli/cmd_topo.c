/* allround topo: one topology in numbers, words and figures (bench/harness/topology_report.h). */
#include <string.h>

#include "bench/cli/cli.h"
#include "bench/harness/topology_report.h"
#include "bench/harness/whole_file.h"
#include "bench/import/topology_file.h"
#include "topologies/draw.h"
#include "topologies/figure.h"
#include "topologies/machine.h"

struct options {
    const char *description, *svg, *dot;
};

#define TARGET(member) offsetof(struct options, member)

static const struct ar_option table[] = {
    {.kind = AR_OPTION_TEXT, .offset = TARGET(description), .noun = "topology"},
    {"svg", "FILE", "Draw a figure too; a FILE of - is the output", 1, AR_OPTION_TEXT, TARGET(svg)},
    {"dot", "FILE", "Write the graph for graphviz too; a FILE of - is the output", 1, AR_OPTION_TEXT,
     TARGET(dot)},
};

static void write_body(const struct ar_report *report, struct ar_text *out)
{
    ar_text_add_bytes(out, report->body.data, report->body.length);
}

static const struct ar_format body_format = {"body", "the body", false, write_body};

static bool is_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

typedef enum ar_status writer(const struct ar_topology *topology, struct ar_text *text,
                              struct ar_error *error);

/* The whole output, or a file. */
static enum ar_status write_file(const char *path, writer *write, const struct ar_topology *topology,
                                 struct ar_error *error)
{
    struct ar_report report = {0};
    enum ar_status status = write(topology, &report.body, error);
    if (status == AR_OK && is_output(path))
        status = ar_print(&report, &body_format, error);
    else if (status == AR_OK && ar_speaks())
        status = ar_write_whole(path, &report.body, error);
    ar_report_free(&report);
    return status;
}

/* What there is to say, the drawing of this machine's parts first where it is the topology. */
static enum ar_status print(const struct ar_topology *topology, const struct ar_text *drawing,
                            const struct ar_format *format, struct ar_error *error)
{
    struct ar_report report = {0};
    enum ar_status status = ar_describe_machine(&report, error);
    if (status == AR_OK) {
        if (drawing->length)
            ar_text_add(&report.body, "%s\n", drawing->data);
        ar_topology_report(topology, &report);
        status = ar_print(&report, format, error);
    }
    ar_report_free(&report);
    return status;
}

static enum ar_status run(void *options, struct ar_session *session, const struct ar_format *format,
                          struct ar_error *error)
{
    (void)session;
    const struct options *o = options;
    struct ar_text drawing = {0}, machine = {0};
    struct ar_topology topology = {0};
    if (!o->description)
        return ar_fail(error, AR_INVALID,
                       "topo needs a topology, e.g. torus:4x4, or detect for this machine");
    if (is_output(o->svg) && is_output(o->dot))
        return ar_fail(error, AR_INVALID, "--svg - and --dot -: only one of them can be the output");
    enum ar_status status = AR_OK;
    bool detect = strcmp(o->description, "detect") == 0;
    if (detect)
        status = ar_machine_draw(&drawing, &machine, error);
    if (status == AR_OK)
        status = ar_topology_read(detect ? machine.data : o->description, &topology, error);
    if (status == AR_OK) {
        if (o->svg)
            status = write_file(o->svg, ar_topology_figure, &topology, error);
        if (status == AR_OK && o->dot)
            status = write_file(o->dot, ar_topology_dot, &topology, error);
        if (status == AR_OK && !is_output(o->svg) && !is_output(o->dot))
            status = print(&topology, &drawing, format, error);
        ar_topology_free(&topology);
    }
    ar_text_free(&drawing);
    ar_text_free(&machine);
    return status;
}

static const struct options defaults;

const struct ar_command ar_command_topo = {
    .name = "topo",
    .summary = "show a topology: hosts, switches, cables, distances, bisection",
    .arguments = "KIND:VALUES[/KIND:VALUES]|detect",
    .about =
        "Shows a topology in numbers, and a small one cable by cable; `detect` shows this machine's "
        "sockets, caches and cores.\v"
        "KIND:VALUES is one of `allround list topologies`; NODE/NETWORK puts a node where the network has "
        "a host. Distances are in links on the way.\n" AR_TOPOLOGY_FILE_HELP "\n"
        "Examples:\n"
        "  allround topo torus:4x4\n"
        "  allround topo fattree:k=4,bandwidth=25GB/s --svg tree.svg\n"
        "  allround topo dragonfly:p=2,a=4,h=2 --dot - | neato -Tpng > fly.png\n"
        "  allround topo hgx:8,nic=50GB/s/fattree:k=8\n"
        "  allround topo detect",
    AR_COMMAND_OPTIONS(table, defaults),
    .run = run,
};
