/* Topologies: published numbers, what is said about mistakes, graphs from files, placements, drawings. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/import/topology_file.h"
#include "topologies/draw.h"
#include "topologies/figure.h"
#include "topologies/kind.h"
#include "topologies/machine.h"
#include "topologies/placement.h"

static struct ar_topology parse(const char *text)
{
    struct ar_topology t;
    struct ar_error error = {""};
    cr_assert_eq(ar_topology_read(text, &t, &error), AR_OK, "%s: %s", text, error.text);
    return t;
}

/* ---- Numbers from the papers and books that the kinds name ------------------------------------------- */

Test(topologies, sizes_and_diameters_are_the_published_ones)
{
    static const struct {
        const char *name;
        int64_t hosts, switches, diameter, bisection; /* bisection -1: no closed form */
    } known[] = {
        {"crossbar:16", 16, 1, 2, 8},
        {"full:8", 8, 0, 1, 16},
        {"ring:8", 8, 0, 4, 2},
        {"torus:4x4", 16, 0, 4, 8},
        {"torus:3x4", 12, 0, 3, 6},
        {"torus:2x2x4", 16, 0, 4, 8},
        {"torus:4x4x8", 128, 0, 8, 32},
        {"mesh:4x4", 16, 0, 6, 4},
        {"hypercube:4", 16, 0, 4, 8},
        {"fattree:k=4", 16, 20, 6, 8},
        {"fattree:k=6", 54, 45, 6, 27},
        {"fattree:k=8", 128, 80, 6, 64},
        {"xgft:m=4x4,w=1x2", 16, 6, 4, 4},
        {"xgft:m=2x2x2,w=1x2x2", 8, 12, 6, 4},
        {"xgft:m=4x4,w=1x2,p=1x2", 16, 6, 4, 8},
        {"xgft:m=3x3x3,w=1x3x3", 27, 27, 6, -1}, /* 3-ary 3-tree: k^n hosts, n k^(n-1) switches */
        {"xgft:m=4x4x4,w=1x4x4", 64, 48, 6, 32}, /* 4-ary 3-tree: bisection k^n / 2 */
        {"dragonfly:p=1,a=2,h=1", 6, 6, 5, -1},
        {"dragonfly:p=2,a=4,h=2", 72, 36, 5, -1},
        {"dragonfly:p=4,a=8,h=4", 1056, 264, 5, -1},
        {"dragonfly:p=2,a=4,h=2,g=8", 64, 32, 5, 16}, /* g^2 / 4 */
        {"hgx:8", 8, 1, 2, 4},
        {"rail:nodes=4,gpus=8", 32, 16, 4, 16},
        {"hgx:8/fattree:k=4", 128, 52, 8, 8},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct ar_topology t = parse(known[i].name);
        cr_expect_eq(t.nhosts, known[i].hosts, "%s: %d hosts", known[i].name, (int)t.nhosts);
        cr_expect_eq(t.nnodes - t.nhosts, known[i].switches, "%s: %d switches", known[i].name,
                     (int)(t.nnodes - t.nhosts));
        cr_expect_eq(ar_topology_diameter(&t), known[i].diameter, "%s: diameter %d", known[i].name,
                     (int)ar_topology_diameter(&t));
        cr_expect_eq(ar_topology_bisection(&t), known[i].bisection, "%s: bisection %d", known[i].name,
                     (int)ar_topology_bisection(&t));
        ar_topology_free(&t);
    }
}

/* Nodes of each level, by the level of their links down: XGFT(2;4,4;1,2) has 16, 4 and 2. */
Test(topologies, radixes_are_the_published_ones)
{
    static const struct {
        const char *name;
        int64_t node, degree;
    } known[] = {
        {"fattree:k=8", 0, 1},
        {"fattree:k=8", 128, 8},
        {"fattree:k=8", 207, 8},
        {"dragonfly:p=2,a=4,h=2", 72, 7},
        {"dragonfly:p=4,a=8,h=4", 1056, 15}, /* p + a - 1 + h */
        {"xgft:m=4x4,w=1x2", 16, 6},
        {"xgft:m=4x4,w=1x2", 19, 6},
        {"xgft:m=4x4,w=1x2", 20, 4},
        {"xgft:m=4x4,w=1x2,p=1x2", 20, 8},
        {"torus:2x2x4", 0, 6},
        {"hypercube:4", 7, 4},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct ar_topology t = parse(known[i].name);
        cr_expect_eq(ar_topology_degree(&t, known[i].node), known[i].degree, "%s: node %d has %d links",
                     known[i].name, (int)known[i].node, (int)ar_topology_degree(&t, known[i].node));
        ar_topology_free(&t);
    }
}

Test(topologies, the_mean_distance_of_a_torus_is_the_published_one)
{
    bool sampled;
    struct ar_topology t = parse("torus:4x4");
    cr_expect_float_eq(ar_topology_mean_hops(&t, &sampled), 2.1333, 5e-5);
    ar_topology_free(&t);
    /* The mean of |x - y| over a line of d is (d^2 - 1) / 3d; too many pairs for all of them. */
    t = parse("mesh:32x32");
    double all = (double)t.nhosts / (double)(t.nhosts - 1) * 2 * (32 * 32 - 1) / (3 * 32);
    cr_expect_float_eq(ar_topology_mean_hops(&t, &sampled), all, 0.1);
    cr_expect(sampled);
    ar_topology_free(&t);
}

static int most_on_a_link(const struct ar_topology *t, const int64_t *to)
{
    struct ar_route route = {0};
    int *load = calloc((size_t)t->nlinks, sizeof *load), most = 0;
    for (int64_t from = 0; from < t->nhosts; from++) {
        ar_topology_route(t, from, to[from], &route);
        for (int i = 0; i < route.n; i++) {
            load[route.link[i]]++;
            most = load[route.link[i]] > most ? load[route.link[i]] : most;
        }
    }
    ar_route_free(&route);
    free(load);
    return most;
}

/* Recursive doubling over distance d puts d messages on a ring's link; a ring puts one on any of them, and on
 * an oversubscribed tree one on an uplink where doubling over switches puts m : u. */
Test(topologies, known_patterns_load_links_as_known)
{
    int64_t to[64];
    struct ar_topology ring = parse("ring:16"), tree = parse("xgft:m=8x8,w=1x2"), cube = parse("hypercube:4");
    for (int64_t d = 1; d < 8; d *= 2) {
        for (int64_t r = 0; r < 16; r++)
            to[r] = r ^ d;
        cr_expect_eq(most_on_a_link(&ring, to), d, "distance %d", (int)d);
        cr_expect_eq(most_on_a_link(&cube, to), 1, "distance %d", (int)d);
    }
    for (int64_t r = 0; r < 64; r++)
        to[r] = (r + 1) % 64;
    cr_expect_eq(most_on_a_link(&tree, to), 1, "a ring");
    for (int64_t r = 0; r < 64; r++)
        to[r] = r ^ 8;
    cr_expect_eq(most_on_a_link(&tree, to), 8 / 2, "doubling");
    ar_topology_free(&ring);
    ar_topology_free(&tree);
    ar_topology_free(&cube);
}

/* A ring on a rail leaves its spine alone; pairs of hosts are as far as their highest link. */
Test(topologies, levels_tell_how_far_hosts_are)
{
    struct ar_route route = {0};
    struct ar_topology t = parse("hgx:8/fattree:k=4"), rail = parse("rail:nodes=4,gpus=8,routing=spine");
    cr_expect_eq(ar_topology_level(&t, 3, 3, &route), AR_LEVEL_NODE);
    cr_expect_eq(ar_topology_level(&t, 0, 7, &route), AR_LEVEL_NODE);
    cr_expect_eq(ar_topology_level(&t, 0, 8, &route), AR_LEVEL_SWITCH);
    cr_expect_eq(ar_topology_level(&t, 0, 16, &route), AR_LEVEL_GROUP);
    cr_expect_eq(ar_topology_level(&t, 0, 127, &route), AR_LEVEL_GROUP + 1);
    cr_expect_eq(ar_topology_level(&rail, 0, 7, &route), AR_LEVEL_NODE);
    cr_expect_eq(ar_topology_level(&rail, 0, 24, &route), AR_LEVEL_SWITCH);
    cr_expect_eq(ar_topology_level(&rail, 0, 25, &route), AR_LEVEL_GROUP);
    ar_route_free(&route);
    ar_topology_free(&t);
    ar_topology_free(&rail);
}

static double rate(const char *text, int64_t link)
{
    struct ar_topology t = parse(text);
    double rate_Bps = ar_topology_link(&t, link).bandwidth_Bps;
    ar_topology_free(&t);
    return rate_Bps;
}

Test(topologies, rates_are_those_given)
{
    cr_expect(isnan(rate("ring:4", 0)));
    cr_expect_eq(rate("ring:4,bandwidth=25GB/s", 7), 25e9);
    cr_expect_eq(rate("rail:nodes=2,gpus=2,nvlink=450GB/s,bandwidth=50GB/s", 0), 450e9);
    cr_expect_eq(rate("rail:nodes=2,gpus=2,nvlink=450GB/s,bandwidth=50GB/s", 8), 50e9);
    const char *pair = "hgx:2,bandwidth=450GB/s,nic=50GB/s/ring:3,bandwidth=400GB/s";
    cr_expect_eq(rate(pair, 11), 450e9); /* 3 nodes with 2 cables each */
    cr_expect_eq(rate(pair, 12), 50e9);
    cr_expect_eq(rate(pair, 24), 400e9);
}

/* ---- Descriptions ------------------------------------------------------------------------------------ */

Test(topologies, descriptions_have_one_form)
{
    static const char *const forms[][2] = {
        {"ring:hosts=8", "ring:8"},
        {"fattree:8", "fattree:k=8"},
        {"fattree:routing=dmodk,k=4", "fattree:k=4"},
        {"xgft:w=1x1,m=4x4,p=1x1", "xgft:m=4x4"},
        {"dragonfly:h=2,a=4,p=2,g=9", "dragonfly:p=2,a=4,h=2"},
        {"rail:gpus=8,nodes=4,spines=4", "rail:nodes=4,gpus=8"},
        {"ring:8,latency=0.0005ms,bandwidth=25000MB/s", "ring:8,bandwidth=25GB/s,latency=0.5us"},
        {"hgx:8,nic=0.05TB/s/ring:hosts=4", "hgx:8,nic=50GB/s/ring:4"},
        {"crossbar:1e6", "crossbar:1000000"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        struct ar_text written = {0};
        struct ar_topology t = parse(forms[i][0]);
        ar_topology_write(&t, &written);
        cr_expect_str_eq(written.data, forms[i][1]);
        ar_topology_free(&t);
        ar_text_free(&written);
    }
}

Test(topologies, mistakes_are_named_with_their_place)
{
    static const char *const wrong[][2] = {
        {"", "topology '', at 1: unknown topology ''"},
        {"tours:4x4", "at 1: unknown topology 'tours', did you mean 'torus'?"},
        {"torus", "at 1: torus needs sizes (hosts along each dimension), e.g. torus:4x4x8"},
        {"torus:4x0", "at 9: sizes: expected 1..2147483647, got 0"},
        {"torus:4y4", "at 7: sizes: expected"},
        {"torus:2x2x2x2x2x2x2x2x2", "at 23: sizes: expected at most 8 sizes, got more"},
        {"torus:65536x65536", "at 1: expected at most 2147483647 hosts, got more"},
        {"ring:8,bandwith=1GB/s", "at 8: unknown parameter of ring 'bandwith', did you mean 'bandwidth'?"},
        {"ring:8,bandwidth=0GB/s", "at 18: bandwidth: expected"},
        {"ring:8,latency=-1us", "at 16: latency: expected"},
        {"ring:8,8", "at 8: ring: expected NAME=VALUE, got '8'"},
        {"ring:8,hosts=9", "at 8: 'hosts' is given twice"},
        {"ring:8,", "at 8: ring: expected NAME=VALUE, got ''"},
        {"fattree:k=5", "at 1: k: expected an even number of ports, got 5"},
        {"fattree:k=4,routing=dmod", "at 21: unknown routing 'dmod', did you mean 'dmodk'?"},
        {"xgft:m=4x4,w=1", "at 1: w: expected 2 sizes, as m has, got 1"},
        {"xgft:w=1", "at 1: xgft needs m"},
        {"dragonfly:p=2,a=4,h=2,g=10", "at 1: g: expected at most a h + 1 = 9 groups, got 10"},
        {"rail:nodes=2,gpus=2,spines=0,routing=spine", "at 1: routing=spine needs spines"},
        {"hgx:8,nic=50GB/s", "at 1: nic belongs to a node"},
        {"hgx:8/fattre:k=4", "at 7: unknown topology 'fattre', did you mean 'fattree'?"},
        {"hgx:8,nic=50GB/s/ring:x", "at 23: hosts: expected"},
        {"hgx:8/", "at 7: unknown topology ''"},
        {"full:65536/full:65536", "expected at most 2147483647 hosts, got more"},
        {"csv:", "at 1: expected csv:FILE"},
        {"csv", "at 1: csv needs file"},
        {"csv:none.csv", "none.csv"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ar_topology t;
        struct ar_error error = {""};
        cr_expect_neq(ar_topology_read(wrong[i][0], &t, &error), AR_OK, "%s", wrong[i][0]);
        cr_expect(strstr(error.text, wrong[i][1]), "'%s' says: %s", wrong[i][0], error.text);
        cr_expect_neq(ar_topology_read(wrong[i][0], &t, NULL), AR_OK, "%s", wrong[i][0]);
    }
}

/* ---- Files ------------------------------------------------------------------------------------------- */

Test(topologies, a_graph_is_read_from_a_file)
{
    char name[AR_NODE_TEXT];
    struct ar_route route = {0};
    struct ar_topology t = parse("csv:tests/data/network.csv");
    cr_expect(t.nhosts == 4 && t.nnodes == 6 && t.nlinks == 12);
    cr_expect_str_eq(ar_topology_node_name(&t, 3, name), "node4");
    cr_expect_str_eq(ar_topology_node_name(&t, 4, name), "switch1");
    cr_expect_eq(ar_topology_link(&t, 4).bandwidth_Bps, 12.5e9);
    cr_expect_eq(ar_topology_link(&t, 5).latency_s, 1e-6);
    cr_expect(isnan(ar_topology_link(&t, 8).bandwidth_Bps) && isnan(ar_topology_link(&t, 10).latency_s));
    /* The two cables between the switches are dealt to destinations. */
    ar_topology_route(&t, 0, 2, &route);
    cr_expect(route.n == 3 && route.link[1] == 8);
    ar_topology_route(&t, 0, 3, &route);
    cr_expect(route.n == 3 && route.link[1] == 10);
    ar_route_free(&route);
    ar_topology_free(&t);
    struct ar_topology node = parse("hgx:2/csv:tests/data/network.csv");
    cr_expect_eq(node.nhosts, 8);
    struct ar_text written = {0};
    ar_topology_write(&node, &written);
    cr_expect_str_eq(written.data, "hgx:2/csv:tests/data/network.csv");
    ar_text_free(&written);
    ar_topology_free(&node);
}

/* Writes the text to a file of its own and reads it; returns the sentence after the file's name. */
static void check_file(const char *text, const char *said)
{
    char path[] = P_tmpdir "/allround-topology-XXXXXX";
    struct ar_graph graph = {0};
    struct ar_error error = {""};
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    fputs(text, file);
    fclose(file);
    enum ar_status status = ar_topology_file_read(path, &graph, &error);
    remove(path);
    cr_expect_eq(status, said ? AR_INVALID : AR_OK, "%s: %s", text, error.text);
    cr_expect(!said || strstr(error.text, said), "%s says: %s", text, error.text);
    if (status == AR_OK)
        ar_graph_free(&graph);
}

#define HEAD "a,b,bandwidth,latency\n"

Test(topologies, mistakes_in_a_file_are_named_with_line_and_column)
{
    check_file(HEAD "x,y,,\n", NULL);
    check_file(HEAD "\"x, 1\",y,\"1GB/s\",0\r\n", NULL);
    check_file("", ":1:1: expected the heading");
    check_file(HEAD, ":2:1: expected the heading a,b,bandwidth,latency and at least one cable");
    check_file("a,b,rate,latency\n", ":1:5: expected the heading a,b,bandwidth,latency, got 'rate'");
    check_file(HEAD "x,y,1GB/s\n", ":2:10: expected four fields, a,b,bandwidth,latency, got 3");
    check_file(HEAD "x,y,1GB/s,1us,\n", ":2:15: expected four fields, a,b,bandwidth,latency, got more");
    check_file(HEAD "x,y,0GB/s,1us\n", ":2:5: bandwidth: expected");
    check_file(HEAD "x,y,1GB/s,1us\nx,z,-1GB/s,1us\n", ":3:5: bandwidth: expected");
    check_file(HEAD "x,y,1GB/s,fast\n", ":2:11: latency: expected");
    check_file(HEAD "x,,1GB/s,1us\n", ":2:3: b: expected the name of a host or switch");
    check_file(HEAD "x,x,1GB/s,1us\n", ":2:3: b: expected another node than 'x'");
    check_file(HEAD "x,\"y,1GB/s,1us\n", "quoted field is not closed");
    check_file(HEAD "switch1,switch2,,\n", "expected at least one host");
}

/* Names are found again among thousands. */
Test(topologies, a_long_file_is_read)
{
    struct ar_text text = {0};
    enum { HOSTS = 3000 };
    ar_text_add(&text, HEAD);
    for (int i = 0; i < HOSTS; i++)
        ar_text_add(&text, "host%d,switch%d,,\nswitch%d,switch,,\n", i, i / 50, i / 50);
    check_file(text.data, NULL);
    ar_text_free(&text);
}

Test(topologies, parted_graphs_are_refused)
{
    struct ar_topology t;
    struct ar_error error = {""};
    cr_expect_eq(ar_topology_read("csv:tests/data/network-parted.csv", &t, &error), AR_INVALID);
    cr_expect_str_eq(error.text, "tests/data/network-parted.csv: 'node1' and 'node3' are not connected");
}

/* ---- Placements -------------------------------------------------------------------------------------- */

static void check_placement(const struct ar_topology *t, const char *text, int n, const int64_t *host)
{
    struct ar_placement p;
    struct ar_error error = {""};
    cr_assert_eq(ar_placement_parse(text, t, n, &p, &error), AR_OK, "%s: %s", text, error.text);
    for (int i = 0; i < n; i++)
        cr_expect_eq(p.host[i], host[i], "%s: rank %d on host %d", text, i, (int)p.host[i]);
    ar_placement_free(&p);
}

Test(topologies, ranks_are_placed_as_asked)
{
    struct ar_topology nodes = parse("hgx:3/crossbar:2"), grid = parse("mesh:3x4");
    check_placement(&nodes, "block", 4, (int64_t[]){0, 1, 2, 3});
    check_placement(&nodes, "cyclic", 5, (int64_t[]){0, 3, 1, 4, 2});
    check_placement(&nodes, "list:5,0..1,0", 4, (int64_t[]){5, 0, 1, 0});
    check_placement(&grid, "ring", 12, (int64_t[]){0, 1, 2, 5, 4, 7, 8, 11, 10, 9, 6, 3});
    check_placement(&nodes, "file:tests/data/ranks", 3, (int64_t[]){5, 0, 3});
    ar_topology_free(&grid);
    static const char *const wrong[][2] = {
        {"blok", "unknown placement 'blok', did you mean 'block'?"},
        {"block:1", "block takes no value, got '1'"},
        {"list", "expected list:HOSTS"},
        {"list:0,1", "list: expected a host for each of 4 ranks, got 2"},
        {"list:0..6", "list: expected"},
        {"file:tests/data/none", "cannot read 'tests/data/none'"},
        {"file:tests/data/ranks", "tests/data/ranks: expected a host for each of 4 ranks, got 3"},
        {"file:tests/data/network.csv", "tests/data/network.csv:1: host: expected"},
        {"random:x", "seed: expected"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct ar_placement p;
        struct ar_error error = {""};
        cr_expect_neq(ar_placement_parse(wrong[i][0], &nodes, 4, &p, &error), AR_OK, "%s", wrong[i][0]);
        cr_expect(strstr(error.text, wrong[i][1]), "'%s' says: %s", wrong[i][0], error.text);
    }
    ar_topology_free(&nodes);
}

/* ---- Drawings and the machine ------------------------------------------------------------------------ */

Test(topologies, dot_names_every_cable)
{
    struct ar_topology t = parse("csv:tests/data/network.csv"), large = parse("full:1000");
    struct ar_text text = {0};
    struct ar_error error = {""};
    cr_assert_eq(ar_topology_dot(&t, &text, &error), AR_OK);
    cr_expect(strstr(text.data, "\"node1\" -- \"switch1\" [label=\"25 GB/s\"];"), "%s", text.data);
    cr_expect_eq(ar_topology_dot(&large, &text, &error), AR_INVALID);
    ar_text_free(&text);
    ar_topology_free(&t);
    ar_topology_free(&large);
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)); at++)
        n++;
    return n;
}

Test(topologies, figures_show_every_node_within_the_picture)
{
    static const char *const drawn[] = {"crossbar:1",           "ring:2",      "mesh:3x4",
                                        "torus:2x2x4",          "fattree:k=4", "hgx:4/ring:8",
                                        "dragonfly:p=1,a=4,h=1"};
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        struct ar_topology t = parse(drawn[i]);
        struct ar_text svg = {0};
        cr_assert_eq(ar_topology_figure(&t, &svg, NULL), AR_OK);
        cr_expect_eq(count(svg.data, "<text"), t.nnodes, "%s", drawn[i]);
        cr_expect_geq(count(svg.data, "<line"), t.nlinks / 2, "%s", drawn[i]);
        cr_expect_null(strstr(svg.data, "=\"-"), "%s: something lies outside", drawn[i]);
        cr_expect(!strstr(svg.data, "nan") && strstr(svg.data, "</svg>"), "%s", drawn[i]);
        ar_text_free(&svg);
        ar_topology_free(&t);
    }
}

Test(topologies, this_machine_is_a_topology_of_its_cores)
{
    struct ar_text drawing = {0}, description = {0};
    struct ar_machine machine;
    struct ar_error error = {""};
    cr_assert_eq(ar_machine_draw(&drawing, &description, &error), AR_OK, "%s", error.text);
    cr_assert_eq(ar_machine_read(&machine, &error), AR_OK, "%s", error.text);
    struct ar_topology t = parse(description.data);
    cr_expect_eq(t.nhosts, machine.cores, "%s for %d cores", description.data, machine.cores);
    int lines = 0;
    for (const char *at = drawing.data; *at; at++)
        lines += *at == '\n';
    cr_expect_gt(lines, machine.hardware_threads, "%s", drawing.data);
    ar_topology_free(&t);
    ar_text_free(&drawing);
    ar_text_free(&description);
}
