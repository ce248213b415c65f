/* Schedules that people write, as JSON: for every round and every rank a list of steps in words.
 *
 * A file becomes an algorithm over a table, so it is verified, run and drawn like any other. An all-gather of
 * two ranks, each with one block; save it as two.json, then `allround verify two.json`:
 *
 *     {
 *       "collective": "allgather", "ranks": 2, "blocks": 2,
 *       "rounds": [
 *         [ ["send 0 to 1", "receive 1 from 1"],
 *           ["send 1 to 0", "receive 0 from 0"] ]
 *       ]
 *     }
 *
 * Keys: "collective" and "ranks"; "blocks", the number of blocks the vector is cut into, named 0, 1, ...
 * (where blocks belong to ranks, block b is rank b mod ranks', and blocks must be a multiple of ranks);
 * "root" where the collective has one, 0 when left out; "name", for listings; "rounds", where rounds[k][rank]
 * is what that rank does in round k, [] for nothing.
 *
 * Steps, with BLOCKS such as "0", "0-3" or "0,4,2" (the order is kept) and R a rank:
 *
 *     send BLOCKS [of PLACE] to R
 *     receive BLOCKS [into PLACE] from R             store what R sends
 *     combine BLOCKS [into PLACE] from R[, ORDER]    combine it with what is held
 *     copy BLOCKS of PLACE to PLACE                  local
 *     fold BLOCKS of PLACE [into PLACE][, ORDER]     local: combine with what is held
 *
 * PLACE is `vector` (when left out; starts as the rank's contribution, ends as its result), `input` (the
 * contribution, never written) or `scratch` (starts empty). ORDER is `held first` or `other first`; left out,
 * combine puts the lower rank's operand first and fold what is held. A message, all that one rank sends
 * another in a round, names a block once. All sends of a round read what was there at its start; the other
 * steps then apply in the order written. `allround explain X -n P --json` writes any algorithm in this form.
 */
#pragma once

#include "collectives/base/text.h"
#include "collectives/schedule.h"

/* For --help. */
#define AR_SCHEDULE_HELP                                                                                     \
    "A schedule file has for every round and every rank its steps:\n"                                        \
    "  {\"collective\": \"allreduce\", \"ranks\": 2, \"blocks\": 2, \"rounds\": [\n"                         \
    "    [ [\"send 1 to 1\", \"combine 0 from 1\"],\n"                                                       \
    "      [\"send 0 to 0\", \"combine 1 from 0\"] ],\n"                                                     \
    "    [ [\"send 0 to 1\", \"receive 1 from 1\"],\n"                                                       \
    "      [\"send 1 to 0\", \"receive 0 from 0\"] ] ] }\n"                                                  \
    "Steps, with BLOCKS such as 0, 0-3 or 0,4,2 and R a rank:\n"                                             \
    "  send BLOCKS [of PLACE] to R\n"                                                                        \
    "  receive BLOCKS [into PLACE] from R           store what R sends\n"                                    \
    "  combine BLOCKS [into PLACE] from R[, ORDER]  combine it with what is held\n"                          \
    "  copy BLOCKS of PLACE to PLACE                local\n"                                                 \
    "  fold BLOCKS of PLACE [into PLACE][, ORDER]   local, combines\n"                                       \
    "PLACE is vector (when left out), input or scratch; ORDER is held first or\nother first.\n"

struct ar_schedule_file {
    struct ar_algorithm algorithm; /* its functions read problem.prepared */
    struct ar_problem problem;     /* for ar_schedule_of_problem */
    struct ar_step_table *table;
    uint64_t digest; /* of the file's bytes */
};

enum { AR_FILE_RANKS = 65536, AR_FILE_BLOCKS = 1 << 20 }; /* at most */

/* AR_INVALID with "FILE:LINE:COLUMN: ..." for what is wrong in the file. Whether the schedule is right is
 * ar_verify's to say. The struct must outlive schedules made from it. */
enum ar_status ar_schedule_read(const char *path, struct ar_schedule_file *file, struct ar_error *error);
void ar_schedule_file_free(struct ar_schedule_file *file);

/* Appends the whole schedule in the form above. */
void ar_schedule_write(const struct ar_schedule *schedule, struct ar_text *out);

/* Appends one step in words: "combine 0-3 from 2". */
void ar_step_write(const struct ar_step *step, struct ar_text *out);
