/* SPDX-License-Identifier: Apache-2.0 */
/* The lever arms of rows against the second-order change that they are said to bound: |lambda| arm |w|²/2 for a body
 * turned by w from its frame. */
#include "pair.h"

/* The state with body 0 (follower), 1 (base) or both turned by small rotations from their frames, and the first-order
 * change of the row that belongs to it. */
static double second_order(AfxiRowSpec row, const AfxiJointFrame *frame, double length, const AfxiPairState *state,
                           AfxVec3 w_a, AfxVec3 w_b) {
    AfxiRowGradient gradient[2];
    AfxiPairState turned = *state;
    AfxVec3 w[2] = {w_a, w_b};
    double first = 0, by[12] = {0};
    afxi_row_gradient(row, frame, length, state, &gradient[0], &gradient[1]);
    for (int body = 0; body < 2; body++) {
        const AfxiMat3 *r = body == 0 ? &state->r_a : &state->r_b;
        AfxiMat3 skew = mat3_skew(w[body]), change = mat3_multiply(r, &skew);
        double angle = v3_norm(w[body]);
        AfxiMat3 turn = angle > 0 ? mat3_from_quat(q_about(w[body], angle)) : mat3_identity();
        memcpy(by, change.m, sizeof change.m);
        first += along(&gradient[body], r, by);
        *(body == 0 ? &turned.a_a : &turned.a_b) = mat3_multiply(r, &turn);
    }
    return fabs(afxi_row_value(row, frame, length, &turned) - afxi_row_value(row, frame, length, state) - first);
}

/* Rows hold where lambda acts, so the bound is asked for there; `cross`: both bodies turn at once. */
static int check_arms(AfxJointKind kind, AfxiRowSpec row, bool cross, uint64_t *seed) {
    int beyond = 0;
    for (int trial = 0; trial < 5 * TRIALS; trial++) {
        AfxiJointFrame frame = random_frame(seed);
        AfxPose motion;
        double arm_a, arm_b, length = 0.3 + random_unit(seed), size = 1e-4;
        AfxiPairState state = holding_state(kind, &frame, length, &motion, seed);
        AfxVec3 w_a = random_vec3(seed, size), w_b = random_vec3(seed, size), none = v3(0, 0, 0);
        double slack = 1e-12, square_a = v3_dot(w_a, w_a) / 2, square_b = v3_dot(w_b, w_b) / 2;
        afxi_row_arms(row, &frame, &state, &arm_a, &arm_b);
        if (cross) {
            double bound = arm_a * square_a + arm_b * square_b + slack;
            beyond += !(second_order(row, &frame, length, &state, w_a, w_b) < bound);
        } else {
            beyond += !(second_order(row, &frame, length, &state, w_a, none) < arm_a * square_a + slack);
            beyond += !(second_order(row, &frame, length, &state, none, w_b) < arm_b * square_b + slack);
        }
    }
    if (beyond) {
        print_error("%s, row of type %d: %d of %d beyond the bound\n", afx_joint_kind_name(kind), row.type, beyond,
                    (cross ? 5 : 10) * TRIALS);
    }
    return beyond;
}

static void arms_bound_the_second_order_of_each_body(void **state) {
    (void)state;
    uint64_t seed = 8;
    int beyond = 0;
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)k);
        for (int r = 0; r < kind->row_count; r++) {
            beyond += check_arms((AfxJointKind)k, kind->rows[r], false, &seed);
        }
    }
    assert_int_equal(beyond, 0);
}

static void arms_bound_the_second_order_of_both_bodies_together(void **state) {
    (void)state;
    uint64_t seed = 9;
    int beyond = 0;
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)k);
        for (int r = 0; r < kind->row_count; r++) {
            beyond += check_arms((AfxJointKind)k, kind->rows[r], true, &seed);
        }
    }
    assert_int_equal(beyond, 0);
}

int run_arms_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_bound_the_second_order_of_each_body),
        cmocka_unit_test(arms_bound_the_second_order_of_both_bodies_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
