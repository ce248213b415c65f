#include "collectives/draw/picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"

enum { MANY = 3 }; /* so many rounds or ranks in a row are written as a range */

struct round {
    struct ar_text text;
    int shift;     /* the one distance at which all ranks send; 0: it is not like that */
    bool exchange; /* all send to r xor something */
};

struct picture {
    int nranks;
    bool *sends; /* [rank * nranks + peer], of the round at hand */
    struct round *round;
    int nrounds, capacity;
};

enum relation { BY_SHIFT, BY_XOR };

static int peer_at(const struct picture *p, enum relation relation, int rank, int distance)
{
    return relation == BY_XOR ? rank ^ distance : (rank + distance) % p->nranks;
}

static bool sends_at(const struct picture *p, enum relation relation, int rank, int distance)
{
    int peer = peer_at(p, relation, rank, distance);
    return peer < p->nranks && p->sends[rank * p->nranks + peer];
}

/* Whether all ranks send to the same distances; with `classes` 2, all even and all odd ones. Off powers of
 * two, xor leads some ranks nowhere. */
static bool alike(const struct picture *p, enum relation relation, int classes)
{
    if (p->nranks % classes != 0 || (relation == BY_XOR && (p->nranks & (p->nranks - 1))))
        return false;
    for (int rank = classes; rank < p->nranks; rank++)
        for (int d = 1; d < p->nranks; d++)
            if (sends_at(p, relation, rank, d) != sends_at(p, relation, rank % classes, d))
                return false;
    return true;
}

/* ---- One round --------------------------------------------------------------------------------------- */

/* "r->r+1,r-1", "r->r+1..7"; returns the distance if there is only one, else 0. */
static int write_shifts(const struct picture *p, int rank, struct ar_text *text)
{
    int n = 0, only = 0;
    for (int d = 1; d < p->nranks; d++) {
        int last = d;
        if (!sends_at(p, BY_SHIFT, rank, d))
            continue;
        while (last + 1 < p->nranks && sends_at(p, BY_SHIFT, rank, last + 1))
            last++;
        ar_text_add(text, n == 0 ? "r->" : ",");
        if (last - d + 1 >= MANY) {
            ar_text_add(text, "r+%d..%d", d, last);
            n += last - d + 1;
            d = last;
            continue;
        }
        ar_text_add(text, "r%+d", 2 * d > p->nranks ? d - p->nranks : d);
        only = d;
        n++;
    }
    return n == 1 ? only : 0;
}

static void write_exchanges(const struct picture *p, struct ar_text *text)
{
    for (int d = 1, n = 0; d < p->nranks; d++)
        if (sends_at(p, BY_XOR, 0, d))
            ar_text_add(text, "%sr^%d", n++ ? "," : "r<->", d);
}

static void write_messages(const struct picture *p, struct ar_text *text)
{
    for (int rank = 0, ranks = 0; rank < p->nranks; rank++) {
        int peers = 0;
        for (int peer = 0; peer < p->nranks; peer++) {
            if (!p->sends[rank * p->nranks + peer])
                continue;
            if (peers++ == 0)
                ar_text_add(text, "%s%d->%d", ranks++ ? " " : "", rank, peer);
            else
                ar_text_add(text, ",%d", peer);
        }
    }
}

/* Even and odd ranks, each where it sends. */
static void write_halves(const struct picture *p, struct ar_text *text)
{
    static const char *const half[] = {"even ", "odd "};
    for (int i = 0; i < 2; i++) {
        struct ar_text shifts = {0};
        write_shifts(p, i, &shifts);
        if (shifts.length > 0)
            ar_text_add(text, "%s%s%s", text->length > 0 ? ", " : "", half[i], shifts.data);
        ar_text_free(&shifts);
    }
}

/* Half way round, distance and xor are the same: then the round is like the one before. */
static void write_round(const struct picture *p, const struct round *before, struct round *round)
{
    bool shifts = alike(p, BY_SHIFT, 1), exchanges = alike(p, BY_XOR, 1);
    *round = (struct round){.exchange = exchanges && (!shifts || (before && before->exchange))};
    if (round->exchange)
        write_exchanges(p, &round->text);
    else if (shifts)
        round->shift = write_shifts(p, 0, &round->text);
    else if (p->nranks > 2 && alike(p, BY_SHIFT, 2))
        write_halves(p, &round->text);
    else
        write_messages(p, &round->text);
}

static void read_round(struct picture *p, const struct ar_schedule *schedule, int64_t k, struct ar_sink *sink)
{
    bool any = false;
    memset(p->sends, 0, (size_t)p->nranks * (size_t)p->nranks * sizeof *p->sends);
    for (int rank = 0; rank < p->nranks; rank++) {
        sink->n = 0;
        ar_schedule_round(schedule, rank, k, sink);
        for (int i = 0; i < sink->n; i++)
            if (sink->step[i].kind == AR_SEND)
                any = p->sends[rank * p->nranks + sink->step[i].peer] = true;
    }
    if (!any)
        return;
    AR_GROW(p->round, p->nrounds, p->capacity);
    write_round(p, p->nrounds > 0 ? &p->round[p->nrounds - 1] : NULL, &p->round[p->nrounds]);
    p->nrounds++;
}

/* ---- All of them ------------------------------------------------------------------------------------- */

/* Rounds from i on with the same text. */
static int repeats(const struct picture *p, int i)
{
    int n = 1;
    while (i + n < p->nrounds && strcmp(p->round[i + n].text.data, p->round[i].text.data) == 0)
        n++;
    return n;
}

/* Rounds from i on in which the distance grows by one. */
static int grows(const struct picture *p, int i)
{
    int n = 1;
    while (p->round[i].shift && i + n < p->nrounds && p->round[i + n].shift == p->round[i].shift + n)
        n++;
    return n;
}

static void write_times(const struct picture *p, int n, struct ar_text *text)
{
    if (n == 1)
        return;
    if (n == 2)
        ar_text_add(text, ", twice");
    else if (n == p->nranks - 1)
        ar_text_add(text, ", P-1 times");
    else if (n == 2 * (p->nranks - 1))
        ar_text_add(text, ", 2(P-1) times");
    else
        ar_text_add(text, ", %d times", n);
}

void ar_picture(const struct ar_schedule *schedule, struct ar_text *text)
{
    struct ar_sink sink = {.full = ar_sink_grow};
    struct picture p = {.nranks = schedule->problem.nranks};
    p.sends = ar_alloc((size_t)p.nranks * (size_t)p.nranks, sizeof *p.sends);
    for (int64_t k = 0; k < ar_nrounds(schedule); k++)
        read_round(&p, schedule, k, &sink);
    for (int i = 0, n; i < p.nrounds; i += n) {
        ar_text_add(text, "%s", i ? "; " : "");
        n = grows(&p, i);
        if (n >= MANY) {
            int first = p.round[i].shift, last = first + n - 1;
            ar_text_add(text, "r->r+k for k = %d..", first);
            if (last == p.nranks - 1)
                ar_text_add(text, "P-1");
            else
                ar_text_add(text, "%d", last);
        } else {
            n = repeats(&p, i);
            ar_text_add(text, "%s", p.round[i].text.data);
            write_times(&p, n, text);
        }
    }
    if (p.nrounds == 0)
        ar_text_add(text, "nothing");
    for (int i = 0; i < p.nrounds; i++)
        ar_text_free(&p.round[i].text);
    free(p.round);
    free(p.sends);
    free(sink.step);
}
