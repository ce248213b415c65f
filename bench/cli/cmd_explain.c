/* allround explain: one schedule, drawn or written down (bench/harness/explain.h). */
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench/cli/cli.h"
#include "bench/cli/subject.h"
#include "bench/harness/explain.h"

struct options {
    const char *subject;
    int64_t nranks, root, count, width; /* -1: not given */
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

static int width_of_output(const struct options *o)
{
    struct winsize terminal;
    if (o->width >= 0)
        return (int)o->width;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) == 0 && terminal.ws_col >= 40;
    return known ? terminal.ws_col : USUAL_WIDTH;
}

static enum ar_status draw(const struct options *o, const struct ar_explained *x,
                           const struct ar_format *format, struct ar_error *error)
{
    struct ar_report report = {0};
    enum ar_status status = ar_describe_machine(&report, error);
    if (status == AR_OK)
        status = ar_explain_text(x, o->count, width_of_output(o), &report, error);
    if (status == AR_OK || status == AR_FAILED) { /* what was right before it broke is shown too */
        enum ar_status printed = ar_print(&report, format, status == AR_OK ? error : NULL);
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
static const struct ar_format schedule_format = {"json", "a schedule", false, write_body};

static enum ar_status write_down(const struct ar_explained *x, const struct ar_format *format,
                                 struct ar_error *error)
{
    struct ar_report report = {0};
    bool json = format == &ar_format_json;
    if (json)
        ar_schedule_write(&x->schedule, &report.body);
    else
        ar_explain_table(&x->schedule, &report);
    enum ar_status status = ar_print(&report, json ? &schedule_format : format, error);
    ar_report_free(&report);
    return status;
}

static enum ar_status run(void *options, struct ar_session *session, const struct ar_format *format,
                          struct ar_error *error)
{
    (void)session;
    const struct options *o = options;
    struct ar_explained x = {0};
    enum ar_status status = make_schedule(o, &x, error);
    if (status == AR_OK)
        status = ar_explain_fits(&x.schedule, error);
    if (status == AR_OK)
        status = format->for_people ? draw(o, &x, format, error) : write_down(&x, format, error);
    ar_explain_free(&x);
    return status;
}

static const struct options defaults = {.nranks = -1, .root = -1, .count = -1, .width = -1};

const struct ar_command ar_command_explain = {
    .name = "explain",
    .summary = "draw a schedule: who sends what to whom, who holds what",
    .arguments = "COLL:ALG[:param=value,...]|FILE.json",
    .about = "Draws a schedule: who sends which block to whom in each round, and what each rank holds "
             "afterwards.\v"
             "--json writes the schedule in the form that verify and explain read from a "
             "file.\n\n" AR_SCHEDULE_HELP "\n"
             "Examples:\n"
             "  allround explain allreduce:ring -n 4\n"
             "  allround explain broadcast:binomial -n 5 --root 2\n"
             "  allround explain broadcast:chain:segment=64KiB -n 4 --count 100000\n"
             "  allround explain allgather:ring -n 3 --json > mine.json",
    AR_COMMAND_OPTIONS(table, defaults),
    .run = run,
};
