/* SPDX-License-Identifier: Apache-2.0 */
/* cases/random.h: a seeded generator (splitmix64: Steele, Lea, Flood 2014). Only exact operations and square roots
 * are used, no sines or logarithms, so equal seeds give equal bits on every machine. */
#ifndef AFXI_CASES_RANDOM_H
#define AFXI_CASES_RANDOM_H

#include "affix/math.h"

#include <math.h>

typedef struct AfxiCaseRandom {
    uint64_t state; /* the seed, at the start */
} AfxiCaseRandom;

static inline uint64_t afxi_case_random_bits(AfxiCaseRandom *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

/** Uniform in [low, high). */
static inline double afxi_case_random_number(AfxiCaseRandom *random, double low, double high) {
    double unit = (double)(afxi_case_random_bits(random) >> 11) * 0x1p-53;
    return low + (high - low) * unit;
}

/** Uniform in {0, ..., count - 1}; count at most 2^32. */
static inline uint32_t afxi_case_random_index(AfxiCaseRandom *random, uint32_t count) {
    return (uint32_t)(((afxi_case_random_bits(random) >> 32) * count) >> 32);
}

/** Uniform in the ball of that radius. */
static inline AfxVec3 afxi_case_random_in_ball(AfxiCaseRandom *random, double radius) {
    AfxVec3 p;
    do {
        p.x = afxi_case_random_number(random, -1, 1);
        p.y = afxi_case_random_number(random, -1, 1);
        p.z = afxi_case_random_number(random, -1, 1);
    } while (p.x * p.x + p.y * p.y + p.z * p.z > 1);
    return (AfxVec3){radius * p.x, radius * p.y, radius * p.z};
}

/** A rotation uniform over all rotations (Marsaglia 1972: two points in the unit disc). */
static inline AfxQuat afxi_case_random_rotation(AfxiCaseRandom *random) {
    double x, y, u, v, first, second;
    do {
        x = afxi_case_random_number(random, -1, 1);
        y = afxi_case_random_number(random, -1, 1);
        first = x * x + y * y;
    } while (first >= 1);
    do {
        u = afxi_case_random_number(random, -1, 1);
        v = afxi_case_random_number(random, -1, 1);
        second = u * u + v * v;
    } while (second >= 1 || second == 0);
    double scale = sqrt((1 - first) / second);
    return (AfxQuat){x, y, u * scale, v * scale};
}

#endif
