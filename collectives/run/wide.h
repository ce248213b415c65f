/* Loops compiled once per level: for every processor (AR_PLAIN), and on x86 once more for AVX2 with F16C,
 * which nearly all have since 2015, and where it pays for AVX-512. The level is chosen at run time; all give
 * the same bits. With BODY(CODE, function, ...), which defines a function of that name with the attribute
 * CODE:
 *
 *     AR_TO_AVX2(BODY, function, ...)    BODY(, function_plain, ...) BODY(AR_AVX2_CODE, function_avx2, ...)
 *     AR_BEST_TO_AVX2(function)          the one of them to call now
 *
 * and likewise AR_TO_AVX512.
 */
#pragma once

enum ar_level { AR_PLAIN, AR_AVX2, AR_AVX512, AR_NLEVELS };

#if defined __x86_64__ || defined __i386__

#define AR_X86 1
#define AR_AVX2_CODE __attribute__((target("avx2,f16c")))
#define AR_AVX512_CODE __attribute__((target("avx2,f16c,avx512f,avx512bw,avx512vl,avx512dq")))

#define AR_TO_AVX2(BODY, function, ...)                                                                      \
    BODY(, function##_plain, __VA_ARGS__) BODY(AR_AVX2_CODE, function##_avx2, __VA_ARGS__)
#define AR_TO_AVX512(BODY, function, ...)                                                                    \
    AR_TO_AVX2(BODY, function, __VA_ARGS__) BODY(AR_AVX512_CODE, function##_avx512, __VA_ARGS__)
#define AR_BEST_TO_AVX2(function) (ar_level() == AR_PLAIN ? function##_plain : function##_avx2)
#define AR_BEST_TO_AVX512(function) (ar_level() == AR_AVX512 ? function##_avx512 : AR_BEST_TO_AVX2(function))

#else

#define AR_X86 0
#define AR_TO_AVX2(BODY, function, ...) BODY(, function##_plain, __VA_ARGS__)
#define AR_TO_AVX512 AR_TO_AVX2
#define AR_BEST_TO_AVX2(function) function##_plain
#define AR_BEST_TO_AVX512 AR_BEST_TO_AVX2

#endif

/* The level in use: the highest that the processor has, unless limited. */
enum ar_level ar_level(void);

/* For tests and benchmarks: from now on, in all threads, the level is `highest` or the highest below it that
 * the processor has. Gives that level. */
enum ar_level ar_level_limit(enum ar_level highest);
