/* SPDX-License-Identifier: Apache-2.0 */
/* The rotation part and the eigensolvers: matrices are built from known factors A = U diag(s) transpose(V), for which
 * the answer is U transpose(V); where it is not unique, by the definition: no other rotation does better. */
#include "math/eigen.h"
#include "math/polar.h"
#include "tests.h"

#include <float.h>

/* U diag(s) transpose(V) */
static AfxiMat3 with_factors(const AfxiMat3 *u, const double s[3], const AfxiMat3 *v) {
    AfxiMat3 vt = mat3_transpose(v);
    AfxiMat3 us = mat3_from_columns(vec3_scale(s[0], mat3_column(u, 0)), vec3_scale(s[1], mat3_column(u, 1)),
                                    vec3_scale(s[2], mat3_column(u, 2)));
    return mat3_multiply(&us, &vt);
}

/* tr(transpose(R) A) */
static double score(const AfxiMat3 *r, const AfxiMat3 *a) {
    double sum = 0;
    for (int k = 0; k < 9; k++)
        sum += r->m[k] * a->m[k];
    return sum;
}

static AfxiMat3 times(double s, const AfxiMat3 *a) {
    AfxiMat3 r;
    for (int k = 0; k < 9; k++)
        r.m[k] = s * a->m[k];
    return r;
}

/* No rotation near r or far from it scores better than r, up to rounding. */
static void assert_best(const AfxiMat3 *r, const AfxiMat3 *a, double tolerance, uint64_t *seed) {
    double best = score(r, a);
    for (int trial = 0; trial < 60; trial++) {
        AfxiMat3 other = random_rotation(seed);
        if (trial % 2) {
            AfxiMat3 turn = afxi_mat3_rotation(vec3_scale(pow(10, -1.0 - trial / 10), random_vec3(seed)));
            other = mat3_multiply(r, &turn);
        }
        assert_true(score(&other, a) <= best + tolerance);
    }
}

static void finds_the_rotation_of_known_factors(void **state) {
    (void)state;
    uint64_t seed = 11;
    for (int trial = 0; trial < 20000; trial++) {
        AfxiMat3 u = random_rotation(&seed), v = random_rotation(&seed), vt = mat3_transpose(&v);
        AfxiMat3 want = mat3_multiply(&u, &vt);
        double s[3];
        for (int k = 0; k < 3; k++)
            s[k] = pow(10, -(trial % 7) * random_unit(&seed));
        if (trial % 3 == 0) { /* inverted, along the least stretched direction */
            int least = s[0] < s[1] ? 0 : 1;
            least = s[2] < s[least] ? 2 : least;
            s[least] *= -0.9;
        } else if (trial % 10 == 1) /* singular */
            s[trial % 3] = 0;
        AfxiMat3 a = with_factors(&u, s, &v);
        AfxiMat3 r = afxi_rotation_part(&a, NULL);
        /* The condition of the problem: the largest factor over the least sum of two. */
        double pair = fmin(s[0] + s[1], fmin(s[0] + s[2], s[1] + s[2]));
        double largest = fmax(fabs(s[0]), fmax(fabs(s[1]), fabs(s[2])));
        assert_near(mat3_difference(&r, &want), 0, 4e-15 * largest / pair + 4e-15);
        assert_near(rotation_error(&r), 0, 1.5e-15);
    }
}

static void is_the_best_of_all_rotations(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int trial = 0; trial < 3000; trial++) {
        AfxiMat3 u = random_rotation(&seed), v = random_rotation(&seed), guess = random_rotation(&seed);
        double s[3] = {random_signed(&seed), random_signed(&seed), random_signed(&seed)};
        for (int k = 0; k < trial % 3; k++)
            s[k] = 0;
        if (trial % 5 == 0)
            s[2] = -s[1];
        AfxiMat3 a = with_factors(&u, s, &v);
        AfxiMat3 r = afxi_rotation_part(&a, trial % 2 ? &guess : NULL);
        assert_near(rotation_error(&r), 0, 1.5e-15);
        assert_best(&r, &a, 1e-14, &seed);
    }
}

/* Where det A > 0, R is the polar factor: transpose(R) A is symmetric and positive. */
static void leaves_a_symmetric_positive_stretch(void **state) {
    (void)state;
    uint64_t seed = 13;
    int tried = 0;
    while (tried < 5000) {
        AfxiMat3 a = mat3_from_columns(random_vec3(&seed), random_vec3(&seed), random_vec3(&seed));
        if (mat3_determinant(&a) <= 0)
            continue;
        tried++;
        AfxiMat3 r = afxi_rotation_part(&a, NULL), b = mat3_multiply_tn(&r, &a);
        AfxVec3 skew = mat3_axial(&b);
        assert_near(vec3_length(skew), 0, 2e-15);
        double sym[6] = {b.m[0], b.m[4], b.m[8], b.m[3], b.m[6], b.m[7]}, values[3];
        AfxiMat3 axes;
        afxi_eigen_sym3(sym, values, &axes);
        assert_true(fmin(values[0], fmin(values[1], values[2])) > -1e-15);
    }
}

static void does_not_depend_on_the_scale(void **state) {
    (void)state;
    uint64_t seed = 14;
    for (int exponent = -300; exponent <= 300; exponent += 4) {
        AfxiMat3 u = random_rotation(&seed), v = random_rotation(&seed);
        double s[3] = {1, 0.4, exponent % 8 ? 0.3 : -0.2};
        AfxiMat3 a = with_factors(&u, s, &v), r = afxi_rotation_part(&a, NULL);
        AfxiMat3 b = times(pow(10, exponent), &a), q = afxi_rotation_part(&b, NULL);
        assert_near(mat3_difference(&r, &q), 0, 2e-14);
    }
    AfxiMat3 big = times(DBL_MAX, &(AfxiMat3){{1, 1, 1, -1, 1, 1, 1, -1, 1}});
    AfxiMat3 r = afxi_rotation_part(&big, NULL);
    assert_near(rotation_error(&r), 0, 1e-14);
    AfxiMat3 least = times(5e-324, &(AfxiMat3){{0, 1, 0, -1, 0, 0, 0, 0, 1}});
    AfxiMat3 q = afxi_rotation_part(&least, NULL);
    assert_near(q.m[1], 1, 1e-15);
    assert_near(q.m[3], -1, 1e-15);
}

static void a_rotation_is_its_own_rotation_part(void **state) {
    (void)state;
    uint64_t seed = 15;
    for (int trial = 0; trial < 5000; trial++) {
        AfxiMat3 a = random_rotation(&seed), r = afxi_rotation_part(&a, NULL);
        assert_near(mat3_difference(&r, &a), 0, 1e-15);
    }
    AfxiMat3 one = mat3_identity(), r = afxi_rotation_part(&one, NULL);
    assert_near(mat3_difference(&r, &one), 0, 2e-16);
}

static void zero_and_not_finite_give_the_guess(void **state) {
    (void)state;
    uint64_t seed = 16;
    AfxiMat3 guess = random_rotation(&seed), one = mat3_identity(), zero = {{0}};
    AfxiMat3 r = afxi_rotation_part(&zero, &guess);
    assert_near(mat3_difference(&r, &guess), 0, 0);
    r = afxi_rotation_part(&zero, NULL);
    assert_near(mat3_difference(&r, &one), 0, 0);
    for (int k = 0; k < 9; k++) {
        AfxiMat3 bad = random_rotation(&seed);
        bad.m[k] = k % 2 ? NAN : INFINITY;
        r = afxi_rotation_part(&bad, &guess);
        assert_near(mat3_difference(&r, &guess), 0, 0);
    }
}

/* A = u transpose(v) has a circle of best rotations: those that take v to u. The nearest one to the guess G is exp(w) G
 * with the least turn, which takes G v to u about their common normal. */
static void rank_one_gives_the_rotation_nearest_to_the_guess(void **state) {
    (void)state;
    uint64_t seed = 17;
    for (int trial = 0; trial < 2000; trial++) {
        AfxiMat3 guess = random_rotation(&seed), frames = random_rotation(&seed);
        AfxVec3 v = mat3_column(&frames, 0), gv = mat3_apply(&guess, v);
        AfxVec3 turn = vec3_scale(trial % 2 ? 1e-3 : 1, random_vec3(&seed));
        turn = vec3_mad(turn, -vec3_dot(turn, gv), gv); /* the normal of gv and u */
        AfxiMat3 least_turn = afxi_mat3_rotation(turn), want = mat3_multiply(&least_turn, &guess);
        AfxVec3 u = mat3_apply(&least_turn, gv);
        AfxiMat3 a = mat3_from_columns(vec3_scale(v.x, u), vec3_scale(v.y, u), vec3_scale(v.z, u));
        AfxiMat3 r = afxi_rotation_part(&a, &guess);
        AfxVec3 ru = mat3_apply(&r, v);
        assert_near(vec3_length(vec3_sub(ru, u)), 0, 1e-14);
        assert_near(mat3_difference(&r, &want), 0, 1e-6);
    }
}

/* A = -2 G: every half turn of G is best and scores 2. A = U diag(1, 1, -1) transpose(V) with U transpose(V) = G: there
 * are many again, and the guess G is one of them. */
static void a_reflection_keeps_the_guess_where_it_can(void **state) {
    (void)state;
    uint64_t seed = 18;
    for (int trial = 0; trial < 500; trial++) {
        AfxiMat3 guess = random_rotation(&seed), a = times(-2, &guess);
        AfxiMat3 r = afxi_rotation_part(&a, &guess);
        assert_near(score(&r, &a), 2, 1e-14);
        double s[3] = {1, 1, -1};
        AfxiMat3 v = random_rotation(&seed), vt = mat3_transpose(&v), u = mat3_multiply(&guess, &v);
        a = with_factors(&u, s, &v);
        AfxiMat3 uvt = mat3_multiply(&u, &vt);
        assert_near(mat3_difference(&uvt, &guess), 0, 1e-14);
        r = afxi_rotation_part(&a, &guess);
        assert_near(mat3_difference(&r, &guess), 0, 1e-6);
    }
}

static void eigen_of_a_diagonal_is_itself(void **state) {
    (void)state;
    static const double cases[][3] = {{3, 1, 2}, {1, 1, 1}, {0, 0, 0}, {-1, 5, 0}, {1e300, 1e-300, 1}, {1, 2, 3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double *d = cases[k];
        double a[6] = {d[0], d[1], d[2], 0, 0, 0}, values[3];
        AfxiMat3 axes, one = mat3_identity();
        afxi_eigen_sym3(a, values, &axes);
        assert_memory_equal(values, d, sizeof values);
        assert_near(mat3_difference(&axes, &one), 0, 0);
    }
}

/* Known eigenvalues, far apart: V diag(d) transpose(V) V = V diag(d), column by column. */
static void eigen_finds_values_and_axes(void **state) {
    (void)state;
    uint64_t seed = 19;
    for (int trial = 0; trial < 5000; trial++) {
        AfxiMat3 v = random_rotation(&seed);
        double d[3] = {random_signed(&seed), random_signed(&seed), random_signed(&seed)};
        if (trial % 4 == 0)
            d[1] = d[0];
        if (trial % 4 == 1)
            d[2] *= 1e-8;
        double scale = pow(10, (trial % 61 - 30) * 10);
        for (int k = 0; k < 3; k++)
            d[k] *= scale;
        AfxiMat3 a = with_factors(&v, d, &v), axes;
        double sym[6] = {a.m[0], a.m[4], a.m[8], a.m[3], a.m[6], a.m[7]}, values[3], norm = 0;
        for (int k = 0; k < 3; k++)
            norm = fmax(norm, fabs(d[k]));
        afxi_eigen_sym3(sym, values, &axes);
        assert_near(rotation_error(&axes), 0, 4e-15);
        for (int k = 0; k < 3; k++) {
            AfxVec3 axis = mat3_column(&axes, k);
            AfxVec3 rest = vec3_mad(mat3_apply(&a, axis), -values[k], axis);
            assert_near(fmax(fabs(rest.x), fmax(fabs(rest.y), fabs(rest.z))) / norm, 0, 3e-15);
            double nearest = fmin(fabs(values[k] - d[0]), fmin(fabs(values[k] - d[1]), fabs(values[k] - d[2])));
            assert_near(nearest / norm, 0, 3e-15);
        }
    }
}

/* A graded positive matrix D H D: its least eigenvalue keeps its relative accuracy. With H = 1 + off-diagonal c and
 * D = diag(1, e, e^2), det = e^6 det H, and the values multiply to it. */
static void eigen_keeps_small_values_of_graded_matrices(void **state) {
    (void)state;
    double c = 0.5, det_h = 1 - 3 * c * c + 2 * c * c * c;
    for (double e = 1e-1; e > 1e-20; e *= 1e-1) {
        double a[6] = {1, e * e, e * e * e * e, c * e, c * e * e, c * e * e * e}, values[3];
        AfxiMat3 axes;
        afxi_eigen_sym3(a, values, &axes);
        assert_near((values[0] / 1) * (values[1] / (e * e)) * (values[2] / (e * e * e * e)), det_h, 1e-14);
    }
}

static void eigen_of_four_dimensions(void **state) {
    (void)state;
    uint64_t seed = 20;
    for (int trial = 0; trial < 2000; trial++) {
        double a[16], copy[16], values[4], vectors[16];
        for (int i = 0; i < 4; i++)
            for (int j = 0; j <= i; j++)
                a[4 * i + j] = a[4 * j + i] = random_signed(&seed);
        for (int k = 0; k < 16; k++)
            copy[k] = a[k];
        afxi_eigen_sym4(copy, values, vectors);
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < 4; i++) {
                double image = 0, dot = 0;
                for (int j = 0; j < 4; j++) {
                    image += a[4 * j + i] * vectors[4 * k + j];
                    dot += vectors[4 * i + j] * vectors[4 * k + j];
                }
                assert_near(image, values[k] * vectors[4 * k + i], 4e-15);
                assert_near(dot, i == k, 4e-15);
            }
    }
}

int run_polar_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_rotation_of_known_factors),
        cmocka_unit_test(is_the_best_of_all_rotations),
        cmocka_unit_test(leaves_a_symmetric_positive_stretch),
        cmocka_unit_test(does_not_depend_on_the_scale),
        cmocka_unit_test(a_rotation_is_its_own_rotation_part),
        cmocka_unit_test(zero_and_not_finite_give_the_guess),
        cmocka_unit_test(rank_one_gives_the_rotation_nearest_to_the_guess),
        cmocka_unit_test(a_reflection_keeps_the_guess_where_it_can),
        cmocka_unit_test(eigen_of_a_diagonal_is_itself),
        cmocka_unit_test(eigen_finds_values_and_axes),
        cmocka_unit_test(eigen_keeps_small_values_of_graded_matrices),
        cmocka_unit_test(eigen_of_four_dimensions),
    };
    return cmocka_run_group_tests_name("rotation part and eigenvalues", tests, NULL, NULL);
}
