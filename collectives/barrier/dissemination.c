/* In round k every rank tells the rank 2^k further on what it knows, and learns from the one 2^k before.
 *
 * After it rank r knows that r, r-1, ..., r - 2^(k+1) + 1 (mod P) have entered; off powers of two the last
 * round says some of it twice.
 *
 * Cost: q alpha, q = ceil(log2 P): the fewest rounds possible, for every P.
 *
 *     $ allround explain barrier:dissemination -n 5
 *     ->R: send to R; +<-R: combine what comes from R; below: ranks known to have entered
 *              rank 0    rank 1    rank 2    rank 3    rank 4
 *     start    0         1         2         3         4
 *     round 1  ->1 +<-4  ->2 +<-0  ->3 +<-1  ->4 +<-2  ->0 +<-3
 *              04        01        12        23        34
 *     round 2  ->2 +<-3  ->3 +<-4  ->4 +<-0  ->0 +<-1  ->1 +<-2
 *              0234      0134      0124      0123      1234
 *     round 3  ->4 +<-1  ->0 +<-2  ->1 +<-3  ->2 +<-4  ->3 +<-0
 *              01234     01234     01234     01234     01234
 */
#include "collectives/algorithm.h"
#include "collectives/patterns/binomial.h"

static int64_t rounds(const struct ar_problem *p)
{
    return ar_log2_ceil(p->nranks);
}

static bool pattern(const struct ar_problem *p, int64_t k, int i, struct ar_pattern *pattern)
{
    (void)p, (void)i;
    *pattern = (struct ar_pattern){
        .kind = AR_SHIFT, .distance = 1 << k, .reduce = true, .set = ar_block(0), .align = 1};
    return true;
}

static struct ar_cost cost(const struct ar_problem *p)
{
    return (struct ar_cost){(double)rounds(p), 0, 0};
}

const struct ar_algorithm ar_barrier_dissemination = {
    .name = "dissemination",
    .collective = AR_COLLECTIVE_barrier,
    .summary = "news go to the rank 1, 2, 4, ... further on",
    .source = "Hensgen, Finkel, Manber, Two algorithms for barrier synchronization, International Journal of "
              "Parallel Programming 17(1), 1988",
    .openmpi = "4 bruck",
    .mpich = "k_dissemination (k = 2)",
    .rounds = rounds,
    .pattern = pattern,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
