/* Blocks travel together: each goes the digits of its distance, written in base k, one digit per round.
 *
 * A block for the rank d further on has the digits of d. In the round of digit j every rank sends to the rank
 * c k^j further on (c = 1 .. k-1) all blocks it has whose digit j is c. Digits go from the highest down (the
 * published form takes them upwards, which moves as much): what travels together is then a run of k^j
 * destinations from every k^(j+1)-th source. Named blocks make its two rotations unnecessary.
 *
 * Cost: L = ceil(log_k P) rounds of up to k-1 messages; a block travels as often as its distance has digits
 * other than 0. For k = 2, P = 2^q: q alpha + q/2 n beta, n what one rank sends. For short blocks.
 *
 * Longer than 120 lines because runs of blocks may go past the last rank, and off powers of k be cut short.
 *
 *     $ allround explain alltoall:bruck -n 4
 *     B->R: send block B to R; =B<-R: store B from R; block B: from rank B / 4 to rank B mod 4;
 *     at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 16 blocks in all
 *     round 1   rank 0    2,3->2 =8,9<-2    8,9:{2}
 *     round 1   rank 1    7,4->3 =13,14<-3  13,14:{3}
 *     round 1   rank 2    8,9->0 =2,3<-0    2,3:{0}
 *     round 1   rank 3    13,14->1 =7,4<-1  4:{1} 7:{1}
 *     round 2   rank 0    1,9->1 =12,4<-3   4:{1} 12:{3}
 *     round 2   rank 1    6,14->2 =1,9<-0   1:{0} 9:{2}
 *     round 2   rank 2    11,3->3 =6,14<-1  6:{1} 14:{3}
 *     round 2   rank 3    12,4->0 =11,3<-2  3:{0} 11:{2}
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/alltoall.h"
#include "collectives/patterns/knomial.h"

static int radix(const struct ar_problem *p)
{
    return (int)p->param[0];
}

static int64_t rounds(const struct ar_problem *p)
{
    return ar_knomial_levels(p->nranks, radix(p));
}

/* The distances below nranks whose digit of weight `unit` is c: `groups` whole runs of `unit` of them, and
 * the first `rest` of one more. */
static void distances(int nranks, int k, int64_t unit, int c, int64_t *groups, int64_t *rest)
{
    int64_t runs = nranks / unit; /* whole ones, whatever their digit */
    *groups = runs > c ? (runs - c - 1) / k + 1 : 0;
    *rest = nranks - (*groups * k + c) * unit;
    *rest = *rest > 0 ? *rest : 0;
}

static void emit(struct ar_sink *sink, bool send, int peer, struct ar_blocks set)
{
    if (set.length <= 0 || set.count <= 0)
        return;
    if (send)
        ar_send(sink, peer, set);
    else
        ar_receive(sink, peer, set);
}

/* Of every source `apart` ranks before the last, `nsources` of them, the blocks for `length` destinations
 * from `first` on: two steps where those go past the last rank. */
static void emit_group(const struct ar_problem *p, bool send, int peer, int64_t source, int64_t apart,
                       int64_t nsources, int first, int64_t length, struct ar_sink *sink)
{
    int64_t P = p->nranks, before_end = P - first < length ? P - first : length;
    struct ar_blocks set = {source * P + first, before_end, -apart * P, nsources};
    emit(sink, send, peer, set);
    set.first = source * P;
    set.length = length - before_end;
    emit(sink, send, peer, set);
}

/* Everything that `holder` passes on over c units; `rank` is this end of it and `peer` the other. */
static void pass_on(const struct ar_problem *p, int rank, int holder, int peer, int64_t unit, int c,
                    struct ar_sink *sink)
{
    int64_t groups, rest, apart = unit * radix(p);
    int first = rank == holder ? peer : rank;
    distances(p->nranks, radix(p), unit, c, &groups, &rest);
    emit_group(p, rank == holder, peer, holder, apart, groups, first, unit, sink);
    emit_group(p, rank == holder, peer, holder - groups * apart, apart, 1, first, rest, sink);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int64_t unit = ar_knomial_stride((int)(rounds(p) - 1 - k), radix(p));
    for (int c = 1; c < radix(p) && c * unit < p->nranks; c++) {
        int distance = (int)(c * unit);
        int to = ar_rank_of(distance, rank, p->nranks), from = ar_vrank(rank, distance, p->nranks);
        pass_on(p, rank, rank, to, unit, c, sink);
        pass_on(p, rank, from, from, unit, c, sink);
    }
}

static struct ar_cost cost(const struct ar_problem *p)
{
    int64_t messages = 0, blocks = 0, groups, rest;
    for (int64_t unit = 1; unit < p->nranks; unit *= radix(p))
        for (int c = 1; c < radix(p) && c * unit < p->nranks; c++) {
            distances(p->nranks, radix(p), unit, c, &groups, &rest);
            messages++;
            blocks += groups * unit + rest;
        }
    return (struct ar_cost){(double)messages, (double)blocks / p->nranks, 0};
}

static const struct ar_param params[] = {
    {"radix", "the base of the digits", AR_PARAM_NUMBER, 2, 2, 64, NULL},
};

const struct ar_algorithm ar_alltoall_bruck = {
    .name = "bruck",
    .collective = AR_COLLECTIVE_alltoall,
    .summary = "blocks travel the digits of their distance together",
    .source = "Bruck, Ho, Kipnis, Upfal, Weathersby, Efficient algorithms for all-to-all communications in "
              "multiport message-passing systems, IEEE TPDS 8(11), 1997 (index)",
    .params = params,
    .nparams = 1,
    .openmpi = "3 modified_bruck",
    .mpich = "brucks, k_brucks",
    .parts = ar_one_part_per_pair,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
