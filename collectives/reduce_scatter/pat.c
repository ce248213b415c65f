/* Binomial trees to every rank at once, the nearest hop first: allgather:sparbit reversed.
 *
 * NCCL's PAT aggregates as many blocks in a message as its buffers hold; here it is all of a round.
 *
 * Cost: q alpha + (P-1)/P n (beta + gamma) with q = ceil(log2 P): all terms are the least possible, for every
 * P.
 *
 *     $ allround explain reduce_scatter:pat -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; below: ranks per block
 *              rank 0               rank 1               rank 2               rank 3
 *     start    0    0    0    0     1    1    1    1     2    2    2    2     3    3    3    3
 *     round 1  3,1->3 +0,2<-1       0,2->0 +1,3<-2       1,3->1 +2,0<-3       2,0->2 +3,1<-0
 *              01   0    01   0     1    12   1    12    23   2    23   2     3    03   3    03
 *     round 2  2->2 +0<-2           3->3 +1<-3           0->0 +2<-0           1->1 +3<-1
 *              0123 0    01   0     1    0123 1    12    23   2    0123 2     3    03   3    0123
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_REVERSED_OF(ar_allgather_sparbit, AR_BACKWARD_REDUCE);

const struct ar_algorithm ar_reduce_scatter_pat = {
    .name = "pat",
    .collective = AR_COLLECTIVE_reduce_scatter,
    .summary = "binomial trees to all ranks at once, the nearest hop first",
    .source = "Jeaugey, PAT: a new algorithm for all-gather and reduce-scatter operations at scale, 2025",
    .nccl = "PAT",
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
