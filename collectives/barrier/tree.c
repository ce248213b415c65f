/* Up a binomial tree to rank 0, which then knows all, and down again: reduce and broadcast, of nothing.
 *
 * Cost: 2q alpha, q = ceil(log2 P); of the least number of messages, 2(P-1).
 *
 *     $ allround explain barrier:tree -n 4
 *     ->R: send to R; +<-R: combine what comes from R; =<-R: store what comes from R;
 *     below: ranks known to have entered
 *              rank 0  rank 1  rank 2  rank 3
 *     start    0       1       2       3
 *     round 1  +<-1    ->0     +<-3    ->2
 *              01      1       23      3
 *     round 2  +<-2    -       ->0     -
 *              0123    1       23      3
 *     round 3  ->2     -       =<-0    -
 *              0123    1       0123    3
 *     round 4  ->1     =<-0    ->3     =<-2
 *              0123    0123    0123    0123
 */
#include "collectives/barrier/token.h"
#include "collectives/registry.h"

AR_BARRIER_OF(ar_allreduce_reduce_broadcast);

const struct ar_algorithm ar_barrier_tree = {
    .name = "tree",
    .collective = AR_COLLECTIVE_barrier,
    .summary = "up a binomial tree and down again",
    .source = "folklore; Open MPI, coll_base_barrier.c (tree; there on 2^q ranks and their extras)",
    .openmpi = "6 tree",
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .pause = pause_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
