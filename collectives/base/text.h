/* Strings: a growing buffer, lists of numbers, and the nearest known word for "did you mean". */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collectives/base/error.h"

struct ar_text {
    char *data; /* always NUL-terminated once something was added; NULL while empty */
    size_t length, capacity;
};

void ar_text_add(struct ar_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ar_text_add_bytes(struct ar_text *text, const char *bytes, size_t n);

/* A character as a string, control characters (a new line, the ESC that begins a terminal's commands) as
 * \x1b. Returns `shown`. */
enum { AR_VISIBLE_TEXT = 5 };
const char *ar_visible(char character, char shown[AR_VISIBLE_TEXT]);
void ar_text_add_visible(struct ar_text *text, const char *string);

/* The string with every byte that is not valid UTF-8 replaced by U+FFFD. */
void ar_text_add_utf8(struct ar_text *text, const char *bytes);

void ar_text_pad(struct ar_text *text, size_t column); /* spaces until the current line is `column` wide */
void ar_text_free(struct ar_text *text);               /* frees the buffer and empties the struct */

/* Cuts the text to `limit` (>= 3) bytes, the last three of them "...", when it is longer. */
void ar_text_shorten(struct ar_text *text, size_t limit);

/* Columns a UTF-8 string takes on a terminal (code points; no wide or combining characters here). */
size_t ar_text_width(const char *utf8);

/* A digest of n bytes, to tell whether two texts are the same: FNV-1a (Fowler, Noll and Vo, 1991). `before`
 * is 0, or the digest of what stands before them. */
uint64_t ar_digest(uint64_t before, const void *bytes, size_t n);

/* Lists of numbers as people write them: "0,2-4". Start with {&text}, add, end. Numbers keep the order they
 * are added in; three or more that ascend by one become "first-last". */
struct ar_ranges {
    struct ar_text *text;
    int64_t n;           /* numbers added so far */
    int64_t first, last; /* the run that is not written yet */
    int written;         /* whether a comma must come first */
};

void ar_ranges_add(struct ar_ranges *ranges, int64_t number);
void ar_ranges_end(struct ar_ranges *ranges);

/* The word among `words` (n of them) that was probably meant: the only one that begins with `word`, or else
 * the one with the smallest edit distance (a letter more, less or other, or two neighbours exchanged; at most
 * a third of the letters, at least one). Upper and lower case are alike. NULL when none is near. */
const char *ar_nearest(const char *word, const char *const *words, size_t n);

/* AR_INVALID: "unknown KIND 'word', did you mean 'nearest'?", or with all the words when none is near. */
enum ar_status ar_fail_unknown(struct ar_error *error, const char *kind, const char *word,
                               const char *const *words, size_t n);
