/* Which algorithm wins in which size range: see costing.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench/harness/costing.h"
#include "bench/harness/libraries.h"
#include "collectives/base/memory.h"
#include "collectives/base/units.h"
#include "collectives/registry.h"

static const double SAME = 1e-12;                   /* relative; times nearer than that are equal */
static const double NEAR = 1e-6;                    /* relative; a ratio up to it is 1 as people see it */
static const int64_t MOST_BYTES = INT64_C(1) << 30; /* of the full vector */

enum { STEPS_PER_OCTAVE = 4 };

struct search {
    const struct ar_costing *costing;
    struct ar_choice *choice;
    int nchoices;
    struct ar_error *error;
    enum ar_status status;
};

/* The index of the fastest choice for `count` elements; -1 when there is none or something failed. */
static int winner(struct search *s, int64_t count, double *time_s)
{
    int best = -1;
    *time_s = INFINITY;
    for (int i = 0; i < s->nchoices && s->status == AR_OK; i++) {
        double now_s = NAN;
        s->status = ar_quick_price(s->costing, &s->choice[i], count, &now_s, s->error);
        if (s->status == AR_OK && now_s < *time_s * (1 - SAME)) {
            *time_s = now_s;
            best = i;
        }
    }
    return best;
}

/* The smallest count in (low, high] where another than `best`, who wins at low and not at high, is first. */
static int64_t boundary(struct search *s, int best, int64_t low, int64_t high)
{
    double time_s;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        *(winner(s, middle, &time_s) == best ? &low : &high) = middle;
    }
    return high;
}

/* Sizes as people say them where a range begins or ends with one; both in bytes for programs. */
static const struct ar_column columns[] = {
    {"from_bytes", "from, B", 0},
    {"to_bytes", "to, B", 0},
    {"from", "from", 0},
    {"to", "to", 0},
    {"algorithm", "fastest", 0},
    {"from_time_s", NULL, -1},
    {"to_time_s", NULL, -1},
    {"from_time_us", "at first, us", 3},
    {"to_time_us", "at last, us", 3},
};

static void add_range(struct ar_table *table, struct search *s, int best, int64_t first, int64_t last)
{
    char name[AR_CHOICE_TEXT], size[AR_UNITS_TEXT];
    double first_s, last_s;
    int64_t elem_bytes = ar_costing_elem_bytes(s->costing);
    winner(s, first, &first_s);
    winner(s, last, &last_s);
    ar_table_row(table);
    ar_table_int(table, first * elem_bytes);
    ar_table_int(table, last * elem_bytes);
    ar_table_text(table, "%s", ar_format_size(size, (uint64_t)(first * elem_bytes)));
    ar_table_text(table, "%s", ar_format_size(size, (uint64_t)(last * elem_bytes)));
    ar_table_text(table, "%s", best < 0 ? "?" : ar_choice_name(&s->choice[best], name));
    ar_table_real(table, first_s);
    ar_table_real(table, last_s);
    ar_table_real(table, first_s * 1e6);
    ar_table_real(table, last_s * 1e6);
}

static int64_t next_count(int64_t count)
{
    int64_t next = (int64_t)ceil((double)count * exp2(1.0 / STEPS_PER_OCTAVE));
    return next > count ? next : count + 1;
}

/* Where one choice wins. */
struct range {
    int best;
    int64_t first, last; /* elements */
};

struct ranges {
    struct range *range;
    int n, capacity;
};

static void keep(struct ranges *ranges, struct range range)
{
    AR_GROW(ranges->range, ranges->n, ranges->capacity);
    ranges->range[ranges->n++] = range;
}

static void find_ranges(struct search *s, int64_t first, struct ranges *ranges)
{
    int64_t most = MOST_BYTES / ar_costing_elem_bytes(s->costing), known = first;
    double time_s;
    int best = winner(s, first, &time_s);
    while (known < most && s->status == AR_OK) {
        int64_t next = next_count(known);
        next = next < most ? next : most;
        if (winner(s, next, &time_s) == best) {
            known = next;
            continue;
        }
        known = boundary(s, best, known, next); /* others may win before `next` does */
        keep(ranges, (struct range){best, first, known - 1});
        first = known;
        best = winner(s, first, &time_s);
    }
    keep(ranges, (struct range){best, first, most});
}

static enum ar_status open_search(struct search *s, const struct ar_costing *costing,
                                  struct ar_report *report, struct ar_error *error)
{
    ar_costing_describe(costing, report);
    *s = (struct search){.costing = costing, .error = error};
    s->choice = ar_alloc((size_t)ar_nalgorithms, sizeof *s->choice);
    return s->status = ar_costing_choices(costing, s->choice, &s->nchoices, &report->notes, error);
}

static void add_note(const struct ar_costing *costing, struct ar_report *report)
{
    ar_text_add(
        &report->notes,
        "Sizes of the full vector; parameters at their defaults%s. Times are closed forms (bounds, where a "
        "form is one); below one element per block simulated, or of large schedules the closed form, "
        "then an upper bound.\n",
        costing->choice.algorithm ? " or as given" : "");
}

enum ar_status ar_crossover_report(const struct ar_costing *costing, struct ar_report *report,
                                   struct ar_error *error)
{
    struct search s;
    struct ranges ranges = {0};
    if (open_search(&s, costing, report, error) == AR_OK)
        find_ranges(&s, 1, &ranges);
    if (s.status == AR_OK) {
        struct ar_table *table =
            ar_report_table(report, "crossover", NULL, columns, sizeof columns / sizeof *columns);
        for (int i = 0; i < ranges.n; i++)
            add_range(table, &s, ranges.range[i].best, ranges.range[i].first, ranges.range[i].last);
    }
    add_note(costing, report);
    free(ranges.range);
    free(s.choice);
    return s.status;
}

/* ---- Against a library ------------------------------------------------------------------------------- */

static const struct ar_column compared_columns[] = {
    {"from_bytes", "from, B", 0},
    {"to_bytes", "to, B", 0},
    {"from", "from", 0},
    {"to", "to", 0},
    {"library", "the library", 0},
    {"algorithm", "fastest", 0},
    {"from_ratio", "/ fastest, first", 3},
    {"to_ratio", "/ fastest, last", 3},
    {"agree", "agree", 0},
};

/* The time of the library's choice for `count` elements as a multiple of the fastest; NaN: not known. */
static double ratio_at(struct search *s, const struct ar_choice *choice, int64_t count)
{
    double fastest_s, time_s = NAN;
    winner(s, count, &fastest_s);
    if (s->status == AR_OK)
        s->status = ar_quick_price(s->costing, choice, count, &time_s, s->error);
    return time_s == fastest_s ? 1 : time_s / fastest_s; /* of one rank both are 0 */
}

struct comparison {
    int rows, agreeing;
    double worst; /* ratio at an end of a range */
};

static void add_compared(struct ar_table *table, struct search *s, const struct ar_choice *choice,
                         struct range range, struct comparison *comparison)
{
    char name[AR_CHOICE_TEXT], size[AR_UNITS_TEXT];
    int64_t elem_bytes = ar_costing_elem_bytes(s->costing);
    double first = ratio_at(s, choice, range.first), last = ratio_at(s, choice, range.last);
    bool agree = first <= 1 + NEAR && last <= 1 + NEAR;
    ar_table_row(table);
    ar_table_int(table, range.first * elem_bytes);
    ar_table_int(table, range.last * elem_bytes);
    ar_table_text(table, "%s", ar_format_size(size, (uint64_t)(range.first * elem_bytes)));
    ar_table_text(table, "%s", ar_format_size(size, (uint64_t)(range.last * elem_bytes)));
    ar_table_text(table, "%s", ar_choice_name(choice, name));
    ar_table_text(table, "%s", range.best < 0 ? "?" : ar_choice_name(&s->choice[range.best], name));
    ar_table_real(table, first);
    ar_table_real(table, last);
    ar_table_bool(table, agree);
    comparison->rows++;
    comparison->agreeing += agree;
    comparison->worst = fmax(comparison->worst, fmax(first, last));
}

/* Every range in which neither changes its mind. */
static void compare(struct search *s, const struct ranges *ranges, int library, struct ar_table *table,
                    struct comparison *comparison)
{
    const struct ar_costing *costing = s->costing;
    for (int i = 0; i < ranges->n; i++) {
        struct range range = ranges->range[i], part = range;
        for (; part.first <= range.last && s->status == AR_OK; part.first = part.last + 1) {
            struct ar_choice choice;
            s->status = ar_library_choose(library, costing->collective, costing->nranks, part.first,
                                          ar_costing_elem_bytes(costing), &choice, &part.last, s->error);
            part.last = part.last < range.last ? part.last : range.last;
            if (s->status == AR_OK)
                add_compared(table, s, &choice, part, comparison);
        }
    }
}

enum ar_status ar_crossover_compare(const struct ar_costing *costing, int library, struct ar_report *report,
                                    struct ar_error *error)
{
    struct search s;
    struct ranges ranges = {0};
    struct comparison comparison = {0};
    if (costing->choice.algorithm)
        return ar_fail(error, AR_INVALID, "compare: expected a collective, got an algorithm, %s:%s",
                       ar_collectives[costing->collective].name, costing->choice.algorithm->name);
    if (open_search(&s, costing, report, error) == AR_OK)
        find_ranges(&s, ar_collective_owned(costing->collective) ? costing->nranks : 1, &ranges);
    if (s.status == AR_OK)
        compare(&s, &ranges, library,
                ar_report_table(report, "crossover", NULL, compared_columns,
                                sizeof compared_columns / sizeof *compared_columns),
                &comparison);
    ar_report_field_text(report, "library", ar_libraries[library].title);
    ar_report_field_text(report, "source", ar_libraries[library].source);
    ar_text_add(&report->notes,
                "The library: %s (%s); %s. Under this model its choice is as fast as any in %d of %d ranges",
                ar_libraries[library].title, ar_libraries[library].source, ar_libraries[library].note,
                comparison.agreeing, comparison.rows);
    if (comparison.agreeing < comparison.rows)
        ar_text_add(&report->notes, "; in the others it takes up to %.3g times as long as the fastest",
                    comparison.worst);
    ar_text_add(&report->notes, ".\n");
    add_note(costing, report);
    free(ranges.range);
    free(s.choice);
    return s.status;
}
