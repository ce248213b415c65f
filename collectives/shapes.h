/* Shapes that a parameter gives the ranks: a partition into groups ("3+4+2") or the dimensions of a grid
 * ("4x4").
 *
 * A parameter is one number, so the sizes are packed into it: 0 is the default, 1 .. INT32_MAX that one size,
 * and with bit 62 set the low 5 bits say how many bits a size has and the sizes follow from the lowest bit
 * up, ended by a zero or the top. That holds 16 sizes of up to 7, 14 of up to 15, 9 of up to 63, 5 of up to
 * 2047; a list that does not fit is refused.
 *
 * What the sizes mean depends on the parameter's unit:
 *
 * - AR_PARAM_GROUPS: one size g cuts the ranks into consecutive groups of g, of which the last may be
 *   shorter; several are the sizes of all groups, which must add up to the ranks. Default: a power of
 *   two near sqrt(P), 2^floor(ceil(log2 P) / 2).
 * - AR_PARAM_EQUAL_GROUPS: the same, but all groups must be equal. Default: the largest divisor of P up to
 *   sqrt(P).
 * - AR_PARAM_DIMS: their product must be the ranks. Default: the most square two (one for a prime).
 */
#pragma once

#include "collectives/algorithm.h"
#include "collectives/base/error.h"
#include "collectives/base/units.h"

enum { AR_SHAPE_SIZES = 16 };

struct ar_shape {
    int n; /* 0: the default */
    int size[AR_SHAPE_SIZES];
};

struct ar_shape ar_shape_of(int64_t value);

static inline bool ar_param_is_shape(const struct ar_param *param)
{
    return param->unit == AR_PARAM_GROUPS || param->unit == AR_PARAM_EQUAL_GROUPS ||
           param->unit == AR_PARAM_DIMS;
}

/* "auto", "4", "3+4+2" for groups, "4x4" for dimensions. AR_INVALID with what is wrong about `text`. */
enum ar_status ar_shape_parse(const struct ar_param *param, const char *text, int64_t *value,
                              struct ar_error *error);
const char *ar_shape_format(const struct ar_param *param, int64_t value, char text[AR_UNITS_TEXT]);

/* Checks that the shape fits so many ranks, and writes out the default and equal groups, so that schedule
 * functions need not work them out again. AR_INVALID with both numbers. */
enum ar_status ar_shape_settle(const struct ar_param *param, int nranks, int64_t *value,
                               struct ar_error *error);

/* The default size of groups; the size of equal groups and the dimensions, for a value that may be the
 * default: O(1) once it is settled. */
int ar_shape_group(int nranks);
int ar_shape_equal_group(int64_t value, int nranks);
struct ar_shape ar_shape_dims(int64_t value, int nranks);
