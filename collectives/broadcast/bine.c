/* The binomial tree with shorter ways: holders pass the vector on over distance ..., -5, 3, -1, 1, the
 * farthest first.
 *
 * The tree is what one block does in allgather:swing, for ranks relative to the root. A rank at most a third
 * of 2^(s+1) away receives in the round of step s, where a binomial tree goes half of it.
 *
 * Cost: q (alpha + n beta), q = ceil(log2 P). Needs an even P.
 *
 *     $ allround explain broadcast:bine -n 4
 *     ->R: send to R; =<-R: store what comes from R; below: ranks in the vector (. nothing)
 *              rank 0  rank 1  rank 2  rank 3
 *     start    0       .       .       .
 *     round 1  ->3     -       -       =<-0
 *              0       .       .       0
 *     round 2  ->1     =<-0    =<-3    ->2
 *              0       0       0       0
 */
#include "collectives/patterns/swing.h"

static int64_t rounds(const struct ar_problem *p)
{
    return ar_log2_ceil(p->nranks);
}

/* The step of the last hop to displacement x, if x is in the window: x is 0 (even) or rho(s) (odd) modulo
 * 2^(s+1), for no greater s. */
static int last_step(int64_t x, int q)
{
    int64_t low = ar_swing_window_low(q);
    if (x < low || x - low >= INT64_C(1) << q)
        return -1;
    int s = __builtin_ctzll((unsigned long long)(x % 2 ? 3 * x - 1 : x)) - 1;
    return s < q ? s : q - 1;
}

/* The step in which vrank v receives, q for the root. Steps count down: of the displacements v and v - P the
 * one that is met first. */
static int step_of(int v, int nranks)
{
    int q = ar_log2_ceil(nranks);
    if (v == 0)
        return q;
    int up = last_step(v, q), down = last_step(v - nranks, q);
    return up > down ? up : down;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int nranks = p->nranks, v = ar_vrank(rank, p->root, nranks), s = (int)(rounds(p) - 1 - k);
    int partner = ar_swing_peer(v, s, nranks), peer = ar_rank_of(partner, p->root, nranks);
    if (step_of(v, nranks) == s)
        ar_receive(sink, peer, ar_block(0));
    else if (step_of(v, nranks) > s && step_of(partner, nranks) == s)
        ar_send(sink, peer, ar_block(0));
}

static void span(const struct ar_problem *p, int rank, int64_t *first, int64_t *last)
{
    int64_t q = rounds(p), received = q - 1 - step_of(ar_vrank(rank, p->root, p->nranks), p->nranks);
    *first = received < 0 ? 0 : received;
    *last = q - 1;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double q = (double)rounds(p);
    return (struct ar_cost){q, q, 0};
}

const struct ar_algorithm ar_broadcast_bine = {
    .name = "bine",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "a binomial tree over distance ..., -5, 3, -1, 1",
    .source = "De Sensi, Pasqualoni, Piarulli, Bonato, Ba, Turisini, Domke, Hoefler, Bine trees: enhancing "
              "collective operations by optimizing communication locality, SC 2025",
    .needs = AR_NEEDS_EVEN,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
