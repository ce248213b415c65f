#include "collectives/registry.h"

#include <string.h>

const struct ar_collective ar_collectives[AR_NCOLLECTIVES] = {
#define AR_COLLECTIVE(name, STARTS, ENDS, FATE, SUMMARY)                                                     \
    {#name, SUMMARY, STARTS, ENDS, FATE == AR_REDUCED, FATE == AR_TOKEN},
#include "collectives/collectives.def"
#undef AR_COLLECTIVE
};

const struct ar_algorithm *const ar_algorithms[] = {
#define AR_ALGORITHM(collective, name) &ar_##collective##_##name,
#include "collectives/algorithms.def"
#undef AR_ALGORITHM
};

const int ar_nalgorithms = sizeof ar_algorithms / sizeof *ar_algorithms;

const struct ar_algorithm *ar_algorithm_find(enum ar_collective_id collective, const char *name)
{
    for (int i = 0; i < ar_nalgorithms; i++)
        if (ar_algorithms[i]->collective == collective && strcmp(ar_algorithms[i]->name, name) == 0)
            return ar_algorithms[i];
    return NULL;
}

enum ar_collective_id ar_collective_find(const char *name)
{
    int id = 0;
    while (id < AR_NCOLLECTIVES && strcmp(ar_collectives[id].name, name) != 0)
        id++;
    return (enum ar_collective_id)id;
}
