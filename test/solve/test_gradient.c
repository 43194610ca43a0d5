/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of all equations against differences of their values, at places of two affine bodies anywhere. */
#include "math/polar.h"
#include "solve/equation.h"
#include "solve/residual_inner.h"
#include "solve/residual_rows.h"
#include "tests.h"

enum { TRIALS = 20, BODIES = 3 };

/* A stage at q, with nothing but what the equations read. */
typedef struct Place {
    double q[BODIES * 12], angle[64];
    AfxiScale scale[BODIES];
    AfxiResidualStage stage;
} Place;

static void place_bodies(const Rig *rig, Place *place, uint64_t *seed) {
    memset(place->angle, 0, sizeof place->angle);
    place->stage = (AfxiResidualStage){.model = rig->model,
                                       .params = rig->model->params,
                                       .scale = place->scale,
                                       .q = place->q,
                                       .qhat = place->q,
                                       .qv = place->q,
                                       .v = place->q,
                                       .angle = place->angle};
    for (int body = 0; body < BODIES; body++) {
        AfxVec3 turn = random_vec3(seed, 0.3); /* no tilt comes near a right angle */
        AfxiMat3 r = afxi_mat3_rotation(turn);
        double *q = place->q + 12 * body;
        place->scale[body] = (AfxiScale){1e-4, 1e-2};
        for (int e = 0; e < 9; e++) { /* strained by up to a tenth */
            q[e] = r.m[e] + 0.1 * (2 * random_unit(seed) - 1);
        }
        vec3_store(q + 9, random_vec3(seed, 1));
    }
}

/* What row `row` gains per unit along its gradient's own part on a body, by differences. */
static void check_row(Place *place, const AfxiGraph *graph, uint32_t row) {
    AfxiEquation equation, changed;
    double frozen[BODIES * 12];
    memcpy(frozen, place->q, sizeof frozen);
    place->stage.directions = frozen;
    afxi_equation_of_row(&place->stage, graph, row, &equation);
    assert_true(equation.count > 0);
    for (uint32_t k = 0; k < equation.count; k++) {
        for (int e = 0; e < 12; e++) {
            double *x = place->q + (size_t)12 * equation.body[k] + e, was = *x, step = 1e-5, value[2];
            for (int side = 0; side < 2; side++) {
                *x = was + (side ? -step : step);
                afxi_equation_of_row(&place->stage, graph, row, &changed);
                value[side] = changed.value;
            }
            *x = was;
            double slope = (value[0] - value[1]) / (2 * step);
            assert_near(equation.gradient[k][e], slope, 1e-7 * (1 + fabs(slope)));
        }
    }
    place->stage.directions = NULL;
}

static void rows_of_every_kind(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int kind = 0; kind < AFX_JOINT_KIND_COUNT; kind++) {
        Rig rig = rig_make(at(0, 0, -9.81));
        AfxBodyId a = rig_body(&rig, at(0.1, 0, 0), 1e7), b = rig_body(&rig, at(0.4, 0.1, 0), 1e7);
        AfxBodyId c = rig_body(&rig, at(0.7, 0.1, 0), 1e7);
        AfxJointId first = rig_joint(&rig, (AfxJointKind)kind, a, b, at(0.2, 0, 0.1), at(1, 2, 3));
        rig_joint(&rig, AFX_JOINT_FREE, b, c, at(0.5, 0, 0.1), at(1, -2, 3)); /* no path of balls alone */
        AfxCouplingDef coupling = afx_default_coupling();
        AfxCouplingId id;
        for (uint32_t axis = 0; axis < afx_joint_axis_count((AfxJointKind)kind); axis++) {
            AfxDriveDef drive = rig_drive(AFX_DRIVE_SPRING, first, axis);
            drive.stiffness = 1;
            rig_add_drive(&rig, &drive);
            coupling.joint[axis] = first;
            coupling.axis[axis] = axis;
            coupling.factor[axis] = 1.5 + axis;
            coupling.term_count++;
        }
        if (coupling.term_count) {
            assert_ok(afx_scene_add_coupling(rig.scene, &coupling, &id));
        }
        AfxSpringDef spring = afx_default_spring();
        AfxSpringId spring_id;
        spring.body_a = a;
        spring.body_b = c;
        spring.point_a = at(0.1, 0.2, 0.3);
        spring.stiffness = 1;
        assert_ok(afx_scene_add_spring(rig.scene, &spring, &spring_id));
        rig_start(&rig, AFX_BDF2, 0);
        for (int trial = 0; trial < TRIALS; trial++) {
            Place place;
            place_bodies(&rig, &place, &seed);
            assert_int_equal(rig.model->graph_count, 1);
            for (uint32_t row = 0; row < rig.model->graph[0].joint_rows; row++) {
                check_row(&place, &rig.model->graph[0], row);
            }
        }
        rig_free(&rig);
    }
}

/* Energy of the spring of joint 0: half the sum of stiffness times angle², by axis, of a turn no larger than pi. */
static double spring_energy(const Place *place, const AfxJointSpring *spring) {
    const AfxModel *model = place->stage.model;
    const AfxiJointFrame *frame = (const AfxiJointFrame *)model->joint_frames.items + model->joints[0].frame;
    AfxiMat3 end[2], rest = mat3_from_quat(spring->rest);
    for (int side = 0; side < 2; side++) {
        AfxiMat3 a = mat3_load(place->q + (side ? 12 : 0)), r = afxi_rotation_part(&a, NULL);
        end[side] = mat3_multiply(&r, side ? &frame->axes_a : &frame->axes_b);
    }
    AfxiMat3 turn = mat3_multiply_tn(&end[0], &end[1]), back = mat3_transpose(&rest);
    turn = mat3_multiply(&turn, &back);
    AfxQuat q = afxi_quat_from_mat3(&turn);
    double size = sqrt(q.x * q.x + q.y * q.y + q.z * q.z), angle = 2 * atan2(size, q.w);
    angle = angle > 3.14159265358979 ? angle - 2 * 3.14159265358979323846 : angle;
    double by = angle / size;
    return 0.5 * by * by *
           (spring->stiffness.x * q.x * q.x + spring->stiffness.y * q.y * q.y + spring->stiffness.z * q.z * q.z);
}

/* Turns a body by w. */
static void turn_body(double *q, AfxVec3 w) {
    AfxiMat3 turn = afxi_mat3_rotation(w), a = mat3_load(q);
    a = mat3_multiply(&turn, &a);
    memcpy(q, a.m, sizeof a.m);
}

static void torque_of_a_ball_spring_is_the_slope_of_its_energy(void **state) {
    (void)state;
    uint64_t seed = 7;
    Rig rig = rig_make(at(0, 0, -9.81));
    AfxBodyId bodies[BODIES];
    for (int k = 0; k < BODIES; k++) {
        bodies[k] = rig_body(&rig, at(0.3 * k, 0, 0), 1e7);
    }
    AfxJointDef def = afx_default_joint(AFX_JOINT_SPHERICAL);
    AfxJointId id;
    def.base = bodies[0];
    def.follower = bodies[1];
    assert_ok(afx_joint_place(rig.scene, &def, afx_frame_along(at(0.2, 0, 0.1), at(1, 2, 3))));
    def.spring = (AfxJointSpring){at(3, 5, 7), at(0, 0, 0), afx_quat_from_axis_angle(at(0, 0.6, 0.8), 0.3)};
    assert_ok(afx_scene_add_joint(rig.scene, &def, &id));
    rig_start(&rig, AFX_BDF2, 0);
    for (int trial = 0; trial < TRIALS; trial++) {
        Place place;
        double stiffness;
        place_bodies(&rig, &place, &seed);
        AfxVec3 torque = afxi_residual_spring_torque(&place.stage, 0, &stiffness);
        double got[3] = {torque.x, torque.y, torque.z};
        assert_near(stiffness, 7, 1e-12);
        for (int axis = 0; axis < 3; axis++) {
            double step = 1e-6, energy[2];
            for (int side = 0; side < 2; side++) {
                double saved[12], w[3] = {0, 0, 0};
                memcpy(saved, place.q + 12, sizeof saved);
                w[axis] = side ? -step : step;
                turn_body(place.q + 12, vec3_load(w));
                energy[side] = spring_energy(&place, &def.spring);
                memcpy(place.q + 12, saved, sizeof saved);
            }
            assert_near(got[axis], (energy[0] - energy[1]) / (2 * step), 1e-7 * 7);
        }
    }
    rig_free(&rig);
}

int run_gradient_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_every_kind),
        cmocka_unit_test(torque_of_a_ball_spring_is_the_slope_of_its_energy),
    };
    return cmocka_run_group_tests_name("solve gradients", tests, NULL, NULL);
}
