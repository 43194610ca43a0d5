/* SPDX-License-Identifier: Apache-2.0 */
/* Joint coordinates: what they read, and their gradients and rates by finite differences. */
#include "pair.h"

/* Away from a jump of the angle and from where it is not defined. */
static bool readable(AfxiAxisSpec axis, const AfxiJointFrame *frame, const AfxiPairState *state) {
    if (axis.type == AFXI_AXIS_TRANSLATION) {
        return true;
    }
    if (axis.type >= AFXI_AXIS_SWING) {
        double value = fabs(afxi_axis_value(axis, frame, state)), least = axis.type == AFXI_AXIS_TWIST ? 0 : 0.3;
        return value > least && value < 2.8 && afxi_axis_regular(axis, frame, state) > 0.3;
    }
    AfxiRowSpec sine = {AFXI_ROW_DIRECTION, axis.p, axis.q, 1, 0}, cosine = {AFXI_ROW_DIRECTION, axis.r, axis.s, 1, 0};
    double f = afxi_row_value(sine, frame, 0, state), g = afxi_row_value(cosine, frame, 0, state);
    if (axis.type == AFXI_AXIS_TILT) {
        return fabs(f) < 0.9;
    }
    return f * f + g * g > 0.05 && fabs(afxi_axis_value(axis, frame, state)) < 3;
}

static void check_axis(AfxiAxisSpec axis, uint64_t *seed) {
    for (int trial = 0; trial < TRIALS; trial++) {
        AfxiJointFrame frame = random_frame(seed);
        AfxiPairState state = random_state(seed);
        AfxiRowGradient gradient[2];
        double s = 1e-3, by[2][12], rates = 0;
        if (!readable(axis, &frame, &state)) {
            continue;
        }
        afxi_axis_gradient(axis, &frame, &state, &gradient[0], &gradient[1]);
        for (int body = 0; body < 2; body++) {
            double change = 0;
            random_direction(by[body], seed);
            for (int n = 1; n <= 2; n++) { /* fourth order: 4/3 of the step, -1/3 of its double */
                AfxiPairState more = moved(&state, body, by[body], n * s), less = moved(&state, body, by[body], -n * s);
                double difference = afxi_axis_value(axis, &frame, &more) - afxi_axis_value(axis, &frame, &less);
                change += (n == 1 ? 4 : -1) / 3.0 * difference / (2 * n * s);
            }
            assert_near(along(&gradient[body], body == 0 ? &state.r_a : &state.r_b, by[body]), change, 1e-6);
            rates += change;
        }
        assert_near(afxi_axis_rate(axis, &frame, &state, by[0], by[1]), rates, 1e-6);
    }
}

static void every_coordinate_has_the_gradient_of_its_value(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)k);
        for (int axis = 0; axis < kind->axis_count; axis++) {
            check_axis(kind->axes[axis], &seed);
        }
        for (uint32_t axis = AFX_AXIS_SWING; axis <= AFX_AXIS_ANGLE && afxi_axis_exists(kind, axis); axis++) {
            check_axis(afxi_axis_of(kind, axis), &seed);
        }
    }
}

/* A joint moved by known amounts along its free axes reads just these: angles about x, then y, then z. */
static void check_reading(AfxJointKind k, uint64_t *seed) {
    const AfxiJointKind *kind = afxi_joint_kind(k);
    const char *turns = kind_rotations(k), *slides = kind_translations(k);
    AfxiJointFrame frame = random_frame(seed);
    AfxPose motion = afx_pose_identity();
    double want[6] = {0};
    int count = 0;
    for (int a = 0; a < 3; a++) {
        if (strchr(slides, "xyz"[a])) {
            double *p = a == 0 ? &motion.position.x : a == 1 ? &motion.position.y : &motion.position.z;
            *p = want[count++] = 2 * random_unit(seed) - 1;
        }
    }
    for (int a = 0; a < 3; a++) {
        if (strchr(turns, "xyz"[a])) {
            double limit = strlen(turns) > 1 && a == 1 ? 1.5 : 3.1; /* a second angle stays below a right one */
            want[count] = limit * (2 * random_unit(seed) - 1);
            motion.rotation = q_multiply(motion.rotation, q_about(v3(a == 0, a == 1, a == 2), want[count++]));
        }
    }
    assert_int_equal(count, kind->axis_count);
    AfxiPairState state = random_state(seed);
    AfxiMat3 turn = mat3_from_quat(motion.rotation), back = mat3_transpose(&frame.axes_a);
    AfxiMat3 base = mat3_multiply(&state.a_b, &frame.axes_b), axes = mat3_multiply(&base, &turn);
    state.a_a = mat3_multiply(&axes, &back);
    AfxVec3 point =
        v3_add(v3_add(mat3_apply(&state.a_b, frame.point_b), state.t_b), mat3_apply(&base, motion.position));
    state.t_a = v3_sub(point, mat3_apply(&state.a_a, frame.point_a));
    for (int a = 0; a < count; a++) {
        assert_near(afxi_axis_value(kind->axes[a], &frame, &state), want[a], 1e-13);
    }
}

static void coordinates_read_what_the_joint_was_moved_by(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        for (int trial = 0; trial < TRIALS; trial++) {
            check_reading((AfxJointKind)k, &seed);
        }
    }
}

static void angles_are_counted_past_a_turn(void **state) {
    (void)state;
    assert_near(afxi_angle_near(0.1, 6 * PI), 0.1 + 6 * PI, 1e-14);
    assert_near(afxi_angle_near(-3, 3.1), -3 + 2 * PI, 1e-14);
    assert_near(afxi_angle_near(3, -9), 3 - 4 * PI, 1e-14);
    assert_near(afxi_angle_near(1, 1.5), 1, 0);
}

int run_axis_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_coordinate_has_the_gradient_of_its_value),
        cmocka_unit_test(coordinates_read_what_the_joint_was_moved_by),
        cmocka_unit_test(angles_are_counted_past_a_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
