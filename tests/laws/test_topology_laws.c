/* What holds for every topology: its links, routes and numbers against searches over its own links. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "topologies/kind.h"
#include "topologies/placement.h"

/* Small ones of every kind, the odd, the degenerate and the irregular among them. */
static const char *const small[] = {
    "crossbar:1",
    "crossbar:2",
    "crossbar:7",
    "crossbar:8,bandwidth=25GB/s",
    "full:1",
    "full:2",
    "full:5",
    "full:8",
    "ring:1",
    "ring:2",
    "ring:3",
    "ring:7",
    "ring:8",
    "mesh:1",
    "mesh:5",
    "mesh:4x4",
    "mesh:3x4",
    "mesh:2x3x2",
    "mesh:3x3",
    "torus:2",
    "torus:4x4",
    "torus:3x4",
    "torus:2x2x4",
    "torus:5x1x3",
    "torus:3x3",
    "torus:2x2",
    "hypercube:0",
    "hypercube:1",
    "hypercube:3",
    "hypercube:4",
    "fattree:k=2",
    "fattree:k=4",
    "fattree:k=4,routing=hashed",
    "xgft:m=4",
    "xgft:m=4x4,w=1x2",
    "xgft:m=4x4,w=1x2,p=1x2",
    "xgft:m=2x2x2,w=1x2x2",
    "xgft:m=2x3,w=2x1",
    "xgft:m=3x2,w=1x1",
    "xgft:m=2x4,w=2x2,p=2x1",
    "xgft:m=4x4,w=1x3,p=1x2,routing=hashed",
    "xgft:m=2x1x3",
    "xgft:m=1x1",
    "dragonfly:p=1,a=2,h=1",
    "dragonfly:p=1,a=1,h=1",
    "dragonfly:p=2,a=3,h=1,g=4",
    "dragonfly:p=2,a=2,h=1,g=2",
    "dragonfly:p=1,a=4,h=2,g=4",
    "dragonfly:p=1,a=2,h=4,g=8",
    "dragonfly:p=2,a=1,h=3",
    "dragonfly:p=1,a=3,h=2,g=1",
    "hgx:8,latency=1us",
    "rail:nodes=1,gpus=1",
    "rail:nodes=2,gpus=2",
    "rail:nodes=4,gpus=4,spines=2",
    "rail:nodes=3,gpus=2,spines=0",
    "rail:nodes=4,gpus=2,routing=spine",
    "rail:nodes=2,gpus=8,nvlink=450GB/s,bandwidth=50GB/s",
    "hgx:2/ring:4",
    "hgx:4,nic=50GB/s/crossbar:4,bandwidth=25GB/s",
    "hgx:1/fattree:k=4",
    "hgx:2/torus:2x2",
    "ring:7/mesh:2",
    "full:1/full:3",
    "full:1/full:6",
    "hgx:2/full:6",
    "mesh:2x2/hgx:2/crossbar:2",
    "rail:nodes=2,gpus=2/dragonfly:p=1,a=2,h=1,g=2",
};

enum { NSMALL = sizeof small / sizeof *small };

static struct ar_topology parse(const char *text)
{
    struct ar_topology t;
    struct ar_error error = {""};
    cr_assert_eq(ar_topology_parse(text, NULL, &t, &error), AR_OK, "%s: %s", text, error.text);
    return t;
}

/* A graph without rule: hosts in a row and a ring, two switches, parallel cables. */
static struct ar_topology odd_graph(void)
{
    enum { CABLES = 9 };
    static const int64_t a[CABLES] = {0, 1, 1, 3, 3, 2, 2, 5, 4}, b[CABLES] = {6, 6, 6, 7, 2, 7, 6, 7, 0};
    struct ar_graph graph = {.nhosts = 6, .nnodes = 8, .ncables = CABLES};
    struct ar_topology t;
    struct ar_error error = {""};
    graph.a = memcpy(ar_alloc(1, sizeof a), a, sizeof a);
    graph.b = memcpy(ar_alloc(1, sizeof b), b, sizeof b);
    graph.bandwidth_Bps = ar_alloc(CABLES, sizeof(double));
    graph.latency_s = ar_alloc(CABLES, sizeof(double));
    cr_assert_eq(ar_topology_of_graph(&graph, "odd", &t, &error), AR_OK, "%s", error.text);
    return t;
}

/* Calls `check` with each small topology. */
static void for_each(void (*check)(const struct ar_topology *t, const char *name))
{
    for (int i = 0; i < NSMALL; i++) {
        struct ar_topology t = parse(small[i]);
        check(&t, small[i]);
        ar_topology_free(&t);
    }
    struct ar_topology t = odd_graph();
    check(&t, "a graph");
    ar_topology_free(&t);
}

/* ---- Descriptors and descriptions -------------------------------------------------------------------- */

static bool is_line(const char *text)
{
    return text && *text && !strchr(text, '\n');
}

Test(topologies, every_kind_is_whole_and_tried)
{
    for (int i = 0; i < ar_ntopology_kinds; i++) {
        const struct ar_topology_kind *kind = ar_topology_kinds[i];
        cr_expect(is_line(kind->name) && is_line(kind->summary) && is_line(kind->source), "%s", kind->name);
        cr_assert_leq(kind->nparams, AR_TOPOLOGY_PARAMS, "%s", kind->name);
        for (int p = 0; p < kind->nparams; p++)
            cr_expect(is_line(kind->params[p].name) && is_line(kind->params[p].help), "%s", kind->name);
        bool tried = kind == &ar_topology_csv;
        for (int s = 0; s < NSMALL; s++)
            tried = tried || (strncmp(small[s], kind->name, strlen(kind->name)) == 0 &&
                              small[s][strlen(kind->name)] == ':');
        cr_expect(tried, "%s is not among the small topologies of this file", kind->name);
        if (kind == &ar_topology_csv)
            continue;
        struct ar_topology t = parse(kind->example);
        struct ar_text written = {0};
        ar_topology_write(&t, &written);
        cr_expect_str_eq(written.data, kind->example, "an example is in canonical form");
        ar_text_free(&written);
        ar_topology_free(&t);
    }
}

static bool same_real(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void reads_back(const struct ar_topology *t, const char *name)
{
    struct ar_text first = {0}, second = {0};
    ar_topology_write(t, &first);
    if (strcmp(name, "a graph") != 0) {
        struct ar_topology back = parse(first.data);
        ar_topology_write(&back, &second);
        cr_expect_str_eq(first.data, second.data, "%s", name);
        cr_assert(back.nhosts == t->nhosts && back.nnodes == t->nnodes && back.nlinks == t->nlinks, "%s",
                  name);
        for (int64_t i = 0; i < t->nlinks; i++) {
            struct ar_link a = ar_topology_link(t, i), b = ar_topology_link(&back, i);
            cr_assert(a.from == b.from && a.to == b.to && a.level == b.level &&
                          same_real(a.bandwidth_Bps, b.bandwidth_Bps) && same_real(a.latency_s, b.latency_s),
                      "%s: link %d", name, (int)i);
        }
        ar_topology_free(&back);
    }
    ar_text_free(&first);
    ar_text_free(&second);
}

Test(topologies, what_is_written_reads_back)
{
    for_each(reads_back);
}

/* Rates and times come back to the bit, also odd ones. */
Test(topologies, numbers_read_back_to_the_bit)
{
    static const char *const odd[] = {"0.1GB/s",   "12345678.9MB/s",      "1e-3B/s", "3GiB/s",
                                      "200Gbit/s", "7.123456789012345e9", "1e30B/s", "999.9999kB/s"};
    static const char *const times[] = {"0",        "1.7us",  "0.3333333333333333ns", "1e-15s", "3s",
                                        "999999us", "1e-300s"};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 7; j++) {
            struct ar_text text = {0}, written = {0};
            ar_text_add(&text, "ring:4,bandwidth=%s,latency=%s", odd[i], times[j]);
            struct ar_topology t = parse(text.data);
            ar_topology_write(&t, &written);
            struct ar_topology back = parse(written.data);
            cr_expect_eq(t.bandwidth_Bps, back.bandwidth_Bps, "%s as %s", text.data, written.data);
            cr_expect_eq(t.latency_s, back.latency_s, "%s as %s", text.data, written.data);
            ar_topology_free(&t);
            ar_topology_free(&back);
            ar_text_free(&text);
            ar_text_free(&written);
        }
}

/* ---- Links ------------------------------------------------------------------------------------------- */

static void links_pair_up(const struct ar_topology *t, const char *name)
{
    int64_t leaving = 0, at_levels = 0;
    int *seen = ar_alloc((size_t)t->nlinks, sizeof *seen);
    cr_assert(t->nhosts >= 1 && t->nnodes >= t->nhosts && t->nlinks % 2 == 0, "%s", name);
    cr_assert_eq(t->nhosts % t->node_hosts, 0, "%s: nodes are whole", name);
    for (int64_t i = 0; i < t->nlinks; i++) {
        struct ar_link link = ar_topology_link(t, i), back = ar_topology_link(t, i ^ 1);
        cr_assert(link.from >= 0 && link.from < t->nnodes && link.to >= 0 && link.to < t->nnodes &&
                      link.from != link.to,
                  "%s: link %d joins %d and %d", name, (int)i, (int)link.from, (int)link.to);
        cr_expect(link.from == back.to && link.to == back.from && link.level == back.level, "%s: link %d",
                  name, (int)i);
        cr_expect(link.level >= t->first_level && link.level < t->first_level + t->nlevels,
                  "%s: link %d has level %d", name, (int)i, link.level);
    }
    for (int64_t node = 0; node < t->nnodes; node++)
        for (int64_t i = 0; i < ar_topology_degree(t, node); i++, leaving++) {
            int64_t link = ar_topology_leaving(t, node, i);
            cr_assert(link >= 0 && link < t->nlinks, "%s: node %d has link %d", name, (int)node, (int)link);
            cr_expect_eq(ar_topology_link(t, link).from, node, "%s: link %d at node %d", name, (int)link,
                         (int)node);
            cr_expect_eq(seen[link]++, 0, "%s: link %d twice", name, (int)link);
        }
    cr_expect_eq(leaving, t->nlinks, "%s: %d of %d links leave nodes", name, (int)leaving, (int)t->nlinks);
    for (int level = t->first_level; level < t->first_level + t->nlevels; level++) {
        int64_t n = 0;
        for (int64_t i = 0; i < t->nlinks; i++)
            n += ar_topology_link(t, i).level == level;
        cr_expect_eq(ar_topology_links_at(t, level), n, "%s: level %d", name, level);
        at_levels += n;
    }
    cr_expect_eq(at_levels, t->nlinks, "%s", name);
    free(seen);
}

Test(topologies, links_are_cables_both_ways)
{
    for_each(links_pair_up);
}

/* ---- Routes ------------------------------------------------------------------------------------------ */

/* Links from `from` to every node, by a search over the links as they are numbered. */
static void search(const struct ar_topology *t, int64_t from, int *distance)
{
    for (int64_t v = 0; v < t->nnodes; v++)
        distance[v] = v == from ? 0 : -1;
    for (int length = 0, more = 1; more; length++) {
        more = 0;
        for (int64_t i = 0; i < t->nlinks; i++) {
            struct ar_link link = ar_topology_link(t, i);
            if (distance[link.from] == length && distance[link.to] < 0) {
                distance[link.to] = length + 1;
                more = 1;
            }
        }
    }
}

/* A way over links that exist, without a node twice. */
static void check_path(const struct ar_topology *t, const char *name, int64_t from, int64_t to,
                       const struct ar_route *route)
{
    int64_t at = from;
    for (int i = 0; i < route->n; i++) {
        cr_assert(route->link[i] >= 0 && route->link[i] < t->nlinks, "%s: %d to %d", name, (int)from,
                  (int)to);
        struct ar_link link = ar_topology_link(t, route->link[i]);
        cr_assert_eq(link.from, at, "%s: %d to %d, step %d leaves %d, not %d", name, (int)from, (int)to, i,
                     (int)link.from, (int)at);
        at = link.to;
        for (int j = 0; j <= i; j++)
            cr_assert_neq(ar_topology_link(t, route->link[j]).from, at, "%s: %d to %d is a loop", name,
                          (int)from, (int)to);
    }
    cr_assert_eq(at, to, "%s: %d to %d ends at %d", name, (int)from, (int)to, (int)at);
}

static void routes_lead_there(const struct ar_topology *t, const char *name)
{
    struct ar_route route = {0}, back = {0};
    int *distance = ar_alloc((size_t)t->nnodes, sizeof *distance);
    int longest = 0, farthest = 0;
    int64_t widest = 0;
    for (int64_t from = 0; from < t->nhosts; from++) {
        search(t, from, distance);
        for (int64_t to = 0; to < t->nhosts; to++) {
            ar_topology_route(t, from, to, &route);
            check_path(t, name, from, to, &route);
            cr_expect_eq(ar_topology_hops(t, from, to, &back), route.n, "%s: %d to %d", name, (int)from,
                         (int)to);
            int64_t detour = route.n - distance[to];
            cr_expect(detour >= 0 && detour <= t->detour, "%s: %d to %d takes %d links for %d", name,
                      (int)from, (int)to, route.n, distance[to]);
            widest = detour > widest ? detour : widest;
            longest = route.n > longest ? route.n : longest;
            farthest = distance[to] > farthest ? distance[to] : farthest;
            ar_topology_route(t, to, from, &back);
            cr_expect_eq(route.n, back.n, "%s: %d and %d", name, (int)from, (int)to);
            for (int i = 0; t->symmetric && i < route.n; i++)
                cr_expect_eq(route.link[i], back.link[route.n - 1 - i] ^ 1, "%s: %d and %d", name, (int)from,
                             (int)to);
            ar_topology_route(t, from, to, &back);
            cr_expect_eq(back.n, route.n, "%s: %d to %d", name, (int)from, (int)to);
            for (int i = 0; i < route.n && i < back.n; i++)
                cr_expect_eq(back.link[i], route.link[i], "%s: %d to %d goes another way the second time",
                             name, (int)from, (int)to);
        }
    }
    cr_expect_eq(ar_topology_diameter(t), longest, "%s: diameter %d, the longest route has %d", name,
                 (int)ar_topology_diameter(t), longest);
    if (t->detour == 0)
        cr_expect_eq(longest, farthest, "%s", name);
    ar_route_free(&route);
    ar_route_free(&back);
    free(distance);
}

Test(topologies, routes_are_short_ways_without_loops)
{
    for_each(routes_lead_there);
}

static void hosts_look_alike(const struct ar_topology *t, const char *name)
{
    struct ar_route route = {0};
    int64_t n = ar_topology_diameter(t) + 1, sum = 0;
    int64_t *first = ar_alloc((size_t)n, sizeof *first), *own = ar_alloc((size_t)n, sizeof *own);
    bool sampled;
    for (int64_t from = 0; from < t->nhosts; from++) {
        memset(own, 0, (size_t)n * sizeof *own);
        for (int64_t to = 0; to < t->nhosts; to++) {
            int64_t hops = ar_topology_hops(t, from, to, &route);
            own[hops]++;
            sum += hops;
        }
        if (from == 0)
            memcpy(first, own, (size_t)n * sizeof *own);
        if (t->alike)
            cr_expect_eq(memcmp(first, own, (size_t)n * sizeof *own), 0, "%s: host %d", name, (int)from);
    }
    double mean = ar_topology_mean_hops(t, &sampled), pairs = (double)(t->nhosts * (t->nhosts - 1));
    cr_expect(!sampled, "%s", name);
    cr_expect_float_eq(mean, pairs > 0 ? (double)sum / pairs : 0, 1e-12, "%s: mean %g", name, mean);
    ar_route_free(&route);
    free(first);
    free(own);
}

Test(topologies, the_mean_is_that_of_all_pairs)
{
    for_each(hosts_look_alike);
}

/* ---- Bisection --------------------------------------------------------------------------------------- */

/* One more cable's worth of flow from the hosts in `half` to the others; `used` is the flow on each link. */
static bool augment(const struct ar_topology *t, unsigned half, int *used, int64_t *by, int64_t *queue)
{
    int64_t n = 0, end = -1;
    for (int64_t v = 0; v < t->nnodes; v++) {
        by[v] = -1;
        if (v < t->nhosts && half >> v & 1) {
            by[v] = INT64_MAX;
            queue[n++] = v;
        }
    }
    for (int64_t i = 0; i < n && end < 0; i++)
        for (int64_t k = 0; k < ar_topology_degree(t, queue[i]) && end < 0; k++) {
            int64_t link = ar_topology_leaving(t, queue[i], k), to = ar_topology_link(t, link).to;
            if (by[to] >= 0 || used[link] > 0)
                continue;
            by[to] = link;
            queue[n++] = to;
            end = to < t->nhosts ? to : -1;
        }
    for (int64_t at = end; at >= 0 && by[at] != INT64_MAX; at = ar_topology_link(t, by[at]).from) {
        used[by[at]]++;
        used[by[at] ^ 1]--;
    }
    return end >= 0;
}

/* The least cut over all halves, each by its greatest flow; gives up on a half where it is `best` already. */
static int64_t brute_bisection(const struct ar_topology *t)
{
    int64_t best = INT64_MAX, *by = ar_alloc((size_t)t->nnodes, sizeof *by);
    int64_t *queue = ar_alloc((size_t)t->nnodes, sizeof *queue);
    int *used = ar_alloc((size_t)t->nlinks, sizeof *used);
    for (unsigned half = 0; half < 1u << t->nhosts; half++) {
        if (__builtin_popcount(half) != t->nhosts / 2 || (t->nhosts % 2 == 0 && half & 1))
            continue;
        int64_t cut = 0;
        memset(used, 0, (size_t)t->nlinks * sizeof *used);
        while (cut < best && augment(t, half, used, by, queue))
            cut++;
        best = cut;
    }
    free(by);
    free(queue);
    free(used);
    return best;
}

static void bisects(const struct ar_topology *t, const char *name)
{
    int64_t said = ar_topology_bisection(t);
    if (said >= 0 && t->nhosts <= 16)
        cr_expect_eq(said, brute_bisection(t), "%s: said %d, found %d", name, (int)said,
                     (int)brute_bisection(t));
}

Test(topologies, the_bisection_is_the_least_cut)
{
    for_each(bisects);
}

/* ---- Walks and placements ---------------------------------------------------------------------------- */

static void check_permutation(const struct ar_topology *t, const char *name, const int64_t *host)
{
    int *seen = ar_alloc((size_t)t->nhosts, sizeof *seen);
    for (int64_t i = 0; i < t->nhosts; i++) {
        cr_assert(host[i] >= 0 && host[i] < t->nhosts, "%s: host %d", name, (int)host[i]);
        cr_expect_eq(seen[host[i]]++, 0, "%s: host %d twice", name, (int)host[i]);
    }
    free(seen);
}

static void places(const struct ar_topology *t, const char *name)
{
    static const char *const word[] = {"block", "cyclic", "ring", "random", "random:7"};
    struct ar_error error = {""};
    for (int i = 0; i < 5; i++) {
        struct ar_placement p, again;
        cr_assert_eq(ar_placement_parse(word[i], t, t->nhosts, &p, &error), AR_OK, "%s: %s", name,
                     error.text);
        check_permutation(t, name, p.host);
        for (int64_t some = 0; some <= t->nhosts; some++) { /* fewer ranks: the first of all */
            cr_assert_eq(ar_placement_parse(word[i], t, some, &again, &error), AR_OK, "%s: %s", name,
                         error.text);
            cr_expect_eq(memcmp(again.host, p.host, (size_t)some * sizeof *p.host), 0, "%s: %s", name,
                         word[i]);
            ar_placement_free(&again);
        }
        int64_t nodes = t->nhosts / t->node_hosts;
        for (int64_t rank = 0; rank < t->nhosts && i == 1; rank++)
            cr_expect_eq(p.host[rank] / t->node_hosts, rank % nodes, "%s: rank %d", name, (int)rank);
        cr_expect_eq(ar_placement_parse(word[i], t, t->nhosts + 1, &again, &error), AR_INVALID, "%s", name);
        ar_placement_free(&p);
    }
}

Test(topologies, every_placement_gives_each_rank_a_host_of_its_own)
{
    for_each(places);
}

/* On grids the next is a neighbour; the last and the first are where such a walk is known. */
Test(topologies, walks_on_grids_go_to_neighbours)
{
    static const struct {
        const char *name;
        bool closes;
    } grids[] = {{"ring:7", true},      {"mesh:5", false},     {"mesh:2", true},      {"mesh:3x4", true},
                 {"mesh:4x3", true},    {"mesh:3x3", false},   {"mesh:2x3x5", true},  {"mesh:3x5x2", true},
                 {"torus:4x4x8", true}, {"torus:3x4", true},   {"torus:5x3", false},  {"torus:2x2", true},
                 {"hypercube:4", true}, {"torus:3x1x2", true}, {"mesh:3x4x5", true},  {"hypercube:10", true},
                 {"mesh:1x6", false},   {"torus:1x6", true},   {"mesh:7x3x5", false}, {"hypercube:1", true}};
    struct ar_route route = {0};
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++) {
        struct ar_topology t = parse(grids[i].name);
        int64_t *host = ar_alloc((size_t)t.nhosts, sizeof *host);
        for (int64_t k = 0; k < t.nhosts; k++)
            host[k] = ar_topology_walk(&t, k);
        check_permutation(&t, grids[i].name, host);
        for (int64_t k = 1; k < t.nhosts; k++)
            cr_expect_eq(ar_topology_hops(&t, host[k - 1], host[k], &route), 1, "%s: from %d to %d",
                         grids[i].name, (int)host[k - 1], (int)host[k]);
        if (grids[i].closes)
            cr_expect_eq(ar_topology_hops(&t, host[t.nhosts - 1], host[0], &route), 1, "%s", grids[i].name);
        free(host);
        ar_topology_free(&t);
    }
    ar_route_free(&route);
}

/* ---- Contention -------------------------------------------------------------------------------------- */

/* Where nothing is oversubscribed, all hosts sending to the one `shift` further share no link by D-mod-K. */
Test(topologies, shifts_share_no_link_of_a_full_fat_tree)
{
    static const char *const full[] = {"fattree:k=4", "fattree:k=6", "xgft:m=4x4,w=1x2,p=1x2",
                                       "xgft:m=3x3x3,w=1x3x3"};
    struct ar_route route = {0};
    for (int i = 0; i < 4; i++) {
        struct ar_topology t = parse(full[i]);
        int *load = ar_alloc((size_t)t.nlinks, sizeof *load);
        for (int64_t shift = 1; shift < t.nhosts; shift++) {
            memset(load, 0, (size_t)t.nlinks * sizeof *load);
            for (int64_t from = 0; from < t.nhosts; from++) {
                ar_topology_route(&t, from, (from + shift) % t.nhosts, &route);
                for (int k = 0; k < route.n; k++)
                    cr_expect_leq(++load[route.link[k]], 1, "%s, shift %d: link %d", full[i], (int)shift,
                                  (int)route.link[k]);
            }
        }
        free(load);
        ar_topology_free(&t);
    }
    ar_route_free(&route);
}

/* ---- Large ones -------------------------------------------------------------------------------------- */

/* A million hosts and more: links keep their ends, routes their promises; nothing is stored. */
Test(topologies, a_million_hosts_are_numbers_only)
{
    static const char *const large[] = {"crossbar:1000000",
                                        "full:2147483647",
                                        "ring:1000001",
                                        "mesh:1024x1024",
                                        "torus:100x100x100",
                                        "hypercube:30",
                                        "fattree:k=160",
                                        "xgft:m=64x64x256,w=1x32x16,p=1x1x2",
                                        "dragonfly:p=24,a=48,h=24",
                                        "hgx:1048576",
                                        "rail:nodes=131072,gpus=8",
                                        "hgx:8/fattree:k=80",
                                        "hgx:8/torus:64x64x32"};
    struct ar_route route = {0};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        struct ar_topology t = parse(large[i]);
        cr_expect_geq(t.nhosts, 1000000, "%s", large[i]);
        for (int64_t k = 0; k < 64; k++) {
            int64_t from = k * 7919 * 104729 % t.nhosts,
                    to = k < 32 ? from / 8 * 8 + k % 8 : t.nhosts - 1 - k;
            bool ring = strncmp(large[i], "ring", 4) == 0 || strncmp(large[i], "mesh", 4) == 0;
            if (ring && k >= 8) /* long ways are checked above */
                break;
            ar_topology_route(&t, from, to < t.nhosts ? to : 0, &route);
            check_path(&t, large[i], from, to < t.nhosts ? to : 0, &route);
            cr_expect_leq(route.n, ar_topology_diameter(&t), "%s", large[i]);
            int64_t link = (t.nlinks - 1) / 64 * k, node = ar_topology_link(&t, link).from;
            int64_t last = ar_topology_leaving(&t, node, ar_topology_degree(&t, node) - 1);
            cr_expect_eq(ar_topology_link(&t, last).from, node, "%s: link %lld", large[i], (long long)link);
        }
        ar_topology_free(&t);
    }
    ar_route_free(&route);
}
