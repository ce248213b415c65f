#include "collectives/combinators.h"

#include "collectives/patterns/binomial.h"
#include "collectives/patterns/pairs.h"

/* ---- The primitive ----------------------------------------------------------------------------------- */

/* A child's steps pass through a small buffer and leave it translated, so that a round of any length needs no
 * memory. */
enum { PASSING_STEPS = 16 };

struct passing {
    struct ar_sink sink; /* first, so that the sink's address is this struct's */
    struct ar_sink *parent;
    struct ar_view view;
    struct ar_step step[PASSING_STEPS];
};

static uint8_t reversed_kind(uint8_t kind, enum ar_direction direction)
{
    if (kind != AR_SEND)
        return AR_SEND;
    return direction == AR_BACKWARD_REDUCE ? AR_RECEIVE_REDUCE : AR_RECEIVE;
}

/* The same runs counted from the window's end. A run's blocks keep their order among each other's names on
 * both ends of a message, so it may be turned round. */
static void mirror(struct ar_step *step)
{
    step->set.first = step->modulus - step->set.first - step->set.length;
    step->set.stride = -step->set.stride;
}

static void pass_on(struct ar_sink *sink)
{
    struct passing *passing = (struct passing *)sink;
    const struct ar_view *view = &passing->view;
    for (int i = 0; i < sink->n; i++) {
        struct ar_step step = sink->step[i];
        if (view->mirrored)
            mirror(&step);
        if (view->rank && step.peer >= 0)
            step.peer = view->rank(view->context, step.peer);
        step.set.first *= view->scale;
        step.set.length *= view->scale;
        step.set.stride *= view->scale;
        step.modulus *= view->scale;
        step.base = view->base + step.base * view->scale;
        if (view->direction != AR_FORWARD)
            step.kind = reversed_kind(step.kind, view->direction);
        ar_emit(passing->parent, step);
    }
    sink->n = 0;
}

void ar_sub(const struct ar_schedule *child, int rank, int64_t k, struct ar_view view, struct ar_sink *sink)
{
    if (k < 0 || k >= ar_nrounds(child))
        return;
    struct passing passing; /* its steps stay uninitialised */
    passing.sink = (struct ar_sink){passing.step, 0, PASSING_STEPS, pass_on, 0};
    passing.parent = sink;
    passing.view = view;
    ar_schedule_round(child, rank, k, &passing.sink);
    pass_on(&passing.sink);
}

/* ---- Sequence ---------------------------------------------------------------------------------------- */

int64_t ar_greatest_common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int64_t ar_least_common_multiple(int64_t a, int64_t b)
{
    return a / ar_greatest_common_divisor(a, b) * b;
}

int64_t ar_sequence_rounds(const struct ar_schedule *child, int nchildren)
{
    int64_t rounds = 0;
    for (int i = 0; i < nchildren; i++)
        rounds += ar_nrounds(&child[i]);
    return rounds;
}

int64_t ar_sequence_blocks(const struct ar_schedule *child, int nchildren)
{
    int64_t nblocks = 1;
    for (int i = 0; i < nchildren; i++)
        nblocks = ar_least_common_multiple(nblocks, ar_nblocks(&child[i]));
    return nblocks;
}

void ar_sequence_round(const struct ar_schedule *child, int nchildren, int rank, int64_t k,
                       struct ar_sink *sink)
{
    for (int i = 0; i < nchildren; i++) {
        int64_t rounds = ar_nrounds(&child[i]);
        if (k < rounds) {
            int64_t scale = sink->nblocks / ar_nblocks(&child[i]);
            ar_sub(&child[i], rank, k, (struct ar_view){.scale = scale}, sink);
            return;
        }
        k -= rounds;
    }
}

struct ar_cost ar_sequence_cost(const struct ar_schedule *child, int nchildren)
{
    struct ar_cost cost = {0};
    for (int i = 0; i < nchildren; i++)
        cost = ar_cost_plus(cost, child[i].algorithm->cost(&child[i].problem));
    return cost;
}

void ar_activity_add(struct ar_activity *activity, const struct ar_schedule *child, int rank, int64_t from)
{
    int64_t first, last;
    ar_schedule_span(child, rank, &first, &last);
    if (first > last)
        return;
    first += from;
    if (activity->last < 0) {
        activity->first = first;
    } else if (first - activity->last > activity->pause_last - activity->pause_first + 2) {
        activity->pause_first = activity->last + 1;
        activity->pause_last = first - 1;
    }
    activity->last = last + from;
}

struct ar_activity ar_sequence_activity(const struct ar_schedule *child, int nchildren, int rank)
{
    struct ar_activity activity = AR_IDLE;
    int64_t from = 0;
    for (int i = 0; i < nchildren; from += ar_nrounds(&child[i++]))
        ar_activity_add(&activity, &child[i], rank, from);
    return activity;
}

/* ---- Segments ---------------------------------------------------------------------------------------- */

int64_t ar_segments_rounds(const struct ar_schedule *child, int64_t nsegments, int64_t period)
{
    int64_t rounds = ar_nrounds(child);
    return rounds == 0 ? 0 : rounds + (nsegments - 1) * period;
}

void ar_segments_round(const struct ar_schedule *child, int64_t nsegments, int64_t period, int rank,
                       int64_t k, struct ar_sink *sink)
{
    /* Segment s is in its round k - s * period, which must lie in the rank's span [first, last]. */
    int64_t first, last;
    ar_schedule_span(child, rank, &first, &last);
    if (first > last || k < first)
        return;
    int64_t newest = (k - first) / period;
    int64_t oldest = k <= last ? 0 : (k - last + period - 1) / period;
    int64_t each = ar_nblocks(child);
    for (int64_t s = oldest; s <= newest && s < nsegments; s++)
        ar_sub(child, rank, k - s * period, (struct ar_view){.base = s * each, .scale = 1}, sink);
}

/* ---- Overlap ------------------------------------------------------------------------------------------ */

int64_t ar_overlap_rounds(const struct ar_schedule *child, const int64_t *from, int nchildren)
{
    int64_t rounds = 0;
    for (int i = 0; i < nchildren; i++) {
        int64_t last = from[i] + ar_nrounds(&child[i]);
        rounds = last > rounds ? last : rounds;
    }
    return rounds;
}

int64_t ar_overlap_blocks(const struct ar_schedule *child, int nchildren)
{
    int64_t blocks = 0;
    for (int i = 0; i < nchildren; i++)
        blocks += ar_nblocks(&child[i]);
    return blocks;
}

void ar_overlap_round(const struct ar_schedule *child, const int64_t *from, int nchildren, int rank,
                      int64_t k, struct ar_sink *sink)
{
    struct ar_view view = {.scale = 1};
    for (int i = 0; i < nchildren; view.base += ar_nblocks(&child[i++]))
        ar_sub(&child[i], rank, k - from[i], view, sink);
}

/* ---- Channels ---------------------------------------------------------------------------------------- */

static int mirrored_rank(const void *nranks, int rank)
{
    return *(const int *)nranks - 1 - rank;
}

void ar_channels_round(const struct ar_schedule *child, int nchannels, int rank, int64_t k,
                       struct ar_sink *sink)
{
    const int *nranks = &child->problem.nranks;
    for (int c = 0; c < nchannels; c++) {
        struct ar_view view = {.base = c * ar_nblocks(child), .scale = 1, .mirrored = c % 2};
        if (view.mirrored) {
            view.rank = mirrored_rank;
            view.context = nranks;
        }
        ar_sub(child, view.mirrored ? mirrored_rank(nranks, rank) : rank, k, view, sink);
    }
}

/* ---- Fold-in ----------------------------------------------------------------------------------------- */

int ar_fold_in_survivors(int nranks)
{
    return 1 << ar_log2_floor(nranks);
}

static int rank_of_survivor(const void *pairs, int survivor)
{
    return ar_pairs_rank(survivor, *(const int *)pairs);
}

int64_t ar_fold_in_rounds(const struct ar_schedule *child, int nranks)
{
    return ar_nrounds(child) + (child->problem.nranks < nranks ? 2 : 0);
}

void ar_fold_in_round(const struct ar_schedule *child, int nranks, int rank, int64_t k, struct ar_sink *sink)
{
    int pairs = nranks - child->problem.nranks;
    if (pairs == 0) {
        ar_schedule_round(child, rank, k, sink);
        return;
    }
    int survivor = ar_pairs_survivor(rank, pairs);
    bool paired = rank < 2 * pairs, odd = rank % 2;
    struct ar_blocks all = ar_block_run(0, sink->nblocks);
    if (k == 0) {
        if (paired && odd)
            ar_receive_reduce(sink, rank - 1, AR_BY_RANK, all);
        else if (paired)
            ar_send(sink, rank + 1, all);
    } else if (k == ar_nrounds(child) + 1) {
        if (paired && odd)
            ar_send(sink, rank - 1, all);
        else if (paired)
            ar_receive(sink, rank + 1, all);
    } else if (survivor >= 0) {
        struct ar_view view = {.scale = 1, .rank = rank_of_survivor, .context = &pairs};
        ar_sub(child, survivor, k - 1, view, sink);
    }
}

/* ---- Reversed ---------------------------------------------------------------------------------------- */

void ar_reversed_round(const struct ar_schedule *child, enum ar_direction direction, int rank, int64_t k,
                       struct ar_sink *sink)
{
    ar_sub(child, rank, ar_nrounds(child) - 1 - k, (struct ar_view){.scale = 1, .direction = direction},
           sink);
}

void ar_reversed_span(const struct ar_schedule *child, int rank, int64_t *first, int64_t *last)
{
    int64_t child_first, child_last;
    ar_schedule_span(child, rank, &child_first, &child_last);
    *first = ar_nrounds(child) - 1 - child_last;
    *last = ar_nrounds(child) - 1 - child_first;
}
