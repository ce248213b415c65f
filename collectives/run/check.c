#include "collectives/run/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/base/memory.h"
#include "collectives/run/half.h"
#include "collectives/run/held.h"

/* ---- What a value is ----------------------------------------------------------------------------------- */

/* Every partial result must be exact. Sums: no subset exceeds `sum`, up to which the type has all integers.
 * Products are plus or minus powers of two: no subset's exponents add up to more than `exponent` in size. */
static const struct {
    double sum;
    int exponent;
} limits[AR_NTYPES] = {
    [AR_TYPE_int8] = {0x1p6, 6},       [AR_TYPE_int16] = {0x1p14, 14},    [AR_TYPE_int32] = {0x1p30, 30},
    [AR_TYPE_int64] = {0x1p53, 62},    [AR_TYPE_uint8] = {0x1p7, 7},      [AR_TYPE_uint16] = {0x1p15, 15},
    [AR_TYPE_uint32] = {0x1p31, 31},   [AR_TYPE_uint64] = {0x1p53, 63},   [AR_TYPE_float16] = {0x1p11, 14},
    [AR_TYPE_bfloat16] = {0x1p8, 126}, [AR_TYPE_float32] = {0x1p24, 126}, [AR_TYPE_float64] = {0x1p53, 1022},
};

/* Which rule makes the values. */
enum rule {
    RULE_SUM,     /* integers */
    RULE_PRODUCT, /* powers of two */
    RULE_SMALLEST,
    RULE_LARGEST,
    RULE_ANY, /* all bits, but finite: other operators, and vectors that only travel */
};

static enum rule rule_of(const struct ar_operator *op)
{
    static const struct {
        const char *name;
        enum rule rule;
    } known[] = {{"sum", RULE_SUM},
                 {"avg", RULE_SUM},
                 {"prod", RULE_PRODUCT},
                 {"min", RULE_SMALLEST},
                 {"max", RULE_LARGEST}};
    for (size_t i = 0; op && i < sizeof known / sizeof *known; i++)
        if (strcmp(op->name, known[i].name) == 0)
            return known[i].rule;
    return RULE_ANY;
}

struct values {
    enum ar_type type;
    enum rule rule;
    int nranks;
};

/* SplitMix64 (Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014) of both. */
static uint64_t hash(uint64_t rank, uint64_t index)
{
    uint64_t x = (rank << 32 | index) * 0x9e3779b97f4a7c15U + 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

/* Of many ranks, at most `most` take part at an element, and each does at some. */
static bool takes_part(int nranks, int rank, int64_t index, int64_t most)
{
    int64_t apart = (nranks + most - 1) / most;
    return (rank + index) % apart == 0;
}

static double number_to_add(const struct values *values, int rank, int64_t index)
{
    double sum = limits[values->type].sum;
    int64_t most = (int64_t)sum / 2 < values->nranks ? (int64_t)sum / 2 : values->nranks;
    if (!takes_part(values->nranks, rank, index, most))
        return 0;
    uint64_t h = hash((uint64_t)rank, (uint64_t)index);
    double size = (double)(1 + (h >> 1) % (uint64_t)((int64_t)sum / most));
    return ar_types[values->type].kind != AR_UNSIGNED && h & 1 ? -size : size;
}

static double number_to_multiply(const struct values *values, int rank, int64_t index)
{
    enum ar_type_kind kind = ar_types[values->type].kind;
    int limit = limits[values->type].exponent;
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
static uint64_t any_bits(enum ar_type type, uint64_t h)
{
    static const uint64_t exponent_bits[AR_NTYPES] = {[AR_TYPE_float16] = 0x7c00U,
                                                      [AR_TYPE_bfloat16] = 0x7f80U,
                                                      [AR_TYPE_float32] = 0x7f800000U,
                                                      [AR_TYPE_float64] = 0x7ff0000000000000U};
    uint64_t mask = exponent_bits[type];
    return mask && (h & mask) == mask ? h ^ (mask & -mask) : h;
}

/* In every other row of nranks elements each rank wins one: there its sign is the only one of its kind. */
static uint64_t bits_to_compare(const struct values *values, int rank, int64_t index)
{
    uint64_t bits = any_bits(values->type, hash((uint64_t)rank, (uint64_t)index));
    if (index / values->nranks % 2 == 1)
        return bits;
    bool wins = index % values->nranks == rank, largest = values->rule == RULE_LARGEST;
    bool above = wins == largest; /* in the upper half of the type */
    uint64_t top = (uint64_t)1 << (8 * ar_types[values->type].bytes - 1);
    return above == (ar_types[values->type].kind == AR_UNSIGNED) ? bits | top : bits & ~top;
}

static uint64_t bits_of_number(enum ar_type type, double number)
{
    float single = (float)number;
    uint32_t single_bits;
    uint64_t double_bits;
    memcpy(&single_bits, &single, sizeof single);
    memcpy(&double_bits, &number, sizeof number);
    switch (type) {
    case AR_TYPE_float16:
        return ar_half_of_float(single);
    case AR_TYPE_bfloat16:
        return ar_bfloat_of_float(single);
    case AR_TYPE_float32:
        return single_bits;
    case AR_TYPE_float64:
        return double_bits;
    default:
        return ar_types[type].kind == AR_SIGNED ? (uint64_t)(int64_t)number : (uint64_t)number;
    }
}

static uint64_t bits_of_value(const struct values *values, int rank, int64_t index)
{
    switch (values->rule) {
    case RULE_SUM:
        return bits_of_number(values->type, number_to_add(values, rank, index));
    case RULE_PRODUCT:
        return bits_of_number(values->type, number_to_multiply(values, rank, index));
    case RULE_SMALLEST:
    case RULE_LARGEST:
        return bits_to_compare(values, rank, index);
    case RULE_ANY:
        break;
    }
    return any_bits(values->type, hash((uint64_t)rank, (uint64_t)index));
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
    size_t bytes = ar_types[values->type].bytes;
    for (size_t i = 0; i < n; i++)
        put_bits((unsigned char *)out + i * bytes,
                 bits_of_value(values, rank, (offset + (int64_t)i) % AR_TILE), bytes);
}

/* ---- Tiles --------------------------------------------------------------------------------------------- */

/* What is expected from element `offset` on: `n` values, over and over. n is AR_TILE, or fewer where no more
 * elements follow. */
struct tile {
    int64_t offset;
    size_t n;
    unsigned char *value;
};

struct ar_check {
    const struct ar_schedule *schedule;
    struct ar_layout layout;
    const struct ar_collective *collective;
    struct values values;
    size_t bytes; /* per element */
    /* One for the whole vector; one per part where the parts come from different ranks. */
    struct tile *tile;
    int64_t ntiles;
};

static size_t at_most_tile(int64_t length)
{
    return (size_t)(length < AR_TILE ? length : AR_TILE);
}

static void add_tile(struct ar_check *check, int64_t offset, int64_t length)
{
    size_t n = at_most_tile(length);
    check->tile[check->ntiles++] = (struct tile){offset, n, ar_alloc(n, check->bytes)};
}

static void expect_combination(struct ar_check *check, const struct ar_operator *op)
{
    add_tile(check, 0, check->layout.count);
    struct tile *tile = &check->tile[0];
    unsigned char *other = ar_alloc(tile->n, check->bytes);
    make_values(&check->values, 0, 0, tile->n, tile->value);
    for (int rank = 1; rank < check->values.nranks; rank++) {
        make_values(&check->values, rank, 0, tile->n, other);
        op->combine[check->values.type](tile->value, other, tile->n);
    }
    if (op->finish[check->values.type])
        op->finish[check->values.type](tile->value, tile->n, check->values.nranks);
    free(other);
}

static void expect_parts(struct ar_check *check)
{
    for (int64_t part = 0; part < check->layout.parts; part++)
        for (int rank = 0; rank < check->values.nranks; rank++) {
            /* The owner: nearly always the rank of the part's number. */
            int owner = (int)((part + rank) % check->values.nranks);
            int64_t at = part, offset, length;
            if (!ar_held_part(check->schedule, &check->layout, check->collective->starts, owner, &at, &offset,
                              &length) ||
                at != part)
                continue;
            add_tile(check, offset, length);
            make_values(&check->values, owner, offset, check->tile[part].n, check->tile[part].value);
            break;
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
    check->values.type = setup->type;
    check->values.rule = rule_of(collective->reduces ? setup->op : NULL);
    check->values.nranks = schedule->problem.nranks;
    check->tile = ar_alloc((size_t)setup->layout.parts, sizeof *check->tile);
    if (collective->reduces) {
        expect_combination(check, setup->op);
    } else if (collective->starts == AR_AT_ROOT) {
        add_tile(check, 0, setup->layout.count);
        make_values(&check->values, schedule->problem.root, 0, check->tile[0].n, check->tile[0].value);
    } else {
        expect_parts(check);
    }
    return check;
}

void ar_check_free(struct ar_check *check)
{
    if (!check)
        return;
    for (int64_t i = 0; i < check->ntiles; i++)
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
    memset(vector, POISON, (size_t)check->layout.count * check->bytes);
    for (int64_t part = 0; ar_held_part(check->schedule, &check->layout, check->collective->starts, rank,
                                        &part, &offset, &length);
         part++) {
        unsigned char *to = (unsigned char *)vector + (size_t)offset * check->bytes;
        size_t tile = at_most_tile(length), n = (size_t)length;
        make_values(&check->values, rank, offset, tile, to);
        for (size_t done = tile; done < n; done += tile) {
            size_t more = n - done < tile ? n - done : tile;
            memcpy(to + done * check->bytes, to, more * check->bytes);
        }
    }
}

/* ---- Comparing ----------------------------------------------------------------------------------------- */

enum { VALUE_TEXT = 40 };

static void format_value(char text[VALUE_TEXT], enum ar_type type, const void *value)
{
    const struct ar_type_info *info = &ar_types[type];
    uint64_t bits = get_bits(value, info->bytes);
    unsigned unused = 64 - 8 * (unsigned)info->bytes;
    float single;
    double number;
    if (type == AR_TYPE_float64) {
        memcpy(&number, value, sizeof number);
        snprintf(text, VALUE_TEXT, "%.17g", number);
    } else if (info->kind == AR_FLOAT) {
        if (type == AR_TYPE_float32)
            memcpy(&single, value, sizeof single);
        else
            single = type == AR_TYPE_float16 ? ar_float_of_half((uint16_t)bits)
                                             : ar_float_of_bfloat((uint16_t)bits);
        snprintf(text, VALUE_TEXT, "%.9g", (double)single);
    } else if (info->kind == AR_SIGNED) {
        snprintf(text, VALUE_TEXT, "%" PRId64, (int64_t)(bits << unused) >> unused);
    } else {
        snprintf(text, VALUE_TEXT, "%" PRIu64, bits);
    }
}

static int64_t block_of(const struct ar_layout *layout, int64_t element)
{
    for (int64_t block = 0; block < layout->parts * layout->splits; block++) {
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

static enum ar_status compare(const struct ar_check *check, int rank, const struct tile *tile, int64_t offset,
                              int64_t length, const unsigned char *vector, struct ar_error *error)
{
    while (length > 0) {
        size_t phase = (size_t)(offset - tile->offset) % tile->n, n = tile->n - phase;
        n = (int64_t)n < length ? n : (size_t)length;
        const unsigned char *expected = tile->value + phase * check->bytes;
        const unsigned char *got = vector + (size_t)offset * check->bytes;
        if (memcmp(expected, got, n * check->bytes) != 0) {
            size_t i = 0;
            while (memcmp(expected + i * check->bytes, got + i * check->bytes, check->bytes) == 0)
                i++;
            return fail_element(check, rank, offset + (int64_t)i, expected + i * check->bytes,
                                got + i * check->bytes, error);
        }
        offset += (int64_t)n;
        length -= (int64_t)n;
    }
    return AR_OK;
}

enum ar_status ar_check_result(const struct ar_check *check, int rank, const void *vector,
                               struct ar_error *error)
{
    int64_t offset, length;
    for (int64_t part = 0; ar_held_part(check->schedule, &check->layout, check->collective->ends, rank, &part,
                                        &offset, &length);
         part++) {
        const struct tile *tile = &check->tile[check->ntiles == 1 ? 0 : part];
        enum ar_status status = compare(check, rank, tile, offset, length, vector, error);
        if (status != AR_OK)
            return status;
    }
    return AR_OK;
}
