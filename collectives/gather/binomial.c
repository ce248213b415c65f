/* The binomial scatter backwards: parts flow up the tree, and every rank passes on what its subtree has.
 *
 * Cost: q alpha + (P-1)/P n beta, q = ceil(log2 P): both terms are the least possible, for every P and root.
 *
 *     $ allround explain gather:binomial -n 5
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0     rank 1     rank 2     rank 3     rank 4
 *     start    0 . . . .  . 1 . . .  . . 2 . .  . . . 3 .  . . . . 4
 *     round 1  =1<-1      1->0       =3<-3      3->2       -
 *              0 1 . . .  . 1 . . .  . . 2 3 .  . . . 3 .  . . . . 4
 *     round 2  =2,3<-2    -          2,3->0     -          -
 *              0 1 2 3 .  . 1 . . .  . . 2 3 .  . . . 3 .  . . . . 4
 *     round 3  =4<-4      -          -          -          4->0
 *              0 1 2 3 4  . 1 . . .  . . 2 3 .  . . . 3 .  . . . . 4
 */
#include "collectives/combinators.h"
#include "collectives/registry.h"

AR_REVERSED_OF(ar_scatter_binomial, AR_BACKWARD);

const struct ar_algorithm ar_gather_binomial = {
    .name = "binomial",
    .collective = AR_COLLECTIVE_gather,
    .summary = "binomial tree, every rank passes on the parts of its subtree",
    .source = "Chan, Heimlich, Purkayastha, van de Geijn, Collective communication: theory, practice, and "
              "experience, CCPE 19(13), 2007, section 3",
    .openmpi = "2 binomial",
    .mpich = "binomial",
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
