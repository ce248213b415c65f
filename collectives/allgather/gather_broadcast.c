/* All parts to rank 0, then the whole vector from it, both on the binomial tree.
 *
 * Cost: 2q alpha + (q + (P-1)/P) n beta, q = ceil(log2 P). The baseline: all-gathers proper have q alpha or
 * (P-1)/P n beta.
 *
 *     $ allround explain allgather:gather_broadcast -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0   rank 1   rank 2   rank 3
 *     start    0 . . .  . 1 . .  . . 2 .  . . . 3
 *     round 1  =1<-1    1->0     =3<-3    3->2
 *              0 1 . .  . 1 . .  . . 2 3  . . . 3
 *     round 2  =2,3<-2  -        2,3->0   -
 *              0 1 2 3  . 1 . .  . . 2 3  . . . 3
 *     round 3  0-3->2   -        =0-3<-0  -
 *              0 1 2 3  . 1 . .  0 1 2 3  . . . 3
 *     round 4  0-3->1   =0-3<-0  0-3->3   =0-3<-2
 *              0 1 2 3  0 1 2 3  0 1 2 3  0 1 2 3
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_SEQUENCE_OF(ar_gather_binomial, ar_broadcast_binomial);

const struct ar_algorithm ar_allgather_gather_broadcast = {
    .name = "gather_broadcast",
    .collective = AR_COLLECTIVE_allgather,
    .summary = "binomial gather to rank 0, then binomial broadcast",
    .source = "folklore; Open MPI, coll_base_allgather.c (basic_linear: gather, then broadcast)",
    .openmpi = "1 linear",
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .pause = pause_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
