/* The bucket reduce-scatter backwards: rings along the dimensions of a torus, the last dimension first.
 *
 * Cost, on d1 x d2 x ...: sum(di-1) alpha + (P-1)/P n beta, to neighbours only.
 *
 *     $ allround explain allgather:bucket -n 4
 *     B->R: send block B to R; =B<-R: store B from R; below: ranks per block (. nothing)
 *              rank 0          rank 1          rank 2          rank 3
 *     start    0 . . .         . 1 . .         . . 2 .         . . . 3
 *     round 1  0->1 =1<-1      1->0 =0<-0      2->3 =3<-3      3->2 =2<-2
 *              0 1 . .         0 1 . .         . . 2 3         . . 2 3
 *     round 2  0,1->2 =2,3<-2  0,1->3 =2,3<-3  2,3->0 =0,1<-0  2,3->1 =0,1<-1
 *              0 1 2 3         0 1 2 3         0 1 2 3         0 1 2 3
 */
#include "collectives/registry.h"
#include "collectives/torus.h"

AR_REVERSED_OF(ar_reduce_scatter_bucket, AR_BACKWARD);

static const struct ar_param params[] = {AR_PARAM_OF_DIMS};

const struct ar_algorithm ar_allgather_bucket = {
    .name = "bucket",
    .collective = AR_COLLECTIVE_allgather,
    .summary = "ring all-gathers along the dimensions of a torus",
    .source = "Jain, Sabharwal, Optimal bucket algorithms for large MPI collectives on torus interconnects, "
              "ICS 2010",
    .params = params,
    .nparams = 1,
    .parts = parts,
    .splits = splits,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
