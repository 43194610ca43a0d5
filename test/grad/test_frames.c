/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives by the frames of joints, against models that are built with others: a frame in the world that both bodies
 * take part in is turned and shifted, so that the joint stays closed at the start. */
#include "tests.h"

typedef struct Build {
    AfxJointKind kind;
    double young;
    AfxIntegrator integrator;
} Build;

enum { STEPS = 12 };

/* An arm of two links: the second joint is moved by a small turn and a shift in the world. */
static Rig build(const Build *from, const double by[6]) {
    Rig rig = rig_make(v3(0.5, 1, -9.81));
    AfxBodyDef def = rigid_def(2, 0.3, 0.2, 0.25);
    AfxBodyId link[2];
    AfxDriveId id;
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_SPRING);
    def.young = from->young;
    for (int k = 0; k < 2; k++) {
        def.pose.position = v3(0.5 + 0.8 * k, 0.1 * k, 0.2 * k);
        def.pose.rotation = afx_quat_from_axis_angle(v3(1, 2 + k, 3), 0.4 + 0.5 * k);
        link[k] = rig_body(&rig, &def);
    }
    AfxPose root = {.position = v3(0, 0, 0.1), .rotation = afx_quat_from_axis_angle(v3(0, 1, 2), 1)};
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), link[0], root);
    AfxVec3 turn = v3(by[0], by[1], by[2]);
    double angle = sqrt(by[0] * by[0] + by[1] * by[1] + by[2] * by[2]);
    AfxPose frame = {.position = v3(1 + by[3], 0.1 + by[4], 0.15 + by[5]),
                     .rotation = afx_quat_from_axis_angle(v3(2, -1, 1), 0.7)};
    if (angle > 0) {
        frame.rotation = afx_quat_multiply(afx_quat_from_axis_angle(turn, angle), frame.rotation);
    }
    drive.joint = rig_joint(&rig, from->kind, link[0], link[1], frame);
    drive.stiffness = 30;
    drive.damping = 0.4;
    drive.rest = 0.3;
    assert_int_equal(afx_scene_add_drive(rig.scene, &drive, &id), AFX_OK);
    AfxSimDef sim = sim_def(from->integrator, 0.01);
    rig_start(&rig, &sim);
    return rig;
}

static double value_of(const Build *from, const double by[6], AfxQuantity quantity) {
    Rig rig = build(from, by);
    Course course = {rig.model, from->integrator, 0.01, STEPS, NULL};
    double value = course_value(&course, NULL, quantity);
    rig_free(&rig);
    return value;
}

static double difference(const Build *from, int k, AfxQuantity quantity) {
    const double weight[3] = {1.5, -0.6, 0.1};
    double sum = 0, step = 2e-3;
    for (int i = 1; i <= 3; i++) {
        double by[6] = {0}, back[6] = {0};
        by[k] = i * step;
        back[k] = -i * step;
        sum += weight[i - 1] * (value_of(from, by, quantity) - value_of(from, back, quantity)) / (2 * i * step);
    }
    return sum;
}

static void check(const Build *from, AfxQuantity quantity) {
    const double none[6] = {0};
    Rig rig = build(from, none);
    AfxGradDef def = afx_default_grad();
    AfxGrad *grad = NULL;
    AfxSim *sim = course_sim(&(Course){rig.model, from->integrator, 0.01, STEPS, NULL}, NULL);
    AfxPose pose[2];
    double by[6] = {0}, scale = 0;
    def.frames = true;
    assert_int_equal(afx_grad_create(sim, &def, &grad), AFX_OK);
    assert_null(afx_grad_frames(grad));
    assert_int_equal(afx_sim_body_pose(sim, 0, &pose[0]), AFX_OK);
    assert_int_equal(afx_sim_body_pose(sim, 1, &pose[1]), AFX_OK);
    for (int k = 0; k < STEPS; k++) {
        assert_int_equal(afx_grad_step(grad, NULL), AFX_OK);
    }
    assert_int_equal(afx_grad_seed(grad, quantity, 1), AFX_OK);
    assert_int_equal(afx_grad_backward(grad), AFX_OK);
    for (int side = 0; side < 2; side++) {
        for (int part = 0; part < 6; part += 3) {
            const double *own = afx_grad_frames(grad) + 12 + 6 * side + part; /* of the second joint */
            AfxVec3 world = afx_quat_rotate(pose[side].rotation, v3(own[0], own[1], own[2]));
            by[part] += world.x;
            by[part + 1] += world.y;
            by[part + 2] += world.z;
        }
    }
    for (int k = 0; k < 6; k++) {
        scale = fmax(scale, fabs(by[k]));
    }
    for (int k = 0; k < 6; k++) {
        double expected = difference(from, k, quantity);
        if (fabs(by[k] - expected) > 2e-8 * scale) {
            fail_msg("kind %d young %g, by %d: %.12g, differences %.12g", (int)from->kind, from->young, k, by[k],
                     expected);
        }
    }
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    rig_free(&rig);
}

static void test_kinds(void **state) {
    (void)state;
    const AfxJointKind kinds[] = {AFX_JOINT_REVOLUTE, AFX_JOINT_PRISMATIC, AFX_JOINT_UNIVERSAL};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        check(&(Build){kinds[k], INFINITY, AFX_BDF2}, (AfxQuantity){AFX_QUANTITY_ENERGY, 0, 1});
    }
    check(&(Build){AFX_JOINT_REVOLUTE, INFINITY, AFX_ALPHA}, (AfxQuantity){AFX_QUANTITY_JOINT, 1, 0});
    check(&(Build){AFX_JOINT_REVOLUTE, INFINITY, AFX_BDF2}, (AfxQuantity){AFX_QUANTITY_REACTION, 1, 4});
    check(&(Build){AFX_JOINT_REVOLUTE, 1e7, AFX_BDF2}, (AfxQuantity){AFX_QUANTITY_JOINT, 1, 0});
}

/* Nobody asked for them. */
static void test_not_asked(void **state) {
    (void)state;
    Course course = {case_model("pendulum", NULL), AFX_BDF2, 0.01, 2, NULL};
    AfxSim *sim = course_sim(&course, NULL);
    AfxGrad *grad = course_record(&course, sim);
    assert_int_equal(afx_grad_backward(grad), AFX_OK);
    assert_non_null(afx_grad_params(grad));
    assert_null(afx_grad_frames(grad));
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    afx_model_destroy(course.model);
}

int run_grad_frame_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_not_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
