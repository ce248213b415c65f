/* The drawings of a schedule: the steps in both layouts, places, and how far a broken one is drawn; its
 * history, of which a law says that it is what others find; grids, graphs, times and figures. The drawings
 * that open the algorithms' files are compared by tests/readme/run.py, figures parsed by
 * tests/golden/check-figures.py. */
#include "collectives/draw/steps.h"

#include <criterion/criterion.h>

#include "collectives/base/canvas.h"
#include "collectives/draw/figure.h"
#include "collectives/draw/views.h"
#include "collectives/messages.h"
#include "collectives/registry.h"
#include "sim/engine/clocks.h"
#include "tests/laws/every_schedule.h"

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

/* ---- The history ------------------------------------------------------------------------------------- */

enum { COUNT = 23 }; /* elements: blocks of more than one length, some of none */

static const struct ar_hockney model = {3e-6, 1e-9, 0.25e-9};
static const struct ar_pace pace = {3e-6, 4e-9, 1e-9}; /* the same, for elements of 4 bytes */

static void same_as_messages_and_clocks(const struct ar_schedule *schedule, const char *name)
{
    struct ar_layout layout;
    int64_t *offsets = NULL, nmessages = 0;
    struct ar_error error = {""};
    struct ar_history history;
    struct ar_clocks clocks;
    cr_assert_eq(ar_schedule_layout(schedule, COUNT, NULL, &offsets, &layout, &error), AR_OK, "%s",
                 error.text);
    cr_assert_eq(ar_history_new(schedule, &layout, &history, &error), AR_OK, "%s: %s", name, error.text);
    cr_assert_eq(ar_clocks_run(schedule, &layout, 4, &model, &clocks, &error), AR_OK, "%s", error.text);
    ar_history_time(&history, pace);
    for (int rank = 0; rank < history.nranks; rank++) {
        struct ar_traffic traffic = ar_traffic_of_rank(schedule, &layout, rank);
        int64_t sent = 0, elements = 0, combined = 0;
        for (int64_t i = 0; i < history.nmessages; i++)
            if (history.message[i].from == rank) {
                sent += history.message[i].sent;
                elements += history.message[i].elements;
            }
        for (int64_t busy = 0; busy < history.nbusy; busy++)
            combined += history.combined[busy * history.nranks + rank];
        cr_expect_eq(sent, traffic.messages_sent, "%s, rank %d", name, rank);
        cr_expect_eq(elements, traffic.elements_sent, "%s, rank %d", name, rank);
        cr_expect_eq(combined, traffic.elements_combined + traffic.elements_folded, "%s, rank %d", name,
                     rank);
        double end_s = history.nbusy ? history.done_s[(history.nbusy - 1) * history.nranks + rank] : 0;
        cr_expect_float_eq(end_s, clocks.end_s[rank], 1e-12, "%s, rank %d: %g and %g", name, rank, end_s,
                           clocks.end_s[rank]);
        nmessages += sent;
    }
    cr_expect_eq(nmessages, clocks.transfers, "%s", name);
    cr_expect_float_eq(history.time_s, clocks.time_s, 1e-12, "%s", name);
    ar_clocks_free(&clocks);
    ar_history_free(&history);
}

Test(draw, every_history_has_the_messages_and_times_of_the_schedule, .timeout = 120)
{
    for_every_schedule(same_as_messages_and_clocks, 9, 3);
}

/* What a test needs to draw. */
struct drawn {
    struct ar_schedule schedule;
    struct ar_history history;
    struct ar_text text;
};

static struct drawn *drawn_of(const char *name, int nranks, int64_t segments)
{
    struct drawn *d = calloc(1, sizeof *d);
    struct ar_error error = {""};
    struct ar_choice choice;
    cr_assert_eq(ar_choice_parse(name, &choice, &error), AR_OK, "%s", error.text);
    struct ar_problem problem = {.nranks = nranks};
    for (int i = 0; i < choice.algorithm->nparams; i++)
        problem.param[i] = choice.algorithm->params[i].unit == AR_PARAM_BYTES ? segments : choice.value[i];
    cr_assert_eq(ar_schedule_of_problem(&d->schedule, choice.algorithm, &problem, &error), AR_OK, "%s",
                 error.text);
    struct ar_layout layout = ar_layout_of_blocks(ar_nblocks(&d->schedule));
    cr_assert_eq(ar_history_new(&d->schedule, &layout, &d->history, &error), AR_OK, "%s", error.text);
    ar_history_time(&d->history, (struct ar_pace){1, 0, 1});
    return d;
}

static void expect_text(struct drawn *d, const char *expected)
{
    cr_expect_str_eq(d->text.data, expected, "%s", d->text.data);
    ar_text_free(&d->text);
    ar_history_free(&d->history);
    ar_schedule_free(&d->schedule);
    free(d);
}

Test(draw, too_much_is_refused_in_words)
{
    struct ar_problem problem = {.nranks = 300};
    struct ar_schedule schedule;
    struct ar_history history;
    struct ar_error error = {""};
    cr_assert_eq(ar_schedule_of_problem(&schedule, &ar_allreduce_ring, &problem, NULL), AR_OK);
    struct ar_layout layout = ar_layout_of_blocks(300);
    cr_expect_eq(ar_history_new(&schedule, &layout, &history, &error), AR_INVALID);
    cr_expect_str_eq(error.text,
                     "other drawings than steps show at most 256 ranks and 4194304 ranks x blocks "
                     "x rounds, got 300 x 300 x 598");
    ar_history_free(&history);
    ar_schedule_free(&schedule);
    struct drawn *d = drawn_of("allreduce:ring", 14, 0);
    cr_expect_eq(ar_figure_fits(&d->history, &error), AR_INVALID);
    cr_expect_str_eq(error.text,
                     "a figure has room for 16 ranks, 24 rounds and 1024 blocks, got 14, 26 and 14; "
                     "try fewer ranks or longer segments");
    ar_text_add(&d->text, "-");
    expect_text(d, "-");
}

/* ---- Views ------------------------------------------------------------------------------------------- */

Test(draw, grids_stand_side_by_side_where_they_fit)
{
    struct drawn *d = drawn_of("reduce_scatter:ring", 3, 0);
    ar_draw_grid(&d->history, 30, false, &d->text);
    expect_text(d, "block grid: contributions (. none, 1-9; # all)\n"
                   "         start  round 1\n"
                   "         0 1 2  0 1 2\n"
                   "rank 0   1 1 1  1 2 1\n"
                   "rank 1   1 1 1  1 1 2\n"
                   "rank 2   1 1 1  2 1 1\n"
                   "\n"
                   "         round 2\n"
                   "         0 1 2\n"
                   "rank 0   # 2 1\n"
                   "rank 1   1 # 2\n"
                   "rank 2   2 1 #\n");
}

Test(draw, colours_do_not_change_the_characters)
{
    struct drawn *plain = drawn_of("allreduce:rabenseifner", 6, 0),
                 *d = drawn_of("allreduce:rabenseifner", 6, 0);
    struct ar_text bare = {0};
    ar_draw_grid(&plain->history, 80, false, &plain->text);
    ar_draw_time(&plain->history, 80, false, &plain->text);
    ar_draw_grid(&d->history, 80, true, &d->text);
    ar_draw_time(&d->history, 80, true, &d->text);
    cr_expect(strstr(d->text.data, "\x1b[38;5;231;48;5;17m# \x1b[0m"), "the darkest of all shades");
    for (const char *c = d->text.data; *c;)
        if (*c == '\x1b')
            c = strchr(c, 'm') + 1;
        else
            ar_text_add_bytes(&bare, c++, 1);
    expect_text(plain, bare.data);
    ar_text_free(&bare);
    ar_text_free(&d->text);
    ar_text_add(&d->text, "-");
    expect_text(d, "-");
}

Test(draw, graphs_are_trees_where_they_can_be)
{
    static const struct {
        const char *name;
        int nranks, segments;
        const char *graph;
    } cases[] = {
        {"broadcast:binomial", 6, 0,
         "graph: a tree (vR, ^R: from and to the rank above in round R)\n"
         "0\n+-- 4 v1 -- 5 v3\n+-- 2 v2 -- 3 v3\n+-- 1 v3\n"},
        {"reduce:chain", 3, 2,
         "graph: a tree (vR, ^R: from and to the rank above in round R)\n"
         "0 -- 1 ^2,3 -- 2 ^1,2\n"},
        {"broadcast:double_binary_tree", 4, 1,
         "graph: 2 trees (vR, ^R: from and to the rank above in round R)\n"
         "block 0:\n0 -- 2 v1\n+-- 3 v2\n+-- 1 v3\n"
         "block 1:\n0 -- 1 v2\n+-- 3 v3\n+-- 2 v4\n"},
        {"allreduce:ring", 3, 0,
         "graph: who sends to whom, round after round (r: every rank)\nr->r+1, 2(P-1) times\n"},
        {"allreduce:ring", 1, 0, "graph: no messages\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct drawn *d = drawn_of(cases[i].name, cases[i].nranks, cases[i].segments);
        ar_draw_graph(&d->history, 80, &d->text);
        expect_text(d, cases[i].graph);
    }
}

Test(draw, time_is_what_each_rank_does_most_of)
{
    struct drawn *d = drawn_of("reduce:binomial", 4, 0); /* messages and combining of 1 s each */
    ar_draw_time(&d->history, 9 + 12, false, &d->text);
    expect_text(d, "time: 4 s, a character is 333.3 ms (> sends, < receives, x both, + combines, . waits)\n"
                   "rank 0   <<<+++<<<+++\n"
                   "rank 1   >>>.........\n"
                   "rank 2   <<<+++>>>...\n"
                   "rank 3   >>>.........\n");
}

Test(draw, dot_labels_edges_with_rounds_and_blocks)
{
    struct drawn *d = drawn_of("allgather:ring", 3, 0);
    ar_draw_dot(&d->history, &d->text);
    expect_text(d, "digraph \"allgather:ring, 3 ranks\" {\n"
                   "  node [shape=circle];\n"
                   "  0;\n  1;\n  2;\n"
                   "  0 -> 1 [label=\"round 1: 0\\nround 2: 2\"];\n"
                   "  1 -> 2 [label=\"round 1: 1\\nround 2: 0\"];\n"
                   "  2 -> 0 [label=\"round 1: 2\\nround 2: 1\"];\n"
                   "}\n");
}

/* ---- Figures ----------------------------------------------------------------------------------------- */

static int64_t occurrences(const char *text, const char *word)
{
    int64_t n = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        n++;
    return n;
}

/* One arrow per message in each panel, and as many groups closed as opened. */
static void arrows_are_messages(const struct ar_schedule *schedule, const char *name)
{
    struct ar_layout layout = ar_layout_of_blocks(ar_nblocks(schedule));
    struct ar_history history;
    struct ar_error error = {""};
    cr_assert_eq(ar_history_new(schedule, &layout, &history, &error), AR_OK, "%s", error.text);
    if (ar_figure_fits(&history, NULL) == AR_OK) {
        struct ar_text svg = {0};
        ar_history_time(&history, pace);
        ar_draw_figure(&history, true, true, "slowly", &svg);
        cr_expect_eq(occurrences(svg.data, "<g class=\"message\">"), 2 * history.nmessages, "%s", name);
        cr_expect_eq(occurrences(svg.data, "<g "), occurrences(svg.data, "</g>"), "%s", name);
        cr_expect_eq(occurrences(svg.data, "nan"), 0, "%s", name);
        ar_text_free(&svg);
    }
    ar_history_free(&history);
}

Test(draw, figures_have_an_arrow_for_every_message, .timeout = 120)
{
    for_every_schedule(arrows_are_messages, 6, 4);
}

Test(canvas, escapes_what_it_is_given)
{
    struct ar_canvas canvas = {0};
    struct ar_text svg = {0};
    ar_canvas_open(&canvas, "message", "a<b & \"c\"\n\xff");
    ar_canvas_text(&canvas, 1, 2, &(struct ar_lettering){.size = 10, .anchor = AR_END, .bold = true},
                   "1 > 0");
    ar_canvas_rect(&canvas, (struct ar_box){1, 2, 3, 4}, &(struct ar_pen){.fill = "#ff0000"});
    ar_canvas_arrow(&canvas, 0, 0, 10, 0, false, &(struct ar_pen){.stroke = "#000000", .width = 1});
    ar_canvas_close(&canvas);
    ar_canvas_end(&canvas, 20, 10, "</svg>", &svg);
    cr_expect_str_eq(
        svg.data,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"20\" height=\"10\" viewBox=\"0 0 20 10\" "
        "font-family=\"sans-serif\" role=\"img\">\n"
        "<title>&lt;/svg&gt;</title>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        "<g class=\"message\"><title>a&lt;b &amp; \"c\"\\x0a\xef\xbf\xbd</title>\n"
        "<text x=\"1.0\" y=\"2.0\" font-size=\"10.0\" text-anchor=\"end\" font-weight=\"bold\" "
        "fill=\"#000000\">1 &gt; 0</text>\n"
        "<rect x=\"1.0\" y=\"2.0\" width=\"3.0\" height=\"4.0\" fill=\"#ff0000\"/>\n"
        "<line x1=\"0.0\" y1=\"0.0\" x2=\"3.0\" y2=\"0.0\" fill=\"none\" stroke=\"#000000\" "
        "stroke-width=\"1.00\"/>\n"
        "<polygon points=\"10.0,0.0 3.0,2.8 3.0,-2.8\" fill=\"#000000\" stroke=\"#000000\" "
        "stroke-width=\"0.80\"/>\n"
        "</g>\n</svg>\n",
        "%s", svg.data);
    ar_text_free(&svg);
}
