/* SPDX-License-Identifier: Apache-2.0 */
/* Every row by finite differences: values against gradients; and what rows say where a joint holds. Rows are
 * polynomials of degree two at most in (A, t), for which a central difference is exact. */
#include "pair.h"

/* ---- values against gradients ---- */

static void check_row(AfxiRowSpec row, uint64_t *seed) {
    for (int trial = 0; trial < TRIALS; trial++) {
        AfxiJointFrame frame = random_frame(seed);
        AfxiPairState state = random_state(seed);
        AfxiRowGradient gradient[2];
        double length = 0.5 + random_unit(seed), s = 1e-3, by[12];
        afxi_row_gradient(row, &frame, length, &state, &gradient[0], &gradient[1]);
        for (int body = 0; body < 2; body++) {
            random_direction(by, seed);
            AfxiPairState more = moved(&state, body, by, s), less = moved(&state, body, by, -s);
            double change =
                (afxi_row_value(row, &frame, length, &more) - afxi_row_value(row, &frame, length, &less)) / (2 * s);
            assert_near(along(&gradient[body], body == 0 ? &state.r_a : &state.r_b, by), change, 1e-11);
        }
    }
}

/* Every type with all its axes, and both signs where it has one. */
static void every_row_type_has_the_gradient_of_its_value(void **state) {
    (void)state;
    uint64_t seed = 1;
    for (uint8_t type = AFXI_ROW_POINT; type <= AFXI_ROW_TIP; type++) {
        for (uint8_t i = 0; i < 3; i++) {
            for (uint8_t j = 0; j < 3; j++) {
                check_row((AfxiRowSpec){type, i, j, 1, 0}, &seed);
                check_row((AfxiRowSpec){type, i, j, -1, 0}, &seed);
            }
        }
    }
}

static void every_row_of_every_kind_has_the_gradient_of_its_value(void **state) {
    (void)state;
    uint64_t seed = 2;
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)k);
        for (int r = 0; r < kind->row_count; r++) {
            check_row(kind->rows[r], &seed);
        }
    }
}

/* ---- what a row says ---- */

/* The values by hand, from poses: shares nothing with the rows but their definition. */
static double value_by_hand(AfxiRowSpec row, const AfxiJointFrame *f, double length, const AfxiPairState *s) {
    AfxVec3 u = mat3_apply(&s->a_a, mat3_column(&f->axes_a, row.i));
    AfxVec3 same = mat3_apply(&s->a_b, mat3_column(&f->axes_b, row.i));
    AfxVec3 v = mat3_apply(&s->a_b, mat3_column(&f->axes_b, row.j));
    bool tip = row.type == AFXI_ROW_TIP;
    AfxVec3 x_a = v3_add(f->point_a, v3_scale(tip, mat3_column(&f->axes_a, 0)));
    AfxVec3 x_b = v3_add(f->point_b, v3_scale(tip, mat3_column(&f->axes_b, 0)));
    AfxVec3 d = v3_sub(v3_add(mat3_apply(&s->a_a, x_a), s->t_a), v3_add(mat3_apply(&s->a_b, x_b), s->t_b));
    double component[3] = {d.x, d.y, d.z};
    switch ((AfxiRowType)row.type) {
    case AFXI_ROW_POINT:
    case AFXI_ROW_TIP:
        return component[row.i];
    case AFXI_ROW_ALIGN:
        return row.sign * v3_dot(v, v3_sub(u, same));
    case AFXI_ROW_DIRECTION:
        return row.sign * v3_dot(u, v);
    case AFXI_ROW_OFFSET:
        return v3_dot(v, d);
    case AFXI_ROW_DISTANCE:
        return (v3_dot(d, d) - length * length) / (2 * length);
    }
    return NAN;
}

static void rows_have_the_values_of_their_definition(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)k);
        for (int r = 0; r < kind->row_count * TRIALS; r++) {
            AfxiJointFrame frame = random_frame(&seed);
            AfxiPairState pair = random_state(&seed);
            AfxiRowSpec row = kind->rows[r % kind->row_count];
            double length = 0.5 + random_unit(&seed);
            assert_near(afxi_row_value(row, &frame, length, &pair), value_by_hand(row, &frame, length, &pair), 1e-14);
        }
    }
}

/* The free motions of a kind keep its rows at zero; any other small motion does not. */
static void rows_vanish_just_where_the_joint_holds(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)k);
        size_t freedoms = strlen(kind_translations((AfxJointKind)k)) + strlen(kind_rotations((AfxJointKind)k));
        freedoms += k == AFX_JOINT_DISTANCE             ? 5
                    : k == AFX_JOINT_REVOLUTE_SPHERICAL ? 4
                    : k == AFX_JOINT_REVOLUTE_REVOLUTE  ? 1
                    : k == AFX_JOINT_REVOLUTE_POINTS    ? (size_t)-1
                                                        : 0;
        assert_int_equal(kind->row_count, 6 - freedoms);
        for (int trial = 0; trial < TRIALS; trial++) {
            AfxiJointFrame frame = random_frame(&seed);
            AfxPose motion;
            AfxiPairState pair = holding_state((AfxJointKind)k, &frame, 0.7, &motion, &seed);
            double off = 0;
            for (int r = 0; r < kind->row_count; r++) {
                assert_near(afxi_row_value(kind->rows[r], &frame, 0.7, &pair), 0, 1e-14);
            }
            AfxiMat3 other = mat3_from_quat(random_quat(&seed));
            pair.a_a = mat3_multiply(&pair.a_a, &other);
            pair.t_a = v3_add(pair.t_a, random_vec3(&seed, 1));
            for (int r = 0; r < kind->row_count; r++) {
                off = fmax(off, fabs(afxi_row_value(kind->rows[r], &frame, 0.7, &pair)));
            }
            assert_true(kind->row_count == 0 || off > 1e-4);
        }
    }
}

/* A consistency pair is 1 where the joint holds; its rows also vanish flipped, where the pair is -1. */
static void consistency_pairs_are_one_where_the_joint_holds(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)k);
        AfxiJointFrame frame = random_frame(&seed);
        AfxPose motion;
        AfxiPairState pair = holding_state((AfxJointKind)k, &frame, 0.7, &motion, &seed);
        for (int c = 0; c < kind->consistency_count; c++) {
            AfxiRowSpec row = {AFXI_ROW_DIRECTION, kind->consistency[c].i, kind->consistency[c].j, 1, 0};
            assert_near(afxi_row_value(row, &frame, 0.7, &pair), 1, 1e-14);
        }
    }
}

/* Rows of alignments vanish just as well where the follower is turned over about an axis that the joint does not leave
 * free: then a consistency pair must tell. */
static void flipped_joints_are_told(void **state) {
    (void)state;
    uint64_t seed = 7;
    uint32_t flips = 0;
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)k);
        const char *turns = kind_rotations((AfxJointKind)k);
        for (int axis = 0; axis < 3 && strlen(turns) < 2 && !afx_joint_has_length((AfxJointKind)k); axis++) {
            AfxiJointFrame frame = random_frame(&seed);
            AfxPose motion;
            AfxiPairState pair = holding_state(AFX_JOINT_FIXED, &frame, 0.7, &motion, &seed);
            AfxiMat3 flip = mat3_identity(), local;
            if (strchr(turns, "xyz"[axis])) {
                continue;
            }
            flip.m[4 * ((axis + 1) % 3)] = flip.m[4 * ((axis + 2) % 3)] = -1;
            local = mat3_multiply(&frame.axes_a, &flip);
            AfxiMat3 back = mat3_transpose(&frame.axes_a), before = pair.a_a;
            local = mat3_multiply(&local, &back);
            pair.a_a = mat3_multiply(&pair.a_a, &local);
            pair.t_a =
                v3_add(pair.t_a, v3_sub(mat3_apply(&before, frame.point_a), mat3_apply(&pair.a_a, frame.point_a)));
            bool vanish = true, told = false;
            for (int r = 0; r < kind->row_count; r++) {
                vanish = vanish && fabs(afxi_row_value(kind->rows[r], &frame, 0.7, &pair)) < 1e-12;
            }
            for (int c = 0; c < kind->consistency_count; c++) {
                AfxiRowSpec row = {AFXI_ROW_DIRECTION, kind->consistency[c].i, kind->consistency[c].j, 1, 0};
                told = told || afxi_row_value(row, &frame, 0.7, &pair) < -0.9;
            }
            assert_true(told || !vanish);
            flips += vanish;
        }
    }
    assert_true(flips >= 20);
}

/* The frozen direction of an alignment is square to the base's strained axis: what lies along that axis is aligned with
 * it, whatever both are stretched to. So redundant hinges round a loop of elastic bodies agree. */
static void alignment_does_not_mind_strain(void **state) {
    (void)state;
    uint64_t seed = 8;
    for (uint8_t i = 0; i < 3; i++) {
        for (uint8_t j = 0; j < 3; j++) {
            AfxiJointFrame frame = random_frame(&seed);
            AfxiPairState pair = random_state(&seed);
            AfxiMat3 strained = mat3_identity();
            for (int k = 0; k < 3; k++) {
                pair.strain_b[k] = random_vec3(&seed, 0.05);
                vec3_store(strained.m + 3 * k, v3_add(vec3_load(strained.m + 3 * k), pair.strain_b[k]));
            }
            pair.a_b = mat3_multiply(&pair.r_b, &strained);
            AfxVec3 along = mat3_apply(&pair.a_b, mat3_column(&frame.axes_b, i));
            AfxVec3 now = mat3_apply(&pair.a_a, mat3_column(&frame.axes_a, i)), own = mat3_column(&frame.axes_a, i);
            AfxVec3 change = v3_sub(v3_scale(1.3, along), now); /* A_a u becomes 1.3 A_b u */
            for (int k = 0; k < 3; k++) {
                double weight = k == 0 ? own.x : k == 1 ? own.y : own.z;
                vec3_store(pair.a_a.m + 3 * k, v3_add(vec3_load(pair.a_a.m + 3 * k), v3_scale(weight, change)));
            }
            AfxiRowSpec row = {AFXI_ROW_ALIGN, i, j, 1, 0};
            assert_near(afxi_row_value(row, &frame, 1, &pair), 0, 1e-14);
        }
    }
}

/* The force and torque (about the joint's point) that a row's gradient means on the follower. */
static void wrench_of(const AfxiRowGradient *g, const AfxiPairState *state, AfxVec3 point, AfxVec3 *out_force,
                      AfxVec3 *out_torque) {
    *out_force = vec3_load(g->g + 9);
    *out_torque = v3_cross(v3_scale(-1, mat3_apply(&state->a_a, point)), *out_force);
    for (int k = 0; k < 3; k++) { /* column k of A moves by w x a_k */
        AfxVec3 push = mat3_apply(&state->r_a, vec3_load(g->g + 3 * k));
        *out_torque = v3_add(*out_torque, v3_cross(mat3_column(&state->a_a, k), push));
    }
}

/* Table 7's signs: a row that is booked as force or torque along an axis of the joint pushes the follower along just
 * that axis where all coordinates are zero; point rows do along the world's. */
static void rows_push_along_the_axis_they_are_booked_under(void **state) {
    (void)state;
    uint64_t seed = 6;
    for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
        const AfxiJointKind *kind = afxi_joint_kind((AfxJointKind)k);
        AfxiJointFrame frame = random_frame(&seed);
        AfxPose motion;
        AfxiPairState pair = holding_state(AFX_JOINT_FIXED, &frame, 1, &motion, &seed);
        AfxiMat3 axes = mat3_multiply(&pair.a_b, &frame.axes_b);
        for (int r = 0; r < kind->row_count; r++) {
            AfxiRowSpec row = kind->rows[r];
            AfxiRowGradient a, b;
            AfxVec3 force, torque, none = v3(0, 0, 0), unit = v3(row.i == 0, row.i == 1, row.i == 2);
            if (row.type == AFXI_ROW_DISTANCE || row.type == AFXI_ROW_TIP) {
                continue; /* along the rod; at the other point */
            }
            bool point = row.type == AFXI_ROW_POINT, turn = row.reaction > 2;
            AfxVec3 axis = point ? unit : mat3_column(&axes, row.reaction % 3);
            afxi_row_gradient(row, &frame, 1, &pair, &a, &b);
            wrench_of(&a, &pair, frame.point_a, &force, &torque);
            assert_vec3(force, turn ? none : axis, 1e-14);
            assert_vec3(torque, turn ? axis : none, 1e-14);
        }
    }
}

int run_rows_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_type_has_the_gradient_of_its_value),
        cmocka_unit_test(every_row_of_every_kind_has_the_gradient_of_its_value),
        cmocka_unit_test(rows_have_the_values_of_their_definition),
        cmocka_unit_test(rows_vanish_just_where_the_joint_holds),
        cmocka_unit_test(rows_push_along_the_axis_they_are_booked_under),
        cmocka_unit_test(consistency_pairs_are_one_where_the_joint_holds),
        cmocka_unit_test(flipped_joints_are_told),
        cmocka_unit_test(alignment_does_not_mind_strain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
