/* float16 (IEEE binary16) and bfloat16, stored in uint16_t: exact conversions, round to nearest, ties to
 * even. NaN stays NaN (quiet after narrowing, with the top of its payload), overflow becomes infinity,
 * subnormals are kept. The processor's rounding mode must be the default one. */
#pragma once

#include <stddef.h>
#include <stdint.h>

float ar_float_of_half(uint16_t half);
uint16_t ar_half_of_float(float value);
float ar_float_of_bfloat(uint16_t bfloat);
uint16_t ar_bfloat_of_float(float value);

/* The same for n values, to the bit. The float16 ones use the F16C instructions where the processor has them.
 */
void ar_floats_of_halves(float *restrict to, const uint16_t *restrict from, size_t n);
void ar_halves_of_floats(uint16_t *restrict to, const float *restrict from, size_t n);
void ar_floats_of_bfloats(float *restrict to, const uint16_t *restrict from, size_t n);
void ar_bfloats_of_floats(uint16_t *restrict to, const float *restrict from, size_t n);
