/* Halving the vector while the distance doubles: who keeps which part.
 *
 * On n = 2^q ranks the vector has n parts. In step j rank r works with r xor 2^j: the window that both still
 * share is cut in two, the lower rank keeps its left half and the other its right. After all steps rank r
 * holds the one part whose number is r with its q bits reversed. (Rabenseifner 2004)
 */
#pragma once

/* The halves of step j as numbers of their first parts: what rank r keeps and what its partner does; returns
 * how many parts a half has. */
static inline int ar_halving_step(int r, int j, int n, int *kept, int *given)
{
    int first = 0, half = n / 2;
    for (int i = 0; i < j; i++) {
        first += (r >> i & 1) * half;
        half /= 2;
    }
    int bit = r >> j & 1;
    *kept = first + bit * half;
    *given = first + (1 - bit) * half;
    return half;
}

/* r with its q bits reversed: the part that rank r of 2^q ends with, and the rank that ends with part r. */
static inline int ar_halving_mirror(int r, int q)
{
    int mirrored = 0;
    for (int i = 0; i < q; i++)
        mirrored |= (r >> i & 1) << (q - 1 - i);
    return mirrored;
}
