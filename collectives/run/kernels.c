/* The combining loops of every operator and type, generated from one macro, and the table of operators.
 *
 * Integers are computed unsigned and wrap. float16 and bfloat16 are widened to float32, combined there and
 * rounded once. min and max do not depend on the order of the operands, to the bit: -0 is below +0, and where
 * either is NaN the result is the one quiet NaN.
 */
#include "collectives/run/types.h"

#include <stdint.h>

#include "collectives/run/half.h"
#include "collectives/run/wide.h"

#define BODY(ATTRIBUTE, function, T, expression)                                                             \
    ATTRIBUTE static void function(void *restrict held, const void *restrict other, size_t n)                \
    {                                                                                                        \
        T *restrict a = held;                                                                                \
        const T *restrict b = other;                                                                         \
        for (size_t i = 0; i < n; i++)                                                                       \
            a[i] = (expression);                                                                             \
    }

/* a[i] := expression of a[i] and b[i] */
#define LOOP(function, T, expression)                                                                        \
    BODY(, function##_plain, T, expression)                                                                  \
    BODY(AR_WIDE, function##_wide, T, expression)                                                            \
    static void function(void *restrict held, const void *restrict other, size_t n)                          \
    {                                                                                                        \
        (ar_wide() ? function##_wide : function##_plain)(held, other, n);                                    \
    }

/* a[i] := expression of a[i] and nranks */
#define FINISH(function, T, expression)                                                                      \
    static void function(void *held, size_t n, int nranks)                                                   \
    {                                                                                                        \
        T *a = held;                                                                                         \
        for (size_t i = 0; i < n; i++)                                                                       \
            a[i] = (expression);                                                                             \
    }

/* ---- Integers: W is an unsigned type of at least T's size that does not promote to int ---------------- */

#define INTEGER(type, T, W, WIDE)                                                                            \
    LOOP(sum_##type, T, (T)((W)a[i] + (W)b[i]))                                                              \
    LOOP(prod_##type, T, (T)((W)a[i] * (W)b[i]))                                                             \
    LOOP(min_##type, T, a[i] < b[i] ? a[i] : b[i])                                                           \
    LOOP(max_##type, T, a[i] > b[i] ? a[i] : b[i])                                                           \
    FINISH(average_##type, T, (T)((WIDE)a[i] / (WIDE)nranks))

INTEGER(int8, int8_t, uint32_t, int64_t)
INTEGER(int16, int16_t, uint32_t, int64_t)
INTEGER(int32, int32_t, uint32_t, int64_t)
INTEGER(int64, int64_t, uint64_t, int64_t)
INTEGER(uint8, uint8_t, uint32_t, uint64_t)
INTEGER(uint16, uint16_t, uint32_t, uint64_t)
INTEGER(uint32, uint32_t, uint32_t, uint64_t)
INTEGER(uint64, uint64_t, uint64_t, uint64_t)

/* ---- Floats ------------------------------------------------------------------------------------------ */

#define AR_TYPE(name, BYTES, KIND, WHOLE, POWER, EXPONENT_BITS)                                              \
    static const uint64_t infinity_##name __attribute__((unused)) = EXPONENT_BITS;
#include "collectives/run/types.def"
#undef AR_TYPE

/* B is the unsigned, S the signed integer of the type's size. Numbers are ordered as their bits are,
 * backwards where the sign is set. Selections, not branches, so that compilers make vector code of the loops.
 */
#define EXTREMES(type, B, S)                                                                                 \
    static inline S order_##type(B bits)                                                                     \
    {                                                                                                        \
        return (S)(bits ^ ((S)bits < 0 ? (B)-1 >> 1 : 0));                                                   \
    }                                                                                                        \
    static inline B pick_##type(bool first, B x, B y)                                                        \
    {                                                                                                        \
        const S infinity = (S)infinity_##type, quiet = (S)(infinity | (infinity & -infinity) >> 1);          \
        bool number = (S)(x & (B)-1 >> 1) <= infinity && (S)(y & (B)-1 >> 1) <= infinity;                    \
        B mask = (B) - (B)first, all = (B) - (B)number;                                                      \
        return (B)((((x & mask) | (y & ~mask)) & all) | ((B)quiet & ~all));                                  \
    }                                                                                                        \
    LOOP(min_##type, B, pick_##type(order_##type(a[i]) < order_##type(b[i]), a[i], b[i]))                    \
    LOOP(max_##type, B, pick_##type(order_##type(a[i]) > order_##type(b[i]), a[i], b[i]))

EXTREMES(float16, uint16_t, int16_t)
EXTREMES(bfloat16, uint16_t, int16_t)
EXTREMES(float32, uint32_t, int32_t)
EXTREMES(float64, uint64_t, int64_t)

#define ARITHMETIC(type, T)                                                                                  \
    LOOP(sum_##type, T, a[i] + b[i])                                                                         \
    LOOP(prod_##type, T, a[i] * b[i])                                                                        \
    FINISH(average_##type, T, a[i] / (T)nranks)

ARITHMETIC(float32, float)
ARITHMETIC(float64, double)

/* ---- float16 and bfloat16 ----------------------------------------------------------------------------- */

#define ARITHMETIC16(type, widen, narrow)                                                                    \
    LOOP(sum_##type, uint16_t, narrow(widen(a[i]) + widen(b[i])))                                            \
    LOOP(prod_##type, uint16_t, narrow(widen(a[i]) * widen(b[i])))                                           \
    FINISH(average_##type, uint16_t, narrow(widen(a[i]) / (float)nranks))

ARITHMETIC16(bfloat16, ar_float_of_bfloat, ar_bfloat_of_float)
ARITHMETIC16(half, ar_float_of_half, ar_half_of_float)

/* float16 is `half` with the F16C instructions, which compilers do not find by themselves: eight at a time,
 * then the rest. */
#if AR_X86
#include <immintrin.h>

/* a[i] := a[i] operator operand, for the first n / 8 * 8 elements */
#define EIGHTS(function, PARAMETER, operator, operand)                                                       \
    AR_WIDE static size_t function##_eights(uint16_t *a, PARAMETER, size_t n)                                \
    {                                                                                                        \
        size_t i = 0;                                                                                        \
        for (; i + 8 <= n; i += 8)                                                                           \
            _mm_storeu_si128((void *)(a + i),                                                                \
                             _mm256_cvtps_ph(widen8(a + i) operator operand, _MM_FROUND_TO_NEAREST_INT));    \
        return i;                                                                                            \
    }

AR_WIDE static inline __m256 widen8(const uint16_t *from)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const void *)from));
}

EIGHTS(sum, const uint16_t *b, +, widen8(b + i))
EIGHTS(prod, const uint16_t *b, *, widen8(b + i))
EIGHTS(average, int nranks, /, (float)nranks)

static void sum_float16(void *restrict held, const void *restrict other, size_t n)
{
    size_t done = ar_wide() ? sum_eights(held, other, n) : 0;
    sum_half((uint16_t *)held + done, (const uint16_t *)other + done, n - done);
}

static void prod_float16(void *restrict held, const void *restrict other, size_t n)
{
    size_t done = ar_wide() ? prod_eights(held, other, n) : 0;
    prod_half((uint16_t *)held + done, (const uint16_t *)other + done, n - done);
}

static void average_float16(void *held, size_t n, int nranks)
{
    size_t done = ar_wide() ? average_eights(held, nranks, n) : 0;
    average_half((uint16_t *)held + done, n - done, nranks);
}

#else
#define sum_float16 sum_half
#define prod_float16 prod_half
#define average_float16 average_half
#endif

/* ---- The table ---------------------------------------------------------------------------------------- */

#define ALL_TYPES(kernel)                                                                                    \
    {                                                                                                        \
        [AR_TYPE_int8] = kernel##_int8, [AR_TYPE_int16] = kernel##_int16, [AR_TYPE_int32] = kernel##_int32,  \
        [AR_TYPE_int64] = kernel##_int64, [AR_TYPE_uint8] = kernel##_uint8,                                  \
        [AR_TYPE_uint16] = kernel##_uint16, [AR_TYPE_uint32] = kernel##_uint32,                              \
        [AR_TYPE_uint64] = kernel##_uint64, [AR_TYPE_float16] = kernel##_float16,                            \
        [AR_TYPE_bfloat16] = kernel##_bfloat16, [AR_TYPE_float32] = kernel##_float32,                        \
        [AR_TYPE_float64] = kernel##_float64,                                                                \
    }
_Static_assert(AR_NTYPES == 12, "a new type needs its kernels here");

#define FINISH_none                                                                                          \
    {                                                                                                        \
        NULL                                                                                                 \
    }
#define FINISH_average ALL_TYPES(average)

const struct ar_operator ar_operators[] = {
#define AR_OPERATOR(name, KERNEL, FINISHED, VALUES, SUMMARY)                                                 \
    {#name, SUMMARY, AR_VALUES_##VALUES, ALL_TYPES(KERNEL), {NULL}, FINISH_##FINISHED},
#include "collectives/run/operators.def"
#undef AR_OPERATOR
};

const int ar_noperators = sizeof ar_operators / sizeof *ar_operators;
