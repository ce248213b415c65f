#include "collectives/run/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/base/random.h"
#include "collectives/run/held.h"

/* ---- What a value is ----------------------------------------------------------------------------------- */

/* Every partial result must be exact. Sums: no subset exceeds the type's `whole`. Products are plus or minus
 * powers of two: no subset's exponents add up to more than its `power` in size. */
struct values {
    const struct ar_type_info *type;
    enum ar_values rule;
    int nranks;
};

static uint64_t hash(uint64_t rank, uint64_t index)
{
    return ar_mix((rank << 32 | index) * 0x9e3779b97f4a7c15U + 0x9e3779b97f4a7c15U);
}

/* Of many ranks, at most `most` take part at an element, and each does at some. */
static bool takes_part(int nranks, int rank, int64_t index, int64_t most)
{
    int64_t apart = (nranks + most - 1) / most;
    return (rank + index) % apart == 0;
}

static double number_to_add(const struct values *values, int rank, int64_t index)
{
    double sum = values->type->whole;
    int64_t most = (int64_t)sum / 2 < values->nranks ? (int64_t)sum / 2 : values->nranks;
    if (!takes_part(values->nranks, rank, index, most))
        return 0;
    uint64_t h = hash((uint64_t)rank, (uint64_t)index);
    double size = (double)(1 + (h >> 1) % (uint64_t)((int64_t)sum / most));
    return values->type->kind != AR_UNSIGNED && h & 1 ? -size : size;
}

static double number_to_multiply(const struct values *values, int rank, int64_t index)
{
    enum ar_type_kind kind = values->type->kind;
    int limit = values->type->power;
    int64_t most = limit < values->nranks ? limit : values->nranks;
    uint64_t h = hash((uint64_t)rank, (uint64_t)index);
    int exponent = 0;
    if (takes_part(values->nranks, rank, index, most))
        exponent = 1 + (int)((h >> 2) % (uint64_t)(limit / most));
    if (kind == AR_FLOAT && h & 2)
        exponent = -exponent;
    double size = __builtin_ldexp(1, exponent);
    return kind != AR_UNSIGNED && h & 1 ? -size : size;
}

/* All bits of the type, NaN and infinity excepted. */
static uint64_t any_bits(const struct values *values, int rank, int64_t index)
{
    uint64_t bits = hash((uint64_t)rank, (uint64_t)index), mask = values->type->exponent_bits;
    return mask && (bits & mask) == mask ? bits ^ (mask & -mask) : bits;
}

/* In every other row of nranks elements each rank wins one: there its sign is the only one of its kind. */
static uint64_t bits_to_compare(const struct values *values, int rank, int64_t index)
{
    uint64_t bits = any_bits(values, rank, index);
    if (index / values->nranks % 2 == 1)
        return bits;
    bool wins = index % values->nranks == rank, largest = values->rule == AR_VALUES_LARGEST;
    bool above = wins == largest; /* in the upper half of the type */
    uint64_t top = (uint64_t)1 << (8 * values->type->bytes - 1);
    return above == (values->type->kind == AR_UNSIGNED) ? bits | top : bits & ~top;
}

/* How a float type is laid out: the sign on top, then the exponent, then the fraction. */
struct format {
    int fraction_bits, bias;
    uint64_t sign, exponent_max;
};

static struct format format_of(const struct ar_type_info *type)
{
    int fraction_bits = __builtin_ctzll(type->exponent_bits);
    uint64_t most = type->exponent_bits >> fraction_bits;
    return (struct format){fraction_bits, (int)(most >> 1), (uint64_t)1 << (8 * type->bytes - 1), most};
}

/* The number is exact in the type, and neither subnormal there nor infinite. */
static uint64_t bits_of_number(const struct ar_type_info *type, double number)
{
    if (type->kind == AR_SIGNED)
        return (uint64_t)(int64_t)number;
    if (type->kind == AR_UNSIGNED)
        return (uint64_t)number;
    if (number == 0)
        return 0;
    const struct format f = format_of(type), wide = format_of(&ar_types[AR_TYPE_float64]);
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    uint64_t exponent = (bits >> wide.fraction_bits & wide.exponent_max) - (uint64_t)(wide.bias - f.bias);
    uint64_t fraction =
        (bits & (((uint64_t)1 << wide.fraction_bits) - 1)) >> (wide.fraction_bits - f.fraction_bits);
    return (bits & wide.sign ? f.sign : 0) | exponent << f.fraction_bits | fraction;
}

static double number_of_bits(const struct ar_type_info *type, uint64_t bits)
{
    struct format f = format_of(type);
    uint64_t hidden = (uint64_t)1 << f.fraction_bits, fraction = bits & (hidden - 1);
    uint64_t exponent = bits >> f.fraction_bits & f.exponent_max;
    double size = exponent
                      ? __builtin_ldexp((double)(hidden + fraction), (int)exponent - f.bias - f.fraction_bits)
                      : __builtin_ldexp((double)fraction, 1 - f.bias - f.fraction_bits);
    if (exponent == f.exponent_max)
        size = fraction ? __builtin_nan("") : __builtin_inf();
    return bits & f.sign ? -size : size;
}

static uint64_t bits_of_value(const struct values *values, int rank, int64_t index)
{
    switch (values->rule) {
    case AR_VALUES_SUM:
        return bits_of_number(values->type, number_to_add(values, rank, index));
    case AR_VALUES_PRODUCT:
        return bits_of_number(values->type, number_to_multiply(values, rank, index));
    case AR_VALUES_SMALLEST:
    case AR_VALUES_LARGEST:
        return bits_to_compare(values, rank, index);
    case AR_VALUES_ANY:
        break;
    }
    return any_bits(values, rank, index);
}

/* The lowest `bytes` bytes of a number, in the order of this machine. */
static void put_bits(void *to, uint64_t bits, size_t bytes)
{
    const unsigned char *from = (const unsigned char *)&bits;
    memcpy(to, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? from : from + sizeof bits - bytes, bytes);
}

static uint64_t get_bits(const void *from, size_t bytes)
{
    uint64_t bits = 0;
    unsigned char *to = (unsigned char *)&bits;
    memcpy(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? to : to + sizeof bits - bytes, from, bytes);
    return bits;
}

/* The n values of a rank for elements offset, offset + 1, ... of the vector. */
static void make_values(const struct values *values, int rank, int64_t offset, size_t n, void *out)
{
    size_t bytes = values->type->bytes;
    for (size_t i = 0; i < n; i++)
        put_bits((unsigned char *)out + i * bytes,
                 bits_of_value(values, rank, (offset + (int64_t)i) % AR_TILE), bytes);
}

/* ---- Tiles --------------------------------------------------------------------------------------------- */

/* What is expected of `length` elements from `offset` on: a tile of values, over and over. */
struct tile {
    int64_t offset, length;
    unsigned char *value;
};

struct ar_check {
    const struct ar_schedule *schedule;
    struct ar_layout layout;
    const struct ar_collective *collective;
    struct values values;
    size_t bytes; /* per element */
    /* One for the whole vector; one per rank where the parts or rows come from different ranks. */
    struct tile *tile;
    int ntiles;
};

static size_t at_most_tile(int64_t length)
{
    return (size_t)(length < AR_TILE ? length : AR_TILE);
}

/* What `rank` contributes to these elements. */
static struct tile *add_tile(struct ar_check *check, int rank, int64_t offset, int64_t length)
{
    struct tile *tile = &check->tile[check->ntiles++];
    size_t n = at_most_tile(length);
    *tile = (struct tile){offset, length, ar_alloc(n, check->bytes)};
    make_values(&check->values, rank, offset, n, tile->value);
    return tile;
}

static void expect_combination(struct ar_check *check, enum ar_type type, const struct ar_operator *op)
{
    struct tile *tile = add_tile(check, 0, 0, check->layout.count);
    size_t n = at_most_tile(tile->length);
    unsigned char *other = ar_alloc(n, check->bytes);
    for (int rank = 1; rank < check->values.nranks; rank++) {
        make_values(&check->values, rank, 0, n, other);
        op->combine[type](tile->value, other, n);
    }
    if (op->finish[type])
        op->finish[type](tile->value, n, check->values.nranks);
    free(other);
}

static void held_at_start(const struct ar_check *check, int rank, int64_t *offset, int64_t *length)
{
    enum ar_where where = check->collective->starts;
    ar_held(check->schedule, &check->layout, where, rank, where == AR_AT_SOURCE ? rank : 0, offset, length);
}

static void expect_parts(struct ar_check *check)
{
    for (int rank = 0; rank < check->values.nranks; rank++) {
        int64_t offset, length;
        held_at_start(check, rank, &offset, &length);
        add_tile(check, rank, offset, length);
    }
}

struct ar_check *ar_check_new(const struct ar_execution_setup *setup)
{
    const struct ar_schedule *schedule = setup->schedule;
    const struct ar_collective *collective = &ar_collectives[schedule->algorithm->collective];
    struct ar_check *check = ar_alloc(1, sizeof *check);
    check->schedule = schedule;
    check->layout = setup->layout;
    check->collective = collective;
    check->bytes = ar_types[setup->type].bytes;
    check->values =
        (struct values){&ar_types[setup->type], collective->reduces ? setup->op->values : AR_VALUES_ANY,
                        schedule->problem.nranks};
    check->tile = ar_alloc((size_t)schedule->problem.nranks, sizeof *check->tile);
    if (collective->reduces)
        expect_combination(check, setup->type, setup->op);
    else if (collective->starts == AR_AT_ROOT)
        add_tile(check, schedule->problem.root, 0, setup->layout.count);
    else
        expect_parts(check);
    return check;
}

void ar_check_free(struct ar_check *check)
{
    if (!check)
        return;
    for (int i = 0; i < check->ntiles; i++)
        free(check->tile[i].value);
    free(check->tile);
    free(check);
}

/* ---- Filling ------------------------------------------------------------------------------------------- */

enum { POISON = 0xa5 };

void ar_check_fill(const struct ar_check *check, int rank, void *vector)
{
    int64_t offset, length;
    if (check->layout.count == 0)
        return;
    memset(vector, POISON, (size_t)ar_layout_elements(&check->layout) * check->bytes);
    held_at_start(check, rank, &offset, &length);
    unsigned char *to = (unsigned char *)vector + (size_t)offset * check->bytes;
    size_t tile = at_most_tile(length), n = (size_t)length;
    make_values(&check->values, rank, offset, tile, to);
    for (size_t done = tile; done < n; done += tile) {
        size_t more = n - done < tile ? n - done : tile;
        memcpy(to + done * check->bytes, to, more * check->bytes);
    }
}

/* ---- Comparing ----------------------------------------------------------------------------------------- */

enum { VALUE_TEXT = 40 };

static void format_value(char text[VALUE_TEXT], const struct ar_type_info *type, const void *value)
{
    uint64_t bits = get_bits(value, type->bytes);
    unsigned unused = 64 - 8 * (unsigned)type->bytes;
    if (type->kind == AR_FLOAT)
        snprintf(text, VALUE_TEXT, "%.*g", type->bytes > 4 ? 17 : 9, number_of_bits(type, bits));
    else if (type->kind == AR_SIGNED)
        snprintf(text, VALUE_TEXT, "%" PRId64, (int64_t)(bits << unused) >> unused);
    else
        snprintf(text, VALUE_TEXT, "%" PRIu64, bits);
}

static int64_t block_of(const struct ar_layout *layout, int64_t element)
{
    for (int64_t block = 0; block < ar_layout_nblocks(layout); block++) {
        int64_t offset, length;
        ar_layout_block(layout, block, &offset, &length);
        if (element >= offset && element < offset + length)
            return block;
    }
    return -1;
}

static enum ar_status fail_element(const struct ar_check *check, int rank, int64_t element,
                                   const void *expected, const void *got, struct ar_error *error)
{
    char want[VALUE_TEXT], have[VALUE_TEXT];
    format_value(want, check->values.type, expected);
    format_value(have, check->values.type, got);
    return ar_fail(error, AR_FAILED,
                   "rank %d, element %" PRId64 " (block %" PRId64 "): expected %s, got %s%s", rank, element,
                   block_of(&check->layout, element), want, have,
                   strcmp(want, have) == 0 ? " with other bits" : "");
}

/* Those elements first .. last-1 of the vector that the tile speaks of. */
static enum ar_status compare(const struct ar_check *check, int rank, const struct tile *tile, int64_t first,
                              int64_t last, const unsigned char *vector, struct ar_error *error)
{
    size_t period = at_most_tile(tile->length);
    first = first > tile->offset ? first : tile->offset;
    last = last < tile->offset + tile->length ? last : tile->offset + tile->length;
    while (first < last) {
        size_t phase = (size_t)(first - tile->offset) % period, n = period - phase;
        n = (int64_t)n < last - first ? n : (size_t)(last - first);
        const unsigned char *expected = tile->value + phase * check->bytes;
        const unsigned char *got = vector + (size_t)first * check->bytes;
        if (memcmp(expected, got, n * check->bytes) != 0) {
            size_t i = 0;
            while (memcmp(expected + i * check->bytes, got + i * check->bytes, check->bytes) == 0)
                i++;
            return fail_element(check, rank, first + (int64_t)i, expected + i * check->bytes,
                                got + i * check->bytes, error);
        }
        first += (int64_t)n;
    }
    return AR_OK;
}

enum ar_status ar_check_result(const struct ar_check *check, int rank, const void *vector,
                               struct ar_error *error)
{
    int64_t offset, length;
    enum ar_status status = AR_OK;
    for (int64_t row = 0; row < ar_layout_rows(&check->layout); row++) {
        ar_held(check->schedule, &check->layout, check->collective->ends, rank, row, &offset, &length);
        for (int i = 0; i < check->ntiles && status == AR_OK; i++)
            status = compare(check, rank, &check->tile[i], offset, offset + length, vector, error);
    }
    return status;
}
