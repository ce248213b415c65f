#include "collectives/draw/steps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/messages.h"
#include "collectives/registry.h"
#include "collectives/verify/verify.h"

enum { LABEL = 9, GAP = 2 }; /* columns: "round 1  ", and between two ranks */

struct drawing {
    const struct ar_schedule *schedule;
    const struct ar_collective *collective;
    struct ar_layout layout;
    struct ar_messages messages;
    int nranks, width;
    int64_t nblocks;
    struct ar_text *text;

    /* Found by measuring. */
    bool side_by_side;
    bool combines, stores, uses_input, uses_scratch; /* what the legend must explain */
    size_t field;                                    /* of the contributions of one block */
    size_t actions;                                  /* of the longest list of actions */
    size_t *column;                                  /* [rank] */
};

/* ---- What a rank does in a round --------------------------------------------------------------------- */

static const char *place_name(int place)
{
    return place == AR_INPUT ? "own" : place == AR_SCRATCH ? "tmp" : "vec";
}

static bool same_transfer(const struct ar_action *a, const struct ar_action *b)
{
    return a->kind == b->kind && a->message == b->message && a->from == b->from && a->to == b->to;
}

/* Appends "2->1", "+0-3<-2", "=tmp:1<-own" and the like for `n` actions of one transfer. */
static void add_transfer(struct drawing *d, const struct ar_action *action, int n, struct ar_text *text)
{
    bool sends = action->kind == AR_SEND;
    bool combines = action->kind == AR_RECEIVE_REDUCE || action->kind == AR_FOLD;
    int place = sends ? action->from : action->to;
    if (text->length > 0)
        ar_text_add(text, " ");
    if (!sends)
        ar_text_add(text, combines ? "+" : "=");
    if (place != AR_VECTOR)
        ar_text_add(text, "%s:", place_name(place));
    struct ar_ranges ranges = {text};
    for (int i = 0; i < n && d->nblocks > 1; i++)
        for (int64_t j = 0; j < action[i].length; j++)
            ar_ranges_add(&ranges, action[i].offset + j);
    ar_ranges_end(&ranges);
    ar_text_add(text, sends ? "->" : "<-");
    if (action->message >= 0)
        ar_text_add(text, "%d", d->messages.message[action->message].peer);
    else
        ar_text_add(text, "%s", place_name(action->from));
    d->combines |= combines;
    d->stores |= !sends && !combines;
    bool reads_place = sends || action->message < 0;
    d->uses_input |= reads_place && action->from == AR_INPUT;
    d->uses_scratch |= (reads_place && action->from == AR_SCRATCH) || (!sends && action->to == AR_SCRATCH);
}

/* Replaces `text` by what `rank` does in round k, sends first; empty when it is idle. */
static void list_actions(struct drawing *d, int rank, int64_t k, struct ar_text *text)
{
    text->length = 0;
    ar_messages_of_round(d->schedule, &d->layout, rank, k, &d->messages);
    for (int sends = 1; sends >= 0; sends--)
        for (int i = 0, n; i < d->messages.nactions; i += n) {
            const struct ar_action *action = &d->messages.action[i];
            for (n = 1; i + n < d->messages.nactions && same_transfer(action, action + n);)
                n++;
            if (sends == (action->kind == AR_SEND))
                add_transfer(d, action, n, text);
        }
}

/* Appends "013", "0-11" or ".". */
static void add_contributions(const struct drawing *d, const struct ar_symbolic *symbolic, int expression,
                              struct ar_text *text)
{
    const struct ar_expressions *expressions = ar_symbolic_expressions(symbolic);
    struct ar_ranges ranges = {text};
    for (int rank = 0; rank < d->nranks; rank++)
        if (!ar_expressions_contains(expressions, expression, rank))
            continue;
        else if (d->nranks <= 10)
            ar_text_add(text, "%d", rank);
        else
            ar_ranges_add(&ranges, rank);
    ar_ranges_end(&ranges);
    if (expression == 0)
        ar_text_add(text, ".");
}

/* ---- Measuring --------------------------------------------------------------------------------------- */

static void measure_held(struct drawing *d, const struct ar_symbolic *symbolic)
{
    struct ar_text text = {0};
    for (int rank = 0; rank < d->nranks; rank++)
        for (int64_t block = 0; block < d->nblocks; block++) {
            text.length = 0;
            add_contributions(d, symbolic, ar_symbolic_held(symbolic, rank, block), &text);
            d->field = text.length > d->field ? text.length : d->field;
        }
    ar_text_free(&text);
}

static void measure_round(struct drawing *d, int64_t k)
{
    struct ar_text text = {0};
    for (int rank = 0; rank < d->nranks; rank++) {
        list_actions(d, rank, k, &text);
        d->column[rank] = text.length > d->column[rank] ? text.length : d->column[rank];
        d->actions = text.length > d->actions ? text.length : d->actions;
    }
    ar_text_free(&text);
}

/* Walks the schedule up to its end or first fault, to learn widths and what the legend needs. */
static enum ar_status measure(struct drawing *d, struct ar_error *error)
{
    struct ar_symbolic *symbolic;
    enum ar_status status = ar_symbolic_new(d->schedule, &symbolic, error);
    if (status != AR_OK)
        return status;
    int64_t nrounds = ar_nrounds(d->schedule);
    bool may_fit = d->nranks <= d->width && d->nblocks <= d->width; /* two columns each, at least */
    for (int rank = 0; rank < d->nranks; rank++)
        d->column[rank] = (size_t)snprintf(NULL, 0, "rank %d", rank);
    if (may_fit)
        measure_held(d, symbolic);
    for (int64_t k = 0; k < nrounds && ar_symbolic_round(symbolic, k, NULL) == AR_OK; k++) {
        measure_round(d, k);
        if (may_fit)
            measure_held(d, symbolic);
    }
    ar_symbolic_free(symbolic);
    size_t total = LABEL, held = (size_t)d->nblocks * (d->field + 1) - 1;
    for (int rank = 0; rank < d->nranks && may_fit; rank++) {
        d->column[rank] = held > d->column[rank] ? held : d->column[rank];
        total += d->column[rank] + (rank > 0 ? GAP : 0);
    }
    d->side_by_side = may_fit && total <= (size_t)d->width;
    return AR_OK;
}

/* ---- Drawing: the legend ----------------------------------------------------------------------------- */

static void add_legend(struct drawing *d)
{
    const char *b = d->nblocks > 1 ? "B" : "", *what = d->nblocks > 1 ? "B" : "what comes";
    const char *item[6];
    char send[64], combine[64], store[64], places[64], below[64], pair[64];
    const char *held = d->nblocks > 1 ? "ranks per block" : "ranks in the vector";
    int n = 0;
    snprintf(send, sizeof send, "%s->R: send %s%sto R", b, d->nblocks > 1 ? "block " : "",
             d->nblocks > 1 ? "B " : "");
    snprintf(combine, sizeof combine, "+%s<-R: combine %s from R", b, what);
    snprintf(store, sizeof store, "=%s<-R: store %s from R", b, what);
    snprintf(places, sizeof places, "%s%s%s", d->uses_input ? "own: the rank's input" : "",
             d->uses_input && d->uses_scratch ? "; " : "", d->uses_scratch ? "tmp: scratch" : "");
    item[n++] = send;
    if (d->combines)
        item[n++] = combine;
    if (d->stores)
        item[n++] = store;
    if (*places)
        item[n++] = places;
    if (d->collective->starts == AR_AT_SOURCE && d->nranks > 1) {
        snprintf(pair, sizeof pair, "block B: from rank B / %d to rank B mod %d", d->nranks, d->nranks);
        item[n++] = pair;
    }
    if (d->collective->token)
        held = "ranks known to have entered";
    snprintf(below, sizeof below, "%s%s%s", d->side_by_side ? "below: " : "at the end: ",
             d->side_by_side || d->collective->token ? held : "ranks in the blocks that changed",
             d->side_by_side && d->collective->starts != AR_AT_ALL ? " (. nothing)" : "");
    item[n++] = below;
    size_t line = 0;
    for (int i = 0; i < n; i++) {
        size_t length = strlen(item[i]);
        if (i > 0) { /* on to a second line where the first is full */
            bool full = line + 2 + length > (size_t)d->width;
            ar_text_add(d->text, full ? ";\n" : "; ");
            line = full ? 0 : line + 2;
        }
        ar_text_add(d->text, "%s", item[i]);
        line += length;
    }
    ar_text_add(d->text, "\n");
}

static void end_line(struct ar_text *text)
{
    while (text->length > 0 && text->data[text->length - 1] == ' ')
        text->length--;
    ar_text_add(text, "\n");
}

/* ---- Drawing: side by side --------------------------------------------------------------------------- */

static size_t column_of(const struct drawing *d, int rank)
{
    size_t at = LABEL;
    for (int i = 0; i < rank; i++)
        at += d->column[i] + GAP;
    return at;
}

static void draw_held(struct drawing *d, const struct ar_symbolic *symbolic, const char *label)
{
    ar_text_add(d->text, "%s", label);
    for (int rank = 0; rank < d->nranks; rank++)
        for (int64_t block = 0; block < d->nblocks; block++) {
            ar_text_pad(d->text, column_of(d, rank) + (size_t)block * (d->field + 1));
            add_contributions(d, symbolic, ar_symbolic_held(symbolic, rank, block), d->text);
        }
    end_line(d->text);
}

static void draw_head(struct drawing *d, const struct ar_symbolic *symbolic)
{
    for (int rank = 0; rank < d->nranks; rank++) {
        ar_text_pad(d->text, column_of(d, rank));
        ar_text_add(d->text, "rank %d", rank);
    }
    end_line(d->text);
    draw_held(d, symbolic, "start");
}

static void draw_round(struct drawing *d, const struct ar_symbolic *symbolic, int64_t k, bool changed)
{
    struct ar_text actions = {0};
    bool idle = true;
    size_t start = d->text->length;
    ar_text_add(d->text, "round %" PRId64, k + 1);
    for (int rank = 0; rank < d->nranks; rank++) {
        list_actions(d, rank, k, &actions);
        ar_text_pad(d->text, column_of(d, rank));
        ar_text_add(d->text, "%s", actions.length ? actions.data : "-");
        idle &= actions.length == 0;
    }
    end_line(d->text);
    if (idle) {
        d->text->length = start;
        d->text->data[start] = '\0';
    } else if (changed) {
        draw_held(d, symbolic, "");
    }
    ar_text_free(&actions);
}

/* ---- Drawing: rank by rank --------------------------------------------------------------------------- */

static void list_head(struct drawing *d)
{
    ar_text_add(d->text, "start: ");
    if (d->collective->starts == AR_AT_ROOT)
        ar_text_add(d->text, "rank %d has the vector, in %" PRId64 " block%s\n", d->schedule->problem.root,
                    d->nblocks, d->nblocks == 1 ? "" : "s");
    else
        ar_text_add(d->text, "every rank has its own %s, %" PRId64 " block%s in all\n",
                    d->collective->starts == AR_AT_OWNER ? "part" : "vector", d->nblocks,
                    d->nblocks == 1 ? "" : "s");
}

/* Appends " 3-4:{0,1}" for every run of blocks that changed to the same expression. */
static void add_changed(const struct drawing *d, const struct ar_symbolic *symbolic, const int *before,
                        int rank)
{
    for (int64_t block = 0, n; block < d->nblocks; block += n) {
        int held = ar_symbolic_held(symbolic, rank, block);
        n = 1;
        if (held == before[block])
            continue;
        while (block + n < d->nblocks && ar_symbolic_held(symbolic, rank, block + n) == held &&
               before[block + n] != held)
            n++;
        ar_text_add(d->text, " ");
        struct ar_ranges ranges = {d->text};
        for (int64_t i = 0; i < n && d->nblocks > 1; i++)
            ar_ranges_add(&ranges, block + i);
        ar_ranges_end(&ranges);
        ar_text_add(d->text, "%s", d->nblocks > 1 ? ":" : "");
        ar_expressions_set(ar_symbolic_expressions(symbolic), held, d->text);
    }
}

static void list_round(struct drawing *d, const struct ar_symbolic *symbolic, int64_t k, const int *before)
{
    struct ar_text actions = {0};
    for (int rank = 0; rank < d->nranks; rank++) {
        list_actions(d, rank, k, &actions);
        if (actions.length == 0)
            continue;
        ar_text_add(d->text, "round %-4" PRId64 "rank %-5d%s", k + 1, rank, actions.data);
        ar_text_pad(d->text, strlen("round 1   rank 1    ") + d->actions + 1);
        add_changed(d, symbolic, before + (size_t)rank * (size_t)d->nblocks, rank);
        end_line(d->text);
    }
    ar_text_free(&actions);
}

/* ---- Both -------------------------------------------------------------------------------------------- */

/* Copies what is held to `before`; true when that changed anything. */
static bool remember(const struct drawing *d, const struct ar_symbolic *symbolic, int *before)
{
    bool changed = false;
    for (int rank = 0; rank < d->nranks; rank++)
        for (int64_t block = 0; block < d->nblocks; block++) {
            int held = ar_symbolic_held(symbolic, rank, block);
            changed |= *before != held;
            *before++ = held;
        }
    return changed;
}

static enum ar_status draw_rounds(struct drawing *d, struct ar_error *error)
{
    struct ar_symbolic *symbolic;
    enum ar_status status = ar_symbolic_new(d->schedule, &symbolic, error);
    if (status != AR_OK)
        return status;
    int *before = ar_alloc((size_t)d->nranks * (size_t)d->nblocks, sizeof *before);
    int64_t nrounds = ar_nrounds(d->schedule);
    remember(d, symbolic, before);
    if (d->side_by_side)
        draw_head(d, symbolic);
    else
        list_head(d);
    for (int64_t k = 0; k < nrounds; k++) {
        status = ar_symbolic_round(symbolic, k, error);
        if (status != AR_OK)
            break;
        if (d->side_by_side)
            draw_round(d, symbolic, k, remember(d, symbolic, before));
        else {
            list_round(d, symbolic, k, before);
            remember(d, symbolic, before);
        }
    }
    free(before);
    ar_symbolic_free(symbolic);
    return status;
}

enum ar_status ar_draw_steps(const struct ar_schedule *schedule, int width, struct ar_text *text,
                             struct ar_error *error)
{
    struct drawing d = {.schedule = schedule,
                        .collective = &ar_collectives[schedule->algorithm->collective],
                        .layout = ar_layout_of_blocks(ar_nblocks(schedule)),
                        .nranks = schedule->problem.nranks,
                        .width = width,
                        .nblocks = ar_nblocks(schedule),
                        .text = text};
    d.column = ar_alloc((size_t)d.nranks, sizeof *d.column);
    enum ar_status status = measure(&d, error);
    if (status == AR_OK) {
        add_legend(&d);
        status = draw_rounds(&d, error);
    }
    free(d.column);
    ar_messages_free(&d.messages);
    return status;
}
