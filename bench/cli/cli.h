/* The program's own conventions, shared by its commands.
 *
 * A command is one file cmd_NAME.c with its descriptor at the bottom and one line in commands.def. It parses
 * its options with argp (children: the shared options below), calls the libraries and fills a report; it
 * never formats by hand. It returns a status; main prints the sentence as "allround: ..." and exits 2 for bad
 * input, 1 for a failed check.
 */
#pragma once

#include <argp.h>
#include <stdbool.h>

#include "bench/report/report.h"
#include "collectives/base/error.h"

struct ar_command {
    const char *name, *summary;
    enum ar_status (*run)(int argc, char **argv, struct ar_error *error); /* argv[0] is "allround NAME" */
};

extern const struct ar_command *const ar_commands[];
extern const int ar_ncommands;

/* --json, --csv, --markdown: an argp child. Its input is a `const struct ar_format **`, set to text by the
 * parent before parsing. */
extern const struct argp ar_output_options;

/* argp_parse with the program's conventions: no exit inside for bad values that a parser reports through
 * ar_option_fail; unknown options and --help behave as argp does (exit 2, exit 0). `input` is the command's
 * own struct, which starts with a struct ar_error. */
struct ar_options {
    struct ar_error error;
    enum ar_status status;
    const struct ar_format *format;
};
enum ar_status ar_options_parse(const struct argp *argp, int argc, char **argv, struct ar_options *options,
                                struct ar_error *error);

/* For parsers: remembers the first failure and goes on (ENOERROR). */
error_t ar_option_status(struct ar_options *options, enum ar_status status);

/* Prints the report on stdout, on rank 0 only when started by a launcher. */
enum ar_status ar_print(const struct ar_report *report, const struct ar_format *format,
                        struct ar_error *error);
