/* The symbolic proof that a schedule is right, for one number of ranks and one root.
 *
 * Every rank's block holds an expression: a leaf "contribution of rank r", or "left o right". Walking the
 * rounds with the rules of algorithm.h gives every rank's expression for every block after every round; the
 * proof then compares them with what the collective promises. It holds for all counts and types, since a
 * message's blocks have the same names on both sides.
 *
 * An all-to-all has nranks^2 blocks on every rank, so nranks^3 cells: 1 MB for 64 ranks, 4 GB for 1024. Of a
 * barrier's token the contributions are who has entered; it may learn that twice, and has no order or bits.
 *
 * Three findings come out of one walk:
 *
 * - exactly once: every rank that must hold a block holds each contribution it should, once; without this the
 *   schedule is wrong
 * - order: operands stand in rank order, so an associative operator need not commute
 * - bits: all ranks that must hold a block hold the same expression, so floating-point results agree to
 *   the bit
 *
 * Sentences count rounds from 1, ranks and blocks from 0.
 *
 * Memory: 4 bytes per rank and block (twice that with scratch), about 40 per different expression (a ring has
 * nranks^2 of them, an algorithm that combines every block along the same tree nranks), nranks / 8 more for
 * one whose ranks are not a run, and what one round moves: about 150 per message and 24 per block in it. The
 * first two are estimated and refused before they are taken, all of them as they grow.
 */
#pragma once

#include "collectives/base/text.h"
#include "collectives/schedule.h"
#include "collectives/verify/expressions.h"

/* Appends "allreduce:ring, 4 ranks" or "reduce:chain, 4 ranks, root 1": how every sentence about a schedule
 * begins. */
void ar_schedule_describe(const struct ar_schedule *schedule, struct ar_text *text);

/* ---- Walking ----------------------------------------------------------------------------------------- */

/* What every rank holds, round by round. */
struct ar_symbolic;

/* At the start of the collective. The caller frees *symbolic; `schedule` must outlive it. AR_FAILED when the
 * schedule has no blocks, AR_NO_MEMORY when the machine is too small. */
enum ar_status ar_symbolic_new(const struct ar_schedule *schedule, struct ar_symbolic **symbolic,
                               struct ar_error *error);
void ar_symbolic_free(struct ar_symbolic *symbolic);

/* Applies round k (call it for 0, 1, 2, ...). AR_FAILED with a counterexample in words when the round breaks
 * a rule: a send nobody receives, a receive nobody sends, blocks that differ, sending or combining nothing, a
 * contribution counted twice, a peer or block that does not exist, combining in a collective that does not
 * reduce, writing to the input. AR_NO_MEMORY when the machine is too small. The walk cannot go on after
 * either. */
enum ar_status ar_symbolic_round(struct ar_symbolic *symbolic, int64_t k, struct ar_error *error);

/* The messages of the round applied last. */
int64_t ar_symbolic_messages(const struct ar_symbolic *symbolic);

/* The expression in a block of the vector, and the store that says what it is. */
int ar_symbolic_held(const struct ar_symbolic *symbolic, int rank, int64_t block);
const struct ar_expressions *ar_symbolic_expressions(const struct ar_symbolic *symbolic);

/* ---- Proving ----------------------------------------------------------------------------------------- */

struct ar_proof {
    bool ordered, same_bits; /* the two properties, found; true where the collective does not reduce */
    int64_t rounds;          /* that hold a message */
    int64_t messages;        /* over all ranks and rounds, at block level */
    struct ar_error order_why, bits_why; /* a counterexample in words where a property does not hold */
};

/* AR_OK when the schedule is right (exactly once); AR_FAILED otherwise, with a counterexample a person can
 * read: "allreduce:ring, 4 ranks, after the last round: rank 2, block 1 holds {0,1}, should hold {0-3}: {2,3}
 * missing", or "..., round 3: rank 1 expects block 3 from rank 2, which sends block 2". AR_NO_MEMORY when the
 * machine is too small. */
enum ar_status ar_verify(const struct ar_schedule *schedule, struct ar_proof *proof, struct ar_error *error);
