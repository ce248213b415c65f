/* The ranks 1 .. nranks-1 in chains of neighbours, each fed by rank 0 (Open MPI build_chain): as many chains
 * as asked for, but none empty, and the first ones longer by one where they cannot be equal.
 *
 *     3 chains, 9 ranks:   0 -> 1, 4, 7    1 -> 2 -> 3    4 -> 5 -> 6    7 -> 8
 */
#pragma once

#include <stdint.h>

static inline int ar_chains(int64_t fanout, int nranks)
{
    return fanout < nranks - 1 ? (int)fanout : nranks - 1;
}

/* The first rank of a chain, 0 <= chain < nchains; for chain == nchains it is nranks. */
static inline int ar_chain_head(int chain, int nchains, int nranks)
{
    int shorter = (nranks - 1) / nchains, nlonger = (nranks - 1) % nchains;
    return 1 + chain * shorter + (chain < nlonger ? chain : nlonger);
}

/* The chain of rank v > 0. */
static inline int ar_chain_of(int v, int nchains, int nranks)
{
    int shorter = (nranks - 1) / nchains, nlonger = (nranks - 1) % nchains;
    int behind = v - 1 - nlonger * (shorter + 1);
    return behind < 0 ? (v - 1) / (shorter + 1) : nlonger + behind / shorter;
}
