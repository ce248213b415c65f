#include "collectives/verify/verify.h"

#include <inttypes.h>

#include "collectives/base/memory.h"
#include "collectives/registry.h"
#include "collectives/verify/ranges.h"
#include "collectives/verify/symbolic_expressions.h"

enum { LONGEST_SET = 160, LONGEST_TREE = 240 };

/* The one rank that has a block at the start of a collective that does not reduce. */
static int source_of(const struct ar_schedule *schedule, int64_t block)
{
    if (ar_collectives[schedule->algorithm->collective].starts == AR_AT_OWNER)
        return (int)(block % ar_nparts(schedule));
    return schedule->problem.root;
}

/* ---- Counterexamples --------------------------------------------------------------------------------- */

static enum ar_status wrong_result(const struct ar_schedule *schedule, const struct ar_symbolic *symbolic,
                                   int rank, int64_t block, struct ar_error *error)
{
    bool reduces = ar_collectives[schedule->algorithm->collective].reduces;
    int held = ar_symbolic_held(symbolic, rank, block), nranks = schedule->problem.nranks;
    struct ar_text holds = {0}, should = {0}, missing = {0};
    ar_text_add(&holds, "%s", reduces || held == 0 ? "" : "the contribution of ");
    ar_symbolic_set(symbolic, held, &holds);
    struct ar_ranges ranges = {&should}, gaps = {&missing};
    for (int source = 0; source < nranks; source++)
        if (reduces || source == source_of(schedule, block)) {
            ar_ranges_add(&ranges, source);
            if (!ar_symbolic_contains(symbolic, held, source))
                ar_ranges_add(&gaps, source);
        }
    ar_ranges_end(&ranges);
    ar_ranges_end(&gaps);
    ar_symbolic_shorten(&holds, LONGEST_SET);
    ar_symbolic_shorten(&missing, LONGEST_SET);
    bool some = reduces && held != 0;
    enum ar_status status = ar_symbolic_fail(schedule, "after the last round", error,
                                             "rank %d, block %" PRId64 " holds %s, should hold {%s}%s%s%s",
                                             rank, block, holds.data, should.data, some ? ": {" : "",
                                             some ? missing.data : "", some ? "} missing" : "");
    ar_text_free(&holds);
    ar_text_free(&should);
    ar_text_free(&missing);
    return status;
}

static void short_tree(const struct ar_symbolic *symbolic, int expression, struct ar_text *text)
{
    ar_symbolic_tree(symbolic, expression, text);
    ar_symbolic_shorten(text, LONGEST_TREE);
}

/* The smallest part of an unordered expression that is out of order by itself. */
static const struct ar_expression *out_of_order(const struct ar_expressions *expressions, int expression)
{
    const struct ar_expression *item = &expressions->item[expression];
    for (;;) {
        const struct ar_expression *left = &expressions->item[item->left];
        const struct ar_expression *right = &expressions->item[item->right];
        if (left->ordered && right->ordered)
            return item;
        item = left->ordered ? right : left;
    }
}

/* The whole expression where it is short, else the sets that the offending part joins. */
static void not_ordered(const struct ar_symbolic *symbolic, int rank, int64_t block, struct ar_proof *proof)
{
    struct ar_text text = {0};
    int held = ar_symbolic_held(symbolic, rank, block);
    ar_symbolic_tree(symbolic, held, &text);
    if (text.length > LONGEST_TREE) {
        const struct ar_expression *part = out_of_order(ar_symbolic_expressions(symbolic), held);
        ar_text_free(&text);
        ar_symbolic_set(symbolic, part->left, &text);
        ar_text_add(&text, " o ");
        ar_symbolic_set(symbolic, part->right, &text);
        ar_symbolic_shorten(&text, LONGEST_TREE);
    }
    proof->ordered = false;
    ar_fail(&proof->order_why, AR_FAILED, "rank %d, block %" PRId64 ": %s is not in rank order", rank, block,
            text.data);
    ar_text_free(&text);
}

static void bits_differ(const struct ar_symbolic *symbolic, int rank, int other, int64_t block,
                        struct ar_proof *proof)
{
    struct ar_text tree = {0}, other_tree = {0};
    short_tree(symbolic, ar_symbolic_held(symbolic, rank, block), &tree);
    short_tree(symbolic, ar_symbolic_held(symbolic, other, block), &other_tree);
    proof->same_bits = false;
    ar_fail(&proof->bits_why, AR_FAILED, "block %" PRId64 ": rank %d holds %s, rank %d holds %s", block, rank,
            tree.data, other, other_tree.data);
    ar_text_free(&tree);
    ar_text_free(&other_tree);
}

/* ---- The proof --------------------------------------------------------------------------------------- */

static bool is_right(const struct ar_schedule *schedule, const struct ar_symbolic *symbolic, int64_t block,
                     int held)
{
    if (ar_collectives[schedule->algorithm->collective].reduces)
        return ar_expressions_complete(ar_symbolic_expressions(symbolic), held);
    return held == ar_expression_leaf(source_of(schedule, block));
}

/* What every rank that must hold `block` holds; the first of them stands for all that hold the same. */
static enum ar_status check_block(const struct ar_schedule *schedule, const struct ar_symbolic *symbolic,
                                  int64_t block, struct ar_proof *proof, struct ar_error *error)
{
    const struct ar_collective *collective = &ar_collectives[schedule->algorithm->collective];
    const struct ar_expressions *expressions = ar_symbolic_expressions(symbolic);
    int first = -1, right = 0;
    for (int rank = 0; rank < schedule->problem.nranks; rank++) {
        if (!ar_schedule_at(schedule, collective->ends, rank, block))
            continue;
        int held = ar_symbolic_held(symbolic, rank, block);
        if (first >= 0 && held == right)
            continue;
        if (!is_right(schedule, symbolic, block, held))
            return wrong_result(schedule, symbolic, rank, block, error);
        if (collective->reduces && proof->ordered && !expressions->item[held].ordered)
            not_ordered(symbolic, rank, block, proof);
        if (first < 0) {
            first = rank;
            right = held;
        } else if (proof->same_bits) {
            bits_differ(symbolic, first, rank, block, proof);
        }
    }
    return AR_OK;
}

static enum ar_status walk_and_check(const struct ar_schedule *schedule, struct ar_symbolic *symbolic,
                                     struct ar_proof *proof, struct ar_error *error)
{
    enum ar_status status = AR_OK;
    int64_t nrounds = ar_nrounds(schedule), nblocks = ar_nblocks(schedule);
    for (int64_t k = 0; k < nrounds && status == AR_OK; k++) {
        status = ar_symbolic_round(symbolic, k, error);
        proof->messages += ar_symbolic_messages(symbolic);
        proof->rounds += ar_symbolic_messages(symbolic) > 0;
    }
    for (int64_t block = 0; block < nblocks && status == AR_OK; block++)
        status = check_block(schedule, symbolic, block, proof, error);
    return status;
}

enum ar_status ar_verify(const struct ar_schedule *schedule, struct ar_proof *proof, struct ar_error *error)
{
    double cells = (double)schedule->problem.nranks * (double)ar_nblocks(schedule);
    enum ar_status status = ar_memory_check(cells * sizeof(int), "the proof", error);
    if (status != AR_OK)
        return status;
    struct ar_proof found = {.ordered = true, .same_bits = true};
    struct ar_symbolic *symbolic = ar_symbolic_new(schedule);
    status = walk_and_check(schedule, symbolic, &found, error);
    ar_symbolic_free(symbolic);
    if (status == AR_OK)
        *proof = found;
    return status;
}
