/* allround list: what there is, from the registries (bench/harness/listing.h). */
#include "bench/cli/cli.h"
#include "bench/harness/listing.h"

struct options {
    int listing;
};

static struct ar_names listings(void)
{
    return AR_NAMES(ar_listings, ar_nlistings);
}

static const struct ar_option table[] = {
    {.kind = AR_OPTION_NAME,
     .offset = offsetof(struct options, listing),
     .noun = "registry",
     .names = listings},
};

static enum ar_status run(void *options, struct ar_session *session, const struct ar_format *format,
                          struct ar_error *error)
{
    (void)session;
    const struct options *o = options;
    struct ar_report report = {0};
    enum ar_status status = ar_describe_machine(&report, error);
    if (status == AR_OK)
        status = ar_listings[o->listing].list(&report, format->for_people, error);
    if (status == AR_OK)
        status = ar_print(&report, format, error);
    ar_report_free(&report);
    return status;
}

static const struct options defaults;

const struct ar_command ar_command_list = {
    .name = "list",
    .summary = "algorithms, collectives, models, strategies, types and operators there are",
    .arguments = "[algorithms|collectives|models|strategies|types|operators|machines|cost-models|topologies]",
    .about = "Lists what there is, from the registries; algorithms when nothing is named.\v"
             "--json and --csv also hold the sources.\n\n"
             "Examples:\n"
             "  allround list\n"
             "  allround list strategies\n"
             "  allround list algorithms --json",
    AR_COMMAND_OPTIONS(table, defaults),
    .run = run,
};
