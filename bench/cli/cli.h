/* The program's own conventions, shared by its commands.
 *
 * A command is one file cmd_NAME.c with its descriptor `const struct ar_command ar_command_NAME` at the
 * bottom and one line in commands.def. Its options are a table (options.h); it calls the libraries and fills
 * a report, and never formats by hand. It returns a status; main prints the sentence as "allround: ..." and
 * exits 2 for bad input, 1 for a failed check.
 *
 * Under a launcher (mpiexec) every rank runs the same command with the same arguments, which is checked where
 * MPI is opened (session.h), and rank 0 speaks for all: it alone prints and has an exit status other than 0.
 * Only an AR_SYSTEM error, which one rank may see alone, is told by whoever has it.
 */
#pragma once

#include <stdbool.h>

#include "bench/cli/options.h"
#include "bench/cli/session.h"
#include "bench/report/report.h"
#include "collectives/base/error.h"
#include "collectives/run/pieces.h"
#include "sim/hockney.h"

struct ar_command {
    const char *name, *summary;
    const char *arguments;          /* for --help: what stands without a dash; NULL: nothing */
    const char *about;              /* for --help: before the options, \v, after them */
    const struct ar_option *option; /* noptions of them */
    int noptions;
    const void *defaults; /* the struct that run gets and the options point into, `size` bytes */
    size_t size;
    /* Whether with these options MPI is opened before it runs, where a launcher started it; NULL: never. */
    bool (*over_mpi)(const void *options);
    enum ar_status (*run)(void *options, struct ar_session *session, const struct ar_format *format,
                          struct ar_error *error);
};

#define AR_COMMAND(name) extern const struct ar_command ar_command_##name;
#include "bench/cli/commands.def"
#undef AR_COMMAND

/* The members that depend on two arrays of the command's file. */
#define AR_COMMAND_OPTIONS(table, fallback)                                                                  \
    .option = (table), .noptions = sizeof(table) / sizeof *(table), .defaults = &(fallback),                 \
    .size = sizeof(fallback)

/* False on the ranks for which rank 0 speaks. */
bool ar_speaks(void);

/* For ar_command.over_mpi: true whatever the options. */
bool ar_always_over_mpi(const void *options);

/* For ar_option.names. */
struct ar_names ar_type_names(void);
struct ar_names ar_operator_names(void);

/* --strict-rounds and --pieces, for a table of options. */
struct ar_piece_words {
    bool strict;
    const char *size; /* NULL: not given */
};
/* clang-format off */
#define AR_PIECE_OPTIONS(group, target)                                                                      \
    {"strict-rounds", NULL, "Finish the transfers of a round before its combining begins", group,            \
     AR_OPTION_FLAG, (target) + offsetof(struct ar_piece_words, strict)},                                    \
    {"pieces", "SIZE", "Cut messages longer than this into pieces so long (512KiB into 128KiB)", group,      \
     AR_OPTION_TEXT, (target) + offsetof(struct ar_piece_words, size)}
/* clang-format on */

/* Whose alpha, beta and gamma count, for a struct ar_hockney_words at `target`. */
/* clang-format off */
#define AR_MODEL_OPTIONS(machine_help, group, target)                                                        \
    {"machine", "NAME|FILE", machine_help ": of `list machines`, or FILE.json", group, AR_OPTION_TEXT,                          \
     (target) + offsetof(struct ar_hockney_words, machine)},                                                 \
    {"alpha", "TIME", "Instead of the machine's: time of a message, e.g. 2us", group, AR_OPTION_TEXT,        \
     (target) + offsetof(struct ar_hockney_words, alpha)},                                                   \
    {"beta-Bps", "RATE", "Instead of the machine's: bytes sent per second, e.g. 12.5GB/s", group,            \
     AR_OPTION_TEXT, (target) + offsetof(struct ar_hockney_words, beta_Bps)},                                \
    {"gamma-Bps", "RATE", "Instead of the machine's: bytes combined per second, e.g. 10GB/s", group,         \
     AR_OPTION_TEXT, (target) + offsetof(struct ar_hockney_words, gamma_Bps)}
/* clang-format on */

/* What they say: `words->machine` is one of `list machines`, or a file. *machine is valid until the next
 * call, NULL where nothing of a machine is left. */
enum ar_status ar_read_model(const struct ar_hockney_words *words, struct ar_hockney *model,
                             const struct ar_hockney_machine **machine, struct ar_error *error);

/* What they say. AR_INVALID: both, or a size that some element's does not divide. */
enum ar_status ar_read_pieces(const struct ar_piece_words *words, struct ar_pieces *pieces,
                              struct ar_error *error);

/* Columns of the terminal that stdout is; `usual` where it is none or a very narrow one. Whether it may be
 * coloured: NO_COLOR is respected. */
int ar_terminal_width(int usual);
bool ar_terminal_colours(void);

/* Adds to a new report where it is made, for commands that run nothing: its first line and "environment"
 * (bench/harness/environment.h). */
enum ar_status ar_describe_machine(struct ar_report *report, struct ar_error *error);

/* Prints the report on stdout, on rank 0 only when started by a launcher. */
enum ar_status ar_print(const struct ar_report *report, const struct ar_format *format,
                        struct ar_error *error);
