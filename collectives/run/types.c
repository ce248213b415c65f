#include "collectives/run/types.h"

#include <string.h>

const struct ar_type_info ar_types[AR_NTYPES] = {
#define AR_TYPE(name, BYTES, KIND) {#name, BYTES, KIND},
#include "collectives/run/types.def"
#undef AR_TYPE
};

enum ar_type ar_type_find(const char *name)
{
    int type = 0;
    while (type < AR_NTYPES && strcmp(ar_types[type].name, name) != 0)
        type++;
    return (enum ar_type)type;
}

const struct ar_operator *ar_operator_find(const char *name)
{
    for (int i = 0; i < ar_noperators; i++)
        if (strcmp(ar_operators[i].name, name) == 0)
            return &ar_operators[i];
    return NULL;
}
