#include "bench/import/schedule_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/import/json.h"
#include "collectives/base/memory.h"
#include "collectives/base/names.h"
#include "collectives/registry.h"

static const char *const verbs[] = {
    [AR_SEND] = "send", [AR_RECEIVE] = "receive", [AR_RECEIVE_REDUCE] = "combine",
    [AR_COPY] = "copy", [AR_FOLD] = "fold",
};
static const char *const places[AR_NPLACES] = {
    [AR_VECTOR] = "vector", [AR_INPUT] = "input", [AR_SCRATCH] = "scratch"};
static const char *const orders[] = {[AR_HELD_FIRST] = "held first", [AR_OTHER_FIRST] = "other first"};

enum { NVERBS = sizeof verbs / sizeof *verbs };

/* ---- The schedule functions over the table ----------------------------------------------------------- */

struct ar_step_table {
    char *name, *summary;
    int64_t nblocks, parts, nrounds;
    int64_t *start; /* steps of (round, rank): start[i] .. start[i + 1], i = round * nranks + rank */
    struct ar_step *step;
    int64_t nsteps, capacity;
};

static int64_t table_parts(const struct ar_problem *p)
{
    return ((const struct ar_step_table *)p->prepared)->parts;
}

static int64_t table_splits(const struct ar_problem *p)
{
    const struct ar_step_table *table = p->prepared;
    return table->nblocks / table->parts;
}

static int64_t table_rounds(const struct ar_problem *p)
{
    return ((const struct ar_step_table *)p->prepared)->nrounds;
}

static void table_round(const struct ar_problem *p, int rank, int64_t k, struct ar_sink *sink)
{
    const struct ar_step_table *table = p->prepared;
    int64_t at = k * p->nranks + rank;
    for (int64_t i = table->start[at]; i < table->start[at + 1]; i++)
        ar_emit(sink, table->step[i]);
}

/* ---- Words ------------------------------------------------------------------------------------------- */

/* Reading one step: `c` moves through `text`, which stands at `at` in the document. */
struct words {
    const struct ar_json *json;
    const struct ar_json_at *at;
    const char *text, *c;
    int rank, nranks;
    struct ar_step_table *table;
    struct ar_error *error;
};

static void skip_space(struct words *w)
{
    while (*w->c == ' ')
        w->c++;
}

/* Of the next character in the string as it stands in the file, behind its quote. */
static size_t offset(const struct words *w)
{
    return 1 + (size_t)(w->c - w->text);
}

/* "expected WHAT, got '...'" with the place of the next word. */
static enum ar_status expected(struct words *w, const char *what)
{
    skip_space(w);
    size_t length = strcspn(w->c, " ,");
    length += length == 0 && *w->c; /* a lone comma */
    size_t skip = offset(w);
    if (length == 0)
        return ar_json_fail(w->json, w->at, false, skip, w->error, "expected %s, got the end of \"%.60s\"",
                            what, w->text);
    return ar_json_fail(w->json, w->at, false, skip, w->error, "expected %s, got '%.*s'", what,
                        length < 40 ? (int)length : 40, w->c);
}

/* Steps over `word` (which may be two words) when it comes next. */
static bool accept(struct words *w, const char *word)
{
    skip_space(w);
    size_t length = strlen(word);
    if (strncmp(w->c, word, length) != 0)
        return false;
    if (isalpha((unsigned char)word[length - 1]) && isalpha((unsigned char)w->c[length]))
        return false; /* only the beginning of another word */
    w->c += length;
    return true;
}

static bool read_number(struct words *w, int64_t *value)
{
    skip_space(w);
    if (!isdigit((unsigned char)*w->c))
        return false;
    int64_t number = 0;
    for (; isdigit((unsigned char)*w->c); w->c++)
        number = number < INT64_MAX / 100 ? 10 * number + (*w->c - '0') : INT64_MAX / 100;
    *value = number;
    return true;
}

static enum ar_status read_place(struct words *w, bool written, uint8_t *place)
{
    for (int i = 0; i < AR_NPLACES; i++)
        if (!(written && i == AR_INPUT) && accept(w, places[i])) {
            *place = (uint8_t)i;
            return AR_OK;
        }
    return expected(w, written ? "vector or scratch" : "vector, input or scratch");
}

static enum ar_status read_peer(struct words *w, const char *word, int *peer)
{
    if (!accept(w, word))
        return expected(w, word[0] == 't' ? "'to' and a rank" : "'from' and a rank");
    skip_space(w);
    size_t skip = offset(w);
    int64_t rank;
    if (!read_number(w, &rank))
        return expected(w, "a rank");
    if (rank >= w->nranks)
        return ar_json_fail(w->json, w->at, false, skip, w->error, "rank: expected 0..%d, got %" PRId64,
                            w->nranks - 1, rank);
    if (rank == w->rank)
        return ar_json_fail(w->json, w->at, false, skip, w->error,
                            "rank %d cannot exchange a message with itself", w->rank);
    *peer = (int)rank;
    return AR_OK;
}

static enum ar_status read_order(struct words *w, uint8_t *order)
{
    if (!accept(w, ","))
        return AR_OK;
    for (int i = AR_HELD_FIRST; i <= AR_OTHER_FIRST; i++)
        if (accept(w, orders[i])) {
            *order = (uint8_t)i;
            return AR_OK;
        }
    return expected(w, "'held first' or 'other first'");
}

static enum ar_status read_block(struct words *w, int64_t *block)
{
    skip_space(w);
    size_t skip = offset(w);
    if (!read_number(w, block))
        return expected(w, "a block such as 0, 0-3 or 0,4,2");
    if (*block >= w->table->nblocks)
        return ar_json_fail(w->json, w->at, false, skip, w->error,
                            "block: expected 0..%" PRId64 ", got %" PRId64, w->table->nblocks - 1, *block);
    return AR_OK;
}

/* Appends one step per run of blocks; the caller fills in the rest of them. */
static enum ar_status read_blocks(struct words *w)
{
    struct ar_step_table *table = w->table;
    do {
        skip_space(w);
        size_t skip = offset(w);
        int64_t first, last;
        enum ar_status status = read_block(w, &first);
        last = first;
        if (status == AR_OK && accept(w, "-"))
            status = read_block(w, &last);
        if (status != AR_OK)
            return status;
        if (last < first)
            return ar_json_fail(w->json, w->at, false, skip, w->error,
                                "a range of blocks ascends, got %" PRId64 "-%" PRId64, first, last);
        AR_GROW(table->step, table->nsteps, table->capacity);
        table->step[table->nsteps++] = (struct ar_step){.set = ar_block_run(first, last - first + 1)};
    } while (accept(w, ","));
    return AR_OK;
}

/* What follows the blocks, by kind. */
static enum ar_status read_rest(struct words *w, struct ar_step *step)
{
    enum ar_status status = AR_OK;
    bool local = step->kind == AR_COPY || step->kind == AR_FOLD;
    if (step->kind == AR_SEND || local) {
        if (accept(w, "of"))
            status = read_place(w, false, &step->from);
        else if (local)
            status = expected(w, "'of' and a place");
    }
    if (status == AR_OK && step->kind == AR_COPY) {
        if (!accept(w, "to"))
            return expected(w, "'to' and a place");
        return read_place(w, true, &step->to);
    }
    if (status == AR_OK && step->kind != AR_SEND && accept(w, "into"))
        status = read_place(w, true, &step->to);
    if (status == AR_OK && !local)
        status = read_peer(w, step->kind == AR_SEND ? "to" : "from", &step->peer);
    if (status == AR_OK && (step->kind == AR_RECEIVE_REDUCE || step->kind == AR_FOLD))
        status = read_order(w, &step->order);
    return status;
}

static enum ar_status read_step(struct words *w)
{
    struct ar_step step = {.peer = -1, .modulus = w->table->nblocks};
    while (step.kind < NVERBS && !accept(w, verbs[step.kind]))
        step.kind++;
    if (step.kind == NVERBS)
        return expected(w, "send, receive, combine, copy or fold");
    step.order = step.kind == AR_FOLD ? AR_HELD_FIRST : AR_BY_RANK; /* a fold has no peer to go by */
    int64_t first = w->table->nsteps;
    enum ar_status status = read_blocks(w);
    if (status == AR_OK)
        status = read_rest(w, &step);
    if (status != AR_OK)
        return status;
    skip_space(w);
    if (*w->c)
        return expected(w, "the end of the step");
    for (int64_t i = first; i < w->table->nsteps; i++) {
        step.set = w->table->step[i].set;
        w->table->step[i] = step;
    }
    return AR_OK;
}

/* ---- The document ------------------------------------------------------------------------------------ */

static enum ar_status read_rank(const struct ar_json *json, const struct ar_json_at *at, const json_t *steps,
                                struct ar_schedule_file *file, int rank, struct ar_error *error)
{
    if (!json_is_array(steps))
        return ar_json_fail(json, at, false, 0, error,
                            "expected the list of steps of rank %d, such as [\"send 0 to 1\"]", rank);
    enum ar_status status = AR_OK;
    for (size_t i = 0; status == AR_OK && i < json_array_size(steps); i++) {
        const struct ar_json_at step_at = {at, NULL, i};
        const char *text = json_string_value(json_array_get(steps, i));
        if (!text)
            return ar_json_fail(json, &step_at, false, 0, error, "expected a step such as \"send 0 to 1\"");
        status = read_step(
            &(struct words){json, &step_at, text, text, rank, file->problem.nranks, file->table, error});
    }
    return status;
}

static enum ar_status read_rounds(const struct ar_json *json, struct ar_schedule_file *file,
                                  struct ar_error *error)
{
    struct ar_step_table *table = file->table;
    const json_t *rounds;
    enum ar_status status = ar_json_array(json, json->root, NULL, "rounds", &rounds, error);
    if (status != AR_OK)
        return status;
    const struct ar_json_at rounds_at = {NULL, "rounds", 0};
    size_t nranks = (size_t)file->problem.nranks, nstarts = 0, capacity = 0;
    for (size_t k = 0; k < json_array_size(rounds); k++) {
        const json_t *round = json_array_get(rounds, k);
        const struct ar_json_at at = {&rounds_at, NULL, k};
        if (!json_is_array(round) || json_array_size(round) != nranks)
            return ar_json_fail(json, &at, false, 0, error,
                                "round %zu: expected %zu lists of steps, one per rank, got %zu", k + 1,
                                nranks, json_array_size(round));
        for (size_t rank = 0; rank < nranks; rank++) {
            AR_GROW(table->start, nstarts, capacity);
            table->start[nstarts++] = table->nsteps;
            status = read_rank(json, &(struct ar_json_at){&at, NULL, rank}, json_array_get(round, rank), file,
                               (int)rank, error);
            if (status != AR_OK)
                return status;
        }
    }
    AR_GROW(table->start, nstarts, capacity);
    table->start[nstarts] = table->nsteps;
    table->nrounds = (int64_t)json_array_size(rounds);
    return AR_OK;
}

static enum ar_status read_collective(const struct ar_json *json, struct ar_schedule_file *file,
                                      struct ar_error *error)
{
    const char *name;
    enum ar_status status = ar_json_text(json, json->root, NULL, "collective", true, &name, error);
    if (status != AR_OK)
        return status;
    int which;
    struct ar_error inner;
    if (ar_names_pick(AR_NAMES(ar_collectives, AR_NCOLLECTIVES), "collective", name, &which, &inner) != AR_OK)
        return ar_json_fail(json, &(struct ar_json_at){NULL, "collective", 0}, false, 0, error, "%s",
                            inner.text);
    file->algorithm.collective = (enum ar_collective_id)which;
    return AR_OK;
}

static enum ar_status read_sizes(const struct ar_json *json, struct ar_schedule_file *file,
                                 struct ar_error *error)
{
    struct ar_step_table *table = file->table;
    enum ar_collective_id collective = file->algorithm.collective;
    int64_t nranks, root = 0;
    enum ar_status status =
        ar_json_int(json, json->root, NULL, "ranks", true, 1, AR_FILE_RANKS, &nranks, error);
    if (status == AR_OK)
        status =
            ar_json_int(json, json->root, NULL, "blocks", true, 1, AR_FILE_BLOCKS, &table->nblocks, error);
    if (status == AR_OK)
        status = ar_json_int(json, json->root, NULL, "root", false, 0, nranks - 1, &root, error);
    if (status != AR_OK)
        return status;
    if (root != 0 && !ar_collective_rooted(collective))
        return ar_json_fail(json, &(struct ar_json_at){NULL, "root", 0}, false, 0, error,
                            "root: %s has none, got %" PRId64, ar_collectives[collective].name, root);
    table->parts = ar_collective_owned(collective) ? nranks : table->nblocks;
    if (table->nblocks % table->parts)
        return ar_json_fail(json, &(struct ar_json_at){NULL, "blocks", 0}, false, 0, error,
                            "blocks: the blocks of %s belong to ranks, expected a multiple of %" PRId64
                            ", got %" PRId64,
                            ar_collectives[collective].name, nranks, table->nblocks);
    file->problem = (struct ar_problem){.nranks = (int)nranks, .root = (int)root, .prepared = table};
    return AR_OK;
}

static enum ar_status read_document(const struct ar_json *json, struct ar_schedule_file *file,
                                    struct ar_error *error)
{
    static const char *const known[] = {"name", "collective", "ranks", "blocks", "root", "rounds"};
    const char *slash = strrchr(json->path, '/');
    const char *name = slash ? slash + 1 : json->path;
    enum ar_status status = ar_json_keys(json, json->root, NULL, known, sizeof known / sizeof *known, error);
    if (status == AR_OK)
        status = ar_json_text(json, json->root, NULL, "name", false, &name, error);
    if (status == AR_OK)
        status = read_collective(json, file, error);
    if (status == AR_OK)
        status = read_sizes(json, file, error);
    if (status == AR_OK)
        status = read_rounds(json, file, error);
    if (status != AR_OK)
        return status;
    struct ar_text summary = {0};
    ar_text_add(&summary, "read from %s", json->path);
    file->table->name = strdup(name);
    file->table->summary = summary.data;
    file->algorithm = (struct ar_algorithm){
        .name = file->table->name,
        .collective = file->algorithm.collective,
        .summary = summary.data,
        .source = "a file",
        .parts = table_parts,
        .splits = table_splits,
        .rounds = table_rounds,
        .round = table_round,
    };
    return AR_OK;
}

enum ar_status ar_schedule_read(const char *path, struct ar_schedule_file *file, struct ar_error *error)
{
    struct ar_json json;
    enum ar_status status = ar_json_read(path, &json, error);
    if (status != AR_OK)
        return status;
    struct ar_schedule_file made = {.table = ar_alloc(1, sizeof *made.table)};
    status = read_document(&json, &made, error);
    ar_json_free(&json);
    if (status != AR_OK)
        ar_schedule_file_free(&made);
    else
        *file = made;
    return status;
}

void ar_schedule_file_free(struct ar_schedule_file *file)
{
    if (file->table) {
        free(file->table->name);
        free(file->table->summary);
        free(file->table->start);
        free(file->table->step);
        free(file->table);
    }
    *file = (struct ar_schedule_file){0};
}

/* ---- Writing ----------------------------------------------------------------------------------------- */

/* The i-th name of the step's set. */
static int64_t block_of(const struct ar_step *step, int64_t i)
{
    const struct ar_blocks *set = &step->set;
    int64_t at = (set->first + i / set->length * set->stride + i % set->length) % step->modulus;
    return step->base + (at < 0 ? at + step->modulus : at);
}

/* "0-3,7": the names in their order, ascending neighbours joined. */
static void write_blocks(const struct ar_step *step, struct ar_text *out)
{
    int64_t n = step->set.count * step->set.length, run;
    for (int64_t i = 0; i < n; i += run) {
        int64_t first = block_of(step, i);
        for (run = 1; i + run < n && block_of(step, i + run) == first + run; run++)
            ;
        ar_text_add(out, "%s%" PRId64, i ? "," : "", first);
        if (run > 1)
            ar_text_add(out, "-%" PRId64, first + run - 1);
    }
}

void ar_step_write(const struct ar_step *step, struct ar_text *out)
{
    bool message = step->peer >= 0;
    ar_text_add(out, "%s ", verbs[step->kind]);
    write_blocks(step, out);
    if (!message || step->from != AR_VECTOR)
        if (step->kind == AR_SEND || !message)
            ar_text_add(out, " of %s", places[step->from]);
    if (step->kind == AR_COPY)
        ar_text_add(out, " to %s", places[step->to]);
    else if (step->kind != AR_SEND && step->to != AR_VECTOR)
        ar_text_add(out, " into %s", places[step->to]);
    if (message)
        ar_text_add(out, " %s %d", step->kind == AR_SEND ? "to" : "from", step->peer);
    if (step->order != AR_BY_RANK && (step->kind == AR_RECEIVE_REDUCE || step->kind == AR_FOLD))
        ar_text_add(out, ", %s", orders[step->order]);
}

static void write_round(const struct ar_schedule *schedule, int64_t k, struct ar_sink *sink,
                        struct ar_text *out)
{
    for (int rank = 0; rank < schedule->problem.nranks; rank++) {
        ar_text_add(out, "%s[", rank ? ",\n      " : "\n    [ ");
        sink->n = 0;
        ar_schedule_round(schedule, rank, k, sink);
        for (int i = 0; i < sink->n; i++) {
            ar_text_add(out, "%s\"", i ? ", " : "");
            ar_step_write(&sink->step[i], out);
            ar_text_add(out, "\"");
        }
        ar_text_add(out, "]");
    }
    ar_text_add(out, " ]");
}

void ar_schedule_write(const struct ar_schedule *schedule, struct ar_text *out)
{
    const struct ar_algorithm *algorithm = schedule->algorithm;
    json_t *quoted = json_string(algorithm->name); /* NULL where a file's name is not UTF-8 */
    char *name = quoted ? json_dumps(quoted, JSON_ENCODE_ANY) : NULL;
    ar_text_add(out, "{\n  \"name\": %s,\n  \"collective\": \"%s\",\n", name ? name : "\"schedule\"",
                ar_collectives[algorithm->collective].name);
    free(name);
    json_decref(quoted);
    ar_text_add(out, "  \"ranks\": %d,\n  \"blocks\": %" PRId64 ",\n", schedule->problem.nranks,
                ar_nblocks(schedule));
    if (ar_collective_rooted(algorithm->collective))
        ar_text_add(out, "  \"root\": %d,\n", schedule->problem.root);
    ar_text_add(out, "  \"rounds\": [");
    struct ar_sink sink = {.full = ar_sink_grow};
    for (int64_t k = 0; k < ar_nrounds(schedule); k++) {
        ar_text_add(out, k ? "," : "");
        write_round(schedule, k, &sink, out);
    }
    free(sink.step);
    ar_text_add(out, "\n  ]\n}\n");
}
