#include "collectives/run/wide.h"

#include <stdatomic.h>

#if AR_X86

#include <cpuid.h>
#include <stdbool.h>

/* clang 14 does not know __builtin_cpu_supports("f16c"), so that bit is read here; the others also say that
 * the operating system saves the registers. */
static enum ar_level processor_level(void)
{
    unsigned eax, ebx, ecx, edx;
    bool f16c = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_F16C;
    if (!f16c || !__builtin_cpu_supports("avx2"))
        return AR_PLAIN;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")
               ? AR_AVX512
               : AR_AVX2;
}

#else

static enum ar_level processor_level(void)
{
    return AR_PLAIN;
}

#endif

static atomic_int known; /* 0: not asked, else 1 + the level; CPUID is slow in virtual machines: asked once */

enum ar_level ar_level_limit(enum ar_level highest)
{
    enum ar_level has = processor_level(), level = highest < has ? highest : has;
    atomic_store_explicit(&known, 1 + (int)level, memory_order_relaxed);
    return level;
}

enum ar_level ar_level(void)
{
    int level = atomic_load_explicit(&known, memory_order_relaxed);
    return level > 0 ? (enum ar_level)(level - 1) : ar_level_limit(AR_AVX512);
}
