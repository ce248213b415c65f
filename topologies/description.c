/* Reading and writing descriptions: see topology.h. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/names.h"
#include "collectives/base/units.h"
#include "topologies/kind.h"

const struct ar_topology_param ar_topology_attributes[AR_NATTRIBUTES] = {
    [AR_ATTRIBUTE_BANDWIDTH] = {"bandwidth", "of each link, one way", AR_TOPOLOGY_RATE},
    [AR_ATTRIBUTE_LATENCY] = {"latency", "of passing each link", AR_TOPOLOGY_TIME},
    [AR_ATTRIBUTE_NIC] = {"nic", "in NODE/NETWORK, between each host and its node's adapter",
                          AR_TOPOLOGY_RATE},
};

/* ---- Values ------------------------------------------------------------------------------------------ */

/* *at moves from the text's place in the description to that of the size in question. */
static enum ar_status parse_list(const struct ar_topology_param *param, char *text,
                                 struct ar_topology_value *value, size_t *at, struct ar_error *error)
{
    size_t begin = *at;
    for (char *rest = text; rest; value->n++) {
        *at = begin + (size_t)(rest - text);
        if (value->n == AR_TOPOLOGY_SIZES)
            return ar_fail(error, AR_INVALID, "%s: expected at most %d sizes, got more", param->name,
                           AR_TOPOLOGY_SIZES);
        enum ar_status status = ar_parse_int(strsep(&rest, "x"), param->name, param->min, param->max,
                                             &value->size[value->n], error);
        if (status != AR_OK)
            return status;
    }
    return AR_OK;
}

static enum ar_status parse_value(const struct ar_topology_param *param, char *text,
                                  struct ar_topology_value *value, size_t *at, struct ar_error *error)
{
    int word;
    enum ar_status status = AR_OK;
    if (param->unit == AR_TOPOLOGY_LIST)
        return parse_list(param, text, value, at, error);
    if (param->unit == AR_TOPOLOGY_WORD) {
        status = ar_names_pick(AR_NAMES(param->words, (int)param->max + 1), param->name, text, &word, error);
        if (status == AR_OK)
            value->size[0] = word;
    } else if (param->unit == AR_TOPOLOGY_NUMBER) {
        status = ar_parse_int(text, param->name, param->min, param->max, &value->size[0], error);
    } else if (param->unit == AR_TOPOLOGY_RATE) {
        status = ar_parse_rate(text, param->name, &value->real, error);
    } else {
        status = ar_parse_time(text, param->name, &value->real, error);
    }
    value->n = 1;
    return status;
}

struct unit {
    const char *name;
    double scale;
};

/* Whether the number's shortest digits in that unit read back to the same bits; then they are in `made`. */
static bool fits(bool rate, double real, const struct unit *unit, char made[AR_UNITS_TEXT])
{
    double back;
    snprintf(made, AR_UNITS_TEXT, "%.15g%s", real / unit->scale, unit->name);
    enum ar_status status =
        rate ? ar_parse_rate(made, "", &back, NULL) : ar_parse_time(made, "", &back, NULL);
    return status == AR_OK && back == real;
}

/* The number in the unit people would use, or the one beside it, where it reads back to the same bits. */
static void write_real(bool rate, double real, struct ar_text *text)
{
    static const struct unit units[2][5] = {
        {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"s", 1}},
        {{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1}}};
    char made[AR_UNITS_TEXT];
    int unit = 0, last = rate ? 4 : 3;
    while (unit < last && real < units[rate][unit].scale)
        unit++;
    bool done = fits(rate, real, &units[rate][unit], made) ||
                (unit > 0 && fits(rate, real, &units[rate][unit - 1], made)) ||
                fits(rate, real, &units[rate][4], made);
    for (int digits = 16; digits <= 17 && !done; digits++) { /* B/s and seconds need no unit */
        snprintf(made, sizeof made, "%.*g", digits, real);
        done = strtod(made, NULL) == real;
    }
    ar_text_add(text, "%s", made);
}

void ar_topology_write_value(const struct ar_topology_param *param, const struct ar_topology_value *value,
                             struct ar_text *text)
{
    if (param->unit == AR_TOPOLOGY_RATE || param->unit == AR_TOPOLOGY_TIME)
        write_real(param->unit == AR_TOPOLOGY_RATE, value->real, text);
    else if (param->unit == AR_TOPOLOGY_WORD)
        ar_text_add(text, "%s", param->words[value->size[0]]);
    else
        for (int i = 0; i < value->n; i++)
            ar_text_add(text, "%s%" PRId64, i ? "x" : "", value->size[i]);
}

/* ---- Parsing ----------------------------------------------------------------------------------------- */

/* One of the parts between slashes. */
struct part {
    const char *whole; /* the description, for sentences */
    size_t at;         /* where in it the word in question begins */
    const struct ar_topology_kind *kind;
    struct ar_topology_value value[AR_TOPOLOGY_PARAMS], attribute[AR_NATTRIBUTES];
};

/* Says where the sentence in `error` belongs. */
static enum ar_status place(const struct part *part, enum ar_status status, struct ar_error *error)
{
    if (status == AR_OK || !error)
        return status;
    return ar_fail(error, status, "topology '%.200s', at %zu: %s", part->whole, part->at + 1, error->text);
}

/* Parameter i of the part's kind, and after those the attributes. */
static const struct ar_topology_param *param_of(const struct part *part, int i)
{
    int own = part->kind->nparams;
    return i < own ? &part->kind->params[i] : &ar_topology_attributes[i - own];
}

static struct ar_topology_value *value_of(struct part *part, int i)
{
    int own = part->kind->nparams;
    return i < own ? &part->value[i] : &part->attribute[i - own];
}

static enum ar_status find_param(struct part *part, const char *name, int *which, struct ar_error *error)
{
    const char *known[AR_TOPOLOGY_PARAMS + AR_NATTRIBUTES];
    int n = part->kind->nparams + AR_NATTRIBUTES;
    char kind[64];
    for (int i = 0; i < n; i++)
        known[i] = param_of(part, i)->name;
    snprintf(kind, sizeof kind, "parameter of %s", part->kind->name);
    enum ar_status status = ar_names_pick(AR_NAMES(known, n), kind, name, which, error);
    if (status == AR_OK && value_of(part, *which)->n)
        status = ar_fail(error, AR_INVALID, "'%s' is given twice", name);
    return status;
}

/* NAME=VALUE, or the first parameter's value alone. */
static enum ar_status parse_item(struct part *part, char *item, bool first, struct ar_error *error)
{
    int which = 0;
    char *text = strchr(item, '=');
    if (!text && !(first && part->kind->nparams > 0))
        return ar_fail(error, AR_INVALID, "%s: expected NAME=VALUE, got '%.100s'", part->kind->name, item);
    if (text)
        *text++ = '\0';
    enum ar_status status = text ? find_param(part, item, &which, error) : AR_OK;
    if (status != AR_OK)
        return status;
    part->at += text ? (size_t)(text - item) : 0;
    return parse_value(param_of(part, which), text ? text : item, value_of(part, which), &part->at, error);
}

static enum ar_status parse_part(struct part *part, char *text, struct ar_error *error)
{
    int which;
    size_t begin = part->at;
    char *rest = text, *name = strsep(&rest, ":");
    enum ar_status status = ar_names_pick(AR_NAMES_POINTED(ar_topology_kinds, ar_ntopology_kinds), "topology",
                                          name, &which, error);
    if (status != AR_OK)
        return status;
    part->kind = ar_topology_kinds[which];
    for (bool first = true; rest && status == AR_OK; first = false) {
        part->at = begin + (size_t)(rest - text);
        status = parse_item(part, strsep(&rest, ","), first, error);
    }
    for (int i = 0; i < part->kind->nparams && status == AR_OK; i++)
        if (part->kind->params[i].needed && part->value[i].n == 0) {
            part->at = begin;
            status = ar_fail(error, AR_INVALID, "%s needs %s (%s), e.g. %s", part->kind->name,
                             part->kind->params[i].name, part->kind->params[i].help, part->kind->example);
        }
    return status;
}

static enum ar_status make_part(const struct part *part, struct ar_topology *topology, struct ar_error *error)
{
    const struct ar_topology_value *rate = &part->attribute[AR_ATTRIBUTE_BANDWIDTH];
    const struct ar_topology_value *time = &part->attribute[AR_ATTRIBUTE_LATENCY];
    struct ar_topology made = {.kind = part->kind,
                               .node_hosts = 1,
                               .nlevels = 1,
                               .first_level = AR_LEVEL_SWITCH,
                               .bandwidth_Bps = rate->n ? rate->real : NAN,
                               .latency_s = time->n ? time->real : NAN};
    memcpy(made.value, part->value, sizeof made.value);
    enum ar_status status = part->kind->make(&made, error);
    if (status == AR_OK)
        *topology = made;
    else
        ar_topology_free(&made);
    return status;
}

/* The slash between a node and its network; NULL: none. Not the one of "GB/s". */
static char *split(char *text)
{
    for (char *slash = text; (slash = strchr(slash, '/')); slash++)
        if (slash[1] != 's' || (slash[2] && !strchr(",/", slash[2])))
            return slash;
    return NULL;
}

typedef enum ar_status graph_reader(const char *path, struct ar_graph *graph, struct ar_error *error);

static const char csv_begins[] = "csv:";

static enum ar_status parse_csv(struct part *part, const char *path, graph_reader *reader,
                                struct ar_topology *topology, struct ar_error *error)
{
    struct ar_graph graph = {0};
    if (!*path)
        return place(part, ar_fail(error, AR_INVALID, "expected csv:FILE"), error);
    if (!reader)
        return place(part, ar_fail(error, AR_INVALID, "files are not read here"), error);
    enum ar_status status = reader(path, &graph, error); /* says its own place */
    if (status != AR_OK)
        return status;
    status = ar_topology_of_graph(&graph, path, topology, error);
    if (status != AR_OK && error)
        ar_fail(error, status, "%.400s: %s", path, error->text);
    return status;
}

/* `text` is the rest of the description, from part->at on. */
static enum ar_status parse(struct part *part, char *text, graph_reader *reader, struct ar_topology *topology,
                            struct ar_error *error)
{
    if (strncmp(text, csv_begins, sizeof csv_begins - 1) == 0)
        return parse_csv(part, text + sizeof csv_begins - 1, reader, topology, error);
    char *slash = split(text);
    if (slash)
        *slash = '\0';
    size_t begin = part->at;
    struct ar_topology inner, outer;
    struct ar_topology_value *nic = &part->attribute[AR_ATTRIBUTE_NIC];
    enum ar_status status = parse_part(part, text, error);
    if (status == AR_OK) {
        part->at = begin; /* what follows is about the whole part */
        status = nic->n && !slash
                     ? ar_fail(error, AR_INVALID, "nic belongs to a node, e.g. hgx:8,nic=50GB/s/fattree:k=4")
                     : make_part(part, &inner, error);
    }
    if (status != AR_OK)
        return place(part, status, error);
    if (!slash) {
        *topology = inner;
        return AR_OK;
    }
    struct part next = {.whole = part->whole, .at = begin + (size_t)(slash + 1 - text)};
    status = parse(&next, slash + 1, reader, &outer, error);
    if (status != AR_OK) {
        ar_topology_free(&inner);
        return status;
    }
    status = ar_topology_pair(&inner, &outer, nic->n ? nic->real : NAN, topology, error);
    return place(part, status, error);
}

enum ar_status ar_topology_parse(const char *description, graph_reader *reader, struct ar_topology *topology,
                                 struct ar_error *error)
{
    struct part part = {.whole = description};
    char *copy = memcpy(ar_alloc(strlen(description) + 1, 1), description, strlen(description));
    enum ar_status status = parse(&part, copy, reader, topology, error);
    free(copy);
    return status;
}

/* ---- Writing ----------------------------------------------------------------------------------------- */

static void write_item(const struct ar_topology_param *param, const struct ar_topology_value *value, int *n,
                       struct ar_text *text)
{
    ar_text_add(text, "%c", (*n)++ ? ',' : ':');
    if (!param->bare)
        ar_text_add(text, "%s=", param->name);
    ar_topology_write_value(param, value, text);
}

void ar_topology_write(const struct ar_topology *t, struct ar_text *text)
{
    const double attribute[] = {t->bandwidth_Bps, t->latency_s};
    int n = 0;
    if (t->kind->write) {
        t->kind->write(t, text);
        return;
    }
    ar_text_add(text, "%s", t->kind->name);
    for (int i = 0; i < t->kind->nparams; i++)
        if (t->value[i].n && !(t->kind->params[i].unit == AR_TOPOLOGY_WORD && t->value[i].size[0] == 0))
            write_item(&t->kind->params[i], &t->value[i], &n, text);
    for (int i = 0; i < 2; i++)
        if (!isnan(attribute[i]))
            write_item(&ar_topology_attributes[i], &(struct ar_topology_value){.real = attribute[i]}, &n,
                       text);
}
