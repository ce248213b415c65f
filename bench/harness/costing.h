/* Algorithms priced: one row per algorithm of a collective, from its closed form, the sum over its schedule
 * and the simulation, under Hockney's model; and which one wins at which size.
 *
 * What would take long is left out rather than waited for: a schedule of more than a few million transfers is
 * neither summed nor simulated. Its closed form costs nothing, whatever the number of ranks.
 */
#pragma once

#include "bench/report/report.h"
#include "collectives/cost.h"
#include "collectives/run/types.h"
#include "sim/hockney.h"

struct ar_costing {
    enum ar_collective_id collective;
    struct ar_choice choice; /* algorithm NULL: all of the collective, with their defaults */
    int nranks, root;
    int64_t count; /* elements of the full vector */
    enum ar_type type;
    struct ar_hockney model;
    const struct ar_hockney_machine *machine; /* whose model it is, at least in part; NULL: nobody's */
};

static inline int64_t ar_costing_elem_bytes(const struct ar_costing *costing)
{
    return (int64_t)ar_types[costing->type].bytes;
}

enum ar_price_source {
    AR_PRICE_UNKNOWN,
    AR_PRICE_FORM,      /* exact, the blocks are equal */
    AR_PRICE_NEAR_FORM, /* exact but for blocks that differ by one element */
    AR_PRICE_SIMULATED,
};

struct ar_price {
    bool summed;
    struct ar_schedule_cost sum; /* if summed */
    enum ar_cost_kind kind;
    struct ar_cost form; /* unless kind is AR_COST_ABSENT */
    enum ar_price_source source;
    double time_s; /* unless the source is AR_PRICE_UNKNOWN */
};

/* Adds what is priced to the report: a line above the tables, and for programs "machine" and "model". */
void ar_costing_describe(const struct ar_costing *costing, struct ar_report *report);

/* One algorithm. AR_INVALID when it does not admit so many ranks, or the root is none. */
enum ar_status ar_price_of(const struct ar_costing *costing, const struct ar_choice *choice,
                           struct ar_price *price, struct ar_error *error);

/* Only its time for `count` elements, by what is quickest to work out: the closed form from one element per
 * block on (of a bound: the bound), below that the simulation of small schedules, else the closed form, which
 * is then an upper bound. NaN where there is none of them. */
enum ar_status ar_quick_price(const struct ar_costing *costing, const struct ar_choice *choice, int64_t count,
                              double *time_s, struct ar_error *error);

/* The choices that are priced, at most ar_nalgorithms: those that admit so many ranks. Notes say why others
 * are left out. AR_INVALID: the one that was asked for does not, or there is no such root. */
enum ar_status ar_costing_choices(const struct ar_costing *costing, struct ar_choice *choices, int *n,
                                  struct ar_text *notes, struct ar_error *error);

/* Adds the table "cost": for people with `*` behind the fastest and the lower bounds in the last row; for
 * programs one row per algorithm, with more columns. */
enum ar_status ar_costing_report(const struct ar_costing *costing, bool text, struct ar_report *report,
                                 struct ar_error *error);

/* Adds the table "crossover": the size ranges between 1 element and 1 GiB and the fastest algorithm in each;
 * of equally fast ones the first in the registry. */
enum ar_status ar_crossover_report(const struct ar_costing *costing, struct ar_report *report,
                                   struct ar_error *error);

/* The same against what an MPI library (its index, bench/harness/libraries.h) chooses by itself: a row for
 * every range in which neither changes, with the time of the library's choice as a multiple of the fastest.
 * Vectors whose blocks belong to ranks begin at one element for each. AR_INVALID: the library's choice is not
 * known, or one algorithm is priced instead of all. */
enum ar_status ar_crossover_compare(const struct ar_costing *costing, int library, struct ar_report *report,
                                    struct ar_error *error);
