#include "bench/cli/cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/harness/environment.h"
#include "collectives/run/mpi.h"

bool ar_speaks(void)
{
    int rank, nranks;
    return !ar_mpi_launched(&rank, &nranks) || rank <= 0;
}

/* ---- The output format ------------------------------------------------------------------------------- */

/* Keys of options without a short form; each command's own begin at 0x100. */
enum output_key {
    OUTPUT_BEFORE = 0xFFF,
#define AR_FORMAT(name) OUTPUT_##name,
#include "bench/report/formats.def"
#undef AR_FORMAT
};

static const struct argp_option output_options[] = {
    {0, 0, 0, 0, "Output:", 10},
#define AR_FORMAT(name) {#name, OUTPUT_##name, 0, 0, "Print " #name, 0},
#include "bench/report/formats.def"
#undef AR_FORMAT
    {0},
};

static error_t parse_output(int key, char *argument, struct argp_state *state)
{
    (void)argument;
    int index = key - (OUTPUT_BEFORE + 1);
    if (index < 0 || index >= ar_nformats)
        return ARGP_ERR_UNKNOWN;
    *(const struct ar_format **)state->input = ar_formats[index];
    return 0;
}

const struct argp ar_output_options = {output_options, parse_output, 0, 0, 0, 0, 0};

bool ar_is_text(const struct ar_format *format)
{
    return format == &ar_format_text;
}

/* ---- Parsing ----------------------------------------------------------------------------------------- */

error_t ar_option_status(struct ar_options *options, enum ar_status status)
{
    if (status != AR_OK && options->status == AR_OK) {
        options->status = status;
        options->first = options->error;
    }
    return 0;
}

/* argp prints and exits by itself; on the ranks that do not speak it does so into nothing. */
static void silence(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere < 0)
        return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

static void restore(int saved, int to)
{
    if (saved < 0)
        return;
    dup2(saved, to);
    close(saved);
}

enum ar_status ar_options_parse(const struct argp *argp, int argc, char **argv, struct ar_options *options,
                                struct ar_error *error)
{
    int saved_out = -1, saved_err = -1;
    if (!ar_speaks()) {
        saved_out = dup(STDOUT_FILENO);
        saved_err = dup(STDERR_FILENO);
        silence();
    }
    options->format = &ar_format_text;
    options->status = AR_OK;
    error_t failed = argp_parse(argp, argc, argv, 0, NULL, options);
    restore(saved_out, STDOUT_FILENO);
    restore(saved_err, STDERR_FILENO);
    if (failed)
        return ar_fail(error, AR_INVALID, "options: %s", strerror(failed));
    if (options->status != AR_OK && error)
        *error = options->first;
    return options->status;
}

static enum ar_status take_name(const char *name, const char *kind, const char *const *known, int n,
                                int *taken, int *ntaken, struct ar_error *error)
{
    int index = 0;
    while (index < n && strcmp(name, known[index]) != 0)
        index++;
    if (index == n)
        return ar_fail_unknown(error, kind, name, known, (size_t)n);
    for (int i = 0; i < *ntaken; i++)
        if (taken[i] == index)
            return ar_fail(error, AR_INVALID, "%s '%s' is given twice", kind, name);
    taken[(*ntaken)++] = index;
    return AR_OK;
}

enum ar_status ar_parse_names(const char *list, const char *kind, const char *const *known, int n, int *taken,
                              int *ntaken, struct ar_error *error)
{
    *ntaken = 0;
    if (strcmp(list, "all") == 0) {
        for (; *ntaken < n; ++*ntaken)
            taken[*ntaken] = *ntaken;
        return AR_OK;
    }
    char *copy = strdup(list), *rest = copy;
    enum ar_status status = AR_OK;
    while (rest && status == AR_OK)
        status = take_name(strsep(&rest, ","), kind, known, n, taken, ntaken, error);
    free(copy);
    return status;
}

enum ar_status ar_parse_type(const char *name, enum ar_type *type, struct ar_error *error)
{
    const char *known[AR_NTYPES];
    for (int i = 0; i < AR_NTYPES; i++)
        known[i] = ar_types[i].name;
    enum ar_type found = ar_type_find(name);
    if (found == AR_NTYPES)
        return ar_fail_unknown(error, "type", name, known, AR_NTYPES);
    *type = found;
    return AR_OK;
}

bool ar_names_file(const char *argument)
{
    size_t n = strlen(argument);
    return strchr(argument, '/') || (n > 5 && strcmp(argument + n - 5, ".json") == 0);
}

/* ---- Printing ---------------------------------------------------------------------------------------- */

enum ar_status ar_describe_machine(struct ar_report *report, struct ar_error *error)
{
    struct ar_environment environment;
    enum ar_status status = ar_environment_read(&environment, NULL, NULL, 0, false, error);
    if (status == AR_OK)
        ar_environment_report(&environment, report);
    return status;
}

enum ar_status ar_print(const struct ar_report *report, const struct ar_format *format,
                        struct ar_error *error)
{
    return ar_speaks() ? ar_report_write(report, format, stdout, error) : AR_OK;
}
