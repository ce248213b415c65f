/* Each half of the vector is combined on its way up one of two trees, then travels down it again.
 *
 * reduce:double_binary_tree to rank 0, then broadcast:double_binary_tree. Each keeps both directions of a
 * rank's port busy, so to let one half come down while the other still goes up would take as many rounds.
 * Longer than 120 lines because the example has so many rounds.
 *
 * Cost: at most (2 ceil(log2 P) + 2(N-1))(2 alpha + n/N beta + n/(2N) gamma) for N segments per half: 2n beta
 * for long vectors as the ring, with a logarithm in place of its P.
 *
 *     $ allround explain allreduce:double_binary_tree -n 4
 *     B->R: send block B to R; +B<-R: combine B from R; =B<-R: store B from R;
 *     at the end: ranks in the blocks that changed
 *     start: every rank has its own vector, 6 blocks in all
 *     round 1   rank 1    +5<-2       5:{1,2}
 *     round 1   rank 2    5->1
 *     round 2   rank 1    4->2 +5<-3  5:{1-3}
 *     round 2   rank 2    +4<-1       4:{1,2}
 *     round 2   rank 3    5->1
 *     round 3   rank 0    +5<-1       5:{0-3}
 *     round 3   rank 1    5->0 +3<-2  3:{1,2}
 *     round 3   rank 2    3->1 +4<-3  4:{1-3}
 *     round 3   rank 3    4->2
 *     round 4   rank 0    +4<-2       4:{0-3}
 *     round 4   rank 1    2->2 +3<-3  3:{1-3}
 *     round 4   rank 2    4->0 +2<-1  2:{1,2}
 *     round 4   rank 3    3->1
 *     round 5   rank 0    +3<-1       3:{0-3}
 *     round 5   rank 1    3->0 +1<-2  1:{1,2}
 *     round 5   rank 2    1->1 +2<-3  2:{1-3}
 *     round 5   rank 3    2->2
 *     round 6   rank 0    +2<-2       2:{0-3}
 *     round 6   rank 1    0->2 +1<-3  1:{1-3}
 *     round 6   rank 2    2->0 +0<-1  0:{1,2}
 *     round 6   rank 3    1->1
 *     round 7   rank 0    +1<-1       1:{0-3}
 *     round 7   rank 1    1->0
 *     round 7   rank 2    +0<-3       0:{1-3}
 *     round 7   rank 3    0->2
 *     round 8   rank 0    +0<-2       0:{0-3}
 *     round 8   rank 2    0->0
 *     round 9   rank 0    0->2
 *     round 9   rank 2    =0<-0       0:{0-3}
 *     round 10  rank 0    1->1
 *     round 10  rank 1    =1<-0       1:{0-3}
 *     round 10  rank 2    0->3
 *     round 10  rank 3    =0<-2       0:{0-3}
 *     round 11  rank 0    2->2
 *     round 11  rank 1    1->3 =0<-2  0:{0-3}
 *     round 11  rank 2    0->1 =2<-0  2:{0-3}
 *     round 11  rank 3    =1<-1       1:{0-3}
 *     round 12  rank 0    3->1
 *     round 12  rank 1    1->2 =3<-0  3:{0-3}
 *     round 12  rank 2    2->3 =1<-1  1:{0-3}
 *     round 12  rank 3    =2<-2       2:{0-3}
 *     round 13  rank 0    4->2
 *     round 13  rank 1    3->3 =2<-2  2:{0-3}
 *     round 13  rank 2    2->1 =4<-0  4:{0-3}
 *     round 13  rank 3    =3<-1       3:{0-3}
 *     round 14  rank 0    5->1
 *     round 14  rank 1    3->2 =5<-0  5:{0-3}
 *     round 14  rank 2    4->3 =3<-1  3:{0-3}
 *     round 14  rank 3    =4<-2       4:{0-3}
 *     round 15  rank 1    5->3 =4<-2  4:{0-3}
 *     round 15  rank 2    4->1
 *     round 15  rank 3    =5<-1       5:{0-3}
 *     round 16  rank 1    5->2
 *     round 16  rank 2    =5<-1       5:{0-3}
 *
 *     Drawn with 3 segments; --count N shows how many a vector has.
 */
#include "collectives/pipeline.h"
#include "collectives/registry.h"

struct children {
    struct ar_schedule of[2];
};

/* Both with the problem's segments, and with its tables: rank 0 is the root of both. */
static struct children children(const struct ar_problem *p)
{
    return (struct children){{{.algorithm = &ar_reduce_double_binary_tree, .problem = *p},
                              {.algorithm = &ar_broadcast_double_binary_tree, .problem = *p}}};
}

static int64_t rounds(const struct ar_problem *p)
{
    struct children child = children(p);
    return ar_sequence_rounds(child.of, 2);
}

static void round_of(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    struct children child = children(p);
    ar_sequence_round(child.of, 2, rank, k, sink);
}

static struct ar_activity activity_of(const struct ar_problem *p, int rank)
{
    struct children child = children(p);
    return ar_sequence_activity(child.of, 2, rank);
}

AR_SPAN_AND_PAUSE_OF(activity_of);

static void *prepare(const struct ar_problem *p)
{
    return ar_broadcast_double_binary_tree.prepare(p);
}

static struct ar_cost cost(const struct ar_problem *p)
{
    struct children child = children(p);
    return ar_sequence_cost(child.of, 2);
}

const struct ar_algorithm ar_allreduce_double_binary_tree = {
    .name = "double_binary_tree",
    .collective = AR_COLLECTIVE_allreduce,
    .summary = "the two halves up and down two trees, in segments",
    .source = "Sanders, Speck, Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and scan, "
              "Parallel Computing 35(12), 2009; NVIDIA, NCCL, src/graph/trees.cc",
    .params = &ar_param_segment,
    .nparams = 1,
    .nccl = "Tree",
    .parts = ar_two_halves,
    .splits = ar_segments_param,
    .rounds = rounds,
    .round = round_of,
    .span = span,
    .pause = pause_of,
    .prepare = prepare,
    .cost_kind = AR_COST_BOUND,
    .cost = cost,
};
