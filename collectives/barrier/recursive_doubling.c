/* Partners at distance 1, 2, 4, ... tell each other what they know: the all-reduce of that name, of nothing.
 *
 * Off powers of two the first ranks fold in and are told at the end.
 *
 * Cost: q alpha on 2^q ranks; else (q+2) alpha with q = floor(log2 P).
 *
 *     $ allround explain barrier:recursive_doubling -n 5
 *     ->R: send to R; +<-R: combine what comes from R; =<-R: store what comes from R;
 *     below: ranks known to have entered
 *              rank 0  rank 1    rank 2    rank 3    rank 4
 *     start    0       1         2         3         4
 *     round 1  ->1     +<-0      -         -         -
 *              0       01        2         3         4
 *     round 2  -       ->2 +<-2  ->1 +<-1  ->4 +<-4  ->3 +<-3
 *              0       012       012       34        34
 *     round 3  -       ->3 +<-3  ->4 +<-4  ->1 +<-1  ->2 +<-2
 *              0       01234     01234     01234     01234
 *     round 4  =<-1    ->0       -         -         -
 *              01234   01234     01234     01234     01234
 */
#include "collectives/barrier/token.h"
#include "collectives/registry.h"

AR_BARRIER_OF(ar_allreduce_recursive_doubling);

const struct ar_algorithm ar_barrier_recursive_doubling = {
    .name = "recursive_doubling",
    .collective = AR_COLLECTIVE_barrier,
    .summary = "partners at distance 1, 2, 4, ... tell each other",
    .source = "folklore; Open MPI, coll_base_barrier.c (recursivedoubling; there the last ranks fold in)",
    .openmpi = "3 recursive_doubling",
    .mpich = "recexch (k = 2)",
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
