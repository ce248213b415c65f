/* The all-gather reversed: partners at distance 1, -1, 3, -5, ... exchange partial results, most to the
 * nearest.
 *
 * Cost: q alpha + (P-1)/P n (beta + gamma) with q = ceil(log2 P): all terms are the least possible. Needs an
 * even P.
 *
 *     $ allround explain reduce_scatter:swing -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; below: ranks per block
 *              rank 0               rank 1               rank 2               rank 3
 *     start    0    0    0    0     1    1    1    1     2    2    2    2     3    3    3    3
 *     round 1  1,2->1 +0,3<-1       0,3->0 +1,2<-0       3,0->3 +2,1<-3       2,1->2 +3,0<-2
 *              01   0    0    01    1    01   01   1     2    23   23   2     23   3    3    23
 *     round 2  3->3 +0<-3           2->2 +1<-2           1->1 +2<-1           0->0 +3<-0
 *              0123 0    0    01    1    0123 01   1     2    23   0123 2     23   3    3    0123
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_REVERSED_OF(ar_allgather_swing, AR_BACKWARD_REDUCE);

const struct ar_algorithm ar_reduce_scatter_swing = {
    .name = "swing",
    .collective = AR_COLLECTIVE_reduce_scatter,
    .summary = "partners at distance 1, -1, 3, -5, ... exchange half of what is left",
    .source = "De Sensi, Bonato, Saam, Hoefler, Swing: short-cutting rings for higher bandwidth allreduce, "
              "NSDI 2024, section 3",
    .needs = AR_NEEDS_EVEN,
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
