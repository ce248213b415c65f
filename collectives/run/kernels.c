/* The combining loops of every operator and type, generated from one macro, and the table of operators.
 *
 * Integers are computed unsigned and wrap. float16 and bfloat16 are widened to float32, combined there and
 * rounded once, a cache-sized chunk at a time. min and max do not depend on the order of the operands, to the
 * bit: -0 is below +0, and where either is NaN the result is the one quiet NaN.
 */
#include "collectives/run/types.h"

#include <stdint.h>
#include <string.h>

#include "collectives/run/half.h"

/* a[i] := expression of a[i] and b[i] */
#define LOOP(function, T, expression)                                                                        \
    static void function(void *restrict held, const void *restrict other, size_t n)                          \
    {                                                                                                        \
        T *restrict a = held;                                                                                \
        const T *restrict b = other;                                                                         \
        for (size_t i = 0; i < n; i++)                                                                       \
            a[i] = (expression);                                                                             \
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

/* ---- Floats ------------------------------------------------------------------------------------------- */

/* Equal numbers have equal bits but for the two zeros, of which `or` keeps the minus and `and` the plus. */
#define FLOAT(type, T, BITS, NAN_BITS)                                                                       \
    static inline BITS bits_of_##type(T value)                                                               \
    {                                                                                                        \
        BITS bits;                                                                                           \
        memcpy(&bits, &value, sizeof bits);                                                                  \
        return bits;                                                                                         \
    }                                                                                                        \
    static inline BITS smaller_##type(T a, T b)                                                              \
    {                                                                                                        \
        BITS x = bits_of_##type(a), y = bits_of_##type(b);                                                   \
        BITS tied = a == b ? (x | y) : (NAN_BITS);                                                           \
        BITS right = b < a ? y : tied;                                                                       \
        return a < b ? x : right;                                                                            \
    }                                                                                                        \
    static inline BITS larger_##type(T a, T b)                                                               \
    {                                                                                                        \
        BITS x = bits_of_##type(a), y = bits_of_##type(b);                                                   \
        BITS tied = a == b ? (x & y) : (NAN_BITS);                                                           \
        BITS right = b > a ? y : tied;                                                                       \
        return a > b ? x : right;                                                                            \
    }                                                                                                        \
    static inline T of_bits_##type(BITS bits)                                                                \
    {                                                                                                        \
        T value;                                                                                             \
        memcpy(&value, &bits, sizeof value);                                                                 \
        return value;                                                                                        \
    }                                                                                                        \
    LOOP(sum_##type, T, a[i] + b[i])                                                                         \
    LOOP(prod_##type, T, a[i] * b[i])                                                                        \
    LOOP(min_##type, T, of_bits_##type(smaller_##type(a[i], b[i])))                                          \
    LOOP(max_##type, T, of_bits_##type(larger_##type(a[i], b[i])))                                           \
    FINISH(average_##type, T, a[i] / (T)nranks)

FLOAT(float32, float, uint32_t, 0x7fc00000U)
FLOAT(float64, double, uint64_t, 0x7ff8000000000000U)

/* ---- float16 and bfloat16 over float32 ---------------------------------------------------------------- */

enum { CHUNK = 512 }; /* two chunks of float32 fit well into the first cache */

#define OVER_FLOAT32(operator, type, widen, narrow)                                                          \
    static void operator##_##type(void *restrict held, const void *restrict other, size_t n)                 \
    {                                                                                                        \
        uint16_t *restrict a = held;                                                                         \
        const uint16_t *restrict b = other;                                                                  \
        float wide_a[CHUNK], wide_b[CHUNK];                                                                  \
        for (size_t at = 0; at < n; at += CHUNK) {                                                           \
            size_t m = n - at < CHUNK ? n - at : CHUNK;                                                      \
            widen(wide_a, a + at, m);                                                                        \
            widen(wide_b, b + at, m);                                                                        \
            operator##_float32(wide_a, wide_b, m);                                                           \
            narrow(a + at, wide_a, m);                                                                       \
        }                                                                                                    \
    }

#define NARROW(type, widen, narrow)                                                                          \
    OVER_FLOAT32(sum, type, widen, narrow)                                                                   \
    OVER_FLOAT32(prod, type, widen, narrow)                                                                  \
    OVER_FLOAT32(min, type, widen, narrow)                                                                   \
    OVER_FLOAT32(max, type, widen, narrow)                                                                   \
    static void average_##type(void *held, size_t n, int nranks)                                             \
    {                                                                                                        \
        uint16_t *a = held;                                                                                  \
        float wide[CHUNK];                                                                                   \
        for (size_t at = 0; at < n; at += CHUNK) {                                                           \
            size_t m = n - at < CHUNK ? n - at : CHUNK;                                                      \
            widen(wide, a + at, m);                                                                          \
            average_float32(wide, m, nranks);                                                                \
            narrow(a + at, wide, m);                                                                         \
        }                                                                                                    \
    }

NARROW(float16, ar_floats_of_halves, ar_halves_of_floats)
NARROW(bfloat16, ar_floats_of_bfloats, ar_bfloats_of_floats)

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
#define AR_OPERATOR(name, KERNEL, FINISHED, SUMMARY)                                                         \
    {#name, SUMMARY, ALL_TYPES(KERNEL), {NULL}, FINISH_##FINISHED},
#include "collectives/run/operators.def"
#undef AR_OPERATOR
};

const int ar_noperators = sizeof ar_operators / sizeof *ar_operators;
