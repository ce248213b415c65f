#include "collectives/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collectives/base/text.h"

/* Without memory of its own: it may be that there is none. */
static void show(const char *made, char *text, size_t size)
{
    char shown[AR_VISIBLE_TEXT];
    size_t n = 0;
    for (; *made; made++) {
        size_t length = strlen(ar_visible(*made, shown));
        if (n + length >= size) {
            memcpy(text + size - 4, "...", 4);
            return;
        }
        memcpy(text + n, shown, length);
        n += length;
    }
    text[n] = '\0';
}

/* The sentence is made aside first: its arguments may lie in error->text itself. */
static void put(struct ar_error *error, const char *place, const char *format, va_list args)
{
    char made[sizeof error->text];
    size_t begun = (size_t)snprintf(made, sizeof made, "%s", place);
    if (begun >= sizeof made)
        begun = sizeof made - 1;
    int length = vsnprintf(made + begun, sizeof made - begun, format, args);
    if (length < 0 || (size_t)length >= sizeof made - begun)
        memcpy(made + sizeof made - 4, "...", 4);
    show(made, error->text, sizeof error->text);
}

enum ar_status ar_fail(struct ar_error *error, enum ar_status status, const char *format, ...)
{
    if (!error)
        return status;
    va_list args;
    va_start(args, format);
    put(error, "", format, args);
    va_end(args);
    return status;
}

enum ar_status ar_fail_at(struct ar_error *error, const char *file, int line, int column, const char *format,
                          ...)
{
    if (!error)
        return AR_INVALID;
    char place[512];
    if (line < 1)
        snprintf(place, sizeof place, "%.400s: ", file);
    else if (column < 1)
        snprintf(place, sizeof place, "%.400s:%d: ", file, line);
    else
        snprintf(place, sizeof place, "%.400s:%d:%d: ", file, line, column);
    va_list args;
    va_start(args, format);
    put(error, place, format, args);
    va_end(args);
    return AR_INVALID;
}
