/* float16 and bfloat16: every value and every tie. That the kernels convert alike is test_kernels.c. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "collectives/run/half.h"

/* The two formats seen alike. */
struct format {
    const char *name;
    float (*widen)(uint16_t bits);
    uint16_t (*narrow)(float value);
    int fraction, bias; /* fraction bits, exponent bias */
};

static const struct format formats[] = {
    {"float16", ar_float_of_half, ar_half_of_float, 10, 15},
    {"bfloat16", ar_float_of_bfloat, ar_bfloat_of_float, 7, 127},
};
enum { NFORMATS = sizeof formats / sizeof *formats };

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint16_t infinity_of(const struct format *f)
{
    return (uint16_t)(0x7fffU >> f->fraction << f->fraction);
}

/* The value by definition. */
static double defined(const struct format *f, uint16_t bits)
{
    int exponent = (bits & 0x7fff) >> f->fraction, fraction = bits & ((1 << f->fraction) - 1);
    int significand = exponent ? fraction + (1 << f->fraction) : fraction;
    double size = ldexp(significand, (exponent ? exponent : 1) - f->bias - f->fraction);
    return bits & 0x8000 ? -size : size;
}

Test(half, every_value_means_what_the_format_defines_and_comes_back)
{
    for (const struct format *f = formats; f < formats + NFORMATS; f++)
        for (uint32_t i = 0; i <= 0xffff; i++) {
            uint16_t bits = (uint16_t)i, magnitude = bits & 0x7fff;
            float wide = f->widen(bits);
            if (magnitude > infinity_of(f)) {
                cr_assert(isnan(wide), "%s %04x", f->name, bits);
                uint16_t quiet = (uint16_t)(bits | 1U << (f->fraction - 1));
                cr_assert_eq(f->narrow(wide), quiet, "%s %04x came back as %04x", f->name, bits,
                             f->narrow(wide));
                continue;
            }
            if (magnitude == infinity_of(f))
                cr_assert(isinf(wide), "%s %04x", f->name, bits);
            else
                cr_assert((double)wide == defined(f, bits), "%s %04x is %a", f->name, bits, (double)wide);
            cr_assert_eq(!!signbit(wide), bits >> 15, "%s %04x", f->name, bits);
            cr_assert_eq(f->narrow(wide), bits, "%s %04x came back as %04x", f->name, bits, f->narrow(wide));
        }
}

/* Between neighbours a < b: the middle goes to the even one, anything nearer to the nearer one. The neighbour
 * of the largest number is what would follow it, and stands for infinity. */
Test(half, rounds_to_nearest_and_ties_to_even)
{
    for (const struct format *f = formats; f < formats + NFORMATS; f++)
        for (uint16_t a = 0; a < infinity_of(f); a++)
            for (int negative = 0; negative <= 1; negative++) {
                uint16_t b = (uint16_t)(a + 1), sign = negative ? 0x8000 : 0;
                double high = b < infinity_of(f) ? (double)f->widen(b) : ldexp(1, f->bias + 1);
                float middle = (float)(((double)f->widen(a) + high) / 2);
                uint32_t at = bits_of(middle) | (uint32_t)sign << 16;
                uint16_t even = a % 2 ? b : a;
                cr_assert_eq(f->narrow(float_of(at)), sign | even, "%s: middle above %04x", f->name, a);
                cr_assert_eq(f->narrow(float_of(at - 1)), sign | a, "%s: below the middle above %04x",
                             f->name, a);
                cr_assert_eq(f->narrow(float_of(at + 1)), sign | b, "%s: over the middle above %04x", f->name,
                             a);
            }
}

Test(half, overflow_and_underflow)
{
    cr_assert_eq(ar_half_of_float(65504.0F), 0x7bff);
    cr_assert_eq(ar_half_of_float(65519.996F), 0x7bff);
    cr_assert_eq(ar_half_of_float(65520.0F), 0x7c00);
    cr_assert_eq(ar_half_of_float(-65520.0F), 0xfc00);
    cr_assert_eq(ar_half_of_float(1e30F), 0x7c00);
    cr_assert_eq(ar_half_of_float(0x1p-25F), 0x0000, "half of the smallest is a tie and goes to zero");
    cr_assert_eq(ar_half_of_float(0x1.000002p-25F), 0x0001);
    cr_assert_eq(ar_half_of_float(-0x1p-149F), 0x8000, "the sign of a vanished number stays");
    cr_assert_eq(ar_bfloat_of_float(float_of(0x7f7f7fffU)), 0x7f7f);
    cr_assert_eq(ar_bfloat_of_float(float_of(0x7f7f8000U)), 0x7f80);
    cr_assert_eq(ar_bfloat_of_float(float_of(0x00008000U)), 0x0000);
    cr_assert_eq(ar_bfloat_of_float(float_of(0x00008001U)), 0x0001);
}
