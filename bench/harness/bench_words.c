#include "bench/harness/bench_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/registry.h"
#include "collectives/run/mpi_library.h"

/* ---- Sizes ------------------------------------------------------------------------------------------- */

struct sizes {
    int64_t *size;
    int n, capacity;
};

static enum ar_status parse_one(const char *text, const char *what, int64_t *bytes, struct ar_error *error)
{
    if (ar_parse_count(text, what, bytes, NULL) == AR_OK) /* "1e6" */
        return AR_OK;
    return ar_parse_size(text, what, bytes, error);
}

static enum ar_status add_size(struct sizes *sizes, int64_t bytes, int64_t elem_bytes, const char *what,
                               struct ar_error *error)
{
    if (bytes % elem_bytes != 0)
        return ar_fail(error, AR_INVALID,
                       "%s: expected a multiple of the element's %" PRId64 " B, got %" PRId64 " B", what,
                       elem_bytes, bytes);
    if (sizes->n == AR_BENCH_MOST_SIZES)
        return ar_fail(error, AR_INVALID, "%s: expected at most %d sizes, got more", what,
                       AR_BENCH_MOST_SIZES);
    AR_GROW(sizes->size, sizes->n, sizes->capacity);
    sizes->size[sizes->n++] = bytes;
    return AR_OK;
}

static enum ar_status add_list(const struct ar_size_words *words, struct sizes *sizes, struct ar_error *error)
{
    enum ar_status status = AR_OK;
    char *copy = strdup(words->list), *rest = copy;
    for (char *word; status == AR_OK && (word = strsep(&rest, ","));) {
        int64_t bytes;
        status = parse_one(word, "-s", &bytes, error);
        if (status == AR_OK)
            status = add_size(sizes, bytes, words->elem_bytes, "-s", error);
    }
    free(copy);
    return status;
}

static enum ar_status add_range(const struct ar_size_words *words, struct sizes *sizes,
                                struct ar_error *error)
{
    int64_t from = 8, to = 64 << 20, factor = words->factor ? words->factor : 2;
    char text[2][AR_UNITS_TEXT];
    enum ar_status status = words->from ? parse_one(words->from, "-b", &from, error) : AR_OK;
    if (status == AR_OK && words->to)
        status = parse_one(words->to, "-e", &to, error);
    if (status == AR_OK && factor < 2)
        return ar_fail(error, AR_INVALID, "-f: expected a factor of at least 2, got %" PRId64, factor);
    if (status == AR_OK && to < from)
        return ar_fail(error, AR_INVALID, "-e: expected at least the %s of -b, got %s",
                       ar_format_size(text[0], (uint64_t)from), ar_format_size(text[1], (uint64_t)to));
    for (int64_t bytes = from; status == AR_OK && bytes <= to;) {
        status = add_size(sizes, bytes, words->elem_bytes, "-b", error);
        if (bytes > INT64_MAX / factor)
            break;
        bytes = bytes ? bytes * factor : words->elem_bytes;
    }
    return status;
}

enum ar_status ar_bench_sizes(const struct ar_size_words *words, int64_t **size, int *n,
                              struct ar_error *error)
{
    struct sizes sizes = {0};
    if (words->list && (words->from || words->to || words->factor))
        return ar_fail(error, AR_INVALID, "expected -s with a list, or a range by -b, -e and -f; got both");
    enum ar_status status = (words->list ? add_list : add_range)(words, &sizes, error);
    if (status != AR_OK) {
        free(sizes.size);
        return status;
    }
    *size = sizes.size;
    *n = sizes.n;
    return AR_OK;
}

/* ---- Contenders -------------------------------------------------------------------------------------- */

static const char *const words[] = {
    [AR_CONTENDER_LIBRARY] = "library", [AR_CONTENDER_AUTO] = "auto", [AR_CONTENDER_ALL] = "all"};

static enum ar_status add(struct ar_contenders *all, const struct ar_contender *one, struct ar_error *error)
{
    if (all->n == AR_BENCH_MOST_CONTENDERS)
        return ar_fail(error, AR_INVALID, "--algorithms: expected at most %d, got more",
                       AR_BENCH_MOST_CONTENDERS);
    all->contender[all->n++] = *one;
    return AR_OK;
}

static enum ar_status parse_contender(const char *text, enum ar_collective_id collective,
                                      struct ar_contender *made, struct ar_error *error)
{
    for (int kind = AR_CONTENDER_LIBRARY; kind <= AR_CONTENDER_ALL; kind++)
        if (strcmp(text, words[kind]) == 0) {
            *made = (struct ar_contender){.kind = (enum ar_contender_kind)kind};
            snprintf(made->typed, sizeof made->typed, "%s", text);
            return AR_OK;
        }
    struct ar_text full = {0};
    ar_text_add(&full, "%s:%s", ar_collectives[collective].name, text);
    *made = (struct ar_contender){.kind = AR_CONTENDER_ALGORITHM};
    enum ar_status status = ar_choice_parse(full.data, &made->choice, error);
    snprintf(made->typed, sizeof made->typed, "%s", text);
    ar_text_free(&full);
    return status;
}

/* Where the algorithm that begins at `text` ends: at a comma that no further parameter follows, or the end.
 */
static char *end_of(char *text)
{
    char *end = text + strcspn(text, ",");
    while (*end) {
        size_t length = strcspn(end + 1, ",");
        bool more = memchr(end + 1, '=', length) && !memchr(end + 1, ':', length);
        if (!more)
            break;
        end += 1 + length;
    }
    return end;
}

enum ar_status ar_bench_contenders(const char *list, enum ar_collective_id collective,
                                   struct ar_contenders *contenders, struct ar_error *error)
{
    char *copy = strdup(list ? list : "library,auto");
    enum ar_status status = AR_OK;
    *contenders = (struct ar_contenders){.n = 0};
    for (char *at = copy, *next; at && status == AR_OK; at = next) {
        struct ar_contender one;
        char *end = end_of(at);
        next = *end ? end + 1 : NULL;
        *end = '\0';
        status = parse_contender(at, collective, &one, error);
        if (status == AR_OK)
            status = add(contenders, &one, error);
    }
    free(copy);
    return status;
}

static bool has(const struct ar_contenders *all, const char *typed)
{
    for (int i = 0; i < all->n; i++)
        if (strcmp(all->contender[i].typed, typed) == 0)
            return true;
    return false;
}

static enum ar_status add_all(struct ar_contenders *made, const struct ar_costing *problem,
                              struct ar_text *notes, struct ar_error *error)
{
    int n;
    struct ar_choice *choice = ar_alloc((size_t)ar_nalgorithms, sizeof *choice);
    enum ar_status status = ar_costing_choices(problem, choice, &n, notes, error);
    for (int i = 0; i < n && status == AR_OK; i++) {
        struct ar_contender one = {.kind = AR_CONTENDER_ALGORITHM, .choice = choice[i]};
        ar_choice_name(&choice[i], one.typed);
        if (!has(made, one.typed))
            status = add(made, &one, error);
    }
    free(choice);
    struct ar_contender library = {.kind = AR_CONTENDER_LIBRARY, .typed = "library"};
    if (status == AR_OK && !has(made, library.typed))
        status = add(made, &library, error);
    return status;
}

enum ar_status ar_bench_settle(struct ar_contenders *contenders, const struct ar_costing *problem,
                               const struct ar_operator *op, bool usual, struct ar_text *notes,
                               struct ar_error *error)
{
    struct ar_contenders asked = {.n = 0}, made = {.n = 0};
    struct ar_library_setup call = {problem->collective, problem->root, problem->count, problem->type, op};
    struct ar_error why;
    enum ar_status status = AR_OK, library = ar_library_admits(&call, &why);
    bool all = false, named = has(contenders, "library");
    for (int i = 0; i < contenders->n; i++) {
        all = all || contenders->contender[i].kind == AR_CONTENDER_ALL;
        if (contenders->contender[i].kind != AR_CONTENDER_ALL)
            asked.contender[asked.n++] = contenders->contender[i];
    }
    if (all)
        status = add_all(&asked, problem, notes, error);
    if (status != AR_OK)
        return status;
    if (library != AR_OK && named && !usual)
        return ar_fail(error, library, "--algorithms: %s", why.text);
    if (library != AR_OK && has(&asked, "library"))
        ar_text_add(notes, "The library is left out: %s.\n", why.text);
    for (int i = 0; i < asked.n; i++)
        if (library == AR_OK || asked.contender[i].kind != AR_CONTENDER_LIBRARY)
            made.contender[made.n++] = asked.contender[i];
    *contenders = made;
    return AR_OK;
}
