/* Random numbers that are the same on every machine: SplitMix64 (Steele, Lea and Flood, Fast splittable
 * pseudorandom number generators, OOPSLA 2014). */
#pragma once

#include <stdint.h>

/* Spreads every bit of x over all bits of the result. */
static inline uint64_t ar_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* In 0 .. n-1, n >= 1 and far below 2^64, so that the remainder's bias is nothing. *state begins as the seed.
 */
static inline uint64_t ar_random_below(uint64_t *state, uint64_t n)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return ar_mix(*state) % n;
}
