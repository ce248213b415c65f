#include "collectives/run/half.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#if defined __x86_64__ || defined __i386__
#include <cpuid.h>
#include <immintrin.h>
#define HAVE_F16C_CODE 1
#else
#define HAVE_F16C_CODE 0
#endif

/* The scalar conversions have no branches, only selections, so that loops over them become vector code. */

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* yes ? a : b, in a form that compilers do not turn back into a branch. */
static inline uint32_t pick(bool yes, uint32_t a, uint32_t b)
{
    uint32_t mask = -(uint32_t)yes;
    return (a & mask) | (b & ~mask);
}

/* ---- float16: 1 sign, 5 exponent (bias 15), 10 fraction; float32: 8 exponent (bias 127), 23 fraction ----
 */

static const uint32_t REBIAS = (127U - 15U) << 23;
static const uint32_t QUIET = 1U << 22;
static const uint32_t INFINITE = 255U << 23;

static inline float float_of_half(uint16_t half)
{
    uint32_t magnitude = half & 0x7fffU, sign = (uint32_t)(half & 0x8000U) << 16;
    uint32_t normal = (magnitude << 13) + REBIAS;
    /* A subnormal is fraction * 2^-24: put the fraction under the exponent of 2^-14 and take 2^-14 away. */
    const uint32_t smallest = (127U - 14U) << 23;
    uint32_t subnormal = bits_of(float_of(smallest + (magnitude << 13)) - float_of(smallest));
    uint32_t special = (magnitude << 13) | INFINITE | pick(magnitude > 0x7c00U, QUIET, 0);
    uint32_t bits = pick(magnitude < 0x0400U, subnormal, normal);
    return float_of(sign | pick(magnitude >= 0x7c00U, special, bits));
}

static inline uint16_t half_of_float(float value)
{
    uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffffU, sign = bits >> 16 & 0x8000U;
    /* Half a unit less one, plus one more when the last kept bit is odd: ties go to even. A carry out of the
     * fraction raises the exponent, up to infinity. */
    uint32_t normal = (magnitude - REBIAS + 0xfffU + (magnitude >> 13 & 1)) >> 13;
    /* Below 2^-14 the unit is 2^-24, which is also the unit of float32 at 0.5: the addition rounds. */
    uint32_t subnormal = bits_of(float_of(magnitude) + 0.5F) - bits_of(0.5F);
    uint32_t special = pick(magnitude > INFINITE, 0x7e00U | (magnitude >> 13 & 0x3ffU), 0x7c00U);
    uint32_t half = pick(magnitude < (127U - 14U) << 23, subnormal, normal);
    return (uint16_t)(sign | pick(magnitude >= (127U + 16U) << 23, special, half));
}

float ar_float_of_half(uint16_t half)
{
    return float_of_half(half);
}

uint16_t ar_half_of_float(float value)
{
    return half_of_float(value);
}

/* ---- F16C -------------------------------------------------------------------------------------------- */

#if HAVE_F16C_CODE
/* clang 14 does not know __builtin_cpu_supports("f16c"), so that bit is read here; "avx" says that the
 * operating system saves the registers. CPUID is slow in virtual machines: asked once. */
static bool has_f16c(void)
{
    static atomic_int known; /* 0 not asked, 1 no, 2 yes */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        unsigned eax, ebx, ecx, edx;
        bool yes = __builtin_cpu_supports("avx") && __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_F16C;
        answer = yes ? 2 : 1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 2;
}

/* Both return how many of the n values they converted: a multiple of 8. */
__attribute__((target("avx,f16c"))) static size_t widen_f16c(float *to, const uint16_t *from, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(const void *)(from + i))));
    return i;
}

__attribute__((target("avx,f16c"))) static size_t narrow_f16c(uint16_t *to, const float *from, size_t n)
{
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(void *)(to + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
    return i;
}
#else
static bool has_f16c(void)
{
    return false;
}

static size_t widen_f16c(float *to, const uint16_t *from, size_t n)
{
    (void)to, (void)from, (void)n;
    return 0;
}

static size_t narrow_f16c(uint16_t *to, const float *from, size_t n)
{
    (void)to, (void)from, (void)n;
    return 0;
}
#endif

void ar_floats_of_halves(float *restrict to, const uint16_t *restrict from, size_t n)
{
    size_t done = has_f16c() ? widen_f16c(to, from, n) : 0;
    for (size_t i = done; i < n; i++)
        to[i] = float_of_half(from[i]);
}

void ar_halves_of_floats(uint16_t *restrict to, const float *restrict from, size_t n)
{
    size_t done = has_f16c() ? narrow_f16c(to, from, n) : 0;
    for (size_t i = done; i < n; i++)
        to[i] = half_of_float(from[i]);
}

/* ---- bfloat16: the upper half of a float32 ------------------------------------------------------------ */

static inline float float_of_bfloat(uint16_t bfloat)
{
    return float_of((uint32_t)bfloat << 16);
}

static inline uint16_t bfloat_of_float(float value)
{
    uint32_t bits = bits_of(value);
    uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1)) >> 16;
    uint32_t nan = (bits | QUIET) >> 16;
    return (uint16_t)pick((bits & 0x7fffffffU) > INFINITE, nan, rounded);
}

float ar_float_of_bfloat(uint16_t bfloat)
{
    return float_of_bfloat(bfloat);
}

uint16_t ar_bfloat_of_float(float value)
{
    return bfloat_of_float(value);
}

void ar_floats_of_bfloats(float *restrict to, const uint16_t *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = float_of_bfloat(from[i]);
}

void ar_bfloats_of_floats(uint16_t *restrict to, const float *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = bfloat_of_float(from[i]);
}
