#include "bench/cli/options.h"

#include <argp.h>
#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cli/cli.h"
#include "collectives/base/memory.h"
#include "collectives/base/units.h"

/* What getopt returns: the letter of a short option, or one of these. */
enum { OPERAND = 1, LONG = 0x100, FORMAT = 0x200, HELP = 0x300, USAGE, VERSION };

static int key_of(const struct ar_command *command, int i)
{
    const char *name = command->option[i].name;
    return !name ? OPERAND : name[1] ? LONG + i : name[0];
}

static const struct ar_option *option_of(const struct ar_command *command, int key)
{
    for (int i = 0; i < command->noptions; i++)
        if (key_of(command, i) == key)
            return &command->option[i];
    return NULL;
}

/* ---- Help -------------------------------------------------------------------------------------------- */

static void print_help(const struct ar_command *command, unsigned flags)
{
    struct argp_option *list = ar_alloc((size_t)(command->noptions + ar_nformats + 5), sizeof *list);
    int n = 0;
    for (int i = 0; i < command->noptions; i++) {
        const struct ar_option *o = &command->option[i];
        if (o->name)
            list[n++] = (struct argp_option){
                o->name[1] ? o->name : NULL, key_of(command, i), o->argument, 0, o->help, o->group};
    }
    list[n++] = (struct argp_option){NULL, 0, NULL, 0, "Output:", 10};
    for (int i = 0; i < ar_nformats; i++)
        list[n++] = (struct argp_option){ar_formats[i]->name, FORMAT + i, NULL, 0, ar_formats[i]->summary, 0};
    list[n++] = (struct argp_option){"help", '?', NULL, 0, "Give this help list", -1};
    list[n++] = (struct argp_option){"usage", USAGE, NULL, 0, "Give a short usage message", 0};
    list[n++] = (struct argp_option){"version", 'V', NULL, 0, "Print program version", -1};
    struct argp argp = {.options = list, .args_doc = command->arguments, .doc = command->about};
    char name[64];
    snprintf(name, sizeof name, "allround %s", command->name);
    argp_help(&argp, stdout, flags, name);
    free(list);
}

/* ---- Values ------------------------------------------------------------------------------------------ */

enum { MOST_WORDS = 8 };

static enum ar_status pick(const struct ar_option *o, const char *text, void *target, struct ar_error *error)
{
    char *copy = strdup(o->argument ? o->argument : ""), *rest = copy;
    const char *word[MOST_WORDS];
    int n = 0;
    while (rest && n < MOST_WORDS)
        word[n++] = strsep(&rest, "|,");
    struct ar_names names = o->names ? o->names() : AR_NAMES(word, n);
    assert(names.n <= AR_OPTION_MOST_NAMES);
    struct ar_option_names *list = target;
    enum ar_status status = o->kind == AR_OPTION_NAME
                                ? ar_names_pick(names, o->noun, text, target, error)
                                : ar_names_pick_list(names, o->noun, text, list->index, &list->n, error);
    free(copy);
    return status;
}

static enum ar_status take(const struct ar_option *o, const char *text, bool *given, void *options,
                           struct ar_error *error)
{
    void *target = (char *)options + o->offset;
    struct ar_option_list *list = target;
    char what[32];
    snprintf(what, sizeof what, "%s%s", o->name && o->name[1] ? "--" : "-", o->name ? o->name : "");
    if (*given && o->kind != AR_OPTION_OTHER) /* what may be repeated is for `parse` to say */
        return ar_fail(error, AR_INVALID, "%s is given twice", what);
    *given = true;
    switch (o->kind) {
    case AR_OPTION_FLAG:
        *(bool *)target = true;
        return AR_OK;
    case AR_OPTION_COUNT:
        return ar_parse_count(text, what, target, error);
    case AR_OPTION_INT:
        return ar_parse_int(text, what, o->low, o->high, target, error);
    case AR_OPTION_LIST:
        return ar_parse_list(text, what, o->low, o->high, &list->value, &list->n, error);
    case AR_OPTION_NAME:
    case AR_OPTION_NAMES:
        return pick(o, text, target, error);
    case AR_OPTION_TEXT:
        *(const char **)target = text;
        return AR_OK;
    case AR_OPTION_OTHER:
        break;
    }
    return o->parse(text, target, error);
}

/* ---- The command line -------------------------------------------------------------------------------- */

/* What has been read so far. */
struct reading {
    const struct ar_command *command;
    void *options;
    bool *given; /* per option */
    const struct ar_format *format;
};

static enum ar_status take_option(struct reading *r, const struct ar_option *o, const char *text,
                                  struct ar_error *error)
{
    return take(o, text, &r->given[o - r->command->option], r->options, error);
}

static enum ar_status take_operand(struct reading *r, const char *text, struct ar_error *error)
{
    const struct ar_command *command = r->command;
    const struct ar_option *o = option_of(command, OPERAND);
    if (!o)
        return ar_fail(error, AR_INVALID, "%s: expected options only, got '%.100s'", command->name, text);
    if (r->given[o - command->option])
        return ar_fail(error, AR_INVALID, "%s: expected one %s, got '%.100s' too", command->name, o->noun,
                       text);
    return take_option(r, o, text, error);
}

static enum ar_status take_format(struct reading *r, const struct ar_format *format, struct ar_error *error)
{
    if (r->format == format)
        return ar_fail(error, AR_INVALID, "--%s is given twice", format->name);
    if (r->format)
        return ar_fail(error, AR_INVALID, "--%s and --%s: expected one of them", r->format->name,
                       format->name);
    r->format = format;
    return AR_OK;
}

/* What getopt did not like about the word it read last. */
static enum ar_status refuse(const struct ar_command *command, int key, const char *word,
                             struct ar_names known, struct ar_error *error)
{
    if (key == ':') {
        const struct ar_option *o = option_of(command, optopt);
        bool is_long = optopt >= LONG;
        return ar_fail(error, AR_INVALID, "%s%s needs a value: %s%s%s%s", is_long ? "--" : "-", o->name,
                       is_long ? "--" : "-", o->name, is_long ? "=" : " ", o->argument);
    }
    if (optopt >= LONG)
        return ar_fail(error, AR_INVALID, "%.*s takes no value, got '%.100s'", (int)strcspn(word, "="), word,
                       word);
    if (optopt > 0)
        return ar_fail(error, AR_INVALID, "unknown option '-%c', see allround %s --help", optopt,
                       command->name);
    int length = (int)strcspn(word, "=");
    char *name = strndup(word + 2, (size_t)length - 2);
    length = length < 80 ? length : 80;
    const char *nearest = ar_names_nearest(known, name);
    free(name);
    if (nearest)
        return ar_fail(error, AR_INVALID, "unknown option '%.*s', did you mean '--%s'?", length, word,
                       nearest);
    return ar_fail(error, AR_INVALID, "unknown option '%.*s', see allround %s --help", length, word,
                   command->name);
}

/* The tables of getopt_long; returns the number of long options. */
static int describe(const struct ar_command *command, struct option *longs, struct ar_text *shorts)
{
    int n = 0;
    ar_text_add(shorts, "-:V"); /* operands in their place, and ':' when a value is missing */
    for (int i = 0; i < command->noptions; i++) {
        const struct ar_option *o = &command->option[i];
        int takes = o->argument ? required_argument : no_argument;
        if (o->name && o->name[1])
            longs[n++] = (struct option){o->name, takes, NULL, key_of(command, i)};
        else if (o->name)
            ar_text_add(shorts, "%s%s", o->name, o->argument ? ":" : "");
    }
    for (int i = 0; i < ar_nformats; i++)
        longs[n++] = (struct option){ar_formats[i]->name, no_argument, NULL, FORMAT + i};
    longs[n++] = (struct option){"help", no_argument, NULL, HELP};
    longs[n++] = (struct option){"usage", no_argument, NULL, USAGE};
    longs[n++] = (struct option){"version", no_argument, NULL, VERSION};
    return n;
}

/* --help, --usage or --version; returns true, for then there is nothing to do. */
static bool answer(const struct ar_command *command, int key)
{
    if (ar_speaks() && (key == 'V' || key == VERSION))
        printf("allround " AR_VERSION "\n");
    else if (ar_speaks())
        print_help(command, key == USAGE ? ARGP_HELP_USAGE : ARGP_HELP_STD_HELP);
    return true;
}

enum ar_status ar_options_read(const struct ar_command *command, int argc, char **argv, void *options,
                               const struct ar_format **format, struct ar_error *error)
{
    struct option *longs = ar_alloc((size_t)(command->noptions + ar_nformats + 4), sizeof *longs);
    struct ar_text shorts = {0};
    struct reading r = {.command = command, .options = options};
    r.given = ar_alloc((size_t)command->noptions, sizeof *r.given);
    int nlongs = describe(command, longs, &shorts);
    bool answered = false;
    enum ar_status status = AR_OK;
    optind = 0; /* makes getopt begin */
    while (status == AR_OK && !answered) {
        int key = getopt_long(argc, argv, shorts.data, longs, NULL);
        bool helps = key == '?' && optopt == '?'; /* -?, which getopt cannot tell from a mistake */
        if (key == -1 && optind >= argc)
            break;
        if (key == -1) /* what follows "--" */
            status = take_operand(&r, argv[optind++], error);
        else if (key == OPERAND)
            status = take_operand(&r, optarg, error);
        else if ((key == '?' || key == ':') && !helps)
            status = refuse(command, key, argv[optind - 1], AR_NAMES(longs, nlongs), error);
        else if (key >= FORMAT && key < FORMAT + ar_nformats)
            status = take_format(&r, ar_formats[key - FORMAT], error);
        else if (option_of(command, key) && !helps)
            status = take_option(&r, option_of(command, key), optarg, error);
        else
            answered = answer(command, key);
    }
    if (status == AR_OK)
        *format = answered ? NULL : r.format ? r.format : ar_formats[0];
    free(r.given);
    free(longs);
    ar_text_free(&shorts);
    return status;
}

void ar_options_free(const struct ar_command *command, void *options)
{
    for (int i = 0; i < command->noptions; i++) {
        struct ar_option_list *list = (void *)((char *)options + command->option[i].offset);
        if (command->option[i].kind == AR_OPTION_LIST)
            free(list->value);
    }
}
