/* SPDX-License-Identifier: Apache-2.0 */
/* Sobol's sequence by direction numbers: v_j = m_j / 2^j, m by the recurrence of a primitive polynomial over GF(2); the
 * point is the exclusive or of the v_j at the bits of the number. Polynomials and first m are those of S. Joe and F. Y.
 * Kuo, "Constructing Sobol sequences with better two-dimensional projections", 2008; the test checks that the
 * polynomials are primitive and the sequence is a net. */
#include "sweep/sobol.h"

#include <math.h>

#define BITS 32

typedef struct Direction {
    uint8_t degree, middle; /* of the polynomial: its coefficients between the first and the last, as bits */
    uint8_t first[7];       /* m_1 ... m_degree */
} Direction;

/* clang-format off */
static const Direction directions[AFXI_SOBOL_DIMENSIONS] = {
    {0, 0, {0}},
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};
/* clang-format on */

/* A counter turned into random bits by the finaliser of splitmix64, once for each part. */
static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

uint64_t afxi_random_bits(uint64_t seed, uint64_t number, uint64_t dimension) {
    return mix(mix(mix(seed) ^ number) ^ dimension);
}

double afxi_random_unit(uint64_t seed, uint64_t number, uint64_t dimension) {
    return ((double)(afxi_random_bits(seed, number, dimension) >> 12) + 0.5) * 0x1p-52;
}

double afxi_random_normal(uint64_t seed, uint64_t number, uint64_t dimension) {
    double radius = sqrt(-2 * log(afxi_random_unit(seed, number, 2 * dimension)));
    return radius * cos(6.283185307179586 * afxi_random_unit(seed, number, 2 * dimension + 1));
}

static void make_numbers(const Direction *of, uint32_t m[BITS]) {
    uint32_t degree = of->degree;
    for (uint32_t k = 0; k < BITS; k++) {
        if (degree == 0 || k < degree) {
            m[k] = degree ? of->first[k] : 1;
            continue;
        }
        m[k] = m[k - degree] ^ m[k - degree] << degree;
        for (uint32_t j = 1; j < degree; j++) {
            m[k] ^= (uint32_t)(of->middle >> (degree - 1 - j) & 1) * (m[k - j] << j);
        }
    }
}

double afxi_sobol_unit(uint64_t seed, uint64_t number, uint32_t dimension) {
    uint32_t m[BITS], bits = seed ? (uint32_t)(afxi_random_bits(seed, 0, dimension) >> 32) : 0;
    make_numbers(&directions[dimension], m);
    for (uint32_t k = 0; k < BITS && number >> k; k++) {
        if (number >> k & 1) {
            bits ^= m[k] << (BITS - 1 - k);
        }
    }
    return bits * 0x1p-32;
}

/* Newton's method on the logarithm of the tail, which is concave: from a bound above the root it goes down to it. */
double afxi_normal_quantile(double u) {
    double tail = u < 0.5 ? u : 1 - u, z = sqrt(fmax(0, -2 * log(2 * tail)));
    for (int k = 0; k < 60; k++) {
        double below = 0.5 * erfc(z * 0.7071067811865476);
        double density = 0.3989422804014327 * exp(-0.5 * z * z);
        double step = below / density * log(below / tail);
        z += step;
        if (fabs(step) <= 1e-15 * (1 + fabs(z))) {
            break;
        }
    }
    return u < 0.5 ? -z : z;
}
