/* Reduce-scatter by vector halving and distance doubling, then the same backwards as an all-gather.
 *
 * On 2^q ranks, in round k rank r sends one half of its window to r xor 2^k and combines the other
 * (patterns/halving.h); then the windows grow again. Off powers of two, r pairs fold in, in one of two ways:
 *
 *     fold=full  the even rank of a pair sends all to the odd one and gets the result back   (MPICH)
 *     fold=half  the pair exchanges halves, each combines one, the odd one's goes to the even one,
 *                which takes part, and sends the result at the end                         (Open MPI)
 *
 * Cost on 2^q ranks: 2q alpha + 2(P-1)/P n beta + (P-1)/P n gamma. Else, with P' = 2^floor(log2 P): full
 * (2q+2) alpha + (4-2/P') n beta + (2-1/P') n gamma; half (2q+3) alpha + (4-2/P') n beta + (3/2-1/P') n
 * gamma. Keeps the operands' order; all ranks get the same bits.
 *
 * Longer than 120 lines because it has two ways of folding in, and the drawing must show one.
 *
 *     $ allround explain allreduce:rabenseifner -n 5
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R;
 *     at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 4 blocks in all
 *     round 1   rank 0    0-3->1
 *     round 1   rank 1    +0-3<-0         0-3:{0,1}
 *     round 2   rank 1    2,3->2 +0,1<-2  0,1:{0-2}
 *     round 2   rank 2    0,1->1 +2,3<-1  2,3:{0-2}
 *     round 2   rank 3    2,3->4 +0,1<-4  0,1:{3,4}
 *     round 2   rank 4    0,1->3 +2,3<-3  2,3:{3,4}
 *     round 3   rank 1    1->3 +0<-3      0:{0-4}
 *     round 3   rank 2    3->4 +2<-4      2:{0-4}
 *     round 3   rank 3    0->1 +1<-1      1:{0-4}
 *     round 3   rank 4    2->2 +3<-2      3:{0-4}
 *     round 4   rank 1    0->3 =1<-3      1:{0-4}
 *     round 4   rank 2    2->4 =3<-4      3:{0-4}
 *     round 4   rank 3    1->1 =0<-1      0:{0-4}
 *     round 4   rank 4    3->2 =2<-2      2:{0-4}
 *     round 5   rank 1    0,1->2 =2,3<-2  2,3:{0-4}
 *     round 5   rank 2    2,3->1 =0,1<-1  0,1:{0-4}
 *     round 5   rank 3    0,1->4 =2,3<-4  2,3:{0-4}
 *     round 5   rank 4    2,3->3 =0,1<-3  0,1:{0-4}
 *     round 6   rank 0    =0-3<-1         0-3:{0-4}
 *     round 6   rank 1    0-3->0
 */
#include "collectives/combinators.h"
#include "collectives/patterns/binomial.h"
#include "collectives/patterns/halving.h"

enum { FULL, HALF };

static int survivors(const struct ar_problem *p)
{
    return ar_fold_in_survivors(p->nranks);
}

/* ---- On 2^q ranks ------------------------------------------------------------------------------------ */

static int64_t two_halves_rounds(const struct ar_problem *p)
{
    return 2 * (int64_t)ar_log2_floor(p->nranks);
}

static void two_halves_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    int steps = ar_log2_floor(p->nranks), kept, given;
    bool gathers = k >= steps;
    int j = (int)(gathers ? 2 * steps - 1 - k : k), partner = rank ^ 1 << j;
    int half = ar_halving_step(rank, j, p->nranks, &kept, &given);
    if (gathers) {
        ar_send(sink, partner, ar_block_run(kept, half));
        ar_receive(sink, partner, ar_block_run(given, half));
    } else {
        ar_send(sink, partner, ar_block_run(given, half));
        ar_receive_reduce(sink, partner, AR_BY_RANK, ar_block_run(kept, half));
    }
}

static int64_t parts(const struct ar_problem *p)
{
    return survivors(p);
}

static const struct ar_algorithm on_powers_of_two = {
    .name = "Rabenseifner on 2^q ranks",
    .collective = AR_COLLECTIVE_allreduce,
    .parts = parts,
    .rounds = two_halves_rounds,
    .round = two_halves_round,
};

static struct ar_schedule on_survivors(const struct ar_problem *p)
{
    struct ar_schedule child = ar_child(&on_powers_of_two, p);
    child.problem.nranks = survivors(p);
    return child;
}

/* ---- Open MPI's way to get there --------------------------------------------------------------------- */

/* Here the even rank of a pair takes part. */
static int even_survivor(const void *pairs, int s)
{
    int r = *(const int *)pairs;
    return s < r ? 2 * s : s + r;
}

/* What a pair does before and after; `last` is the last round. */
static void round_of_pair(const struct ar_problem *p, int rank, int64_t k, int64_t last, struct ar_sink *sink)
{
    int half = survivors(p) / 2, partner = rank ^ 1;
    bool odd = rank % 2;
    struct ar_blocks left = ar_block_run(0, half), right = ar_block_run(half, half);
    if (k == 0) {
        ar_send(sink, partner, odd ? left : right);
        ar_receive_reduce(sink, partner, AR_BY_RANK, odd ? right : left);
    } else if (k == 1 && odd) {
        ar_send(sink, partner, right);
    } else if (k == 1) {
        ar_receive(sink, partner, right);
    } else if (k == last && odd) {
        ar_receive(sink, partner, ar_block_run(0, 2 * half));
    } else if (k == last) {
        ar_send(sink, partner, ar_block_run(0, 2 * half));
    }
}

static void half_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct ar_schedule child = on_survivors(p);
    int pairs = p->nranks - survivors(p);
    int64_t before = 2, last = before + ar_nrounds(&child);
    bool paired = rank < 2 * pairs;
    if (paired && (k < before || k == last))
        round_of_pair(p, rank, k, last, sink);
    else if (!paired || rank % 2 == 0)
        ar_sub(&child, paired ? rank / 2 : rank - pairs, k - before,
               (struct ar_view){.scale = 1, .rank = even_survivor, .context = &pairs}, sink);
}

/* ---- Both -------------------------------------------------------------------------------------------- */

static int64_t rounds(const struct ar_problem *p)
{
    struct ar_schedule child = on_survivors(p);
    bool extra = p->param[0] == HALF && survivors(p) < p->nranks;
    return ar_fold_in_rounds(&child, p->nranks) + extra;
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    if (survivors(p) == p->nranks) { /* nobody folds in */
        two_halves_round(p, rank, k, sink);
    } else if (p->param[0] == HALF) {
        half_round(p, rank, k, sink);
    } else {
        struct ar_schedule child = on_survivors(p);
        ar_fold_in_round(&child, p->nranks, rank, k, sink);
    }
}

static struct ar_cost cost(const struct ar_problem *p)
{
    double n = survivors(p), scattered = (n - 1) / n, folded = survivors(p) < p->nranks;
    double combined = p->param[0] == HALF ? folded / 2 : folded;
    return (struct ar_cost){(double)rounds(p), 2 * folded + 2 * scattered, combined + scattered};
}

static const char *const folds[] = {[FULL] = "full", [HALF] = "half"};
static const struct ar_param params[] = {
    {"fold", "how ranks beyond a power of two take part", AR_PARAM_WORD, FULL, FULL, HALF, folds},
};

const struct ar_algorithm ar_allreduce_rabenseifner = {
    .name = "rabenseifner",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "reduce-scatter by halving, then all-gather by doubling",
    .source = "Rabenseifner, Optimization of collective reduction operations, ICCS 2004; Thakur, "
              "Rabenseifner, Gropp, IJHPCA 19(1), 2005, section 4.6",
    .params = params,
    .nparams = 1,
    .openmpi = "6 rabenseifner (fold=half)",
    .mpich = "reduce_scatter_allgather",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
