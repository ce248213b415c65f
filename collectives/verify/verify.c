#include "collectives/verify/verify.h"

#include <inttypes.h>

#include "collectives/registry.h"

enum { LONGEST_SET = 160, LONGEST_TREE = 240 };

/* The one rank that has a block at the start of a collective that does not combine. */
static int source_of(const struct ar_schedule *schedule, int64_t block)
{
    int nranks = schedule->problem.nranks;
    switch (ar_collectives[schedule->algorithm->collective].starts) {
    case AR_AT_OWNER:
        return (int)(block % nranks);
    case AR_AT_SOURCE:
        return (int)(block / nranks % nranks);
    default:
        return schedule->problem.root;
    }
}

/* ---- Counterexamples --------------------------------------------------------------------------------- */

static enum ar_status wrong_result(const struct ar_schedule *schedule, const struct ar_symbolic *symbolic,
                                   int rank, int64_t block, struct ar_error *error)
{
    const struct ar_expressions *expressions = ar_symbolic_expressions(symbolic);
    bool combines = ar_collective_combines(schedule->algorithm->collective);
    int held = ar_symbolic_held(symbolic, rank, block), nranks = schedule->problem.nranks;
    struct ar_text what = {0}, holds = {0}, should = {0}, missing = {0};
    ar_schedule_describe(schedule, &what);
    ar_text_add(&holds, "%s", combines || held == 0 ? "" : "the contribution of ");
    ar_expressions_set(expressions, held, &holds);
    struct ar_ranges ranges = {&should}, gaps = {&missing};
    for (int source = 0; source < nranks; source++)
        if (combines || source == source_of(schedule, block)) {
            ar_ranges_add(&ranges, source);
            if (!ar_expressions_contains(expressions, held, source))
                ar_ranges_add(&gaps, source);
        }
    ar_ranges_end(&ranges);
    ar_ranges_end(&gaps);
    ar_text_shorten(&holds, LONGEST_SET);
    ar_text_shorten(&missing, LONGEST_SET);
    bool some = combines && held != 0;
    ar_fail(error, AR_FAILED,
            "%s, after the last round: rank %d, block %" PRId64 " holds %s, should hold {%s}%s%s%s",
            what.data, rank, block, holds.data, should.data, some ? ": {" : "", some ? missing.data : "",
            some ? "} missing" : "");
    ar_text_free(&what);
    ar_text_free(&holds);
    ar_text_free(&should);
    ar_text_free(&missing);
    return AR_FAILED;
}

/* Appends "{0} o {2-199}", the sets that the expression joins. */
static void add_join(const struct ar_expressions *expressions, int expression, struct ar_text *text)
{
    const struct ar_expression *item = &expressions->item[expression];
    struct ar_text left = {0}, right = {0};
    ar_expressions_set(expressions, item->left, &left);
    ar_expressions_set(expressions, item->right, &right);
    ar_text_shorten(&left, LONGEST_SET);
    ar_text_shorten(&right, LONGEST_SET);
    ar_text_add(text, "%s o %s", left.data, right.data);
    ar_text_free(&left);
    ar_text_free(&right);
}

/* The smallest part of an unordered expression that is out of order by itself. */
static int out_of_order(const struct ar_expressions *expressions, int expression)
{
    const struct ar_expression *item = expressions->item;
    for (int part = expression;;) {
        bool left = !item[item[part].left].ordered, right = !item[item[part].right].ordered;
        if (!left && !right)
            return part;
        part = left ? item[part].left : item[part].right;
    }
}

/* The smallest parts of two different expressions over the same ranks that differ: they join other sets. */
static void narrow_difference(const struct ar_expressions *expressions, int *a, int *b)
{
    for (;;) {
        const struct ar_expression *x = &expressions->item[*a], *y = &expressions->item[*b];
        if (!ar_expressions_same_set(expressions, x->left, y->left))
            return;
        bool left = x->left != y->left;
        *a = left ? x->left : x->right;
        *b = left ? y->left : y->right;
    }
}

/* The whole expression where it is short, else the sets that the offending part joins. */
static void not_ordered(const struct ar_symbolic *symbolic, int rank, int64_t block, struct ar_proof *proof)
{
    const struct ar_expressions *expressions = ar_symbolic_expressions(symbolic);
    struct ar_text text = {0};
    int held = ar_symbolic_held(symbolic, rank, block);
    if (!ar_expressions_tree(expressions, held, LONGEST_TREE, &text)) {
        ar_text_free(&text);
        add_join(expressions, out_of_order(expressions, held), &text);
    }
    proof->ordered = false;
    ar_fail(&proof->order_why, AR_FAILED, "rank %d, block %" PRId64 ": %s is not in rank order", rank, block,
            text.data);
    ar_text_free(&text);
}

static void bits_differ(const struct ar_symbolic *symbolic, int rank, int other, int64_t block,
                        struct ar_proof *proof)
{
    const struct ar_expressions *expressions = ar_symbolic_expressions(symbolic);
    struct ar_text tree = {0}, other_tree = {0};
    int a = ar_symbolic_held(symbolic, rank, block), b = ar_symbolic_held(symbolic, other, block);
    bool whole = ar_expressions_tree(expressions, a, LONGEST_TREE, &tree) &&
                 ar_expressions_tree(expressions, b, LONGEST_TREE, &other_tree);
    if (!whole) {
        ar_text_free(&tree);
        ar_text_free(&other_tree);
        narrow_difference(expressions, &a, &b);
        add_join(expressions, a, &tree);
        add_join(expressions, b, &other_tree);
    }
    proof->same_bits = false;
    ar_fail(&proof->bits_why, AR_FAILED, "block %" PRId64 ": %srank %d holds %s, rank %d holds %s", block,
            whole ? "" : "where ", rank, tree.data, other, other_tree.data);
    ar_text_free(&tree);
    ar_text_free(&other_tree);
}

/* ---- The proof --------------------------------------------------------------------------------------- */

static bool is_right(const struct ar_schedule *schedule, const struct ar_symbolic *symbolic, int64_t block,
                     int held)
{
    if (ar_collective_combines(schedule->algorithm->collective))
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
        } else if (collective->reduces && proof->same_bits) {
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
    struct ar_proof found = {.ordered = true, .same_bits = true};
    struct ar_symbolic *symbolic;
    enum ar_status status = ar_symbolic_new(schedule, &symbolic, error);
    if (status != AR_OK)
        return status;
    status = walk_and_check(schedule, symbolic, &found, error);
    ar_symbolic_free(symbolic);
    if (status == AR_OK)
        *proof = found;
    return status;
}
