/* The program's own conventions, shared by its commands.
 *
 * A command is one file cmd_NAME.c with its descriptor `const struct ar_command ar_command_NAME` at the
 * bottom and one line in commands.def. It parses its options with argp (children: the shared options below),
 * calls the libraries and fills a report; it never formats by hand. It returns a status; main prints the
 * sentence as "allround: ..." and exits 2 for bad input, 1 for a failed check.
 *
 * Under a launcher (mpiexec) every rank runs the same command and rank 0 speaks for all: argp, ar_print and
 * main keep the others silent and leave them their exit code. Only an AR_SYSTEM error, which one rank may see
 * alone, is printed by whoever has it.
 */
#pragma once

#include <argp.h>
#include <stdbool.h>

#include "bench/report/report.h"
#include "collectives/base/error.h"
#include "collectives/run/types.h"

struct ar_command {
    const char *name, *summary;
    enum ar_status (*run)(int argc, char **argv, struct ar_error *error); /* argv[0] is "allround NAME" */
};

#define AR_COMMAND(name) extern const struct ar_command ar_command_##name;
#include "bench/cli/commands.def"
#undef AR_COMMAND

extern const struct ar_command *const ar_commands[];
extern const int ar_ncommands;

/* False on the ranks for which rank 0 speaks. */
bool ar_speaks(void);

/* --json, --csv, --markdown: an argp child. Its input is a `const struct ar_format **`, set to text by
 * ar_options_parse before parsing; the parent's parser hands it over:
 *     case ARGP_KEY_INIT:
 *         state->child_inputs[0] = &options->base.format; */
extern const struct argp ar_output_options;

/* argp_parse with the program's conventions: no exit inside for bad values that a parser reports through
 * ar_option_status; unknown options and --help behave as argp does (exit 2, exit 0). `options` is the first
 * member of the command's own struct, which its parser gets as state->input. */
struct ar_options {
    struct ar_error error; /* for parsers to write to, then pass the status to ar_option_status */
    enum ar_status status; /* of the first failure, with its sentence */
    struct ar_error first;
    const struct ar_format *format;
};
enum ar_status ar_options_parse(const struct argp *argp, int argc, char **argv, struct ar_options *options,
                                struct ar_error *error);

/* For parsers: remembers the first failure and goes on (returns 0). */
error_t ar_option_status(struct ar_options *options, enum ar_status status);

/* A list "a,b" of known names (n of them), or "all": their indices in the list's order, each once. `taken`
 * has room for n. Unknown names are refused with the nearest known one. */
enum ar_status ar_parse_names(const char *list, const char *kind, const char *const *known, int n, int *taken,
                              int *ntaken, struct ar_error *error);

/* The element type of that name; unknown ones are refused with the nearest. */
enum ar_status ar_parse_type(const char *name, enum ar_type *type, struct ar_error *error);

/* Whether an argument names a schedule file rather than an algorithm: it has a slash or ends in .json. */
bool ar_names_file(const char *argument);

/* Whether the output is for people: text, with a heading. */
bool ar_is_text(const struct ar_format *format);

/* Adds to a new report where it is made, for commands that run nothing: its first line and "environment"
 * (bench/harness/environment.h). */
enum ar_status ar_describe_machine(struct ar_report *report, struct ar_error *error);

/* Prints the report on stdout, on rank 0 only when started by a launcher. */
enum ar_status ar_print(const struct ar_report *report, const struct ar_format *format,
                        struct ar_error *error);
