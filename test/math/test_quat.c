/* SPDX-License-Identifier: Apache-2.0 */
/* Quaternions and poses: against rotation matrices, against each other, and at the ends of the range of doubles. */
#include "tests.h"

static void assert_vec3_near(AfxVec3 a, AfxVec3 b, double tolerance) {
    assert_near(a.x, b.x, tolerance);
    assert_near(a.y, b.y, tolerance);
    assert_near(a.z, b.z, tolerance);
}

static double quat_length(AfxQuat q) {
    return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

static void a_quarter_turn_about_z_takes_x_to_y(void **state) {
    (void)state;
    AfxQuat q = afx_quat_from_axis_angle(vec3(0, 0, 3), 1.5707963267948966);
    assert_vec3_near(afx_quat_rotate(q, vec3(1, 0, 0)), vec3(0, 1, 0), 1e-15);
    assert_vec3_near(afx_quat_rotate(q, vec3(0, 1, 0)), vec3(-1, 0, 0), 1e-15);
    AfxiMat3 r = afxi_mat3_rotation(vec3(0, 0, 1.5707963267948966));
    assert_vec3_near(mat3_apply(&r, vec3(1, 0, 0)), vec3(0, 1, 0), 1e-15);
}

static void axis_angle_takes_any_length_of_axis(void **state) {
    (void)state;
    static const double lengths[] = {5e-324, 1e-300, 1e-200, 1, 1e200, 1e308};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        AfxQuat q = afx_quat_from_axis_angle(vec3(0, lengths[k], 0), 0.7);
        assert_near(q.w, cos(0.35), 1e-16);
        assert_near(q.y, sin(0.35), 1e-16);
    }
    AfxQuat none = afx_quat_from_axis_angle(vec3(0, 0, 0), 0.7);
    assert_true(none.w == 1 && none.x == 0 && none.y == 0 && none.z == 0);
    AfxQuat skew = afx_quat_from_axis_angle(vec3(3e200, 0, 4e200), 0.7);
    assert_near(skew.x, 0.6 * sin(0.35), 1e-16);
    assert_near(skew.z, 0.8 * sin(0.35), 1e-16);
}

static void quaternions_act_as_their_matrices(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 2000; trial++) {
        AfxQuat a = random_quat(&seed), b = random_quat(&seed);
        AfxVec3 v = random_vec3(&seed);
        AfxiMat3 ra = mat3_from_quat(a), rb = mat3_from_quat(b);
        assert_vec3_near(afx_quat_rotate(a, v), mat3_apply(&ra, v), 2e-15);
        AfxiMat3 product = mat3_multiply(&ra, &rb), of_product = mat3_from_quat(afx_quat_multiply(a, b));
        assert_near(mat3_difference(&product, &of_product), 0, 3e-15);
    }
}

/* All four branches, and the half turns where w is 0 or tiny and a formula that divides by it fails. */
static void a_matrix_gives_back_its_quaternion(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < 4000; trial++) {
        AfxQuat q = random_quat(&seed);
        if (trial % 2)
            q.w *= 1e-9;
        if (trial % 3 == 0)
            q.x *= 1e-12;
        if (trial % 5 == 0)
            q.y = 0;
        q = afxi_quat_normalized(q);
        AfxiMat3 r = mat3_from_quat(q);
        AfxQuat back = afxi_quat_from_mat3(&r);
        double sign = q.w * back.w + q.x * back.x + q.y * back.y + q.z * back.z < 0 ? -1 : 1;
        assert_near(sign * back.w, q.w, 1e-15);
        assert_near(sign * back.x, q.x, 1e-15);
        assert_near(sign * back.y, q.y, 1e-15);
        assert_near(sign * back.z, q.z, 1e-15);
    }
}

static void normalized_works_at_any_scale(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int exponent = -1060; exponent <= 1020; exponent += 20) {
        AfxQuat q = random_quat(&seed);
        double s = ldexp(1, exponent), tolerance = fmax(4e-16, ldexp(1, -1073 - exponent));
        AfxQuat n = afxi_quat_normalized((AfxQuat){s * q.w, s * q.x, s * q.y, s * q.z});
        assert_near(quat_length(n), 1, 4e-16);
        assert_near(n.w, q.w, tolerance);
        assert_near(n.z, q.z, tolerance);
    }
    AfxQuat zero = afxi_quat_normalized((AfxQuat){0, 0, 0, 0}), bad = afxi_quat_normalized((AfxQuat){1, NAN, 0, 0});
    AfxQuat endless = afxi_quat_normalized((AfxQuat){1, INFINITY, 0, 0});
    assert_true(zero.w == 1 && zero.x == 0);
    assert_true(bad.w == 1 && bad.x == 0);
    assert_true(endless.w == 1 && endless.x == 0);
}

/* exp([w]x) by its power series, with enough terms for |w| <= 2. */
static AfxiMat3 exponential_series(AfxVec3 w) {
    AfxiMat3 skew = mat3_skew(w), term = mat3_identity(), sum = mat3_identity();
    for (int n = 1; n < 40; n++) {
        term = mat3_multiply(&term, &skew);
        for (int k = 0; k < 9; k++) {
            term.m[k] /= n;
            sum.m[k] += term.m[k];
        }
    }
    return sum;
}

static void rotation_is_the_exponential(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int trial = 0; trial < 500; trial++) {
        AfxVec3 w = random_vec3(&seed);
        AfxiMat3 r = afxi_mat3_rotation(w), series = exponential_series(w);
        assert_near(mat3_difference(&r, &series), 0, 2e-15);
        assert_near(rotation_error(&r), 0, 2e-15);
    }
}

/* The skew part of exp([w]x) is sin|w| / |w| [w]x, to relative accuracy also for small w. */
static void tiny_rotations_keep_their_digits(void **state) {
    (void)state;
    AfxVec3 w = vec3(0.3, -0.8, 0.5);
    for (int exponent = 0; exponent >= -300; exponent--) {
        double s = pow(10, exponent), angle = s * vec3_length(w), sinc = sin(angle) / angle;
        AfxiMat3 r = afxi_mat3_rotation(vec3_scale(s, w));
        assert_near(mat3_axial(&r).x / s, sinc * w.x, 1e-15);
        assert_near(mat3_axial(&r).y / s, sinc * w.y, 1e-15);
        assert_near(mat3_axial(&r).z / s, sinc * w.z, 1e-15);
        assert_near(rotation_error(&r), 0, 1e-15);
    }
}

static void huge_rotations_stay_rotations(void **state) {
    (void)state;
    static const double sizes[] = {1e3, 1e20, 1e154, 1e200, 1.7e308};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        AfxiMat3 r = afxi_mat3_rotation(vec3(sizes[k], -sizes[k], sizes[k]));
        assert_near(rotation_error(&r), 0, 3e-15);
    }
}

static void poses_compose_and_invert(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int trial = 0; trial < 1000; trial++) {
        AfxPose a = {random_vec3(&seed), random_quat(&seed)}, b = {random_vec3(&seed), random_quat(&seed)};
        AfxVec3 p = random_vec3(&seed);
        assert_vec3_near(afx_pose_apply(afx_pose_compose(a, b), p), afx_pose_apply(a, afx_pose_apply(b, p)), 4e-15);
        assert_vec3_near(afx_pose_apply(afx_pose_invert(a), afx_pose_apply(a, p)), p, 4e-15);
        AfxPose same = afx_pose_compose(a, afx_pose_identity());
        assert_vec3_near(afx_pose_apply(same, p), afx_pose_apply(a, p), 4e-15);
    }
}

static void a_long_product_of_poses_stays_a_pose(void **state) {
    (void)state;
    AfxPose step = {{0, 0, 0}, {0.8 * (1 + 1e-12), 0.6 * (1 + 1e-12), 0, 0}}, p = afx_pose_identity();
    for (int k = 0; k < 100000; k++)
        p = afx_pose_compose(p, step);
    assert_near(quat_length(p.rotation), 1, 1e-15);
}

int run_quat_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_quarter_turn_about_z_takes_x_to_y),
        cmocka_unit_test(axis_angle_takes_any_length_of_axis),
        cmocka_unit_test(quaternions_act_as_their_matrices),
        cmocka_unit_test(a_matrix_gives_back_its_quaternion),
        cmocka_unit_test(normalized_works_at_any_scale),
        cmocka_unit_test(rotation_is_the_exponential),
        cmocka_unit_test(tiny_rotations_keep_their_digits),
        cmocka_unit_test(huge_rotations_stay_rotations),
        cmocka_unit_test(poses_compose_and_invert),
        cmocka_unit_test(a_long_product_of_poses_stays_a_pose),
    };
    return cmocka_run_group_tests_name("quaternions and poses", tests, NULL, NULL);
}
