/* SPDX-License-Identifier: Apache-2.0 */
/* Points that fill a cube: independent ones by a counter, and Sobol's sequence. Both are functions of seed, number and
 * dimension alone, so that any run can be had without those before it. */
#ifndef AFXI_SWEEP_SOBOL_H
#define AFXI_SWEEP_SOBOL_H

#include <stdint.h>

#define AFXI_SOBOL_DIMENSIONS 21u

/** 64 random bits. */
uint64_t afxi_random_bits(uint64_t seed, uint64_t number, uint64_t dimension);
/** In (0, 1). */
double afxi_random_unit(uint64_t seed, uint64_t number, uint64_t dimension);
/** Normally distributed, from two values of afxi_random_unit with `number` and dimensions 2 d and 2 d + 1. */
double afxi_random_normal(uint64_t seed, uint64_t number, uint64_t dimension);
/** Number `number` of Sobol's sequence, dimension < AFXI_SOBOL_DIMENSIONS, in [0, 1): 32 bits, which are all turned
 * over by the same random ones when the seed is not 0. */
double afxi_sobol_unit(uint64_t seed, uint64_t number, uint32_t dimension);
/** The value that a standard normal variable stays below with probability u in (0, 1). */
double afxi_normal_quantile(double u);

#endif
