/* allround list: what there is, from the registries (bench/harness/listing.h). */
#include <stdlib.h>
#include <string.h>

#include "bench/cli/cli.h"
#include "bench/harness/listing.h"
#include "collectives/base/memory.h"

struct options {
    struct ar_options base; /* first: parsers get its address */
    const struct ar_listing *listing;
};

static enum ar_status parse_listing(const char *name, struct options *o)
{
    if (o->listing)
        return ar_fail(&o->base.error, AR_INVALID, "list: expected one registry, got '%s' too", name);
    const char **known = ar_alloc((size_t)ar_nlistings, sizeof *known);
    for (int i = 0; i < ar_nlistings; i++) {
        known[i] = ar_listings[i].name;
        if (strcmp(name, known[i]) == 0)
            o->listing = &ar_listings[i];
    }
    enum ar_status status = AR_OK;
    if (!o->listing)
        status = ar_fail_unknown(&o->base.error, "registry", name, known, (size_t)ar_nlistings);
    free(known);
    return status;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->base.format;
        return 0;
    case ARGP_KEY_ARG:
        return ar_option_status(&o->base, parse_listing(argument, o));
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&ar_output_options, 0, 0, 0}, {0}};

static const struct argp argp = {
    0,
    parse,
    "[algorithms|collectives|models|strategies|types|operators]",
    "Lists what there is, from the registries; algorithms when nothing is named.\v"
    "--json and --csv also hold the sources.\n\n"
    "Examples:\n"
    "  allround list\n"
    "  allround list strategies\n"
    "  allround list algorithms --json",
    children,
    0,
    0};

static enum ar_status run(int argc, char **argv, struct ar_error *error)
{
    struct options o = {0};
    struct ar_report report = {0};
    enum ar_status status = ar_options_parse(&argp, argc, argv, &o.base, error);
    if (status == AR_OK)
        status = ar_describe_machine(&report, error);
    if (status == AR_OK)
        status = (o.listing ? o.listing : ar_listings)->list(&report, error);
    if (status == AR_OK)
        status = ar_print(&report, o.base.format, error);
    ar_report_free(&report);
    return status;
}

const struct ar_command ar_command_list = {
    "list", "algorithms, collectives, models, strategies, types and operators there are", run};
