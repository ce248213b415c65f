/* Rank arithmetic on a ring. */
#pragma once

/* a mod n with a result in 0 .. n-1, for -n <= a. */
static inline int ar_wrap(int a, int n)
{
    return (a + n) % n;
}

/* The rank relative to the root, and back: vrank 0 is the root. */
static inline int ar_vrank(int rank, int root, int nranks)
{
    return rank >= root ? rank - root : rank - root + nranks;
}

static inline int ar_rank_of(int vrank, int root, int nranks)
{
    return vrank < nranks - root ? vrank + root : vrank + root - nranks;
}
