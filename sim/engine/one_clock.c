/* Rounds where a transfer keeps both its ends busy: Hockney's model and what is priced like it. */
#include <stdlib.h>

#include "collectives/base/memory.h"
#include "sim/engine/round.h"

/* ---- One message per port ---------------------------------------------------------------------------- */

static double slower(const struct ar_engine *r, int a, int b)
{
    return ar_later(ar_slow(r, a), ar_slow(r, b));
}

static bool is_plain(const struct ar_engine *r)
{
    return r->prices.ndistances == 1 && r->prices.nregimes == 1 && !r->what->slow;
}

static void by_rank(struct ar_engine *r)
{
    const struct ar_active *active = &r->exchange.active;
    const struct ar_part *part = r->exchange.part;
    double *clock = r->clock[0], *end = r->message_s, gamma_s = r->prices.gamma_s_per_byte;
    bool plain = is_plain(r);
    const struct ar_line line = r->prices.line[0][0];
    for (int i = 0; i < active->n; i++) {
        int rank = active->rank[i], to = part[rank].to;
        if (to == AR_NOBODY)
            continue;
        double n = (double)part[rank].sent, takes_s = line.alpha_s + n * line.beta_s_per_byte;
        if (!plain)
            takes_s = slower(r, rank, to) * ar_line_takes(&r->prices, rank, to, n);
        end[rank] = ar_later(clock[rank], clock[to]) + takes_s;
        r->transfers++;
    }
    for (int i = 0; i < active->n; i++) {
        int rank = active->rank[i], from = part[rank].from;
        double done_s = clock[rank];
        if (part[rank].to != AR_NOBODY)
            done_s = ar_later(done_s, end[rank]);
        if (from != AR_NOBODY)
            done_s = ar_later(done_s, end[from]);
        double combines_s = (double)part[rank].combined * gamma_s;
        clock[rank] = done_s + (plain ? combines_s : ar_slow(r, rank) * combines_s);
    }
}

/* ---- A pattern --------------------------------------------------------------------------------------- */

/* What all ranks share in the round. */
struct alike {
    const struct ar_engine *rounds;
    bool plain; /* one line, all ranks as fast */
    struct ar_line line;
    double least, gamma_s;
};

/* Ends of what n neighbours send to n neighbours: `least` and `more` elements. */
static void send_plain(const struct alike *all, const double *mine, const double *theirs, const int *more,
                       int n, double *restrict end)
{
    double alpha_s = all->line.alpha_s, beta_s = all->line.beta_s_per_byte, least = all->least;
    if (!more) {
        double takes_s = alpha_s + least * beta_s;
        for (int i = 0; i < n; i++)
            end[i] = ar_later(mine[i], theirs[i]) + takes_s;
        return;
    }
    for (int i = 0; i < n; i++)
        end[i] = ar_later(mine[i], theirs[i]) + (alpha_s + (least + (double)more[i]) * beta_s);
}

/* Ends of what they send and receive; `more`: elements received, NULL also where none are combined. */
static void receive_plain(const struct alike *all, const double *sent, const double *received,
                          const int *more, int n, double *restrict clock)
{
    double gamma_s = all->gamma_s, least = all->least;
    if (!more) {
        double combines_s = least * gamma_s;
        for (int i = 0; i < n; i++)
            clock[i] = ar_later(ar_later(clock[i], sent[i]), received[i]) + combines_s;
        return;
    }
    for (int i = 0; i < n; i++)
        clock[i] = ar_later(ar_later(clock[i], sent[i]), received[i]) + (least + (double)more[i]) * gamma_s;
}

/* The same where ranks or transfers differ: those of the ranks from `rank` on, with those from `peer` on. */
static void send_each(const struct alike *all, int rank, int peer, int n)
{
    const struct ar_engine *r = all->rounds;
    const double *clock = r->clock[0];
    for (int i = 0; i < n; i++) {
        double elements = all->least + (r->exchange.more ? (double)r->exchange.more[rank + i] : 0);
        double takes_s = ar_line_takes(&r->prices, rank + i, peer + i, elements);
        r->message_s[rank + i] =
            ar_later(clock[rank + i], clock[peer + i]) + slower(r, rank + i, peer + i) * takes_s;
    }
}

static void receive_each(const struct alike *all, int rank, int peer, int n)
{
    const struct ar_engine *r = all->rounds;
    const double *end = r->message_s;
    double *clock = r->clock[0];
    for (int i = 0; i < n; i++) {
        double elements = all->least + (r->exchange.more ? (double)r->exchange.more[peer + i] : 0);
        double done_s = ar_later(ar_later(clock[rank + i], end[rank + i]), end[peer + i]);
        clock[rank + i] = done_s + ar_slow(r, rank + i) * (elements * all->gamma_s);
    }
}

/* All ranks at once; what each does is by_rank's. */
static void by_pattern(struct ar_engine *r)
{
    const struct ar_exchange *e = &r->exchange;
    int nranks = r->what->schedule->problem.nranks, peer;
    double *clock = r->clock[0], *end = r->message_s;
    const struct alike all = {r, is_plain(r), r->prices.line[0][0], (double)e->least,
                              e->pattern.reduce ? r->prices.gamma_s_per_byte : 0};
    for (int rank = 0, n; rank < nranks; rank += n) {
        n = ar_exchange_run(e, true, rank, &peer);
        if (peer == AR_NOBODY)
            continue;
        if (all.plain)
            send_plain(&all, &clock[rank], &clock[peer], e->more ? &e->more[rank] : NULL, n, &end[rank]);
        else
            send_each(&all, rank, peer, n);
        r->transfers += n;
        for (int i = rank; i < rank + n && e->least == 0 && e->more; i++)
            if (e->more[i] == 0) {
                end[i] = 0; /* which no one waits for: there is none */
                r->transfers--;
            }
    }
    const int *more = e->pattern.reduce ? e->more : NULL;
    for (int rank = 0, n; rank < nranks; rank += n) {
        n = ar_exchange_run(e, false, rank, &peer);
        if (peer == AR_NOBODY)
            continue;
        if (all.plain)
            receive_plain(&all, &end[rank], &end[peer], more ? &more[peer] : NULL, n, &clock[rank]);
        else
            receive_each(&all, rank, peer, n);
    }
}

/* ---- Several messages per port ----------------------------------------------------------------------- */

static void crowded(struct ar_engine *r)
{
    int nranks = r->what->schedule->problem.nranks;
    const struct ar_active *active = &r->exchange.active;
    double *done_s = ar_alloc((size_t)nranks, sizeof *done_s);
    if (!r->ports)
        r->ports = ar_ports_new(nranks);
    for (int64_t i = 0; i < r->crowd.out.n; i++) {
        struct ar_delivery *t = &r->crowd.out.item[i];
        t->takes_s =
            slower(r, t->from, t->to) * ar_line_takes(&r->prices, t->from, t->to, (double)t->elements);
    }
    for (int i = 0; i < active->n; i++)
        done_s[active->rank[i]] = r->clock[0][active->rank[i]];
    ar_ports_run(r->ports, r->crowd.out.item, r->crowd.out.n, r->clock[0], done_s);
    for (int i = 0; i < active->n; i++) {
        int rank = active->rank[i];
        double combines_s = (double)r->crowd.combined[rank] * r->prices.gamma_s_per_byte;
        r->clock[0][rank] = done_s[rank] + ar_slow(r, rank) * combines_s;
    }
    free(done_s);
    r->transfers += r->crowd.out.n;
}

const struct ar_round_ways ar_one_clock_ways = {by_rank, by_pattern, crowded};
