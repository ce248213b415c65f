#include "bench/import/schedule_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/import/json.h"
#include "bench/import/schedule_words.h"
#include "collectives/base/memory.h"
#include "collectives/base/names.h"
#include "collectives/registry.h"

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
    if (isalpha((unsigned char)word[length - 1]) && isalnum((unsigned char)w->c[length]))
        return false; /* only the beginning of another word */
    w->c += length;
    return true;
}

/* A number below `end`; `what` it is of and an example are for the sentences. */
static enum ar_status read_number(struct words *w, const char *what, const char *example, int64_t end,
                                  int64_t *value)
{
    skip_space(w);
    size_t skip = offset(w), length = strspn(w->c, "0123456789");
    if (length == 0 || isalpha((unsigned char)w->c[length]))
        return expected(w, example);
    int64_t number = 0;
    for (const char *digit = w->c; digit < w->c + length; digit++)
        number = number < end ? 10 * number + (*digit - '0') : end;
    if (number >= end)
        return ar_json_fail(w->json, w->at, false, skip, w->error, "%s: expected 0..%" PRId64 ", got %.*s",
                            what, end - 1, length < 40 ? (int)length : 40, w->c);
    w->c += length;
    *value = number;
    return AR_OK;
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
    enum ar_status status = read_number(w, "rank", "a rank", w->nranks, &rank);
    if (status != AR_OK)
        return status;
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
    return read_number(w, "block", "a block such as 0, 0-3 or 0,4,2", w->table->nblocks, block);
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
    step.order = step.kind == AR_COPY || step.kind == AR_FOLD ? AR_HELD_FIRST : AR_BY_RANK; /* no peer */
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

static enum ar_status read_string(const struct ar_json *json, const struct ar_json_at *at,
                                  const json_t *string, struct ar_schedule_file *file, int rank,
                                  struct ar_error *error)
{
    const char *text = json_string_value(string);
    if (!text)
        return ar_json_fail(json, at, false, 0, error, "expected a step such as \"send 0 to 1\"");
    return read_step(&(struct words){json, at, text, text, rank, file->problem.nranks, file->table, error});
}

static int by_message(const void *left, const void *right)
{
    const struct ar_step *a = *(struct ar_step *const *)left, *b = *(struct ar_step *const *)right;
    int order = (a->peer > b->peer) - (a->peer < b->peer);
    if (order == 0)
        order = (a->kind == AR_SEND) - (b->kind == AR_SEND);
    return order ? order : (a->set.first > b->set.first) - (a->set.first < b->set.first);
}

/* Among n steps of one rank and round the index of one that names a block which a step before it names in the
 * same message; -1: none. Their sets are runs. */
static int64_t named_twice(const struct ar_step *step, int64_t n, int64_t *block)
{
    int64_t found = -1;
    const struct ar_step **sorted = ar_alloc((size_t)n, sizeof *sorted);
    for (int64_t i = 0; i < n; i++)
        sorted[i] = &step[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_message);
    for (int64_t i = 1; i < n && found < 0; i++) {
        const struct ar_step *a = sorted[i - 1], *b = sorted[i];
        bool same = a->peer >= 0 && a->peer == b->peer && (a->kind == AR_SEND) == (b->kind == AR_SEND);
        if (same && b->set.first < a->set.first + a->set.length) {
            found = (a > b ? a : b) - step;
            *block = b->set.first;
        }
    }
    free(sorted);
    return found;
}

static enum ar_status read_rank(const struct ar_json *json, const struct ar_json_at *at, const json_t *steps,
                                struct ar_schedule_file *file, int rank, struct ar_error *error)
{
    struct ar_step_table *table = file->table;
    int64_t begin = table->nsteps;
    if (!json_is_array(steps))
        return ar_json_fail(json, at, false, 0, error,
                            "expected the list of steps of rank %d, such as [\"send 0 to 1\"]", rank);
    enum ar_status status = AR_OK;
    struct ar_json_at string = {at, NULL, 0};
    for (; status == AR_OK && string.index < json_array_size(steps); string.index++)
        status = read_string(json, &string, json_array_get(steps, string.index), file, rank, error);
    if (status != AR_OK || table->nsteps - begin < 2)
        return status;
    int64_t block, twice = named_twice(table->step + begin, table->nsteps - begin, &block);
    if (twice < 0)
        return AR_OK;
    struct ar_step step = table->step[begin + twice];
    /* The string it stands in: they are read again up to there. */
    table->nsteps = begin;
    for (string.index = 0; table->nsteps <= begin + twice; string.index++)
        read_string(json, &string, json_array_get(steps, string.index), file, rank, error);
    string.index--;
    return ar_json_fail(json, &string, false, 1, error,
                        "block %" PRId64 " is named twice in one message %s rank %d", block,
                        step.kind == AR_SEND ? "to" : "from", step.peer);
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
    int64_t rows = ar_collective_rows(collective, (int)nranks);
    table->parts = ar_collective_owned(collective) ? nranks * rows : table->nblocks;
    if (table->nblocks % table->parts)
        return ar_json_fail(json, &(struct ar_json_at){NULL, "blocks", 0}, false, 0, error,
                            "blocks: the blocks of %s belong to ranks, expected a multiple of %" PRId64
                            ", got %" PRId64,
                            ar_collectives[collective].name, table->parts, table->nblocks);
    file->problem = (struct ar_problem){.nranks = (int)nranks, .root = (int)root, .prepared = table};
    return AR_OK;
}

static enum ar_status read_document(const struct ar_json *json, struct ar_schedule_file *file,
                                    struct ar_error *error)
{
    static const char *const known[] = {"name", "collective", "ranks", "blocks", "root", "rounds"};
    struct ar_error inner;
    const char *slash = strrchr(json->path, '/');
    const char *name = slash ? slash + 1 : json->path;
    enum ar_status status = ar_json_keys(json, json->root, NULL, known, sizeof known / sizeof *known, error);
    if (status == AR_OK)
        status = ar_json_name(json, json->root, NULL, false, &name, error);
    if (status == AR_OK && ar_name_check(name, &inner) != AR_OK) /* the file's own */
        return ar_fail_at(error, json->path, 0, 0, "%s", inner.text);
    if (status == AR_OK)
        status = read_collective(json, file, error);
    if (status == AR_OK)
        status = read_sizes(json, file, error);
    if (status == AR_OK)
        status = read_rounds(json, file, error);
    if (status != AR_OK)
        return status;
    struct ar_text summary = {0};
    ar_text_add(&summary, "read from ");
    ar_text_add_visible(&summary, json->path);
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
    made.digest = ar_digest(0, json.text, json.length);
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
