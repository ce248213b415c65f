/* Every rank receives and sends one segment in every round, along edges that double in length.
 *
 * In round k relative rank v sends to v + skip and receives from v - skip, where skip runs through 1 .. ~P/2
 * again and again (patterns/circulant.h, which also says which segment). Nothing is sent to the root, and
 * numbers beyond the last segment mean the last. So that the last phase is whole, the first starts late.
 *
 * Cost: (N - 1 + q)(alpha + s beta) for N segments of s bytes, q = ceil(log2 P): no schedule has fewer
 * rounds, for any P and N. The best N is sqrt((q-1) n beta / alpha). Which segment goes where takes O(log P)
 * to work out; up to 2^16 ranks it is tabulated.
 *
 *     $ allround explain broadcast:circulant -n 5
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0  rank 1      rank 2      rank 3      rank 4
 *     start    0 0 0   . . .       . . .       . . .       . . .
 *     round 1  0->2    -           =0<-0       -           -
 *              0 0 0   . . .       0 . .       . . .       . . .
 *     round 2  1->3    -           -           =1<-0       -
 *              0 0 0   . . .       0 . .       . 0 .       . . .
 *     round 3  2->1    =2<-0       0->3        1->4 =0<-2  =1<-3
 *              0 0 0   . . 0       0 . .       0 0 .       . 0 .
 *     round 4  2->2    =1<-4       0->4 =2<-0  -           1->1 =0<-2
 *              0 0 0   . 0 0       0 . 0       0 0 .       0 0 .
 *     round 5  2->3    2->4 =0<-3  =1<-4       0->1 =2<-0  1->2 =2<-1
 *              0 0 0   0 0 0       0 0 0       0 0 0       0 0 0
 *
 *     Drawn with 3 segments; --count N shows how many a vector has.
 */
#include "collectives/patterns/circulant.h"

#include "collectives/algorithm.h"
#include "collectives/base/memory.h"
#include "collectives/patterns/ring.h"

enum { MOST_TABULATED = 1 << 16 }; /* ranks; 1 MiB and about 30 ms */

static int64_t splits(const struct ar_problem *p)
{
    return p->param[0];
}

static int64_t rounds(const struct ar_problem *p)
{
    return p->nranks > 1 ? p->param[0] - 1 + ar_log2_ceil(p->nranks) : 0;
}

/* The rounds of the first phase that come before round 0. */
static int64_t skipped(const struct ar_problem *p)
{
    int q = ar_log2_ceil(p->nranks);
    return (q - (p->param[0] - 1) % q) % q;
}

/* The segment that `vrank` receives in round k; negative: none. */
static int64_t received(const struct ar_problem *p, int vrank, int64_t k)
{
    int q = ar_log2_ceil(p->nranks);
    int64_t first = skipped(p), phase = (first + k) / q, last = p->param[0] - 1;
    int at = (int)((first + k) % q);
    int8_t made[AR_CIRCULANT_ROUNDS];
    const int8_t *block = made;
    if (vrank == 0)
        return -1;
    if (p->prepared)
        block = (const int8_t *)p->prepared + (int64_t)vrank * q;
    else
        ar_circulant_receives(p->nranks, vrank, at + 1, made);
    int64_t segment = block[at] - first + phase * q;
    return segment < last ? segment : last;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int skip = ar_circulant_skip(p->nranks, (int)((skipped(p) + k) % ar_log2_ceil(p->nranks)));
    int to = (rank + skip) % p->nranks, from = ar_wrap(rank - skip, p->nranks);
    int64_t sends = received(p, ar_vrank(to, p->root, p->nranks), k);
    int64_t receives = received(p, ar_vrank(rank, p->root, p->nranks), k);
    if (sends >= 0)
        ar_send(sink, to, ar_block(sends));
    if (receives >= 0)
        ar_receive(sink, from, ar_block(receives));
}

static void *prepare(const struct ar_problem *p)
{
    if (p->nranks == 1 || p->nranks > MOST_TABULATED)
        return NULL;
    int q = ar_log2_ceil(p->nranks);
    int8_t *table = ar_alloc((size_t)p->nranks * (size_t)q, sizeof *table);
    for (int vrank = 0; vrank < p->nranks; vrank++)
        ar_circulant_receives(p->nranks, vrank, q, table + (int64_t)vrank * q);
    return table;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double rounds_of_all = (double)rounds(p);
    return (struct ar_cost){rounds_of_all, rounds_of_all / (double)p->param[0], 0};
}

const struct ar_algorithm ar_broadcast_circulant = {
    .name = "circulant",
    .collective = AR_COLLECTIVE_broadcast,
    .summary = "segments in the fewest rounds possible, along a circulant graph",
    .source =
        "Traeff, Optimal broadcast schedules in logarithmic time with applications to broadcast, "
        "reduction, all-broadcast and all-reduction, ACM TOPC 2025, arXiv 2407.18004, algorithms 1 to 6",
    .params = &ar_param_segment,
    .nparams = 1,
    .mpich = "circ_graph",
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .prepare = prepare,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
