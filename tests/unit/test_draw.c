/* The drawing of a schedule: both layouts, places, and how far a broken one is drawn. The drawings that open
 * the algorithms' files are compared by tests/readme/run.py. */
#include "collectives/draw/steps.h"

#include <criterion/criterion.h>

#include "collectives/registry.h"

static enum ar_status draw(const struct ar_algorithm *algorithm, int nranks, int width, struct ar_text *text,
                           struct ar_error *error)
{
    struct ar_problem problem = {.nranks = nranks};
    struct ar_schedule schedule;
    cr_assert_eq(ar_schedule_of_problem(&schedule, algorithm, &problem, error), AR_OK, "%s", error->text);
    enum ar_status status = ar_draw_steps(&schedule, width, text, error);
    ar_schedule_free(&schedule);
    return status;
}

static void expect_drawing(const struct ar_algorithm *algorithm, int nranks, int width, const char *drawing)
{
    struct ar_text text = {0};
    struct ar_error error = {""};
    cr_assert_eq(draw(algorithm, nranks, width, &text, &error), AR_OK, "%s", error.text);
    cr_expect_str_eq(text.data, drawing, "%s", text.data);
    ar_text_free(&text);
}

Test(draw, ranks_stand_beside_each_other_where_they_fit)
{
    static const char beside[] = "B->R: send block B to R;\n"
                                 "+B<-R: combine B from R;\n"
                                 "below: ranks per block\n"
                                 "         rank 0       rank 1       rank 2\n"
                                 "start    0   0   0    1   1   1    2   2   2\n"
                                 "round 1  2->1 +1<-2   0->2 +2<-0   1->0 +0<-1\n"
                                 "         0   02  0    1   1   01   12  2   2\n"
                                 "round 2  1->1 +0<-2   2->2 +1<-0   0->0 +2<-1\n"
                                 "         012 02  0    1   012 01   12  2   012\n";
    static const char below[] = "B->R: send block B to R;\n"
                                "+B<-R: combine B from R;\n"
                                "at the end: ranks in the blocks that changed\n"
                                "start: every rank has its own vector, 3 blocks in all\n"
                                "round 1   rank 0    2->1 +1<-2  1:{0,2}\n"
                                "round 1   rank 1    0->2 +2<-0  2:{0,1}\n"
                                "round 1   rank 2    1->0 +0<-1  0:{1,2}\n"
                                "round 2   rank 0    1->1 +0<-2  0:{0-2}\n"
                                "round 2   rank 1    2->2 +1<-0  1:{0-2}\n"
                                "round 2   rank 2    0->0 +2<-1  2:{0-2}\n";
    expect_drawing(&ar_reduce_scatter_ring, 3, 46, beside);
    expect_drawing(&ar_reduce_scatter_ring, 3, 45, below);
}

Test(draw, more_than_ten_ranks_are_ranges)
{
    expect_drawing(
        &ar_reduce_linear, 11, 200,
        "->R: send to R; +<-R: combine what comes from R; below: ranks in the vector\n"
        "         rank 0                                              rank 1  rank 2  rank 3  rank 4  rank 5"
        "  rank 6  rank 7  rank 8  rank 9  rank 10\n"
        "start    0                                                   1       2       3       4       5     "
        "  6       7       8       9       10\n"
        "round 1  +<-1 +<-2 +<-3 +<-4 +<-5 +<-6 +<-7 +<-8 +<-9 +<-10  ->0     ->0     ->0     ->0     ->0   "
        "  ->0     ->0     ->0     ->0     ->0\n"
        "         0-10                                                1       2       3       4       5     "
        "  6       7       8       9       10\n");
}

Test(draw, one_rank_has_nothing_to_do)
{
    expect_drawing(&ar_allreduce_ring, 1, 80,
                   "->R: send to R; below: ranks in the vector\n"
                   "         rank 0\n"
                   "start    0\n");
}

/* ---- By hand ----------------------------------------------------------------------------------------- */

static int64_t three(const struct ar_problem *p)
{
    (void)p;
    return 3;
}

static bool broken;

/* 0 -> 1 in round 1, over rank 1's scratch to 2 in round 3; when broken, rank 2 does not listen. */
static void relay_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    (void)p;
    if (rank == 0 && k == 0)
        ar_send(sink, 1, ar_block(0));
    if (rank == 1 && k == 0) {
        ar_receive(sink, 0, ar_block(0));
        ar_emit(sink, (struct ar_step){AR_COPY, AR_BY_RANK, AR_VECTOR, AR_SCRATCH, -1, ar_block(0), 0, 1});
    }
    if (rank == 1 && k == 2)
        ar_emit(sink, (struct ar_step){AR_SEND, AR_BY_RANK, AR_SCRATCH, AR_VECTOR, 2, ar_block(0), 0, 1});
    if (rank == 2 && k == 2 && !broken)
        ar_receive(sink, 1, ar_block(0));
}

static const struct ar_algorithm relay = {
    .name = "relay", .collective = AR_COLLECTIVE_broadcast, .rounds = three, .round = relay_round};

Test(draw, names_places_and_leaves_out_idle_rounds)
{
    expect_drawing(&relay, 3, 80,
                   "->R: send to R; =<-R: store what comes from R; tmp: scratch;\n"
                   "below: ranks in the vector (. nothing)\n"
                   "         rank 0  rank 1           rank 2\n"
                   "start    0       .                .\n"
                   "round 1  ->1     =<-0 =tmp:<-vec  -\n"
                   "         0       0                .\n"
                   "round 3  -       tmp:->2          =<-1\n"
                   "         0       0                0\n");
}

Test(draw, draws_the_rounds_before_a_fault)
{
    static const char *const drawing[] = {"->R: send to R; =<-R: store what comes from R; tmp: scratch;\n"
                                          "below: ranks in the vector (. nothing)\n"
                                          "         rank 0  rank 1           rank 2\n"
                                          "start    0       .                .\n"
                                          "round 1  ->1     =<-0 =tmp:<-vec  -\n"
                                          "         0       0                .\n",
                                          "->R: send to R;\n=<-R: store what comes from R;\ntmp: scratch;\n"
                                          "at the end: ranks in the blocks that changed\n"
                                          "start: rank 0 has the vector, in 1 block\n"
                                          "round 1   rank 0    ->1\n"
                                          "round 1   rank 1    =<-0 =tmp:<-vec  {0}\n"};
    broken = true;
    for (int i = 0; i < 2; i++) {
        struct ar_text text = {0};
        struct ar_error error = {""};
        cr_expect_eq(draw(&relay, 3, i == 0 ? 80 : 20, &text, &error), AR_FAILED);
        cr_expect_str_eq(text.data, drawing[i], "%s", text.data);
        cr_expect_str_eq(error.text,
                         "broadcast:relay, 3 ranks, root 0, round 3: rank 1 sends block 0 to rank 2, "
                         "which does not expect a message");
        ar_text_free(&text);
    }
}
