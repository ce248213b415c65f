/* The combining loops of every operator and type, generated from a few macros, and the table of operators.
 *
 * Integers are computed unsigned and wrap. float16 and bfloat16 are widened to float32, combined there and
 * rounded once; a fold likewise, after its last operand. min and max do not depend on the order of the
 * operands, to the bit: -0 is below +0, and where either is NaN the result is the one quiet NaN.
 *
 * A loop goes up to the level that still pays, measured on AMD Zen 4 (tests/speed/kernels.c).
 */
#include "collectives/run/types.h"

#include <stdint.h>
#include <string.h>

#include "collectives/run/half.h"
#include "collectives/run/wide.h"

/* a[i] := expression of a[i] and b[i] */
#define BODY(CODE, function, T, expression)                                                                  \
    CODE static void function(void *restrict held, const void *restrict other, size_t n)                     \
    {                                                                                                        \
        T *restrict a = held;                                                                                \
        const T *restrict b = other;                                                                         \
        for (size_t i = 0; i < n; i++)                                                                       \
            a[i] = (expression);                                                                             \
    }

/* Most loops wait for loads and stores: with AVX-512 they gain nothing in cache and lose up to a tenth beyond
 * it. */
#define LOOP(function, T, expression)                                                                        \
    AR_TO_AVX2(BODY, function, T, expression)                                                                \
    CALL(function, AR_BEST_TO_AVX2)

/* AVX-512 has products and comparisons of 64 bits and quicker selections: 1.2 to 1.8 times as fast in cache.
 */
#define LOOP512(function, T, expression)                                                                     \
    AR_TO_AVX512(BODY, function, T, expression)                                                              \
    CALL(function, AR_BEST_TO_AVX512)

#define CALL(function, BEST)                                                                                 \
    static void function(void *restrict held, const void *restrict other, size_t n)                          \
    {                                                                                                        \
        BEST(function)(held, other, n);                                                                      \
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

#define INTEGER(type, T, W, WIDE, LOOPS)                                                                     \
    LOOP(sum_##type, T, (T)((W)a[i] + (W)b[i]))                                                              \
    LOOPS(prod_##type, T, (T)((W)a[i] * (W)b[i]))                                                            \
    LOOPS(min_##type, T, a[i] < b[i] ? a[i] : b[i])                                                          \
    LOOPS(max_##type, T, a[i] > b[i] ? a[i] : b[i])                                                          \
    FINISH(average_##type, T, (T)((WIDE)a[i] / (WIDE)nranks))

INTEGER(int8, int8_t, uint32_t, int64_t, LOOP)
INTEGER(int16, int16_t, uint32_t, int64_t, LOOP)
INTEGER(int32, int32_t, uint32_t, int64_t, LOOP)
INTEGER(int64, int64_t, uint64_t, int64_t, LOOP512)
INTEGER(uint8, uint8_t, uint32_t, uint64_t, LOOP)
INTEGER(uint16, uint16_t, uint32_t, uint64_t, LOOP)
INTEGER(uint32, uint32_t, uint32_t, uint64_t, LOOP)
INTEGER(uint64, uint64_t, uint64_t, uint64_t, LOOP512)

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
    LOOP512(min_##type, B, pick_##type(order_##type(a[i]) < order_##type(b[i]), a[i], b[i]))                 \
    LOOP512(max_##type, B, pick_##type(order_##type(a[i]) > order_##type(b[i]), a[i], b[i]))

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

/* float32 accumulators of a fold, in the nearest cache. Measured: more are slower beyond the cache (AMD Zen
 * 4: 4096 by half). */
enum { CHUNK = 256 };

/* From element i on, LANES at a time, which one V of float32 holds; each gives where it ended. AVERAGE16:
 * a[i] := a[i] / ranks. COMBINE16: a[i] := a[i] OP b[i]. FOLD16: a[i] := a[i] OP other[0][i] ...
 */
#define AVERAGE16(CODE, function, V, LANES, WIDEN, NARROW)                                                   \
    CODE static size_t function(uint16_t *a, float ranks, size_t i, size_t n)                                \
    {                                                                                                        \
        for (const size_t end = n - (n - i) % LANES; i < end; i += LANES)                                    \
            NARROW(a + i, WIDEN(a + i) / ranks);                                                             \
        return i;                                                                                            \
    }

#define COMBINE16(CODE, function, V, LANES, WIDEN, NARROW, OP)                                               \
    CODE static size_t function(uint16_t *restrict a, const uint16_t *restrict b, size_t i, size_t n)        \
    {                                                                                                        \
        for (const size_t end = n - (n - i) % LANES; i < end; i += LANES)                                    \
            NARROW(a + i, WIDEN(a + i) OP WIDEN(b + i));                                                     \
        return i;                                                                                            \
    }

#define FOLD16(CODE, function, V, LANES, WIDEN, NARROW, OP)                                                  \
    CODE static size_t function(uint16_t *restrict a, const void *const *other, int nothers, size_t i,       \
                                size_t n)                                                                    \
    {                                                                                                        \
        V total[CHUNK / LANES];                                                                              \
        for (size_t m; i + LANES <= n; i += m * LANES) {                                                     \
            m = (n - i < CHUNK ? n - i : CHUNK) / LANES;                                                     \
            for (size_t j = 0; j < m; j++)                                                                   \
                total[j] = WIDEN(a + i + j * LANES);                                                         \
            for (int k = 0; k < nothers; k++) {                                                              \
                const uint16_t *b = (const uint16_t *)other[k] + i;                                          \
                for (size_t j = 0; j < m; j++)                                                               \
                    total[j] = total[j] OP WIDEN(b + j * LANES);                                             \
            }                                                                                                \
            for (size_t j = 0; j < m; j++)                                                                   \
                NARROW(a + i + j * LANES, total[j]);                                                         \
        }                                                                                                    \
        return i;                                                                                            \
    }

#define WIDEN_HALF(from) ar_float_of_half(*(from))
#define NARROW_HALF(to, value) (*(to) = ar_half_of_float(value))
COMBINE16(, sum_half, float, 1, WIDEN_HALF, NARROW_HALF, +)
COMBINE16(, prod_half, float, 1, WIDEN_HALF, NARROW_HALF, *)
FOLD16(, fold_sum_half, float, 1, WIDEN_HALF, NARROW_HALF, +)
FOLD16(, fold_prod_half, float, 1, WIDEN_HALF, NARROW_HALF, *)
AVERAGE16(, average_half, float, 1, WIDEN_HALF, NARROW_HALF)

/* With the F16C instructions, which compilers do not find by themselves. Those of AVX-512 are not faster (72
 * to 78 GB/s in cache, AMD Zen 4). */
#if AR_X86
#include <immintrin.h>
#define WIDEN_EIGHT(from) _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from)))
#define NARROW_EIGHT(to, values)                                                                             \
    _mm_storeu_si128((void *)(to), _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT))
COMBINE16(AR_AVX2_CODE, sum_eights, __m256, 8, WIDEN_EIGHT, NARROW_EIGHT, +)
COMBINE16(AR_AVX2_CODE, prod_eights, __m256, 8, WIDEN_EIGHT, NARROW_EIGHT, *)
FOLD16(AR_AVX2_CODE, fold_sum_eights, __m256, 8, WIDEN_EIGHT, NARROW_EIGHT, +)
FOLD16(AR_AVX2_CODE, fold_prod_eights, __m256, 8, WIDEN_EIGHT, NARROW_EIGHT, *)
AVERAGE16(AR_AVX2_CODE, average_eights, __m256, 8, WIDEN_EIGHT, NARROW_EIGHT)
#define EIGHTS(kernel, ...) (ar_level() == AR_PLAIN ? 0 : kernel##_eights(__VA_ARGS__, 0, n))
#else
#define EIGHTS(kernel, ...) 0
#endif

/* An ar_fold: one other as ar_combine does, to the bit also of NaN, several by the call. */
#define FOLD(kernel, type, call)                                                                             \
    static void fold_##kernel##_##type(void *restrict held, const void *const *other, int nothers, size_t n) \
    {                                                                                                        \
        if (nothers == 1)                                                                                    \
            kernel##_##type(held, other[0], n);                                                              \
        else                                                                                                 \
            call;                                                                                            \
    }

#define FLOAT16(kernel)                                                                                      \
    static void kernel##_float16(void *restrict held, const void *restrict other, size_t n)                  \
    {                                                                                                        \
        kernel##_half(held, other, EIGHTS(kernel, held, other), n);                                          \
    }                                                                                                        \
    FOLD(kernel, float16,                                                                                    \
         fold_##kernel##_half(held, other, nothers, EIGHTS(fold_##kernel, held, other, nothers), n))

FLOAT16(sum)
FLOAT16(prod)

static void average_float16(void *held, size_t n, int nranks)
{
    average_half(held, (float)nranks, EIGHTS(average, held, (float)nranks), n);
}

/* The bits of a float32 with the nearest bfloat16 in the upper half. x86 needs no look for NaN, a fifth of
 * the time: that of arithmetic on bfloat16 is an operand or the processor's own, with zeros in the lower
 * half. */
static inline uint32_t round_bfloat(float value)
{
    uint32_t bits = ar_bits_of_float(value), rounded = bits + 0x7fffU + (bits >> 16 & 1);
    return AR_X86 ? rounded : ar_pick(value != value, bits | AR_QUIET, rounded);
}

#define WIDEN_BFLOAT(from) ar_float_of_bfloat(*(from))
#define NARROW_BFLOAT(to, value) (*(to) = (uint16_t)(round_bfloat(value) >> 16))

/* Two bfloat16 at a time, in place in the halves of one word: no lane moves between vectors of 16 and 32
 * bits. */
#define PAIRS(CODE, function, OP)                                                                            \
    CODE static void function(void *restrict held, const void *restrict other, size_t n)                     \
    {                                                                                                        \
        uint16_t *restrict a = held;                                                                         \
        const uint16_t *restrict b = other;                                                                  \
        const uint32_t upper = 0xffff0000U;                                                                  \
        for (size_t i = 0; i < n / 2; i++) {                                                                 \
            uint32_t x, y;                                                                                   \
            memcpy(&x, a + 2 * i, sizeof x);                                                                 \
            memcpy(&y, b + 2 * i, sizeof y);                                                                 \
            uint32_t high = round_bfloat(ar_float_of_bits(x & upper) OP ar_float_of_bits(y & upper));        \
            uint32_t low = round_bfloat(ar_float_of_bits(x << 16) OP ar_float_of_bits(y << 16));             \
            x = (high & upper) | low >> 16;                                                                  \
            memcpy(a + 2 * i, &x, sizeof x);                                                                 \
        }                                                                                                    \
        if (n % 2)                                                                                           \
            NARROW_BFLOAT(a + n - 1, WIDEN_BFLOAT(a + n - 1) OP WIDEN_BFLOAT(b + n - 1));                    \
    }

#define BFLOAT16(kernel, OP)                                                                                 \
    AR_TO_AVX512(PAIRS, kernel##_bfloat16, OP)                                                               \
    CALL(kernel##_bfloat16, AR_BEST_TO_AVX512)                                                               \
    AR_TO_AVX512(FOLD16, fold_##kernel##_singles, float, 1, WIDEN_BFLOAT, NARROW_BFLOAT, OP)                 \
    FOLD(kernel, bfloat16, AR_BEST_TO_AVX512(fold_##kernel##_singles)(held, other, nothers, 0, n))

BFLOAT16(sum, +)
BFLOAT16(prod, *)
FINISH(average_bfloat16, uint16_t, ar_bfloat_of_float(ar_float_of_bfloat(a[i]) / (float)nranks))

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

#define FOLDS(kernel)                                                                                        \
    {                                                                                                        \
        [AR_TYPE_float16] = fold_##kernel##_float16, [AR_TYPE_bfloat16] = fold_##kernel##_bfloat16           \
    }
#define FOLD_sum FOLDS(sum)
#define FOLD_prod FOLDS(prod)
#define FOLD_min                                                                                             \
    {                                                                                                        \
        NULL                                                                                                 \
    }
#define FOLD_max                                                                                             \
    {                                                                                                        \
        NULL                                                                                                 \
    }

#define FINISH_none                                                                                          \
    {                                                                                                        \
        NULL                                                                                                 \
    }
#define FINISH_average ALL_TYPES(average)

const struct ar_operator ar_operators[] = {
#define AR_OPERATOR(name, KERNEL, FINISHED, VALUES, SUMMARY)                                                 \
    {#name, SUMMARY, AR_VALUES_##VALUES, ALL_TYPES(KERNEL), {NULL}, FOLD_##KERNEL, FINISH_##FINISHED},
#include "collectives/run/operators.def"
#undef AR_OPERATOR
};

const int ar_noperators = sizeof ar_operators / sizeof *ar_operators;
