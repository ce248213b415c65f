/* Which algorithm wins in which size range: see costing.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bench/harness/costing.h"
#include "collectives/base/memory.h"
#include "collectives/base/units.h"
#include "collectives/registry.h"

static const double SAME = 1e-12;                   /* relative; times nearer than that are equal */
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

static void find_ranges(struct search *s, struct ar_table *table)
{
    int64_t most = MOST_BYTES / ar_costing_elem_bytes(s->costing), first = 1, known = 1;
    double time_s;
    int best = winner(s, 1, &time_s);
    while (known < most && s->status == AR_OK) {
        int64_t next = next_count(known);
        next = next < most ? next : most;
        if (winner(s, next, &time_s) == best) {
            known = next;
            continue;
        }
        known = boundary(s, best, known, next); /* others may win before `next` does */
        add_range(table, s, best, first, known - 1);
        first = known;
        best = winner(s, first, &time_s);
    }
    add_range(table, s, best, first, most);
}

enum ar_status ar_crossover_report(const struct ar_costing *costing, struct ar_report *report,
                                   struct ar_error *error)
{
    ar_costing_describe(costing, report);
    struct search s = {.costing = costing, .error = error};
    s.choice = ar_alloc((size_t)ar_nalgorithms, sizeof *s.choice);
    s.status = ar_costing_choices(costing, s.choice, &s.nchoices, &report->notes, error);
    if (s.status == AR_OK)
        find_ranges(&s,
                    ar_report_table(report, "crossover", NULL, columns, sizeof columns / sizeof *columns));
    ar_text_add(
        &report->notes,
        "Sizes of the full vector; parameters at their defaults%s. Times are closed forms (bounds, where a "
        "form is one); below one element per block simulated, or of large schedules the closed form, "
        "then an upper bound.\n",
        costing->choice.algorithm ? " or as given" : "");
    free(s.choice);
    return s.status;
}
