/* Ring reduce-scatters along one dimension of a torus after the other, then ring all-gathers back: all
 * messages go to neighbours, in fewer rounds than around one ring through all ranks.
 *
 * Cost, on d1 x d2 x ...: 2 sum(di-1) alpha + 2(P-1)/P n beta + (P-1)/P n gamma: bandwidth-optimal. All ranks
 * get the same bits.
 *
 *     $ allround explain allreduce:bucket -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R; below: ranks per block
 *              rank 0               rank 1               rank 2               rank 3
 *     start    0    0    0    0     1    1    1    1     2    2    2    2     3    3    3    3
 *     round 1  2,3->2 +0,1<-2       2,3->3 +0,1<-3       0,1->0 +2,3<-0       0,1->1 +2,3<-1
 *              02   02   0    0     13   13   1    1     2    2    02   02    3    3    13   13
 *     round 2  1->1 +0<-1           0->0 +1<-0           3->3 +2<-3           2->2 +3<-2
 *              0123 02   0    0     13   0123 1    1     2    2    0123 02    3    3    13   0123
 *     round 3  0->1 =1<-1           1->0 =0<-0           2->3 =3<-3           3->2 =2<-2
 *              0123 0123 0    0     0123 0123 1    1     2    2    0123 0123  3    3    0123 0123
 *     round 4  0,1->2 =2,3<-2       0,1->3 =2,3<-3       2,3->0 =0,1<-0       2,3->1 =0,1<-1
 *              0123 0123 0123 0123  0123 0123 0123 0123  0123 0123 0123 0123  0123 0123 0123 0123
 */
#include "collectives/registry.h"
#include "collectives/torus.h"

static int legs(const struct ar_problem *p, struct ar_shape *dims, struct ar_leg leg[AR_MAX_LEGS])
{
    *dims = ar_shape_dims(p->param[0], p->nranks);
    int n = dims->n;
    for (int i = 0; i < n; i++) {
        leg[i] = (struct ar_leg){&ar_reduce_scatter_ring, i};
        leg[2 * n - 1 - i] = (struct ar_leg){&ar_allgather_ring, i};
    }
    return 2 * n;
}

AR_TORUS_OF(legs);

static const struct ar_param params[] = {AR_PARAM_OF_DIMS};

const struct ar_algorithm ar_allreduce_bucket = {
    .name = "bucket",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "ring reduce-scatters along the dimensions of a torus, ring all-gathers back",
    .source = "Jain, Sabharwal, Optimal bucket algorithms for large MPI collectives on torus interconnects, "
              "ICS 2010",
    .params = params,
    .nparams = 1,
    .parts = parts,
    .rounds = rounds,
    .round = round_of,
    .cost_kind = AR_COST_EXACT,
    .cost = cost,
};
