/* Options as data: a command says in a table what it understands; --help, reading the values, and what is
 * said about mistakes follow from it.
 *
 *     struct options { int64_t nranks; bool all; };
 *     static const struct ar_option table[] = {
 *         {"n", "N", "Ranks", 1, AR_OPTION_INT, offsetof(struct options, nranks), 1, 1024},
 *         {"all", NULL, "Every algorithm", 1, AR_OPTION_FLAG, offsetof(struct options, all)},
 *     };
 *
 * Every command also has --text, --json, --csv and --markdown, --help, --usage and --version. What is given
 * twice is refused, but for AR_OPTION_OTHER, whose `parse` may take more.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "bench/report/report.h"
#include "collectives/base/error.h"
#include "collectives/base/names.h"

enum ar_option_kind {                  /* the type of the target */
                      AR_OPTION_FLAG,  /* bool: set when given; takes no value */
                      AR_OPTION_COUNT, /* int64_t: "7.5e9" */
                      AR_OPTION_INT,   /* int64_t in low..high */
                      AR_OPTION_LIST,  /* struct ar_option_list of numbers in low..high: "1,2,5..8" */
                      AR_OPTION_NAME,  /* int: the index of a name */
                      AR_OPTION_NAMES, /* struct ar_option_names: "a,b" or "all" */
                      AR_OPTION_TEXT,  /* const char *, as it stands in argv */
                      AR_OPTION_OTHER, /* whatever `parse` makes of it */
};

struct ar_option_list {
    int64_t *value; /* NULL: not given; released after the command ran */
    int n;
};

enum { AR_OPTION_MOST_NAMES = 64 };

struct ar_option_names {
    int index[AR_OPTION_MOST_NAMES], n; /* 0: not given */
};

struct ar_option {
    const char *name;     /* "root" for --root, one letter: -n; NULL: the argument that has no dash */
    const char *argument; /* what the help calls the value; NULL: a flag */
    const char *help;
    int group; /* of the help */
    enum ar_option_kind kind;
    size_t offset; /* of the target in the command's struct, which begins as its defaults */
    int64_t low, high;
    const char *noun;               /* what names are names of */
    struct ar_names (*names)(void); /* NULL: the words of `argument`, "none|loopback|mpi" */
    enum ar_status (*parse)(const char *text, void *target, struct ar_error *error);
};

struct ar_command;

/* Reads the words after the command's name, argv[1] on, into `options`. The output format is text when none
 * is given, and NULL after --help, --usage or --version, which are answered here. AR_INVALID in one sentence
 * for the first mistake. */
enum ar_status ar_options_read(const struct ar_command *command, int argc, char **argv, void *options,
                               const struct ar_format **format, struct ar_error *error);

void ar_options_free(const struct ar_command *command, void *options);
