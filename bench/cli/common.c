#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "bench/cli/cli.h"
#include "bench/harness/environment.h"
#include "bench/import/machine_file.h"
#include "collectives/base/units.h"
#include "collectives/run/mpi.h"
#include "collectives/run/types.h"

bool ar_speaks(void)
{
    int rank, nranks;
    return !ar_mpi_launched(&rank, &nranks) || rank <= 0;
}

bool ar_always_over_mpi(const void *options)
{
    (void)options;
    return true;
}

struct ar_names ar_type_names(void)
{
    return AR_NAMES(ar_types, AR_NTYPES);
}

struct ar_names ar_operator_names(void)
{
    return AR_NAMES(ar_operators, ar_noperators);
}

enum ar_status ar_describe_machine(struct ar_report *report, struct ar_error *error)
{
    struct ar_environment environment;
    enum ar_status status = ar_environment_read(&environment, NULL, NULL, 0, false, error);
    if (status == AR_OK)
        ar_environment_report(&environment, report);
    return status;
}

enum ar_status ar_read_pieces(const struct ar_piece_words *words, struct ar_pieces *pieces,
                              struct ar_error *error)
{
    enum { LONGEST = 8 }; /* element */
    int64_t bytes;
    *pieces = words->strict ? AR_STRICT_ROUNDS : AR_PIECES_DEFAULT;
    if (!words->size)
        return AR_OK;
    if (words->strict)
        return ar_fail(error, AR_INVALID, "--strict-rounds and --pieces: expected one of them");
    enum ar_status status = ar_parse_size(words->size, "--pieces", &bytes, error);
    if (status == AR_OK && (bytes < LONGEST || bytes % LONGEST != 0))
        return ar_fail(error, AR_INVALID, "--pieces: expected a multiple of %d B, got '%s'", LONGEST,
                       words->size);
    if (status == AR_OK)
        *pieces = (struct ar_pieces){(size_t)bytes, (size_t)bytes};
    return status;
}

enum ar_status ar_read_model(const struct ar_hockney_words *words, struct ar_hockney *model,
                             const struct ar_hockney_machine **machine, struct ar_error *error)
{
    static struct ar_profile profile;
    static struct ar_hockney_machine found;
    struct ar_prices prices;
    if (!words->machine)
        return ar_hockney_parse(words, model, machine, error);
    ar_profile_free(&profile);
    enum ar_status status = ar_profile_settle(words->machine, NULL, 0, &profile, &prices, error);
    if (status != AR_OK)
        return status;
    found = (struct ar_hockney_machine){.name = profile.name,
                                        .summary = profile.summary,
                                        .source = profile.source,
                                        .model = ar_prices_as_hockney(&prices)};
    return ar_hockney_settle(words, &found, model, machine, error);
}

int ar_terminal_width(int usual)
{
    struct winsize terminal;
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) == 0 && terminal.ws_col >= 40;
    return known ? terminal.ws_col : usual;
}

bool ar_terminal_colours(void)
{
    const char *no_colour = getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
}

enum ar_status ar_print(const struct ar_report *report, const struct ar_format *format,
                        struct ar_error *error)
{
    return ar_speaks() ? ar_report_write(report, format, stdout, error) : AR_OK;
}
