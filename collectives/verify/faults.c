#include "collectives/verify/symbolic.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "collectives/registry.h"

/* ---- Sentences --------------------------------------------------------------------------------------- */

enum { LONGEST_LIST = 160 };

void ar_schedule_describe(const struct ar_schedule *schedule, struct ar_text *text)
{
    const struct ar_algorithm *algorithm = schedule->algorithm;
    int nranks = schedule->problem.nranks;
    ar_text_add(text, "%s:%s, %d rank%s", ar_collectives[algorithm->collective].name, algorithm->name, nranks,
                nranks == 1 ? "" : "s");
    if (ar_collective_rooted(algorithm->collective))
        ar_text_add(text, ", root %d", schedule->problem.root);
}

enum ar_status ar_fault(const struct ar_symbolic *s, struct ar_error *error, const char *format, ...)
{
    struct ar_text schedule = {0};
    char what[sizeof error->text];
    ar_schedule_describe(s->schedule, &schedule);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    enum ar_status status =
        ar_fail(error, AR_FAILED, "%s, round %" PRId64 ": %s", schedule.data, s->round + 1, what);
    ar_text_free(&schedule);
    return status;
}

/* Appends "block 3" or "blocks 0-2,5". */
static void end_of_blocks(struct ar_text *text, struct ar_text *list, struct ar_ranges *ranges)
{
    ar_ranges_end(ranges);
    ar_text_shorten(list, LONGEST_LIST);
    ar_text_add(text, "%s %s", ranges->n == 1 ? "block" : "blocks", list->data ? list->data : "");
    ar_text_free(list);
}

static void add_blocks_sent(const struct ar_symbolic *s, const struct ar_sent *sent, struct ar_text *text)
{
    struct ar_text list = {0};
    struct ar_ranges ranges = {&list};
    for (int64_t i = 0; i < sent->n; i++)
        ar_ranges_add(&ranges, s->carried[sent->first + i].block);
    end_of_blocks(text, &list, &ranges);
}

static void add_blocks_expected(const struct ar_symbolic *s, int rank, int peer, struct ar_text *text)
{
    struct ar_text list = {0};
    struct ar_ranges ranges = {&list};
    for (int64_t i = 0; i < s->npending; i++) {
        const struct ar_pending *pending = &s->pending[i];
        if (pending->rank == rank && pending->peer == peer)
            for (int64_t j = 0; j < pending->action.length; j++)
                ar_ranges_add(&ranges, pending->action.offset + j);
    }
    end_of_blocks(text, &list, &ranges);
}

enum ar_status ar_fault_blocks_differ(const struct ar_symbolic *s, const struct ar_sent *sent,
                                      struct ar_error *error)
{
    struct ar_text expected = {0}, given = {0};
    add_blocks_expected(s, sent->peer, sent->rank, &expected);
    add_blocks_sent(s, sent, &given);
    enum ar_status status = ar_fault(s, error, "rank %d expects %s from rank %d, which sends %s", sent->peer,
                                     expected.data, sent->rank, given.data);
    ar_text_free(&expected);
    ar_text_free(&given);
    return status;
}

enum ar_status ar_fault_never_received(const struct ar_symbolic *s, const struct ar_sent *sent,
                                       struct ar_error *error)
{
    struct ar_text given = {0};
    add_blocks_sent(s, sent, &given);
    enum ar_status status = ar_fault(s, error, "rank %d sends %s to rank %d, which does not expect a message",
                                     sent->rank, given.data, sent->peer);
    ar_text_free(&given);
    return status;
}

enum ar_status ar_fault_never_sent(const struct ar_symbolic *s, int rank, int peer,
                                   const struct ar_sent *stray, struct ar_error *error)
{
    struct ar_text text = {0};
    if (stray) {
        ar_text_add(&text, "; rank %d sends ", stray->rank);
        add_blocks_sent(s, stray, &text);
        ar_text_add(&text, " to rank %d, which does not expect it", stray->peer);
    }
    enum ar_status status = ar_fault(s, error, "rank %d expects a message from rank %d, which sends none%s",
                                     rank, peer, stray ? text.data : "");
    ar_text_free(&text);
    return status;
}

enum ar_status ar_fault_counts_twice(const struct ar_symbolic *s, int rank, int64_t block, int held,
                                     int other, struct ar_error *error)
{
    struct ar_text x = {0}, y = {0};
    int twice = 0;
    while (!ar_expressions_contains(&s->expressions, held, twice) ||
           !ar_expressions_contains(&s->expressions, other, twice))
        twice++;
    ar_expressions_set(&s->expressions, held, &x);
    ar_expressions_set(&s->expressions, other, &y);
    ar_text_shorten(&x, LONGEST_LIST);
    ar_text_shorten(&y, LONGEST_LIST);
    enum ar_status status = ar_fault(s, error,
                                     "rank %d, block %" PRId64
                                     " combines %s with %s: the contribution of rank %d would count twice",
                                     rank, block, x.data, y.data, twice);
    ar_text_free(&x);
    ar_text_free(&y);
    return status;
}

/* ---- Steps ------------------------------------------------------------------------------------------- */

/* A set that expands to at most all blocks of its window, and a window inside the block space. */
static enum ar_status check_blocks(const struct ar_symbolic *s, int rank, const struct ar_step *step,
                                   struct ar_error *error)
{
    const struct ar_blocks *set = &step->set;
    int64_t each = set->length > 1 ? set->length : 1, end;
    if (step->modulus < 1)
        return ar_fault(s, error, "rank %d names blocks modulo %" PRId64 ", expected at least 1", rank,
                        step->modulus);
    if (step->base < 0 || step->modulus > s->nblocks || step->base > s->nblocks - step->modulus)
        return ar_fault(
            s, error,
            "rank %d names blocks %" PRId64 "..%" PRId64 ", but there are only %" PRId64 " (counted from 0)",
            rank, step->base, (int64_t)((uint64_t)step->base + (uint64_t)step->modulus - 1), s->nblocks);
    if (set->length < 0 || set->count < 0 || set->count > step->modulus / each)
        return ar_fault(s, error,
                        "rank %d names %" PRId64 " x %" PRId64 " blocks in one step, expected 0..%" PRId64,
                        rank, set->count, set->length, step->modulus);
    if (__builtin_mul_overflow(set->count, set->stride, &end) ||
        __builtin_add_overflow(set->first, end, &end))
        return ar_fault(
            s, error, "rank %d names blocks from %" PRId64 " on, one every %" PRId64 ": that leaves 64 bits",
            rank, set->first, set->stride);
    return AR_OK;
}

enum ar_status ar_fault_of_step(const struct ar_symbolic *s, int rank, const struct ar_step *step,
                                struct ar_error *error)
{
    bool local = step->kind == AR_COPY || step->kind == AR_FOLD;
    if (step->kind > AR_FOLD || step->order > AR_OTHER_FIRST || step->from >= AR_NPLACES ||
        step->to >= AR_NPLACES)
        return ar_fault(s, error,
                        "rank %d emits a step that does not exist (kind %d, order %d, from %d, to %d)", rank,
                        step->kind, step->order, step->from, step->to);
    if (!local && (step->peer < 0 || step->peer >= s->nranks))
        return ar_fault(s, error, "rank %d names rank %d, which does not exist", rank, step->peer);
    if (step->peer == rank)
        return ar_fault(s, error, "rank %d %s itself", rank,
                        step->kind == AR_SEND ? "sends a message to" : "expects a message from");
    if (local && step->peer >= 0)
        return ar_fault(s, error, "rank %d names rank %d in a local step", rank, step->peer);
    if (step->kind == AR_FOLD && step->order == AR_BY_RANK)
        return ar_fault(s, error, "rank %d folds without saying which operand comes first", rank);
    if (step->kind != AR_SEND && step->to == AR_INPUT)
        return ar_fault(s, error, "rank %d writes to its input", rank);
    if ((step->kind == AR_RECEIVE_REDUCE || step->kind == AR_FOLD) &&
        !ar_collective_combines(s->schedule->algorithm->collective))
        return ar_fault(s, error, "rank %d combines, but a %s does not reduce", rank, s->collective->name);
    return check_blocks(s, rank, step, error);
}
