#include "collectives/run/wide.h"

#if AR_X86

#include <cpuid.h>
#include <stdatomic.h>

/* clang 14 does not know __builtin_cpu_supports("f16c"), so that bit is read here; "avx2" says that the
 * operating system saves the registers. CPUID is slow in virtual machines: asked once. */
bool ar_wide(void)
{
    static atomic_int known; /* 0 not asked, 1 no, 2 yes */
    int answer = atomic_load_explicit(&known, memory_order_relaxed);
    if (answer == 0) {
        unsigned eax, ebx, ecx, edx;
        bool yes = __builtin_cpu_supports("avx2") && __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_F16C;
        answer = yes ? 2 : 1;
        atomic_store_explicit(&known, answer, memory_order_relaxed);
    }
    return answer == 2;
}

#endif
