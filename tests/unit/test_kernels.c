/* The combining kernels of every type and operator. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "collectives/run/half.h"
#include "collectives/run/types.h"
#include "collectives/run/wide.h"

/* A test that runs at every level that the processor has. */
#define TEST_AT_EVERY_LEVEL(name)                                                                            \
    static void name(void);                                                                                  \
    Test(kernels, name)                                                                                      \
    {                                                                                                        \
        int highest = (int)ar_level_limit(AR_AVX512);                                                        \
        for (int level = 0; level <= highest; level++) {                                                     \
            cr_assert_eq((int)ar_level_limit((enum ar_level)level), level);                                  \
            name();                                                                                          \
        }                                                                                                    \
    }                                                                                                        \
    static void name(void)

/* Two operands of one type, and what each operator makes of them, as numbers. */
struct combination {
    double held, other, sum, prod, min, max;
};

static void put_number(void *at, enum ar_type type, double number)
{
    switch (type) {
#define PUT(name, T)                                                                                         \
    case AR_TYPE_##name:                                                                                     \
        memcpy(at, &(T){(T)number}, sizeof(T));                                                              \
        break;
        PUT(int8, int8_t)
        PUT(int16, int16_t)
        PUT(int32, int32_t)
        PUT(int64, int64_t)
        PUT(uint8, uint8_t)
        PUT(uint16, uint16_t)
        PUT(uint32, uint32_t)
        PUT(uint64, uint64_t)
        PUT(float32, float)
        PUT(float64, double)
    case AR_TYPE_float16:
        memcpy(at, &(uint16_t){ar_half_of_float((float)number)}, 2);
        break;
    case AR_TYPE_bfloat16:
        memcpy(at, &(uint16_t){ar_bfloat_of_float((float)number)}, 2);
        break;
    case AR_NTYPES:
        break;
    }
}

enum { LENGTH = 1031 }; /* with a rest for every vector size */

static void combine_numbers(const struct ar_operator *op, enum ar_type type, double held, double other,
                            double expected, size_t n)
{
    size_t bytes = ar_types[type].bytes;
    unsigned char a[(LENGTH + 1) * 8], b[LENGTH * 8] = {0}, want[8], guard[8];
    for (size_t i = 0; i < n; i++) {
        put_number(a + i * bytes, type, held);
        put_number(b + i * bytes, type, other);
    }
    put_number(want, type, expected);
    memset(guard, 0xa5, sizeof guard);
    memset(a + n * bytes, 0xa5, bytes);
    op->combine[type](a, b, n);
    for (size_t i = 0; i < n; i++)
        cr_assert(memcmp(a + i * bytes, want, bytes) == 0,
                  "%s of %s: %g, %g is not %g at %zu of %zu, level %d", op->name, ar_types[type].name, held,
                  other, expected, i, n, (int)ar_level());
    cr_assert(memcmp(a + n * bytes, guard, bytes) == 0, "%s of %s wrote behind its %zu elements", op->name,
              ar_types[type].name, n);
}

TEST_AT_EVERY_LEVEL(every_kernel_combines_at_every_place)
{
    const struct combination cases[] = {
        {6, 7, 13, 42, 6, 7}, {12, 3, 15, 36, 3, 12}, {-5, 4, -1, -20, -5, 4}, {-3, -9, -12, 27, -9, -3}};
    for (int i = 0; i < ar_noperators; i++)
        for (int type = 0; type < AR_NTYPES; type++)
            for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
                const struct ar_operator *op = &ar_operators[i];
                double held = cases[c].held, other = cases[c].other;
                if (held < 0 && ar_types[type].kind == AR_UNSIGNED)
                    continue;
                double expected = strcmp(op->name, "prod") == 0  ? cases[c].prod
                                  : strcmp(op->name, "min") == 0 ? cases[c].min
                                  : strcmp(op->name, "max") == 0 ? cases[c].max
                                                                 : cases[c].sum;
                for (size_t n = 0; n < 40; n++)
                    combine_numbers(op, (enum ar_type)type, held, other, expected, n);
                combine_numbers(op, (enum ar_type)type, held, other, expected, LENGTH);
            }
}

Test(kernels, integers_wrap)
{
    int8_t a8 = 100, b8 = 100;
    int16_t a16 = 300, b16 = 300;
    uint16_t u16 = 65535, v16 = 65535;
    int32_t a32 = INT32_MAX, b32 = 1;
    int64_t a64 = INT64_MIN, b64 = -1;
    ar_operator_find("sum")->combine[AR_TYPE_int8](&a8, &b8, 1);
    cr_assert_eq(a8, -56);
    ar_operator_find("prod")->combine[AR_TYPE_int16](&a16, &b16, 1);
    cr_assert_eq(a16, 90000 - 65536);
    ar_operator_find("prod")->combine[AR_TYPE_uint16](&u16, &v16, 1);
    cr_assert_eq(u16, 1);
    ar_operator_find("sum")->combine[AR_TYPE_int32](&a32, &b32, 1);
    cr_assert_eq(a32, INT32_MIN);
    ar_operator_find("prod")->combine[AR_TYPE_int64](&a64, &b64, 1);
    cr_assert_eq(a64, INT64_MIN);
}

/* Zeros, infinities and NaN of every float type, both ways round. */
TEST_AT_EVERY_LEVEL(smallest_and_largest_do_not_depend_on_the_order)
{
    const double special[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-14, -0x1p-24};
    enum { N = sizeof special / sizeof *special };
    for (int type = 0; type < AR_NTYPES; type++)
        for (int k = 0; k < 2 * N * N && ar_types[type].kind == AR_FLOAT; k++) {
            const struct ar_operator *op = ar_operator_find(k % 2 ? "min" : "max");
            double x = special[k / 2 % N], y = special[k / 2 / N];
            size_t bytes = ar_types[type].bytes;
            unsigned char a[8], b[8], back[8], want[8];
            put_number(a, (enum ar_type)type, x);
            put_number(b, (enum ar_type)type, y);
            memcpy(back, b, 8);
            op->combine[type](back, a, 1);
            op->combine[type](a, b, 1);
            cr_assert(memcmp(a, back, bytes) == 0, "%s of %s: %g and %g", op->name, ar_types[type].name, x,
                      y);
            bool x_below = x < y || (x == y && signbit(x));
            double expected = isnan(x) || isnan(y) ? NAN : x_below == (k % 2 == 1) ? x : y;
            put_number(want, (enum ar_type)type, expected);
            cr_assert(isnan(expected) || memcmp(a, want, bytes) == 0, "%s of %s: %g and %g", op->name,
                      ar_types[type].name, x, y);
            if (isnan(expected))
                cr_assert((a[bytes - 1] & 0x7f) >= 0x7c, "%s of %s: %g and %g", op->name, ar_types[type].name,
                          x, y);
        }
}

static float widen(enum ar_type type, uint16_t bits)
{
    return type == AR_TYPE_float16 ? ar_float_of_half(bits) : ar_float_of_bfloat(bits);
}

static uint16_t narrow(enum ar_type type, float value)
{
    return type == AR_TYPE_float16 ? ar_half_of_float(value) : ar_bfloat_of_float(value);
}

static uint16_t quiet_nan(enum ar_type type)
{
    return type == AR_TYPE_float16 ? 0x7e00 : 0x7fc0;
}

/* Equal, or both quiet NaN: which one is the processor's choice. */
static bool same_half(enum ar_type type, uint16_t got, uint16_t want)
{
    uint16_t quiet = quiet_nan(type);
    return got == want || ((got & quiet) == quiet && (want & quiet) == quiet);
}

/* One pair by definition: widened, combined and rounded once. */
static uint16_t combine_halves(enum ar_type type, const char *op, uint16_t a, uint16_t b)
{
    float x = widen(type, a), y = widen(type, b);
    if (strcmp(op, "sum") == 0 || strcmp(op, "prod") == 0)
        return narrow(type, strcmp(op, "sum") == 0 ? x + y : x * y);
    if (isnan(x) || isnan(y))
        return quiet_nan(type);
    bool x_below = x < y || (x == y && signbit(x));
    return x_below == (strcmp(op, "min") == 0) ? a : b;
}

/* Whole arrays, with their own instructions and a rest, against one pair at a time: a sample of all 2^32
 * pairs that meets every pair of exponents, and all short lengths. */
TEST_AT_EVERY_LEVEL(halves_agree_with_their_definition_to_the_bit)
{
    enum { N = 1009, PASSES = 700 };
    static const char *const names[] = {"sum", "prod", "min", "max"};
    uint16_t a[N], b[N], held[N + 1];
    for (int k = 0; k < 8 * PASSES; k++) {
        enum ar_type type = k % 2 ? AR_TYPE_float16 : AR_TYPE_bfloat16;
        const char *name = names[k / 2 % 4];
        int pass = k / 8;
        size_t n = pass < 64 ? (size_t)pass : N;
        for (size_t i = 0; i < n; i++) {
            uint32_t pair = ((uint32_t)pass * N + (uint32_t)i) * 0x9e3779b9U;
            a[i] = (uint16_t)(pair >> 16);
            b[i] = (uint16_t)(pass % 2 ? pair : pair ^ pair >> 16); /* also nearly equal operands */
        }
        memcpy(held, a, sizeof a);
        held[n] = 0xbeef;
        ar_operator_find(name)->combine[type](held, b, n);
        for (size_t i = 0; i < n; i++) {
            uint16_t want = combine_halves(type, name, a[i], b[i]);
            bool any_nan = k / 2 % 4 < 2;
            cr_assert(any_nan ? same_half(type, held[i], want) : held[i] == want,
                      "%s %s of %04x, %04x: %04x, not %04x, level %d", ar_types[type].name, name, a[i], b[i],
                      held[i], want, (int)ar_level());
        }
        cr_assert_eq(held[n], 0xbeef, "%s %s wrote behind %zu values", ar_types[type].name, name, n);
    }
}

/* Every float16 and bfloat16, and all short lengths. */
TEST_AT_EVERY_LEVEL(averages_of_halves_agree_with_their_definition_to_the_bit)
{
    static uint16_t held[65536];
    for (int k = 0; k < 2 * 40; k++) {
        bool half = k % 2;
        size_t n = k < 4 ? 65536 : (size_t)k / 2;
        int nranks = k < 2 ? 3 : 1000;
        for (size_t i = 0; i < n; i++)
            held[i] = (uint16_t)i;
        ar_operator_find("avg")->finish[half ? AR_TYPE_float16 : AR_TYPE_bfloat16](held, n, nranks);
        for (size_t i = 0; i < n; i++) {
            uint16_t bits = (uint16_t)i;
            float mean = (half ? ar_float_of_half(bits) : ar_float_of_bfloat(bits)) / (float)nranks;
            cr_assert_eq(held[i], half ? ar_half_of_float(mean) : ar_bfloat_of_float(mean), "%04zx / %d", i,
                         nranks);
        }
    }
}

/* The next of a fixed sequence of random bits. */
static uint32_t draw_bits(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(state >> 32);
}

/* Random bits; of floats also zeros, infinities, NaN, subnormals, the largest and the smallest numbers. */
static uint64_t draw_element(enum ar_type type)
{
    uint64_t exponent = ar_types[type].exponent_bits, unit = exponent & -exponent;
    uint64_t random = (uint64_t)draw_bits() << 32 | draw_bits(), sign = exponent + unit;
    const uint64_t special[] = {0,    exponent,     exponent | unit >> 1,    exponent | 1, 1, unit - 1,
                                unit, exponent - 1, exponent >> 1 & exponent};
    uint32_t which = draw_bits() % 32;
    if (!exponent || which > 10)
        return random;
    return which < 9 ? special[which] | (random & sign)
                     : random & ~(exponent - unit); /* subnormal or nearly */
}

static void draw_elements(enum ar_type type, unsigned char *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t element = draw_element(type);
        memcpy(to + i * ar_types[type].bytes, &element, ar_types[type].bytes);
    }
}

/* Of the bytes of one element each: equal, or both quiet NaN. */
static bool same_element(enum ar_type type, const unsigned char *x, const unsigned char *y)
{
    uint64_t a = 0, b = 0, exponent = ar_types[type].exponent_bits;
    uint64_t quiet = exponent | (exponent & -exponent) >> 1;
    memcpy(&a, x, ar_types[type].bytes);
    memcpy(&b, y, ar_types[type].bytes);
    return a == b || (exponent && (a & quiet) == quiet && (b & quiet) == quiet);
}

enum { LONGEST = 200, SPARE = 3 }; /* elements; those before and behind must stay */

static void compare_levels(const struct ar_operator *op, enum ar_type type, size_t n, size_t shift,
                           int highest)
{
    enum { BYTES = (LONGEST + 2 * SPARE) * 8 };
    unsigned char start[BYTES], other[BYTES], want[BYTES], got[BYTES];
    size_t size = ar_types[type].bytes;
    draw_elements(type, start, LONGEST + 2 * SPARE);
    draw_elements(type, other, LONGEST + 2 * SPARE);
    for (int level = 0; level <= highest; level++) {
        unsigned char *held = level ? got : want;
        memcpy(held, start, BYTES);
        ar_level_limit((enum ar_level)level);
        op->combine[type](held + shift * size, other + (SPARE - shift) * size, n);
        if (op->finish[type])
            op->finish[type](held + shift * size, n, 7);
        for (size_t i = 0; i < LONGEST + 2 * SPARE; i++) {
            bool inside = i >= shift && i < shift + n;
            cr_assert(inside ? same_element(type, held + i * size, want + i * size)
                             : memcmp(held + i * size, start + i * size, size) == 0,
                      "%s of %s: %zu of %zu from %zu at level %d", op->name, ar_types[type].name, i, n, shift,
                      level);
        }
    }
}

/* Every operator and type, every short length, at places that no vector is aligned to. */
Test(kernels, every_level_gives_the_same_bits)
{
    int highest = (int)ar_level_limit(AR_AVX512);
    for (int i = 0; i < ar_noperators; i++)
        for (int type = 0; type < AR_NTYPES; type++)
            for (size_t n = 0; n <= LONGEST; n++)
                for (size_t shift = 0; shift <= SPARE; shift++)
                    compare_levels(&ar_operators[i], (enum ar_type)type, n, shift, highest);
}

/* Every float16 and bfloat16 is widened and narrowed to itself: times one, as a combination and as a fold. */
TEST_AT_EVERY_LEVEL(every_half_comes_back)
{
    static uint16_t held[65536], ones[65536];
    for (int k = 0; k < 4; k++) {
        enum ar_type type = k % 2 ? AR_TYPE_float16 : AR_TYPE_bfloat16;
        const struct ar_operator *prod = ar_operator_find("prod");
        const void *others[] = {ones, ones};
        for (size_t i = 0; i < 65536; i++) {
            held[i] = (uint16_t)i;
            ones[i] = narrow(type, 1);
        }
        if (k < 2)
            prod->combine[type](held, ones, 65536);
        else
            prod->fold[type](held, others, 2, 65536);
        for (size_t i = 0; i < 65536; i++) {
            uint16_t quiet = narrow(type, widen(type, (uint16_t)i));
            cr_assert_eq(held[i], quiet, "%s %04zx became %04x, level %d", ar_types[type].name, i, held[i],
                         (int)ar_level());
        }
    }
}

/* Few others with more elements than a fold takes at once, many with few. */
enum { FEW = 9, LENGTHS = 2600, MOST = 1000, SHORT = 70 };
static uint16_t fold_from[MOST][LENGTHS], fold_start[LENGTHS], fold_held[LENGTHS + 1];

/* Against the definition: from left to right in float32, rounded once. */
static void check_fold(const struct ar_operator *op, enum ar_type type, int nothers, size_t n)
{
    bool product = strcmp(op->name, "prod") == 0;
    const void *others[MOST];
    for (int k = 0; k < nothers; k++)
        others[k] = fold_from[k];
    memcpy(fold_held, fold_start, sizeof fold_start);
    fold_held[n] = 0xbeef;
    op->fold[type](fold_held, others, nothers, n);
    cr_assert_eq(fold_held[n], 0xbeef, "%s of %d others wrote behind %zu values", op->name, nothers, n);
    for (size_t i = 0; i < n; i++) {
        float total = widen(type, fold_start[i]);
        for (int k = 0; k < nothers; k++) {
            float next = widen(type, fold_from[k][i]);
            total = product ? total * next : total + next;
        }
        uint16_t want = narrow(type, total);
        cr_assert(same_half(type, fold_held[i], want),
                  "%s %s of %d others: %04x, not %04x at %zu of %zu, level %d", ar_types[type].name, op->name,
                  nothers, fold_held[i], want, i, n, (int)ar_level());
    }
}

/* Numbers near one, so that sums and products stay finite, with anything else in between. */
static void draw_fold(enum ar_type type)
{
    for (size_t i = 0; i < LENGTHS; i++) {
        bool anything = draw_bits() % 4 == 0;
        for (int k = -1; k < (i < SHORT ? MOST : FEW); k++) {
            uint16_t *to = k < 0 ? &fold_start[i] : &fold_from[k][i];
            float near_one = 1 + 0x1p-9F * (float)(draw_bits() % 128) - 0x1p-3F;
            *to = anything && draw_bits() % 8 == 0 ? (uint16_t)draw_element(type)
                                                   : narrow(type, draw_bits() % 2 ? near_one : -near_one);
        }
    }
}

TEST_AT_EVERY_LEVEL(a_fold_is_rounded_once)
{
    for (int i = 0; i < ar_noperators; i++)
        for (int type = 0; type < AR_NTYPES; type++) {
            const struct ar_operator *op = &ar_operators[i];
            if (!op->fold[type])
                continue;
            draw_fold((enum ar_type)type);
            for (size_t n = 0; n < SHORT; n++)
                check_fold(op, (enum ar_type)type, 1 + (int)n % FEW, n);
            check_fold(op, (enum ar_type)type, FEW, LENGTHS);
            check_fold(op, (enum ar_type)type, MOST, SHORT);
        }
}

TEST_AT_EVERY_LEVEL(a_fold_of_one_other_is_a_combination)
{
    static uint16_t held[LENGTHS];
    for (int i = 0; i < ar_noperators; i++)
        for (int type = 0; type < AR_NTYPES; type++) {
            const struct ar_operator *op = &ar_operators[i];
            if (!op->fold[type])
                continue;
            draw_elements((enum ar_type)type, (unsigned char *)fold_start, LENGTHS);
            draw_elements((enum ar_type)type, (unsigned char *)fold_from[0], LENGTHS);
            memcpy(held, fold_start, sizeof held);
            op->combine[type](held, fold_from[0], LENGTHS);
            op->fold[type](fold_start, (const void *[]){fold_from[0]}, 1, LENGTHS);
            cr_assert(memcmp(held, fold_start, sizeof held) == 0, "%s of %s", op->name, ar_types[type].name);
        }
}

/* 2048 + 1 + 1 in float16, 256 + 1 + 1 in bfloat16: halves of a unit add up only before rounding. */
Test(kernels, folds_are_there_where_they_change_the_bits)
{
    for (int i = 0; i < ar_noperators; i++)
        for (int type = 0; type < AR_NTYPES; type++) {
            const char *name = ar_operators[i].name;
            bool adds = strcmp(name, "min") != 0 && strcmp(name, "max") != 0;
            bool half = type == AR_TYPE_float16 || type == AR_TYPE_bfloat16;
            cr_assert_eq(ar_operators[i].fold[type] != NULL, adds && half, "%s of %s", name,
                         ar_types[type].name);
        }
    for (int k = 0; k < 2; k++) {
        enum ar_type type = k ? AR_TYPE_float16 : AR_TYPE_bfloat16;
        uint16_t large = narrow(type, k ? 2048 : 256), one = narrow(type, 1), single = large;
        ar_operator_find("sum")->fold[type](&large, (const void *[]){&one, &one}, 2, 1);
        ar_operator_find("sum")->combine[type](&single, &one, 1);
        ar_operator_find("sum")->combine[type](&single, &one, 1);
        cr_assert_eq(large, narrow(type, k ? 2050 : 258));
        cr_assert_eq(single, narrow(type, k ? 2048 : 256));
    }
}

Test(kernels, average_divides_once_and_truncates)
{
    const struct ar_operator *avg = ar_operator_find("avg");
    int32_t i32[] = {7, -7, 2, INT32_MIN};
    avg->finish[AR_TYPE_int32](i32, 4, 3);
    cr_assert(i32[0] == 2 && i32[1] == -2 && i32[2] == 0 && i32[3] == INT32_MIN / 3);
    int8_t i8[] = {127, -128};
    avg->finish[AR_TYPE_int8](i8, 2, 1000);
    cr_assert(i8[0] == 0 && i8[1] == 0, "more ranks than the type can count");
    uint64_t u64[] = {UINT64_MAX};
    avg->finish[AR_TYPE_uint64](u64, 1, 2);
    cr_assert_eq(u64[0], UINT64_MAX / 2);
    uint16_t f16[] = {ar_half_of_float(1), ar_half_of_float(2048)};
    avg->finish[AR_TYPE_float16](f16, 2, 3);
    cr_assert(f16[0] == ar_half_of_float(1.0F / 3) && f16[1] == ar_half_of_float(2048.0F / 3));
    double f64[] = {1};
    avg->finish[AR_TYPE_float64](f64, 1, 3);
    cr_assert_eq(f64[0], 1.0 / 3);
}

Test(kernels, names_are_found)
{
    for (int i = 0; i < AR_NTYPES; i++)
        cr_assert_eq(ar_type_find(ar_types[i].name), (enum ar_type)i);
    for (int i = 0; i < ar_noperators; i++)
        cr_assert_eq(ar_operator_find(ar_operators[i].name), &ar_operators[i]);
    cr_assert_eq(ar_type_find("float"), AR_NTYPES);
    cr_assert_null(ar_operator_find("mean"));
}
