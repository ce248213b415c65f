#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/draw/picture.h"
#include "collectives/draw/views.h"

enum { NOBODY = -1, MOST_TREES = 4 };

/* ---- Trees ------------------------------------------------------------------------------------------- */

/* The edges that some blocks take, as a tree. */
struct tree {
    const struct ar_history *history;
    const int *part; /* [block]: which tree it takes; NULL: all are the same */
    int which, root;
    int *parent; /* [rank]; NOBODY: the root, or not reached */
    int nedges;  /* pairs of ranks between which something goes */
    bool *edge;  /* [a * nranks + b], a < b */
};

static bool takes(const struct tree *t, const struct ar_told *m)
{
    const struct ar_history *h = t->history;
    for (int64_t i = 0; i < m->nblocks; i++)
        if (!t->part || t->part[h->block[m->first + i]] == t->which)
            return true;
    return false;
}

/* Finds parents breadth first. False: it is no tree of all ranks. */
static bool grow(struct tree *t)
{
    const struct ar_history *h = t->history;
    int n = h->nranks, nreached = 1;
    for (int64_t i = 0; i < h->nmessages; i++) {
        const struct ar_told *m = &h->message[i];
        int a = m->from < m->to ? m->from : m->to, b = m->from + m->to - a;
        if (!takes(t, m) || t->edge[a * n + b])
            continue;
        t->edge[a * n + b] = true;
        t->nedges++;
    }
    if (t->nedges != n - 1)
        return false;
    int *queue = ar_alloc((size_t)n, sizeof *queue);
    for (int rank = 0; rank < n; rank++)
        t->parent[rank] = NOBODY;
    queue[0] = t->root;
    for (int at = 0; at < nreached; at++)
        for (int rank = 0; rank < n; rank++) {
            int near = queue[at], a = near < rank ? near : rank;
            if (!t->edge[a * n + near + rank - a] || rank == t->parent[near] || rank == t->root)
                continue;
            t->parent[rank] = near;
            queue[nreached++] = rank;
        }
    free(queue);
    return nreached == n;
}

static struct tree tree_of(const struct ar_history *h, const int *part, int which, int root)
{
    size_t n = (size_t)h->nranks;
    return (struct tree){.history = h,
                         .part = part,
                         .which = which,
                         .root = root,
                         .parent = ar_alloc(n, sizeof(int)),
                         .edge = ar_alloc(n * n, sizeof(bool))};
}

static void free_tree(struct tree *t)
{
    free(t->parent);
    free(t->edge);
}

/* Appends " v1-3" or " ^4": the rounds of an edge in one direction; returns the first busy one, or nbusy. */
static int64_t add_rounds(const struct tree *t, int from, int to, char direction, struct ar_text *text)
{
    const struct ar_history *h = t->history;
    struct ar_text list = {0};
    struct ar_ranges ranges = {&list};
    int64_t first = h->nbusy;
    for (int64_t i = 0; i < h->nmessages; i++) {
        const struct ar_told *m = &h->message[i];
        if (m->from != from || m->to != to || !takes(t, m))
            continue;
        first = first == h->nbusy ? m->busy : first;
        ar_ranges_add(&ranges, h->round[m->busy] + 1);
    }
    ar_ranges_end(&ranges);
    if (text && ranges.n > 0)
        ar_text_add(text, " %c%s", direction, list.data);
    ar_text_free(&list);
    return first;
}

static void add_node(const struct tree *t, int rank, struct ar_text *text)
{
    ar_text_add(text, "%d", rank);
    if (t->parent[rank] != NOBODY) {
        add_rounds(t, t->parent[rank], rank, 'v', text);
        add_rounds(t, rank, t->parent[rank], '^', text);
    }
}

/* When the edge to the parent is first used: children stand in that order. */
static int64_t first_use(const struct tree *t, int rank)
{
    int64_t down = add_rounds(t, t->parent[rank], rank, 'v', NULL);
    int64_t up = add_rounds(t, rank, t->parent[rank], '^', NULL);
    return down < up ? down : up;
}

static int children_of(const struct tree *t, int rank, int *child)
{
    int n = 0;
    for (int other = 0; other < t->history->nranks; other++) {
        if (t->parent[other] != rank)
            continue;
        int at = n++;
        int64_t use = first_use(t, other);
        for (; at > 0 && first_use(t, child[at - 1]) > use; at--)
            child[at] = child[at - 1];
        child[at] = other;
    }
    return n;
}

/* The rank and all below it; an only child stands in its parent's line. Deep trees are chains, whose lines
 * cost no depth here. */
static void add_subtree(const struct tree *t, int rank, struct ar_text *indent, struct ar_text *text)
{
    int *child = ar_alloc((size_t)t->history->nranks, sizeof *child), n;
    add_node(t, rank, text);
    while ((n = children_of(t, rank, child)) == 1) {
        rank = child[0];
        ar_text_add(text, " -- ");
        add_node(t, rank, text);
    }
    ar_text_add(text, "\n");
    size_t length = indent->length;
    for (int i = 0; i < n; i++) {
        ar_text_add(text, "%s+-- ", indent->data ? indent->data : "");
        ar_text_add(indent, i + 1 < n ? "|   " : "    ");
        add_subtree(t, child[i], indent, text);
        indent->length = length;
        indent->data[length] = '\0';
    }
    free(child);
}

static void add_tree(const struct tree *t, struct ar_text *text)
{
    struct ar_text indent = {0};
    add_subtree(t, t->root, &indent, text);
    ar_text_free(&indent);
}

static int root_of(const struct ar_history *h)
{
    return ar_collective_rooted(h->schedule->algorithm->collective) ? h->schedule->problem.root : 0;
}

static const char tree_legend[] = "vR, ^R: from and to the rank above in round R";

static bool draw_as_tree(const struct ar_history *h, struct ar_text *text)
{
    struct tree tree = tree_of(h, NULL, 0, root_of(h));
    bool grown = grow(&tree);
    if (grown) {
        ar_text_add(text, "graph: a tree (%s)\n", tree_legend);
        add_tree(&tree, text);
    }
    free_tree(&tree);
    return grown;
}

/* ---- A tree for each part of the vector -------------------------------------------------------------- */

/* Blocks that take the same edges equally often are one part; part[block]: which. Returns how many there are.
 */
static int find_parts(const struct ar_history *h, int *part)
{
    size_t nblocks = (size_t)h->nblocks;
    uint64_t *digest = ar_alloc(nblocks, sizeof *digest); /* a sum: the order does not matter */
    int nparts = 0;
    for (int64_t i = 0; i < h->nmessages; i++) {
        const struct ar_told *m = &h->message[i];
        int edge[2] = {m->from < m->to ? m->from : m->to, m->from < m->to ? m->to : m->from};
        for (int64_t j = 0; j < m->nblocks; j++)
            digest[h->block[m->first + j]] += ar_digest(0, edge, sizeof edge);
    }
    for (size_t block = 0; block < nblocks && nparts <= MOST_TREES; block++) {
        size_t same = 0;
        while (digest[same] != digest[block])
            same++;
        part[block] = same < block ? part[same] : nparts++;
    }
    free(digest);
    return nparts;
}

static void add_part(const struct ar_history *h, const int *part, int which, struct ar_text *text)
{
    struct ar_text list = {0};
    struct ar_ranges ranges = {&list};
    for (int64_t block = 0; block < h->nblocks; block++)
        if (part[block] == which)
            ar_ranges_add(&ranges, block);
    ar_ranges_end(&ranges);
    ar_text_add(text, "block%s %s:\n", ranges.n > 1 ? "s" : "", list.data);
    ar_text_free(&list);
}

static bool draw_as_trees(const struct ar_history *h, struct ar_text *text)
{
    int *part = ar_alloc((size_t)h->nblocks, sizeof *part), nparts = find_parts(h, part);
    struct ar_text trees = {0};
    bool grown = nparts > 1 && nparts <= MOST_TREES;
    for (int which = 0; which < nparts && grown; which++) {
        struct tree tree = tree_of(h, part, which, root_of(h));
        grown = grow(&tree);
        if (grown) {
            add_part(h, part, which, &trees);
            add_tree(&tree, &trees);
        }
        free_tree(&tree);
    }
    if (grown)
        ar_text_add(text, "graph: %d trees (%s)\n%s", nparts, tree_legend, trees.data);
    ar_text_free(&trees);
    free(part);
    return grown;
}

/* ---- Round by round ---------------------------------------------------------------------------------- */

/* The picture's rounds, "; " between them, as many in a line as fit. */
static void draw_rounds(const struct ar_history *h, int width, struct ar_text *text)
{
    struct ar_text picture = {0};
    size_t at = 0;
    ar_picture(h->schedule, &picture);
    ar_text_add(text, "graph: who sends to whom, round after round (r: every rank)\n");
    for (const char *round = picture.data; *round;) {
        const char *semicolon = strstr(round, "; ");
        size_t length = semicolon ? (size_t)(semicolon - round) + 1 : strlen(round);
        if (at > 0 && at + 1 + length > (size_t)width) {
            ar_text_add(text, "\n");
            at = 0;
        }
        ar_text_add(text, "%s%.*s", at > 0 ? " " : "", (int)length, round);
        at += length + (at > 0);
        round += length + (semicolon != NULL);
    }
    ar_text_add(text, "\n");
    ar_text_free(&picture);
}

void ar_draw_graph(const struct ar_history *h, int width, struct ar_text *text)
{
    if (h->nmessages == 0)
        ar_text_add(text, "graph: no messages\n");
    else if (!draw_as_tree(h, text) && !draw_as_trees(h, text))
        draw_rounds(h, width, text);
}
