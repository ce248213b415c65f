/* float16 (IEEE binary16) and bfloat16, stored in uint16_t: exact conversions, round to nearest, ties to
 * even. NaN stays NaN (quiet), overflow becomes infinity, subnormals are kept. */
#pragma once

#include <stddef.h>
#include <stdint.h>

float ar_float_of_half(uint16_t half);
uint16_t ar_half_of_float(float value);
float ar_float_of_bfloat(uint16_t bfloat);
uint16_t ar_bfloat_of_float(float value);
