/* Segments are combined on their way up a binary tree whose ranks stand in order, so the operator need not
 * commute, whatever the root.
 *
 * The root stands between two trees (patterns/in_order.h): one over the ranks above it and one, mirrored,
 * over those below. Every rank combines what its left and right subtrees send, which are the ranks next to
 * its own on either side. Open MPI has one tree with rank P-1 on top, and sends the result on if another is
 * the root.
 *
 * Cost: (2(N-1) + R)(alpha + s (beta + gamma)) for N segments of s bytes, R <= 2 ceil(log2 P) the rounds of
 * one segment.
 *
 * Longer than 120 lines because two trees, which differ in height, meet at the root.
 *
 *     $ allround explain reduce:in_order_binary -n 4 --root 1
 *     B->R: send block B to R; +B<-R: combine B from R; below: ranks per block
 *              rank 0          rank 1          rank 2          rank 3
 *     start    0    0    0     1    1    1     2    2    2     3    3    3
 *     round 1  0->1            +0<-0           0->3            +0<-2
 *              0    0    0     01   1    1     2    2    2     23   3    3
 *     round 2  -               +0<-3           -               0->1
 *              0    0    0     0123 1    1     2    2    2     23   3    3
 *     round 3  1->1            +1<-0           1->3            +1<-2
 *              0    0    0     0123 01   1     2    2    2     23   23   3
 *     round 4  -               +1<-3           -               1->1
 *              0    0    0     0123 0123 1     2    2    2     23   23   3
 *     round 5  2->1            +2<-0           2->3            +2<-2
 *              0    0    0     0123 0123 01    2    2    2     23   23   23
 *     round 6  -               +2<-3           -               2->1
 *              0    0    0     0123 0123 0123  2    2    2     23   23   23
 *
 *     Drawn with 3 segments; --count N shows how many a vector has.
 */
#include "collectives/patterns/in_order.h"
#include "collectives/pipeline.h"

/* ---- One segment ------------------------------------------------------------------------------------- */

/* The ranks on one side of the root. */
static int side_size(const struct ar_problem *p, bool above)
{
    return above ? p->nranks - 1 - p->root : p->root;
}

/* A larger side arrives last, so that it starts no later than the other. */
static bool last_side(const struct ar_problem *p)
{
    return side_size(p, true) >= side_size(p, false);
}

static int64_t one_rounds(const struct ar_problem *p)
{
    int64_t larger = ar_in_order_rounds(side_size(p, last_side(p)));
    int64_t smaller = ar_in_order_rounds(side_size(p, !last_side(p)));
    return smaller < larger ? larger : smaller + (smaller > 0);
}

/* The rank in a place of a side, counted from the root outwards. */
static int rank_at(const struct ar_problem *p, bool above, int place)
{
    return above ? p->root + place : p->root - place;
}

/* Rounds to come when the rank in a place sends. */
static int64_t left_at_sending(const struct ar_problem *p, bool above, int place)
{
    return ar_in_order_arrival(place, side_size(p, above)) + (above != last_side(p));
}

/* The times of patterns/in_order.h counted from the end: right children come first, then left ones. */
static void one_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int64_t left = one_rounds(p) - 1 - k;
    bool above = rank == p->root ? (left == 0) == last_side(p) : rank > p->root;
    int place = above ? rank - p->root : p->root - rank, size = side_size(p, above), child = -1;
    if (place == 0) {
        child = left <= 1 && size > 0 ? ar_in_order_top(size) : -1;
    } else {
        int64_t before = left - left_at_sending(p, above, place);
        if (before == 0)
            ar_send(sink, rank_at(p, above, ar_in_order_parent(place, size)), ar_block(0));
        else if (before == 1 || before == 2)
            child = ar_in_order_child(place, before == 2, size);
    }
    if (child >= 0)
        ar_receive_reduce(sink, rank_at(p, above, child), AR_BY_RANK, ar_block(0));
}

static void one_span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    bool above = rank > p->root;
    int place = above ? rank - p->root : p->root - rank;
    *last = one_rounds(p) - 1 - (place > 0 ? left_at_sending(p, above, place) : 0);
    *first = *last - (place == 0 ? 1 : place % 2 ? 0 : 2); /* odd places are leaves */
    *first = *first > 0 ? *first : 0;
}

static const struct ar_algorithm one_segment = {
    .name = "in-order binary tree of one segment",
    .collective = AR_COLLECTIVE_reduce,
    .rounds = one_rounds,
    .round = one_round,
    .span = one_span,
};

/* ---- All of them ------------------------------------------------------------------------------------- */

/* A chain of two or three ranks has no second children to wait for. */
static int64_t period(const struct ar_problem *p)
{
    return p->nranks > 3 || (p->nranks == 3 && p->root == 1) ? 2 : 1;
}

AR_SEGMENTS_OF(one_segment, period);

const struct ar_algorithm ar_reduce_in_order_binary = {
    .name = "in_order_binary",
    .collective = AR_COLLECTIVE_reduce,
    .summary = "segments travel up a binary tree in the ranks' order",
    .source =
        "Open MPI, coll_base_reduce.c (in_order_binary), here around the root and with the tree of NVIDIA, "
        "NCCL, src/graph/trees.cc",
    .params = &ar_param_segment,
    .nparams = 1,
    .openmpi = "6 in-order_binary",
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
