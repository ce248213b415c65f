/* allround explain: one schedule, drawn (collectives/draw) or written down (bench/import/schedule_file.h). */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench/cli/cli.h"
#include "bench/harness/explain.h"
#include "bench/import/schedule_file.h"
#include "collectives/base/units.h"

struct options {
    struct ar_options base; /* first: parsers get its address */
    const char *subject;
    int64_t nranks, root, count, width; /* -1: not given */
};

enum { ROOT = 0x100, COUNT, WIDTH };

enum { MOST_RANKS = 1024, ELEM_BYTES = 4, USUAL_WIDTH = 100 };

static const struct argp_option argp_options[] = {
    {0, 'n', "N", 0, "Ranks", 1},
    {"root", ROOT, "R", 0, "The root, where the collective has one (0)", 1},
    {"count", COUNT, "N", 0, "Elements of the vector, for segments in bytes and to see how long blocks are",
     1},
    {"width", WIDTH, "COLUMNS", 0, "Width of the drawing (the terminal's, else 100)", 1},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    struct ar_error *error = &o->base.error;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->base.format;
        return 0;
    case 'n':
        return ar_option_status(&o->base, ar_parse_int(argument, "-n", 1, MOST_RANKS, &o->nranks, error));
    case ROOT:
        return ar_option_status(&o->base,
                                ar_parse_int(argument, "--root", 0, MOST_RANKS - 1, &o->root, error));
    case COUNT:
        return ar_option_status(&o->base, ar_parse_count(argument, "--count", &o->count, error));
    case WIDTH:
        return ar_option_status(&o->base, ar_parse_int(argument, "--width", 20, 10000, &o->width, error));
    case ARGP_KEY_ARG:
        if (o->subject)
            return ar_option_status(
                &o->base,
                ar_fail(error, AR_INVALID, "explain: expected one algorithm, got '%s' too", argument));
        o->subject = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&ar_output_options, 0, 0, 0}, {0}};

static const struct argp argp = {
    argp_options,
    parse,
    "COLL:ALG[:param=value,...]|FILE.json",
    "Draws a schedule: who sends which block to whom in each round, and what each rank holds afterwards.\v"
    "--json writes the schedule in the form that verify and explain read from a file.\n\n"
    "Examples:\n"
    "  allround explain allreduce:ring -n 4\n"
    "  allround explain broadcast:binomial -n 5 --root 2\n"
    "  allround explain broadcast:chain:segment=64KiB -n 4 --count 100000\n"
    "  allround explain allgather:ring -n 3 --json > mine.json",
    children,
    0,
    0};

/* ---- The schedule ------------------------------------------------------------------------------------ */

enum { FEW_SEGMENTS = 3 }; /* enough to see a pipeline */

/* A schedule with what it is made of. */
struct explained {
    struct ar_schedule schedule;
    struct ar_schedule_file file; /* zero unless it was read */
    bool cut;                     /* into FEW_SEGMENTS, for want of a count */
};

static enum ar_status read_file(const struct options *o, struct explained *x, struct ar_error *error)
{
    enum ar_status status = ar_schedule_read(o->subject, &x->file, error);
    if (status != AR_OK)
        return status;
    const struct ar_problem *p = &x->file.problem;
    if ((o->nranks >= 0 && o->nranks != p->nranks) || (o->root >= 0 && o->root != p->root))
        return ar_fail(error, AR_INVALID, "%s is for %d ranks and root %d, leave out -n and --root",
                       o->subject, p->nranks, p->root);
    return ar_schedule_of_problem(&x->schedule, &x->file.algorithm, p, error);
}

/* For want of a count, byte parameters become FEW_SEGMENTS. */
static enum ar_status cut_schedule(const struct options *o, const struct ar_choice *choice,
                                   struct explained *x, struct ar_error *error)
{
    const struct ar_algorithm *algorithm = choice->algorithm;
    struct ar_problem problem = {.nranks = (int)o->nranks, .root = o->root < 0 ? 0 : (int)o->root};
    for (int i = 0; i < algorithm->nparams; i++) {
        bool bytes = algorithm->params[i].unit == AR_PARAM_BYTES;
        if (bytes && choice->given[i])
            return ar_fail(error, AR_INVALID, "%s: %s needs --count, the elements of the vector", o->subject,
                           algorithm->params[i].name);
        problem.param[i] = bytes ? FEW_SEGMENTS : choice->value[i];
        x->cut |= bytes;
    }
    return ar_schedule_of_problem(&x->schedule, algorithm, &problem, error);
}

static enum ar_status make_schedule(const struct options *o, struct explained *x, struct ar_error *error)
{
    struct ar_choice choice;
    enum ar_status status = ar_choice_parse(o->subject, &choice, error);
    if (status != AR_OK)
        return status;
    if (o->nranks < 0)
        return ar_fail(error, AR_INVALID, "explain needs -n RANKS, e.g. -n 4");
    if (o->count < 0)
        return cut_schedule(o, &choice, x, error);
    struct ar_size size = {o->count, 0, ELEM_BYTES};
    return ar_schedule_init(&x->schedule, &choice, (int)o->nranks, o->root < 0 ? 0 : (int)o->root, size,
                            error);
}

/* ---- Printing ---------------------------------------------------------------------------------------- */

static int width_of_output(const struct options *o)
{
    struct winsize terminal;
    if (o->width >= 0)
        return (int)o->width;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) == 0 && terminal.ws_col >= 40;
    return known ? terminal.ws_col : USUAL_WIDTH;
}

static enum ar_status draw(const struct options *o, const struct explained *x, struct ar_error *error)
{
    struct ar_report report = {0};
    enum ar_status status = ar_describe_machine(&report, error);
    if (status == AR_OK)
        status = ar_explain_text(&x->schedule, o->count, width_of_output(o), &report.body, error);
    if (x->cut)
        ar_text_add(&report.notes, "Drawn with %d segments; --count N shows how many a vector has.\n",
                    FEW_SEGMENTS);
    if (status == AR_OK || status == AR_FAILED) { /* what was right before it broke is shown too */
        enum ar_status printed = ar_print(&report, o->base.format, status == AR_OK ? error : NULL);
        status = status == AR_OK ? printed : status;
    }
    ar_report_free(&report);
    return status;
}

static void write_body(const struct ar_report *report, struct ar_text *out)
{
    ar_text_add_bytes(out, report->body.data, report->body.length);
}

/* The document is the schedule itself, so that it can be read again. */
static const struct ar_format schedule_format = {"json", "a schedule", write_body};

static enum ar_status explain(const struct options *o, const struct explained *x, struct ar_error *error)
{
    if (ar_is_text(o->base.format) || o->base.format == &ar_format_markdown)
        return draw(o, x, error);
    struct ar_report report = {0};
    bool json = o->base.format == &ar_format_json;
    if (json)
        ar_schedule_write(&x->schedule, &report.body);
    else
        ar_explain_table(&x->schedule, &report);
    enum ar_status status = ar_print(&report, json ? &schedule_format : o->base.format, error);
    ar_report_free(&report);
    return status;
}

static enum ar_status run(int argc, char **argv, struct ar_error *error)
{
    struct options o = {.nranks = -1, .root = -1, .count = -1, .width = -1};
    struct explained x = {0};
    enum ar_status status = ar_options_parse(&argp, argc, argv, &o.base, error);
    if (status == AR_OK && !o.subject)
        status =
            ar_fail(error, AR_INVALID, "explain needs an algorithm, e.g. allreduce:ring, or a schedule file");
    if (status == AR_OK)
        status = (ar_names_file(o.subject) ? read_file : make_schedule)(&o, &x, error);
    if (status == AR_OK)
        status = ar_explain_fits(&x.schedule, error);
    if (status == AR_OK)
        status = explain(&o, &x, error);
    ar_schedule_free(&x.schedule);
    ar_schedule_file_free(&x.file);
    return status;
}

const struct ar_command ar_command_explain = {"explain",
                                              "draw a schedule: who sends what to whom, who holds what", run};
