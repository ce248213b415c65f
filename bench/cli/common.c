#include <stdio.h>

#include "bench/cli/cli.h"
#include "bench/harness/environment.h"
#include "collectives/run/mpi.h"

bool ar_speaks(void)
{
    int rank, nranks;
    return !ar_mpi_launched(&rank, &nranks) || rank <= 0;
}

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
