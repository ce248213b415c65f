/* Element types and operators, as data. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ar_type {
#define AR_TYPE(name, BYTES, KIND, WHOLE, POWER, EXPONENT_BITS) AR_TYPE_##name,
#include "collectives/run/types.def"
#undef AR_TYPE
    AR_NTYPES
};

enum ar_type_kind { AR_SIGNED, AR_UNSIGNED, AR_FLOAT };

struct ar_type_info {
    const char *name;
    size_t bytes;
    enum ar_type_kind kind;
    double whole;           /* integers up to it in size are exact */
    int power;              /* 2^power is exact; of floats also 2^-power */
    uint64_t exponent_bits; /* where a float keeps its exponent, above the fraction and below the sign */
};

extern const struct ar_type_info ar_types[AR_NTYPES];

/* held[i] := held[i] o other[i] for n elements. The arrays do not overlap. */
typedef void ar_combine(void *restrict held, const void *restrict other, size_t n);

/* held[i] := held[i] o other[0][i] o ... o other[nothers - 1][i] for n elements, nothers >= 1, computed from
 * left to right in a wider type and rounded once. The others may overlap one another, not held. With one
 * other it gives the bits of ar_combine. */
typedef void ar_fold(void *restrict held, const void *const *other, int nothers, size_t n);

/* Inputs whose combination is exact in any order, for checking (check.h). */
enum ar_values {
    /* All bits of the type but NaN and infinity: for any operator; the left fold in rank order is expected.
     */
    AR_VALUES_ANY,
    AR_VALUES_SUM,      /* integers */
    AR_VALUES_PRODUCT,  /* powers of two */
    AR_VALUES_SMALLEST, /* every rank has the smallest somewhere */
    AR_VALUES_LARGEST,
};

struct ar_operator {
    const char *name, *summary;
    enum ar_values values;
    ar_combine *combine[AR_NTYPES];      /* held o other */
    ar_combine *combine_back[AR_NTYPES]; /* other o held; NULL: the operator commutes to the bit */
    ar_fold *fold[AR_NTYPES];            /* NULL: combining one at a time gives the same bits */
    /* Applied once after the last round, by every rank that keeps the result, to the blocks it keeps; NULL:
     * none. */
    void (*finish[AR_NTYPES])(void *held, size_t n, int nranks);
};

/* The operators of operators.def: sum prod min max avg. Integers wrap around; float16 and bfloat16 are
 * computed in float32 and rounded once per combination or fold; all five commute to the bit (NaN counts as
 * one value; which quiet NaN a sum or product gives is the processor's choice). avg divides the sum once by
 * nranks: integers truncate toward zero, floats divide in the type (float16 and bfloat16 in float32, rounded
 * once).
 */
extern const struct ar_operator ar_operators[];
extern const int ar_noperators;

/* AR_NTYPES, NULL: no such name. */
enum ar_type ar_type_find(const char *name);
const struct ar_operator *ar_operator_find(const char *name);
