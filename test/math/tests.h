/* SPDX-License-Identifier: Apache-2.0 */
/* The test groups of this room, and random values for them. */
#ifndef AFX_TEST_MATH_TESTS_H
#define AFX_TEST_MATH_TESTS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/vec3.h"

/** Each runs one group and returns the number of failed tests. */
int run_quat_tests(void);
int run_polar_tests(void);
int run_inertia_tests(void);
int run_hull_tests(void);

/** |got - want| <= tolerance, and not NaN. */
#define assert_near(got, want, tolerance) assert_near_at((got), (want), (tolerance), __FILE__, __LINE__)

static inline void assert_near_at(double got, double want, double tolerance, const char *file, int line) {
    if (fabs(got - want) <= tolerance)
        return;
    print_error("%.17g is not %.17g within %g\n", got, want, tolerance);
    _fail(file, line);
}

/** Uniform in [0, 1): a splitmix64 generator (Steele, Lea and Flood 2014). */
static inline double random_unit(uint64_t *state) {
    uint64_t z = (*state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
/** Uniform in [-1, 1). */
static inline double random_signed(uint64_t *state) {
    return 2 * random_unit(state) - 1;
}
static inline AfxVec3 random_vec3(uint64_t *state) {
    double x = random_signed(state), y = random_signed(state), z = random_signed(state);
    return vec3(x, y, z);
}
/** Uniform on the unit quaternions, by rejection from the ball. */
static inline AfxQuat random_quat(uint64_t *state) {
    for (;;) {
        double w = random_signed(state);
        AfxVec3 v = random_vec3(state);
        double n = sqrt(w * w + vec3_dot(v, v));
        if (n > 0.1 && n < 1)
            return (AfxQuat){w / n, v.x / n, v.y / n, v.z / n};
    }
}
static inline AfxiMat3 random_rotation(uint64_t *state) {
    return mat3_from_quat(random_quat(state));
}
/** The largest difference between two entries. */
static inline double mat3_difference(const AfxiMat3 *a, const AfxiMat3 *b) {
    double largest = 0;
    for (int k = 0; k < 9; k++) {
        double d = fabs(a->m[k] - b->m[k]);
        if (!(d <= largest)) /* also takes a NaN */
            largest = d;
    }
    return largest;
}
/** How far r is from orthonormal with determinant +1. */
static inline double rotation_error(const AfxiMat3 *r) {
    AfxiMat3 square = mat3_multiply_tn(r, r), one = mat3_identity();
    double orthogonal = mat3_difference(&square, &one), det = fabs(mat3_determinant(r) - 1);
    return orthogonal > det ? orthogonal : det;
}

#endif
