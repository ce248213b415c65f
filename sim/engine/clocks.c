#include "sim/engine/clocks.h"

#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/random.h"
#include "sim/engine/round.h"
#include "sim/models/model.h"

enum { FEW_RANKS = 1 << 16 };

/* ---- Noise ------------------------------------------------------------------------------------------- */

/* In [0, 1). */
static double chance(uint64_t seed, int rank, int64_t k)
{
    uint64_t x = ar_mix(ar_mix(seed + UINT64_C(0x9e3779b97f4a7c15)) + (uint64_t)k);
    return (double)(ar_mix(x + (uint64_t)rank) >> 11) * 0x1p-53;
}

static void delay(struct ar_engine *r, int rank)
{
    r->clock[0][rank] += r->what->noise_s * chance(r->what->seed, rank, r->k);
}

static void delay_exchange(struct ar_engine *r)
{
    for (int i = 0; i < r->exchange.active.n; i++) {
        struct ar_part part = ar_exchange_part(&r->exchange, r->exchange.active.rank[i]);
        if (part.to != AR_NOBODY || part.from != AR_NOBODY)
            delay(r, r->exchange.active.rank[i]);
    }
}

/* Each rank once: both lists are grouped, so those that receive only are in one group of the second. */
static void delay_crowd(struct ar_engine *r)
{
    const struct ar_crowd_list *out = &r->crowd.out, *in = &r->crowd.in;
    int nranks = r->what->schedule->problem.nranks;
    bool *sends = ar_alloc((size_t)nranks, sizeof *sends);
    for (int64_t i = 0; i < out->n; i++)
        if (!sends[out->item[i].from]) {
            sends[out->item[i].from] = true;
            delay(r, out->item[i].from);
        }
    for (int64_t i = 0; i < in->n; i++)
        if (!sends[in->item[i].to] && (i == 0 || in->item[i].to != in->item[i - 1].to))
            delay(r, in->item[i].to);
    free(sends);
}

/* ---- All rounds -------------------------------------------------------------------------------------- */

static enum ar_status run_round(struct ar_engine *r, const struct ar_round_ways *ways, struct ar_error *error)
{
    struct ar_exchange *e = &r->exchange;
    int from, to;
    int64_t elements;
    if (!ar_exchange_round(&r->exchange, r->k)) {
        enum ar_status status = ar_crowd_match(&r->crowd, e, r->k, error);
        if (status != AR_OK)
            return status;
        if (r->what->noise_s > 0)
            delay_crowd(r);
        ways->crowded(r);
        return AR_OK;
    }
    if (!ar_exchange_matches(e, &from, &to, &elements))
        return ar_unmatched(r->k, from, to, elements, error);
    if (e->patterned && e->least == 0 && !e->more && !r->what->layout->token)
        return AR_OK;
    if (r->what->noise_s > 0)
        delay_exchange(r);
    (e->patterned ? ways->by_pattern : ways->by_rank)(r);
    return AR_OK;
}

/* What is per byte becomes per element, where a round is priced element by element. */
static struct ar_prices per_element(const struct ar_prices *prices, int64_t elem_bytes)
{
    struct ar_prices made = *prices;
    double bytes = (double)elem_bytes;
    if (prices->clocking != AR_ONE_CLOCK)
        return made;
    made.gamma_s_per_byte *= bytes;
    for (int r = 0; r < made.nregimes; r++) {
        made.from_bytes[r] /= bytes;
        for (int d = 0; d < made.ndistances; d++)
            made.line[d][r].beta_s_per_byte *= bytes;
    }
    return made;
}

static void free_rounds(struct ar_engine *r)
{
    ar_exchange_free(&r->exchange);
    ar_crowd_free(&r->crowd);
    ar_ports_free(r->ports);
    for (int c = 0; c < AR_MOST_CLOCKS; c++)
        free(r->clock[c]);
    free(r->message_s);
    free(r->met_s);
}

enum ar_status ar_simulate(const struct ar_simulation *what, struct ar_clocks *clocks, struct ar_error *error)
{
    size_t nranks = (size_t)what->schedule->problem.nranks;
    bool one = what->prices->clocking == AR_ONE_CLOCK;
    const struct ar_round_ways *ways = one ? &ar_one_clock_ways : &ar_three_clock_ways;
    int nclocks = one ? 1 : AR_MOST_CLOCKS;
    double rank_bytes = (double)(nclocks + 1 + !one) * sizeof(double) + ar_exchange_rank_bytes;
    enum ar_status status = AR_OK;
    if (nranks > FEW_RANKS) /* asking the machine takes longer than a small simulation */
        status = ar_memory_check((double)nranks * rank_bytes, "the simulation", error);
    if (status != AR_OK)
        return status;
    struct ar_engine r = {.what = what, .prices = per_element(what->prices, what->elem_bytes)};
    for (int c = 0; c < nclocks; c++)
        r.clock[c] = ar_alloc(nranks, sizeof *r.clock[c]);
    r.message_s = ar_alloc(nranks, sizeof *r.message_s);
    r.met_s = one ? NULL : ar_alloc(nranks, sizeof *r.met_s);
    if (what->start_s)
        memcpy(r.clock[0], what->start_s, nranks * sizeof *what->start_s);
    ar_exchange_init(&r.exchange, what->schedule, what->layout);
    for (; r.k < ar_nrounds(what->schedule) && status == AR_OK; r.k++)
        status = run_round(&r, ways, error);
    if (status == AR_OK) {
        *clocks = (struct ar_clocks){.transfers = r.transfers};
        for (size_t rank = 0; rank < nranks; rank++)
            clocks->time_s = ar_later(clocks->time_s, r.clock[0][rank]);
    }
    if (status == AR_OK && what->ends) {
        clocks->end_s = r.clock[0];
        r.clock[0] = NULL;
    }
    free_rounds(&r);
    return status;
}

enum ar_status ar_clocks_run(const struct ar_schedule *schedule, const struct ar_layout *layout,
                             int64_t elem_bytes, const struct ar_hockney *model, struct ar_clocks *clocks,
                             struct ar_error *error)
{
    struct ar_prices prices = ar_prices_of_hockney(model);
    struct ar_simulation what = {schedule, layout, elem_bytes, &prices, .ends = true};
    return ar_simulate(&what, clocks, error);
}

void ar_clocks_free(struct ar_clocks *clocks)
{
    free(clocks->end_s);
    *clocks = (struct ar_clocks){0};
}
