#include "bench/import/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/names.h"
#include "collectives/base/text.h"

/* ---- Reading ----------------------------------------------------------------------------------------- */

enum { LARGEST_FILE = 256 << 20, LONGEST_NAME = 80 };

enum ar_status ar_file_read(const char *path, char **text, size_t *length, struct ar_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return ar_fail(error, AR_INVALID, "cannot read %.400s: %s", path, strerror(errno));
    char *data = NULL;
    size_t n = 0, capacity = 0, got;
    do {
        if (n + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 4096;
            data = ar_realloc(data, capacity, 1);
        }
        got = fread(data + n, 1, capacity - 1 - n, file);
        n += got;
    } while (got > 0 && n <= LARGEST_FILE);
    enum ar_status status = AR_OK;
    if (ferror(file))
        status = ar_fail(error, AR_INVALID, "cannot read %.400s: %s", path, strerror(errno));
    else if (n > LARGEST_FILE)
        status = ar_fail(error, AR_INVALID, "%.400s: expected at most 256 MiB", path);
    fclose(file);
    if (status != AR_OK) {
        free(data);
        return status;
    }
    data[n] = '\0';
    if (strncmp(data, "\xEF\xBB\xBF", 3) == 0) /* the mark some editors put before UTF-8 */
        memmove(data, data + 3, (n -= 3) + 1);
    *text = data;
    *length = n;
    return AR_OK;
}

enum ar_status ar_name_check(const char *name, struct ar_error *error)
{
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7F)
            return ar_fail(error, AR_INVALID, "name: expected no control characters, got '%.80s'", name);
    size_t length = ar_text_width(name);
    if (length > LONGEST_NAME)
        return ar_fail(error, AR_INVALID, "name: expected at most %d characters, got %zu", LONGEST_NAME,
                       length);
    return AR_OK;
}

enum ar_status ar_json_read(const char *path, struct ar_json *json, struct ar_error *error)
{
    struct ar_json made = {.path = path};
    enum ar_status status = ar_file_read(path, &made.text, &made.length, error);
    if (status != AR_OK)
        return status;
    json_error_t where;
    made.root = json_loadb(made.text, made.length, JSON_REJECT_DUPLICATES, &where);
    if (!made.root) {
        free(made.text);
        /* Before the first character Jansson says column 0, without a line -1. */
        return ar_fail_at(error, path, where.line > 0 ? where.line : 1, where.column > 0 ? where.column : 1,
                          "%s", where.text);
    }
    *json = made;
    return AR_OK;
}

void ar_json_free(struct ar_json *json)
{
    json_decref(json->root);
    free(json->text);
    *json = (struct ar_json){0};
}

/* ---- The place of a value ---------------------------------------------------------------------------- */

/* The text is known to be valid JSON, which keeps the scanner short; it is also NUL-terminated. */

static const char *skip_space(const char *c)
{
    return c + strspn(c, " \t\r\n");
}

static const char *skip_string(const char *c)
{
    for (c++; *c && *c != '"'; c++)
        c += c[0] == '\\' && c[1];
    return *c ? c + 1 : c;
}

static const char *skip_value(const char *c)
{
    int depth = 0;
    do {
        if (*c == '"')
            c = skip_string(c);
        else if (*c == '[' || *c == '{')
            depth++, c++;
        else if (*c == ']' || *c == '}')
            depth--, c++;
        else if (depth > 0)
            c++;
        else
            c += strcspn(c, ",]} \t\r\n");
    } while (depth > 0 && *c);
    return c;
}

static bool is_key(const char *quoted, const char *key)
{
    size_t length = (size_t)(skip_string(quoted) - quoted);
    json_t *text = json_loadb(quoted, length, JSON_DECODE_ANY, NULL);
    bool same = text && json_is_string(text) && strcmp(json_string_value(text), key) == 0;
    json_decref(text);
    return same;
}

/* The value at `at`, or its key; `c` is the document. The document itself when there is no such value. */
static const char *find(const char *c, const struct ar_json_at *at, bool at_key)
{
    if (!at)
        return skip_space(c);
    const char *whole = find(c, at->parent, false);
    c = skip_space(whole + 1);
    for (size_t i = 0; *c && *c != ']' && *c != '}'; i++) {
        const char *key = c;
        if (*whole == '{')
            c = skip_space(skip_space(skip_string(c)) + 1); /* over the colon */
        if (at->key ? *whole == '{' && is_key(key, at->key) : i == at->index)
            return at_key ? key : c;
        c = skip_space(skip_value(c));
        if (*c == ',')
            c = skip_space(c + 1);
    }
    return whole;
}

static void line_and_column(const char *text, const char *place, int *line, int *column)
{
    *line = *column = 1;
    for (const char *c = text; c < place; c++) {
        if (*c == '\n')
            ++*line, *column = 1;
        else if ((*c & 0xC0) != 0x80) /* not inside a UTF-8 character */
            ++*column;
    }
}

enum ar_status ar_json_fail(const struct ar_json *json, const struct ar_json_at *at, bool at_key, size_t skip,
                            struct ar_error *error, const char *format, ...)
{
    struct ar_error inner;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(inner.text, sizeof inner.text, format, arguments);
    va_end(arguments);
    const char *place = find(json->text, at, at_key);
    if (*place == '"') {
        const char *end = skip_string(place);
        bool escaped = memchr(place, '\\', (size_t)(end - place));
        if (!escaped && place + skip < end)
            place += skip;
    }
    int line, column;
    line_and_column(json->text, place, &line, &column);
    return ar_fail_at(error, json->path, line, column, "%s", inner.text);
}

/* ---- Members ----------------------------------------------------------------------------------------- */

/* "an object", or for a scalar its text, numbers as they are written: what an error says it got. */
static const char *described(const struct ar_json *json, const struct ar_json_at *at, const json_t *value,
                             char text[64])
{
    static const char *const kind[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "an array", [JSON_STRING] = "a string",
        [JSON_TRUE] = "true",        [JSON_FALSE] = "false",    [JSON_NULL] = "null",
    };
    const char *place = find(json->text, at, false);
    if (json_is_number(value))
        snprintf(text, 64, "%.*s", (int)(skip_value(place) - place), place);
    else if (json_is_string(value) && json_string_length(value) < 40)
        snprintf(text, 64, "\"%s\"", json_string_value(value));
    else
        snprintf(text, 64, "%s", kind[json_typeof(value)]);
    return text;
}

enum ar_status ar_json_keys(const struct ar_json *json, const json_t *value, const struct ar_json_at *at,
                            const char *const *known, size_t n, struct ar_error *error)
{
    char text[64];
    if (!json_is_object(value))
        return ar_json_fail(json, at, false, 0, error, "expected an object, got %s",
                            described(json, at, value, text));
    for (void *i = json_object_iter((json_t *)value); i; i = json_object_iter_next((json_t *)value, i)) {
        const char *key = json_object_iter_key(i);
        int which;
        struct ar_error inner;
        if (ar_names_pick(AR_NAMES(known, (int)n), "key", key, &which, &inner) != AR_OK)
            return ar_json_fail(json, &(struct ar_json_at){at, key, 0}, true, 0, error, "%s", inner.text);
    }
    return AR_OK;
}

static enum ar_status member(const struct ar_json *json, const json_t *object, const struct ar_json_at *at,
                             const char *key, bool required, const json_t **value, struct ar_error *error)
{
    *value = json_object_get(object, key);
    if (!*value && required)
        return ar_json_fail(json, at, false, 0, error, "the key \"%s\" is missing here", key);
    return AR_OK;
}

enum ar_status ar_json_text(const struct ar_json *json, const json_t *object, const struct ar_json_at *at,
                            const char *key, bool required, const char **text, struct ar_error *error)
{
    const json_t *value;
    enum ar_status status = member(json, object, at, key, required, &value, error);
    if (status != AR_OK || !value)
        return status;
    const struct ar_json_at here = {at, key, 0};
    char got[64];
    if (!json_is_string(value))
        return ar_json_fail(json, &here, false, 0, error, "%s: expected a string, got %s", key,
                            described(json, &here, value, got));
    *text = json_string_value(value);
    return AR_OK;
}

enum ar_status ar_json_name(const struct ar_json *json, const json_t *object, const struct ar_json_at *at,
                            bool required, const char **name, struct ar_error *error)
{
    struct ar_error inner;
    const char *given = NULL;
    enum ar_status status = ar_json_text(json, object, at, "name", required, &given, error);
    if (status == AR_OK && given && ar_name_check(given, &inner) != AR_OK)
        return ar_json_fail(json, &(struct ar_json_at){at, "name", 0}, false, 0, error, "%s", inner.text);
    if (status == AR_OK && given)
        *name = given;
    return status;
}

enum ar_status ar_json_int(const struct ar_json *json, const json_t *object, const struct ar_json_at *at,
                           const char *key, bool required, int64_t low, int64_t high, int64_t *number,
                           struct ar_error *error)
{
    const json_t *value;
    enum ar_status status = member(json, object, at, key, required, &value, error);
    if (status != AR_OK || !value)
        return status;
    const struct ar_json_at here = {at, key, 0};
    char got[64];
    if (!json_is_integer(value) || json_integer_value(value) < low || json_integer_value(value) > high)
        return ar_json_fail(json, &here, false, 0, error,
                            "%s: expected a whole number in %" PRId64 "..%" PRId64 ", got %s", key, low, high,
                            described(json, &here, value, got));
    *number = json_integer_value(value);
    return AR_OK;
}

enum ar_status ar_json_array(const struct ar_json *json, const json_t *object, const struct ar_json_at *at,
                             const char *key, const json_t **array, struct ar_error *error)
{
    const json_t *value;
    enum ar_status status = member(json, object, at, key, true, &value, error);
    if (status != AR_OK)
        return status;
    const struct ar_json_at here = {at, key, 0};
    char got[64];
    if (!json_is_array(value))
        return ar_json_fail(json, &here, false, 0, error, "%s: expected an array, got %s", key,
                            described(json, &here, value, got));
    *array = value;
    return AR_OK;
}
