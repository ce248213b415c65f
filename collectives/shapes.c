#include "collectives/shapes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collectives/patterns/binomial.h"

#define PACKED (INT64_C(1) << 62)
enum { WIDTH_BITS = 5, SIZES_BITS = 62 - WIDTH_BITS };

/* ---- Packing ----------------------------------------------------------------------------------------- */

struct ar_shape ar_shape_of(int64_t value)
{
    struct ar_shape shape;
    shape.n = value != 0;
    shape.size[0] = (int)value;
    if (!(value & PACKED))
        return shape;
    int width = (int)(value & ((1 << WIDTH_BITS) - 1));
    int64_t rest = (value ^ PACKED) >> WIDTH_BITS, mask = (INT64_C(1) << width) - 1;
    for (shape.n = 0; shape.n < AR_SHAPE_SIZES && (rest & mask); rest >>= width)
        shape.size[shape.n++] = (int)(rest & mask);
    return shape;
}

/* How many sizes of up to the largest fit, and how large they may be then. */
static int room_for(const struct ar_shape *shape, int *width)
{
    int largest = 1;
    for (int i = 0; i < shape->n; i++)
        largest = shape->size[i] > largest ? shape->size[i] : largest;
    for (*width = 1; largest >> *width; ++*width)
        ;
    return SIZES_BITS / *width < AR_SHAPE_SIZES ? SIZES_BITS / *width : AR_SHAPE_SIZES;
}

/* The value, or 0 where the sizes do not fit. */
static int64_t value_of(const struct ar_shape *shape)
{
    int width;
    if (shape->n == 1)
        return shape->size[0];
    if (shape->n > room_for(shape, &width))
        return 0;
    int64_t sizes = 0;
    for (int i = shape->n - 1; i >= 0; i--)
        sizes = sizes << width | shape->size[i];
    return PACKED | sizes << WIDTH_BITS | width;
}

/* ---- Text -------------------------------------------------------------------------------------------- */

static char separator_of(const struct ar_param *param)
{
    return param->unit == AR_PARAM_DIMS ? 'x' : '+';
}

static enum ar_status parse_size(const struct ar_param *param, const char *text, const char *at, int length,
                                 struct ar_shape *shape, struct ar_error *error)
{
    char one[AR_UNITS_TEXT];
    int64_t size;
    snprintf(one, sizeof one, "%.*s", length, at);
    if (ar_parse_int(one, param->name, 1, INT32_MAX, &size, NULL) != AR_OK)
        return ar_fail(error, AR_INVALID, "%s: expected sizes of at least 1, such as %s, got '%s'",
                       param->name, param->unit == AR_PARAM_DIMS ? "4x4" : "4+4", text);
    if (shape->n == AR_SHAPE_SIZES)
        return ar_fail(error, AR_INVALID, "%s: expected at most %d sizes, got '%s'", param->name,
                       AR_SHAPE_SIZES, text);
    shape->size[shape->n++] = (int)size;
    return AR_OK;
}

enum ar_status ar_shape_parse(const struct ar_param *param, const char *text, int64_t *value,
                              struct ar_error *error)
{
    struct ar_shape shape = {.n = 0};
    *value = 0;
    if (strcmp(text, "auto") == 0)
        return AR_OK;
    for (const char *at = text, *end; at; at = end ? end + 1 : NULL) {
        end = strchr(at, separator_of(param));
        int length = (int)(end ? end - at : (ptrdiff_t)strlen(at));
        enum ar_status status = parse_size(param, text, at, length, &shape, error);
        if (status != AR_OK)
            return status;
    }
    int width, room = room_for(&shape, &width);
    *value = value_of(&shape);
    if (*value == 0)
        return ar_fail(error, AR_INVALID,
                       "%s: expected at most %d sizes where the largest has %d bits, got '%s'", param->name,
                       room, width, text);
    return AR_OK;
}

const char *ar_shape_format(const struct ar_param *param, int64_t value, char text[AR_UNITS_TEXT])
{
    struct ar_shape shape = ar_shape_of(value);
    if (shape.n == 0)
        snprintf(text, AR_UNITS_TEXT, "auto");
    for (int i = 0, length = 0; i < shape.n && length < AR_UNITS_TEXT; i++) {
        char separator[2] = {i ? separator_of(param) : '\0'};
        length += snprintf(text + length, (size_t)(AR_UNITS_TEXT - length), "%s%d", separator, shape.size[i]);
    }
    return text;
}

/* ---- What it means for so many ranks ----------------------------------------------------------------- */

int ar_shape_group(int nranks)
{
    return 1 << ar_log2_ceil(nranks) / 2;
}

static int square_divisor(int nranks)
{
    int divisor = 1;
    for (int i = 2; i <= nranks / i; i++)
        if (nranks % i == 0)
            divisor = i;
    return divisor;
}

int ar_shape_equal_group(int64_t value, int nranks)
{
    return value ? ar_shape_of(value).size[0] : square_divisor(nranks);
}

struct ar_shape ar_shape_dims(int64_t value, int nranks)
{
    if (value)
        return ar_shape_of(value);
    int smaller = square_divisor(nranks);
    if (smaller == 1)
        return (struct ar_shape){.n = 1, .size = {nranks}};
    return (struct ar_shape){.n = 2, .size = {smaller, nranks / smaller}};
}

static enum ar_status settle_dims(const struct ar_param *param, int nranks, int64_t *value,
                                  struct ar_error *error)
{
    struct ar_shape dims = ar_shape_dims(*value, nranks);
    int64_t product = 1;
    for (int i = 0; i < dims.n; i++)
        product *= dims.size[i]; /* below 2^62: packed sizes have fewer bits */
    char text[AR_UNITS_TEXT];
    if (product != nranks && dims.n == 1)
        return ar_fail(error, AR_INVALID, "%s: expected a product of %d, the ranks, got %" PRId64,
                       param->name, nranks, product);
    if (product != nranks)
        return ar_fail(error, AR_INVALID, "%s: expected a product of %d, the ranks, got %s = %" PRId64,
                       param->name, nranks, ar_shape_format(param, *value, text), product);
    *value = value_of(&dims);
    return AR_OK;
}

static enum ar_status settle_groups(const struct ar_param *param, int nranks, int64_t *value,
                                    struct ar_error *error)
{
    struct ar_shape groups = ar_shape_of(*value);
    char text[AR_UNITS_TEXT];
    int64_t sum = 0;
    bool equal = param->unit == AR_PARAM_EQUAL_GROUPS;
    for (int i = 0; i < groups.n; i++)
        sum += groups.size[i];
    if (groups.n > 1 && sum != nranks)
        return ar_fail(error, AR_INVALID, "%s: expected a sum of %d, the ranks, got %s = %" PRId64,
                       param->name, nranks, ar_shape_format(param, *value, text), sum);
    for (int i = 1; equal && i < groups.n; i++)
        if (groups.size[i] != groups.size[0])
            return ar_fail(error, AR_INVALID, "%s: expected equal groups (hierarchical takes others), got %s",
                           param->name, ar_shape_format(param, *value, text));
    if (!equal) {
        *value = *value ? *value : ar_shape_group(nranks);
        return AR_OK;
    }
    int each = ar_shape_equal_group(*value, nranks);
    if (nranks % each != 0)
        return ar_fail(error, AR_INVALID,
                       "%s: expected equal groups (hierarchical takes others), got %d rank%s in groups of %d",
                       param->name, nranks, nranks == 1 ? "" : "s", each);
    *value = each;
    return AR_OK;
}

enum ar_status ar_shape_settle(const struct ar_param *param, int nranks, int64_t *value,
                               struct ar_error *error)
{
    struct ar_shape shape = ar_shape_of(*value);
    if (*value < 0 || (*value > 0 && (shape.n == 0 || value_of(&shape) != *value)))
        return ar_fail(error, AR_INVALID, "%s: expected packed sizes, got %" PRId64, param->name, *value);
    return param->unit == AR_PARAM_DIMS ? settle_dims(param, nranks, value, error)
                                        : settle_groups(param, nranks, value, error);
}
