/* CSV text through libcsv, with places. libcsv reports fields without them, so it is fed one character at a
 * time: a field's text begins after the character that ended the one before.
 *
 *     struct reader { struct ar_csv csv; ... };     first, so that the callbacks find it in their context
 *     struct reader r = {.csv = {.path = path, .error = error, .line = 1, .column = 1}};
 *     status = ar_csv_read(&r.csv, text, length, on_field, on_row);
 *
 * A callback that refuses a field sets the status, with a sentence that names the place (ar_fail_at), and is
 * not called again.
 */
#pragma once

#include <stddef.h>

#include "collectives/base/error.h"

struct ar_csv {
    const char *path; /* for sentences */
    struct ar_error *error;
    enum ar_status status;
    int line, column;             /* of the character being read */
    int field_line, field_column; /* of the field's first character; 0: not begun. on_field resets it */
};

/* The callbacks are libcsv's, their context is `csv`. Returns the status: AR_INVALID also for a quoted field
 * that is not right or not closed. */
enum ar_status ar_csv_read(struct ar_csv *csv, const char *text, size_t length,
                           void (*on_field)(void *field, size_t length, void *context),
                           void (*on_row)(int end, void *context));
