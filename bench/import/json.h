/* JSON files that people write, read so that every complaint names its place.
 *
 * Jansson parses and says where the syntax is wrong. It forgets where a value stood, so for errors of meaning
 * (an unknown key, a wrong type, a value out of range) the text is scanned again for the place of that value.
 * Every failure is AR_INVALID and begins "FILE:LINE:COLUMN: "; lines and columns count from 1, columns in
 * characters. A key that stands twice in one object is refused.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectives/base/error.h"

/* The whole file, NUL-terminated, without a byte order mark; the caller frees *text. At most 256 MiB. */
enum ar_status ar_file_read(const char *path, char **text, size_t *length, struct ar_error *error);

/* Names go into headings and sentences: AR_INVALID beyond 80 characters and with control characters. */
enum ar_status ar_name_check(const char *name, struct ar_error *error);

struct ar_json {
    const char *path; /* as the user gave it; not owned */
    char *text;
    size_t length;
    json_t *root;
};

enum ar_status ar_json_read(const char *path, struct ar_json *json, struct ar_error *error);
void ar_json_free(struct ar_json *json);

/* Where a value stands: the member `key`, or the element `index`, of the value at `parent`. NULL is the whole
 * document. Lives on the caller's stack. */
struct ar_json_at {
    const struct ar_json_at *parent;
    const char *key; /* NULL: an element */
    size_t index;
};

/* AR_INVALID with the place of the value at `at`, or of its key with `at_key`. In a string without
 * escapes the place is `skip` bytes further, its quote counted. */
enum ar_status ar_json_fail(const struct ar_json *json, const struct ar_json_at *at, bool at_key, size_t skip,
                            struct ar_error *error, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* `value` is an object and has no keys but the n known ones. */
enum ar_status ar_json_keys(const struct ar_json *json, const json_t *value, const struct ar_json_at *at,
                            const char *const *known, size_t n, struct ar_error *error);

/* The member `key` of `object`, which stands at `at`. Missing: AR_INVALID when `required`, else AR_OK with
 * the output untouched. Texts belong to the document. */
enum ar_status ar_json_text(const struct ar_json *json, const json_t *object, const struct ar_json_at *at,
                            const char *key, bool required, const char **text, struct ar_error *error);
/* The member "name", checked by ar_name_check. */
enum ar_status ar_json_name(const struct ar_json *json, const json_t *object, const struct ar_json_at *at,
                            bool required, const char **name, struct ar_error *error);
enum ar_status ar_json_int(const struct ar_json *json, const json_t *object, const struct ar_json_at *at,
                           const char *key, bool required, int64_t low, int64_t high, int64_t *value,
                           struct ar_error *error);
enum ar_status ar_json_array(const struct ar_json *json, const json_t *object, const struct ar_json_at *at,
                             const char *key, const json_t **array, struct ar_error *error);
