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

/* A page is a whole document already. */
static void write_page(const struct ar_report *report, struct ar_text *out)
{
    ar_text_add(out, "%s", report->body.data);
}

static const struct ar_format page_format = {.name = "page", .write = write_page};

static enum ar_status run(void *options, struct ar_session *session, const struct ar_format *format,
                          struct ar_error *error)
{
    (void)session;
    const struct options *o = options;
    const struct ar_listing *listing = &ar_listings[o->listing];
    bool page = listing->page && format == &ar_format_markdown;
    struct ar_report report = {0};
    enum ar_status status = page ? listing->page(&report.body, error) : ar_describe_machine(&report, error);
    if (status == AR_OK && !page)
        status = listing->list(&report, format->for_people, error);
    if (status == AR_OK)
        status = ar_print(&report, page ? &page_format : format, error);
    ar_report_free(&report);
    return status;
}

static const struct options defaults;

const struct ar_command ar_command_list = {
    .name = "list",
    .summary = "algorithms, collectives, models, strategies, types and operators there are",
    .arguments = "[algorithms|collectives|models|strategies|types|operators|machines|cost-models|topologies]",
    .about = "Lists what there is, from the registries; algorithms when nothing is named.\v"
             "--json and --csv also hold the sources and pictures; --markdown of the algorithms is the page "
             "collectives/README.md.\n\n"
             "Examples:\n"
             "  allround list\n"
             "  allround list strategies\n"
             "  allround list algorithms --json",
    AR_COMMAND_OPTIONS(table, defaults),
    .run = run,
};
