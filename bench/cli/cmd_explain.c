/* allround explain: one schedule, drawn or written down (bench/harness/explain.h). */
#include <string.h>

#include "bench/cli/cli.h"
#include "bench/cli/subject.h"
#include "bench/harness/explain.h"
#include "bench/harness/whole_file.h"

struct options {
    const char *subject, *svg, *dot;
    int64_t nranks, root, count, width; /* -1: not given */
    struct ar_option_names show;
    struct ar_hockney_words model;
};

enum { MOST_RANKS = 1024, USUAL_WIDTH = 100 };

#define TARGET(member) offsetof(struct options, member)

static const struct ar_option table[] = {
    {.kind = AR_OPTION_TEXT, .offset = TARGET(subject), .noun = "algorithm or file"},
    {"n", "N", "Ranks", 1, AR_OPTION_INT, TARGET(nranks), 1, MOST_RANKS},
    {"root", "R", "The root, where the collective has one (0)", 1, AR_OPTION_INT, TARGET(root), 0,
     MOST_RANKS - 1},
    {"count", "N", "Elements of the vector, for segments in bytes and to see how long blocks are", 1,
     AR_OPTION_COUNT, TARGET(count)},
    {"width", "COLUMNS", "Width of the drawing (the terminal's, else 100)", 1, AR_OPTION_INT, TARGET(width),
     20, 10000},
    {"show", "steps|grid|graph|time", "What is drawn, a list (steps)", 2, AR_OPTION_NAMES, TARGET(show),
     .noun = "drawing"},
    {"svg", "FILE", "Draw a figure too, for slides: the rounds, or with --show time the time", 2,
     AR_OPTION_TEXT, TARGET(svg)},
    {"dot", "FILE", "Write the graph for graphviz too; a FILE of -, here and above, is the only output", 2,
     AR_OPTION_TEXT, TARGET(dot)},
    AR_MODEL_OPTIONS("Time: a published machine", 3, TARGET(model)),
};

static enum ar_status make_schedule(const struct options *o, struct ar_explained *x, struct ar_error *error)
{
    if (!o->subject)
        return ar_fail(error, AR_INVALID,
                       "explain needs an algorithm, e.g. allreduce:ring, or a schedule file");
    if (ar_names_file(o->subject))
        return ar_explain_file(o->subject, o->nranks, o->root, x, error);
    struct ar_choice choice;
    enum ar_status status = ar_choose(o->subject, &choice, error);
    if (status == AR_OK && o->nranks < 0)
        status = ar_fail(error, AR_INVALID, "explain needs -n RANKS, e.g. -n 4");
    if (status == AR_OK)
        status =
            ar_explain_choice(&choice, (int)o->nranks, o->root < 0 ? 0 : (int)o->root, o->count, x, error);
    return status;
}

static enum ar_status make_viewing(const struct options *o, struct ar_viewing *viewing,
                                   struct ar_error *error)
{
    const struct ar_hockney_machine *machine;
    int width = o->width >= 0 ? (int)o->width : ar_terminal_width(USUAL_WIDTH);
    *viewing = (struct ar_viewing){.count = o->count, .width = width, .colour = ar_terminal_colours()};
    viewing->show[AR_VIEW_STEPS] = o->show.n == 0;
    for (int i = 0; i < o->show.n; i++)
        viewing->show[o->show.index[i]] = true;
    return ar_read_model(&o->model, &viewing->model, &machine, error);
}

static void write_body(const struct ar_report *report, struct ar_text *out)
{
    ar_text_add_bytes(out, report->body.data, report->body.length);
}

/* The document is what the body says: a schedule that can be read again, a figure. */
static const struct ar_format body_format = {"body", "the body", false, write_body};

static bool is_output(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

/* Makes the figure or graph and writes it, as the whole output or to its file. */
static enum ar_status write_file(const char *path, bool dot, const struct ar_explained *x,
                                 const struct ar_viewing *viewing, struct ar_error *error)
{
    struct ar_report report = {0};
    enum ar_status status = (dot ? ar_explain_dot : ar_explain_svg)(x, viewing, &report.body, error);
    if (status == AR_OK && is_output(path))
        status = ar_print(&report, &body_format, error);
    else if (status == AR_OK && ar_speaks())
        status = ar_write_whole(path, &report.body, error);
    ar_report_free(&report);
    return status;
}

/* What was right before a schedule broke a rule is shown too. */
static enum ar_status print(const struct options *o, const struct ar_explained *x,
                            const struct ar_viewing *viewing, const struct ar_format *format,
                            struct ar_error *error)
{
    struct ar_report report = {0};
    bool again = format == &ar_format_json && o->show.n == 0;
    enum ar_status status = AR_OK;
    if (again)
        ar_schedule_write(&x->schedule, &report.body);
    else if (format->for_people)
        status = ar_describe_machine(&report, error);
    if (status == AR_OK && !again)
        status = (format->for_people ? ar_explain_text : ar_explain_tables)(x, viewing, &report, error);
    if (status == AR_OK || (status == AR_FAILED && format->for_people)) {
        enum ar_status printed =
            ar_print(&report, again ? &body_format : format, status == AR_OK ? error : NULL);
        status = status == AR_OK ? printed : status;
    }
    ar_report_free(&report);
    return status;
}

static enum ar_status run(void *options, struct ar_session *session, const struct ar_format *format,
                          struct ar_error *error)
{
    (void)session;
    const struct options *o = options;
    struct ar_explained x = {0};
    struct ar_viewing viewing;
    enum ar_status status = make_viewing(o, &viewing, error);
    if (status == AR_OK && o->svg && o->dot && strcmp(o->svg, o->dot) == 0)
        status = ar_fail(error, AR_INVALID, "--svg %s and --dot %s: only one of them can be written there",
                         o->svg, o->dot);
    if (status == AR_OK)
        status = make_schedule(o, &x, error);
    if (status == AR_OK)
        status = ar_explain_fits(&x.schedule, error);
    if (status == AR_OK && o->svg)
        status = write_file(o->svg, false, &x, &viewing, error);
    if (status == AR_OK && o->dot)
        status = write_file(o->dot, true, &x, &viewing, error);
    if (status == AR_OK && !is_output(o->svg) && !is_output(o->dot))
        status = print(o, &x, &viewing, format, error);
    ar_explain_free(&x);
    return status;
}

static const struct options defaults = {.nranks = -1, .root = -1, .count = -1, .width = -1};

const struct ar_command ar_command_explain = {
    .name = "explain",
    .summary = "draw a schedule: who sends what to whom, who holds what",
    .arguments = "COLL:ALG[:param=value,...]|FILE.json",
    .about =
        "Draws a schedule: who sends which block to whom in each round, and what each rank holds "
        "afterwards.\v"
        "--json writes the schedule in the form that verify and explain read from a "
        "file, with --show the drawings' data. Time is that of cost, of 1 MiB unless --count is "
        "given. collectives/README.md says what each algorithm's parameters mean.\n\n" AR_SCHEDULE_HELP "\n"
        "Examples:\n"
        "  allround explain allreduce:ring -n 4\n"
        "  allround explain broadcast:binomial -n 5 --root 2\n"
        "  allround explain allreduce:ring -n 4 --show grid,time --svg ring.svg\n"
        "  allround explain allreduce:hierarchical:groups=3+4+2 -n 9 --svg groups.svg\n"
        "  allround explain broadcast:chain:segment=64KiB -n 4 --count 100000\n"
        "  allround explain allgather:ring -n 3 --json > mine.json",
    AR_COMMAND_OPTIONS(table, defaults),
    .run = run,
};
