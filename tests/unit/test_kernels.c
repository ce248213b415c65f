/* The combining kernels of every type and operator. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "collectives/run/half.h"
#include "collectives/run/types.h"

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
        cr_assert(memcmp(a + i * bytes, want, bytes) == 0, "%s of %s: %g, %g is not %g at %zu of %zu",
                  op->name, ar_types[type].name, held, other, expected, i, n);
    cr_assert(memcmp(a + n * bytes, guard, bytes) == 0, "%s of %s wrote behind its %zu elements", op->name,
              ar_types[type].name, n);
}

Test(kernels, every_kernel_combines_at_every_place)
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
Test(kernels, smallest_and_largest_do_not_depend_on_the_order)
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

/* One pair by definition: widened, combined and rounded once. */
static uint16_t combine_halves(enum ar_type type, const char *op, uint16_t a, uint16_t b)
{
    bool half = type == AR_TYPE_float16;
    float x = half ? ar_float_of_half(a) : ar_float_of_bfloat(a);
    float y = half ? ar_float_of_half(b) : ar_float_of_bfloat(b);
    if (strcmp(op, "sum") == 0 || strcmp(op, "prod") == 0) {
        float z = strcmp(op, "sum") == 0 ? x + y : x * y;
        return half ? ar_half_of_float(z) : ar_bfloat_of_float(z);
    }
    if (isnan(x) || isnan(y))
        return half ? 0x7e00 : 0x7fc0;
    bool x_below = x < y || (x == y && signbit(x));
    return x_below == (strcmp(op, "min") == 0) ? a : b;
}

/* Whole arrays, with their own instructions and a rest, against one pair at a time: a sample of all 2^32
 * pairs that meets every pair of exponents, and all short lengths. */
Test(kernels, halves_agree_with_their_definition_to_the_bit)
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
            uint16_t infinity = type == AR_TYPE_float16 ? 0x7c00 : 0x7f80;
            uint16_t quiet = type == AR_TYPE_float16 ? 0x7e00 : 0x7fc0;
            bool any_nan = k / 2 % 4 < 2 && (want & 0x7fff) > infinity; /* the processor chooses */
            cr_assert(any_nan ? (held[i] & quiet) == quiet : held[i] == want,
                      "%s %s of %04x, %04x: %04x, not %04x", ar_types[type].name, name, a[i], b[i], held[i],
                      want);
        }
        cr_assert_eq(held[n], 0xbeef, "%s %s wrote behind %zu values", ar_types[type].name, name, n);
    }
}

/* Every float16 and bfloat16, and all short lengths. */
Test(kernels, averages_of_halves_agree_with_their_definition_to_the_bit)
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
