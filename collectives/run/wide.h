/* Loops compiled twice: once for every processor, once more (AR_WIDE) for x86 with AVX2 and F16C, which
 * nearly all have since 2015. ar_wide says at run time whether the second may be called. Both give the same
 * bits. */
#pragma once

#include <stdbool.h>

#if defined __x86_64__ || defined __i386__
#define AR_X86 1
#define AR_WIDE __attribute__((target("avx2,f16c")))
bool ar_wide(void);
#else
#define AR_X86 0
#define AR_WIDE
static inline bool ar_wide(void)
{
    return false;
}
#endif
