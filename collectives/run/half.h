/* float16 (IEEE binary16) and bfloat16, stored in uint16_t: exact conversions, round to nearest, ties to
 * even. NaN stays NaN (quiet after narrowing, with the top of its payload), overflow becomes infinity,
 * subnormals are kept. The processor's rounding mode must be the default one.
 *
 * They have no branches, only selections, so that loops over them become vector code.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint32_t ar_bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float ar_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* yes ? a : b, in a form that compilers do not turn back into a branch. */
static inline uint32_t ar_pick(bool yes, uint32_t a, uint32_t b)
{
    uint32_t mask = -(uint32_t)yes;
    return (a & mask) | (b & ~mask);
}

/* ---- float16: 1 sign, 5 exponent (bias 15), 10 fraction; float32: 8 exponent (bias 127), 23 fraction ----
 */

#define AR_REBIAS ((127U - 15U) << 23)
#define AR_QUIET (1U << 22)
#define AR_INFINITE (255U << 23)

static inline float ar_float_of_half(uint16_t half)
{
    uint32_t magnitude = half & 0x7fffU, sign = (uint32_t)(half & 0x8000U) << 16;
    uint32_t normal = (magnitude << 13) + AR_REBIAS;
    /* A subnormal is fraction * 2^-24: put the fraction under the exponent of 2^-14 and take 2^-14 away. */
    const uint32_t smallest = (127U - 14U) << 23;
    uint32_t subnormal =
        ar_bits_of_float(ar_float_of_bits(smallest + (magnitude << 13)) - ar_float_of_bits(smallest));
    uint32_t special = (magnitude << 13) | AR_INFINITE | ar_pick(magnitude > 0x7c00U, AR_QUIET, 0);
    uint32_t bits = ar_pick(magnitude < 0x0400U, subnormal, normal);
    return ar_float_of_bits(sign | ar_pick(magnitude >= 0x7c00U, special, bits));
}

static inline uint16_t ar_half_of_float(float value)
{
    uint32_t bits = ar_bits_of_float(value), magnitude = bits & 0x7fffffffU, sign = bits >> 16 & 0x8000U;
    /* Half a unit less one, plus one more when the last kept bit is odd: ties go to even. A carry out of the
     * fraction raises the exponent, up to infinity. */
    uint32_t normal = (magnitude - AR_REBIAS + 0xfffU + (magnitude >> 13 & 1)) >> 13;
    /* Below 2^-14 the unit is 2^-24, which is also the unit of float32 at 0.5: the addition rounds. */
    uint32_t subnormal = ar_bits_of_float(ar_float_of_bits(magnitude) + 0.5F) - ar_bits_of_float(0.5F);
    uint32_t special = ar_pick(magnitude > AR_INFINITE, 0x7e00U | (magnitude >> 13 & 0x3ffU), 0x7c00U);
    uint32_t half = ar_pick(magnitude < (127U - 14U) << 23, subnormal, normal);
    return (uint16_t)(sign | ar_pick(magnitude >= (127U + 16U) << 23, special, half));
}

/* ---- bfloat16: the upper half of a float32 ------------------------------------------------------------- */

static inline float ar_float_of_bfloat(uint16_t bfloat)
{
    return ar_float_of_bits((uint32_t)bfloat << 16);
}

static inline uint16_t ar_bfloat_of_float(float value)
{
    uint32_t bits = ar_bits_of_float(value);
    uint32_t rounded = bits + 0x7fffU + (bits >> 16 & 1);
    return (uint16_t)(ar_pick(value != value, bits | AR_QUIET, rounded) >> 16);
}
