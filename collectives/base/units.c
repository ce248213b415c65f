#include "collectives/base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"

enum { AR_LIST_MOST = 1 << 20, AR_UNITS_TERABYTES = 4 };

/* ---- Exact numbers ----------------------------------------------------------------------------------- */

/* "12.50e3": digits with at most one point among them, and a power of ten. No double is involved: 2^63-1 has
 * more digits than a double holds. */
struct number {
    const char *digits; /* ndigits of them, not counting the point that is typed after `typed` */
    int64_t ndigits, typed;
    int64_t point; /* where the power of ten moves the point; beyond the digits there are zeros */
};

enum exactness { EXACT, NOT_WHOLE, TOO_BIG };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *text)
{
    while (is_digit(*text))
        text++;
    return text;
}

/* What follows the number, or NULL when there is none. */
static const char *read_number(const char *text, bool exponent, struct number *number)
{
    const char *at = skip_digits(text);
    *number = (struct number){text, at - text, at - text, at - text};
    if (at == text)
        return NULL;
    if (*at == '.') {
        const char *end = skip_digits(at + 1);
        if (end == at + 1)
            return NULL;
        number->ndigits += end - (at + 1);
        at = end;
    }
    if (!exponent || (*at != 'e' && *at != 'E'))
        return at;
    bool negative = at[1] == '-';
    const char *power = at + 1 + (at[1] == '-' || at[1] == '+');
    at = skip_digits(power);
    int64_t value = 0;
    for (const char *c = power; c < at; c++)
        value = value < INT32_MAX ? 10 * value + (*c - '0') : value;
    number->point += negative ? -value : value;
    return at == power ? NULL : at;
}

static int digit_of(const struct number *number, int64_t i)
{
    return i < number->ndigits ? number->digits[i + (i >= number->typed)] - '0' : 0;
}

/* number * unit, for units up to 2^40. The whole part and the fraction are multiplied apart, the fraction
 * digit by digit from its end, so nothing is ever rounded. */
static enum exactness times(struct number number, int64_t unit, int64_t *product)
{
    while (number.ndigits > 0 && digit_of(&number, number.ndigits - 1) == 0)
        number.ndigits--; /* a number without other digits is zero, wherever its point stands */
    int64_t whole = 0, carry = 0;
    bool fits = true, exact = true;
    for (int64_t i = 0; number.ndigits > 0 && i < number.point && fits; i++)
        fits = !__builtin_mul_overflow(whole, 10, &whole) &&
               !__builtin_add_overflow(whole, digit_of(&number, i), &whole);
    int64_t first = number.point > 0 ? number.point : 0;
    for (int64_t i = number.ndigits - 1; fits && i >= first; i--) {
        carry += digit_of(&number, i) * unit;
        exact = exact && carry % 10 == 0;
        carry /= 10;
    }
    for (int64_t i = number.point; fits && i < 0 && carry > 0; i++) { /* zeros behind the point */
        exact = exact && carry % 10 == 0;
        carry /= 10;
    }
    if (!fits || __builtin_mul_overflow(whole, unit, &whole) || __builtin_add_overflow(whole, carry, &whole))
        return TOO_BIG;
    if (!exact)
        return NOT_WHOLE;
    *product = whole;
    return EXACT;
}

/* ---- Sizes and counts -------------------------------------------------------------------------------- */

static enum ar_status too_big(struct ar_error *error, const char *what, const char *text)
{
    return ar_fail(error, AR_INVALID, "%s: '%.100s' is beyond 2^63-1", what, text);
}

/* Bytes of a unit, 0 when there is none of that name. */
static int64_t unit_of(const char *name)
{
    static const struct {
        const char *name;
        int64_t bytes;
    } units[] = {
        {"", 1},          {"B", 1},         {"K", 1LL << 10},   {"KiB", 1LL << 10},    {"M", 1LL << 20},
        {"MiB", 1 << 20}, {"G", 1LL << 30}, {"GiB", 1 << 30},   {"T", 1LL << 40},      {"TiB", 1LL << 40},
        {"kB", 1000},     {"MB", 1000000},  {"GB", 1000000000}, {"TB", 1000000000000},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(name, units[i].name) == 0)
            return units[i].bytes;
    return 0;
}

enum ar_status ar_parse_size(const char *text, const char *what, int64_t *bytes, struct ar_error *error)
{
    struct number number;
    const char *rest = read_number(text, false, &number);
    int64_t unit = rest ? unit_of(rest) : 0;
    if (unit == 0)
        return ar_fail(error, AR_INVALID, "%s: expected a size such as 64KiB, got '%.100s'", what, text);
    switch (times(number, unit, bytes)) {
    case TOO_BIG:
        return too_big(error, what, text);
    case NOT_WHOLE:
        return ar_fail(error, AR_INVALID, "%s: expected a whole number of bytes, got '%.100s'", what, text);
    case EXACT:
        break;
    }
    return AR_OK;
}

enum ar_status ar_parse_count(const char *text, const char *what, int64_t *count, struct ar_error *error)
{
    struct number number;
    const char *rest = read_number(text, true, &number);
    if (!rest || *rest)
        return ar_fail(error, AR_INVALID, "%s: expected a count such as 1000 or 7.5e9, got '%.100s'", what,
                       text);
    switch (times(number, 1, count)) {
    case TOO_BIG:
        return too_big(error, what, text);
    case NOT_WHOLE:
        return ar_fail(error, AR_INVALID, "%s: expected a whole number, got '%.100s'", what, text);
    case EXACT:
        break;
    }
    return AR_OK;
}

/* ---- Times and rates --------------------------------------------------------------------------------- */

struct real_unit {
    const char *name;
    double value;
};

/* "1.5" and a unit of the list (n of them): their product. False when it is neither, or beyond a double. */
static bool read_quantity(const char *text, const struct real_unit *units, size_t n, double *value)
{
    struct number number;
    const char *rest = read_number(text, true, &number);
    for (size_t i = 0; rest && i < n; i++)
        if (strcmp(rest, units[i].name) == 0) {
            double made = strtod(text, NULL) * units[i].value;
            if (!isfinite(made))
                return false;
            *value = made;
            return true;
        }
    return false;
}

enum ar_status ar_parse_time(const char *text, const char *what, double *time_s, struct ar_error *error)
{
    static const struct real_unit units[] = {{"", 1},      {"s", 1},     {"ms", 1e-3},
                                             {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}};
    if (read_quantity(text, units, sizeof units / sizeof *units, time_s))
        return AR_OK;
    return ar_fail(error, AR_INVALID, "%s: expected a time such as 2us (s, ms, us, ns), got '%.100s'", what,
                   text);
}

enum ar_status ar_parse_rate(const char *text, const char *what, double *rate_Bps, struct ar_error *error)
{
    static const struct real_unit units[] = {
        {"", 1},
        {"B/s", 1},
        {"kB/s", 1e3},
        {"MB/s", 1e6},
        {"GB/s", 1e9},
        {"TB/s", 1e12},
        {"KiB/s", 1024},
        {"MiB/s", 1 << 20},
        {"GiB/s", 1 << 30},
        {"Mbit/s", 1e6 / 8},
        {"Gbit/s", 1e9 / 8},
    };
    double made;
    if (!read_quantity(text, units, sizeof units / sizeof *units, &made))
        return ar_fail(error, AR_INVALID, "%s: expected a rate such as 12.5GB/s or 100Gbit/s, got '%.100s'",
                       what, text);
    if (!(made > 0))
        return ar_fail(error, AR_INVALID, "%s: expected a rate above 0, got '%.100s'", what, text);
    *rate_Bps = made;
    return AR_OK;
}

/* ---- Whole numbers in a range, and lists of them ------------------------------------------------------- */

/* "0..3", "at least 1" */
static void describe_range(char range[AR_UNITS_TEXT], int64_t low, int64_t high)
{
    if (high == INT64_MAX)
        snprintf(range, AR_UNITS_TEXT, "at least %" PRId64, low);
    else
        snprintf(range, AR_UNITS_TEXT, "%" PRId64 "..%" PRId64, low, high);
}

/* The forms of ar_parse_count, and a sign where the range has negative numbers. */
static bool int_in_range(const char *text, int64_t low, int64_t high, int64_t *value)
{
    bool negative = low < 0 && *text == '-';
    int64_t made;
    if (ar_parse_count(text + negative, "", &made, NULL) != AR_OK)
        return false;
    made = negative ? -made : made;
    if (made < low || made > high)
        return false;
    *value = made;
    return true;
}

/* Plain numbers are shown as they are, anything else in quotes. */
static const char *quote_of(const char *text)
{
    const char *digits = text + (*text == '-');
    const char *end = skip_digits(digits);
    return end > digits && !*end ? "" : "'";
}

enum ar_status ar_parse_int(const char *text, const char *what, int64_t low, int64_t high, int64_t *value,
                            struct ar_error *error)
{
    if (int_in_range(text, low, high, value))
        return AR_OK;
    char range[AR_UNITS_TEXT];
    describe_range(range, low, high);
    const char *quote = quote_of(text);
    return ar_fail(error, AR_INVALID, "%s: expected %s, got %s%.100s%s", what, range, quote, text, quote);
}

struct list {
    int64_t *value;
    int n, capacity;
};

/* "5" or "1..64"; `element` is cut in two. False when it is neither, or not in the range. */
static bool read_element(char *element, int64_t low, int64_t high, int64_t *first, int64_t *last)
{
    char *dots = strstr(element, "..");
    if (!dots)
        return int_in_range(element, low, high, first) && int_in_range(element, low, high, last);
    *dots = '\0';
    bool right = int_in_range(element, low, high, first) && int_in_range(dots + 2, low, high, last);
    *dots = '.';
    return right && *first <= *last;
}

static enum ar_status add_elements(char *rest, const char *text, const char *what, int64_t low, int64_t high,
                                   struct list *list, struct ar_error *error)
{
    for (char *element; (element = strsep(&rest, ","));) {
        int64_t first, last;
        if (!read_element(element, low, high, &first, &last)) {
            char range[AR_UNITS_TEXT];
            describe_range(range, low, high);
            bool alone = strcmp(element, text) == 0;
            return ar_fail(error, AR_INVALID,
                           "%s: expected a list such as 1,2,5..8 of numbers %s%s, got '%.100s'%s%.100s%s",
                           what, high == INT64_MAX ? "" : "in ", range, element, alone ? "" : " in '",
                           alone ? "" : text, alone ? "" : "'");
        }
        if ((uint64_t)last - (uint64_t)first >= (uint64_t)(AR_LIST_MOST - list->n))
            return ar_fail(error, AR_INVALID, "%s: expected at most 1,048,576 values, got more in '%.100s'",
                           what, text);
        for (int64_t i = 0; i <= last - first; i++) {
            AR_GROW(list->value, list->n, list->capacity);
            list->value[list->n++] = first + i;
        }
    }
    return AR_OK;
}

enum ar_status ar_parse_list(const char *text, const char *what, int64_t low, int64_t high, int64_t **values,
                             int *n, struct ar_error *error)
{
    struct list list = {0};
    size_t length = strlen(text);
    char *copy = memcpy(ar_alloc(length + 1, 1), text, length);
    enum ar_status status = add_elements(copy, text, what, low, high, &list, error);
    free(copy);
    if (status != AR_OK) {
        free(list.value);
        return status;
    }
    *values = list.value;
    *n = list.n;
    return AR_OK;
}

/* ---- Printing ---------------------------------------------------------------------------------------- */

static const char *const binary_units[] = {"B", "KiB", "MiB", "GiB", "TiB"};

/* "1.50" to "1.5", "2.0" to "2" */
static void drop_zeros(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '0')
        text[--length] = '\0';
    if (length > 0 && text[length - 1] == '.')
        text[length - 1] = '\0';
}

const char *ar_format_size(char text[AR_UNITS_TEXT], uint64_t bytes)
{
    int unit = 0;
    while (unit < AR_UNITS_TERABYTES && bytes >> (10 * (unit + 1)))
        unit++;
    uint64_t one = UINT64_C(1) << 10 * unit, whole = bytes / one, part = bytes % one;
    uint64_t scale = whole < 10 ? 100 : 10; /* two decimals, then one */
    uint64_t decimals = (part * scale + one / 2) / one;
    bool exact = part * scale % one == 0;
    if (decimals == scale) { /* rounded up to the next whole number */
        decimals = 0;
        whole++;
    }
    if (whole == 1024 && part && unit < AR_UNITS_TERABYTES) {
        whole = 1;
        unit++;
    }
    snprintf(text, AR_UNITS_TEXT, "%" PRIu64 ".%0*" PRIu64, whole, whole < 10 ? 2 : 1, decimals);
    if (exact)
        drop_zeros(text);
    size_t length = strlen(text);
    snprintf(text + length, AR_UNITS_TEXT - length, " %s", binary_units[unit]);
    return text;
}

const char *ar_format_size_exact(char text[AR_UNITS_TEXT], uint64_t bytes)
{
    int unit = 0;
    while (unit < AR_UNITS_TERABYTES && bytes && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, AR_UNITS_TEXT, "%" PRIu64 "%s", bytes, unit ? binary_units[unit] : "");
    return text;
}

const char *ar_format_count(char text[AR_UNITS_TEXT], uint64_t count)
{
    char digits[AR_UNITS_TEXT];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, count), length = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            text[length++] = ',';
        text[length++] = digits[i];
    }
    text[length] = '\0';
    return text;
}

/* The largest unit (they descend) that is not above the value. */
static const char *format_quantity(char text[AR_UNITS_TEXT], double value, const struct real_unit *units,
                                   size_t n)
{
    size_t i = 0;
    while (i + 1 < n && value < units[i].value * (1 - 5e-5)) /* 999.96 is printed as 1000 of the next */
        i++;
    snprintf(text, AR_UNITS_TEXT, "%.4g %s", value / units[i].value, units[i].name);
    return text;
}

const char *ar_format_time(char text[AR_UNITS_TEXT], double time_s)
{
    static const struct real_unit units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    return format_quantity(text, time_s, units, time_s > 0 ? sizeof units / sizeof *units : 1);
}

const char *ar_format_rate(char text[AR_UNITS_TEXT], double rate_Bps)
{
    static const struct real_unit units[] = {
        {"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"kB/s", 1e3}, {"B/s", 1}};
    return format_quantity(text, rate_Bps, units, sizeof units / sizeof *units);
}
