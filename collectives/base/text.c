#include "collectives/base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "collectives/base/memory.h"

/* ---- The buffer -------------------------------------------------------------------------------------- */

/* Room for `more` bytes and the NUL. */
static void make_room(struct ar_text *text, size_t more)
{
    size_t needed = text->length + more + 1;
    if (needed <= text->capacity)
        return;
    text->capacity = needed > 2 * text->capacity ? needed : 2 * text->capacity;
    text->data = ar_realloc(text->data, text->capacity, 1);
}

void ar_text_add(struct ar_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length >= 0) {
        make_room(text, (size_t)length);
        vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void ar_text_add_bytes(struct ar_text *text, const char *bytes, size_t n)
{
    make_room(text, n);
    memcpy(text->data + text->length, bytes, n);
    text->length += n;
    text->data[text->length] = '\0';
}

const char *ar_visible(char character, char shown[AR_VISIBLE_TEXT])
{
    bool control = (unsigned char)character < ' ' || character == 0x7F;
    snprintf(shown, AR_VISIBLE_TEXT, control ? "\\x%02x" : "%c", character);
    return shown;
}

void ar_text_add_visible(struct ar_text *text, const char *string)
{
    char shown[AR_VISIBLE_TEXT];
    for (; *string; string++)
        ar_text_add(text, "%s", ar_visible(*string, shown));
}

void ar_text_pad(struct ar_text *text, size_t column)
{
    size_t line = text->length;
    while (line > 0 && text->data[line - 1] != '\n')
        line--;
    size_t width = text->data ? ar_text_width(text->data + line) : 0;
    if (width < column)
        ar_text_add(text, "%*s", (int)(column - width), "");
}

void ar_text_shorten(struct ar_text *text, size_t limit)
{
    if (text->length <= limit)
        return;
    memset(text->data + limit - 3, '.', 3);
    text->data[limit] = '\0';
    text->length = limit;
}

void ar_text_free(struct ar_text *text)
{
    free(text->data);
    *text = (struct ar_text){0};
}

/* ---- UTF-8 ------------------------------------------------------------------------------------------- */

size_t ar_text_width(const char *utf8)
{
    size_t width = 0;
    for (; *utf8; utf8++)
        width += ((unsigned char)*utf8 & 0xC0) != 0x80; /* continuation bytes take no column */
    return width;
}

/* Bytes of the character at `at`, 0 when it is not valid UTF-8 (The Unicode Standard 15, table 3-7). */
static size_t character_bytes(const unsigned char *at)
{
    unsigned char low = 0x80, high = 0xBF;
    size_t n;
    if (at[0] < 0x80)
        return 1;
    if (at[0] >= 0xC2 && at[0] <= 0xDF)
        n = 2;
    else if (at[0] >= 0xE0 && at[0] <= 0xEF)
        n = 3;
    else if (at[0] >= 0xF0 && at[0] <= 0xF4)
        n = 4;
    else
        return 0;
    if (at[0] == 0xE0)
        low = 0xA0;
    else if (at[0] == 0xED)
        high = 0x9F;
    else if (at[0] == 0xF0)
        low = 0x90;
    else if (at[0] == 0xF4)
        high = 0x8F;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if (at[i] < 0x80 || at[i] > 0xBF)
            return 0;
    return n;
}

void ar_text_add_utf8(struct ar_text *text, const char *bytes)
{
    const unsigned char *at = (const unsigned char *)bytes, *valid = at;
    while (*at) {
        size_t n = character_bytes(at);
        at += n;
        if (n == 0) {
            ar_text_add_bytes(text, (const char *)valid, (size_t)(at - valid));
            ar_text_add(text, "\uFFFD");
            valid = ++at;
        }
    }
    ar_text_add_bytes(text, (const char *)valid, (size_t)(at - valid));
}

uint64_t ar_digest(uint64_t before, const void *bytes, size_t n)
{
    uint64_t digest = before ^ UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < n; i++)
        digest = (digest ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return digest;
}

/* ---- Lists of numbers -------------------------------------------------------------------------------- */

static void write_run(struct ar_ranges *ranges)
{
    const char *comma = ranges->written ? "," : "";
    if (ranges->last == ranges->first)
        ar_text_add(ranges->text, "%s%" PRId64, comma, ranges->first);
    else
        ar_text_add(ranges->text, "%s%" PRId64 "%c%" PRId64, comma, ranges->first,
                    ranges->last == ranges->first + 1 ? ',' : '-', ranges->last);
    ranges->written = 1;
}

void ar_ranges_add(struct ar_ranges *ranges, int64_t number)
{
    if (ranges->n > 0 && number == ranges->last + 1) {
        ranges->last = number;
    } else {
        if (ranges->n > 0)
            write_run(ranges);
        ranges->first = ranges->last = number;
    }
    ranges->n++;
}

void ar_ranges_end(struct ar_ranges *ranges)
{
    if (ranges->n > 0)
        write_run(ranges);
}

/* ---- Did you mean ------------------------------------------------------------------------------------ */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Optimal string alignment: letters inserted, deleted, replaced, or two neighbours exchanged; upper and lower
 * case are alike. */
static size_t distance(const char *a, const char *b)
{
    size_t rows = strlen(a), columns = strlen(b);
    size_t *cell = ar_alloc(3 * (columns + 1), sizeof *cell);
    size_t *before = cell, *last = before + columns + 1, *row = last + columns + 1;
    for (size_t j = 0; j <= columns; j++)
        row[j] = j;
    for (size_t i = 1; i <= rows; i++) {
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= columns; j++) {
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + !same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    size_t found = row[columns];
    free(cell);
    return found;
}

/* The only word that begins with `word`. */
static const char *completion(const char *word, const char *const *words, size_t n)
{
    const char *found = NULL;
    for (size_t i = 0; i < n; i++)
        if (strncasecmp(word, words[i], strlen(word)) == 0) {
            if (found)
                return NULL;
            found = words[i];
        }
    return found;
}

const char *ar_nearest(const char *word, const char *const *words, size_t n)
{
    size_t length = strlen(word);
    if (length == 0)
        return NULL;
    const char *nearest = completion(word, words, n);
    if (nearest)
        return nearest;
    size_t bound = length < 6 ? 1 : length / 3; /* more typos than this make another word */
    for (size_t i = 0; i < n; i++) {
        size_t other = strlen(words[i]);
        if ((length > other ? length - other : other - length) > bound)
            continue;
        size_t typos = distance(word, words[i]);
        if (typos < least(length, other) && (typos < bound || (typos == bound && !nearest))) {
            nearest = words[i];
            bound = typos;
        }
    }
    return nearest;
}

enum ar_status ar_fail_unknown(struct ar_error *error, const char *kind, const char *word,
                               const char *const *words, size_t n)
{
    const char *nearest = ar_nearest(word, words, n);
    if (nearest)
        return ar_fail(error, AR_INVALID, "unknown %s '%.100s', did you mean '%s'?", kind, word, nearest);
    struct ar_text list = {0};
    for (size_t i = 0; i < n; i++)
        ar_text_add(&list, "%s%s", i ? ", " : "", words[i]);
    enum ar_status status =
        n ? ar_fail(error, AR_INVALID, "unknown %s '%.100s', expected %s%s", kind, word,
                    n > 1 ? "one of " : "", list.data)
          : ar_fail(error, AR_INVALID, "unknown %s '%.100s', there is none to choose", kind, word);
    ar_text_free(&list);
    return status;
}
