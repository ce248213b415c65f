#include "collectives/run/types.h"

#include "collectives/base/names.h"

const struct ar_type_info ar_types[AR_NTYPES] = {
#define AR_TYPE(name, BYTES, KIND, WHOLE, POWER, EXPONENT_BITS)                                              \
    {#name, BYTES, KIND, WHOLE, POWER, EXPONENT_BITS},
#include "collectives/run/types.def"
#undef AR_TYPE
};

enum ar_type ar_type_find(const char *name)
{
    int type = ar_names_find(AR_NAMES(ar_types, AR_NTYPES), name);
    return type < 0 ? AR_NTYPES : (enum ar_type)type;
}

const struct ar_operator *ar_operator_find(const char *name)
{
    int op = ar_names_find(AR_NAMES(ar_operators, ar_noperators), name);
    return op < 0 ? NULL : &ar_operators[op];
}
