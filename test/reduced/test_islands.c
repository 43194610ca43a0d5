/* SPDX-License-Identifier: Apache-2.0 */
/* Mechanisms that nothing ties to each other go as each would alone, bit for bit: one that is easy is not solved longer
 * beside one that is hard, and is not cut into the sub-steps of the other. */
#include "tests.h"

/* A whip of hinges that swings on a limit, with restitution: iterations change with its branches. */
static void add_whip(Rig *rig) {
    AfxBodyId last = afx_world();
    for (int k = 0; k < 4; k++) {
        AfxBodyDef def = rigid_def(1, 0.02, 0.02, 0.02);
        def.pose.position = v3(0.4 * k + 0.2, 0, 0);
        AfxBodyId body = rig_body(rig, &def);
        AfxPose frame = {v3(0.4 * k, 0, 0), q_about(v3(0, 0, 1), PI / 2)};
        AfxJointId joint = rig_joint(rig, AFX_JOINT_REVOLUTE, last, body, frame);
        AfxDriveDef limit = afx_default_drive(AFX_DRIVE_LIMIT);
        AfxDriveId id;
        limit.joint = joint;
        limit.lower = -0.5;
        limit.upper = 0.6;
        limit.restitution = 0.4;
        assert_ok(afx_scene_add_drive(rig->scene, &limit, &id));
        last = body;
    }
}

/* A stiff servo on a slide, and a four-bar of which one joint closes the loop. */
static void add_servo(Rig *rig) {
    AfxBodyDef def = rigid_def(2, 0.1, 0.1, 0.1);
    def.pose.position = v3(0, 3, 0);
    AfxBodyId body = rig_body(rig, &def);
    AfxDriveDef servo = afx_default_drive(AFX_DRIVE_SERVO);
    AfxDriveId id;
    servo.joint =
        rig_joint(rig, AFX_JOINT_PRISMATIC, afx_world(), body, (AfxPose){v3(0, 3, 0), q_about(v3(0, 1, 0), PI / 2)});
    servo.stiffness = 4e3;
    servo.damping = 5;
    assert_ok(afx_scene_add_drive(rig->scene, &servo, &id));
    const AfxVec3 hinge[4] = {{0, -3, 0}, {0.1, -3, 0.3}, {0.9, -3, 0.6}, {1, -3, 0}};
    AfxBodyId link[5] = {afx_world()};
    link[4] = afx_world();
    for (int k = 0; k < 3; k++) {
        AfxBodyDef bar = rigid_def(1, 0.05, 0.05, 0.05);
        bar.pose.position = v3_scale(0.5, v3_add(hinge[k], hinge[k + 1]));
        link[k + 1] = rig_body(rig, &bar);
    }
    for (int k = 0; k < 4; k++) {
        rig_joint(rig, AFX_JOINT_REVOLUTE, link[k], link[k + 1], (AfxPose){hinge[k], q_about(v3(0, 0, 1), PI / 2)});
    }
}

static const AfxVec3 pull = {4, 0, -9.81};

/* Raw coordinates after some steps, of whichever of both there are. */
static uint32_t run_some(bool whip, bool servo, AfxIntegrator integrator, double *out, uint32_t *out_solves) {
    Rig rig = rig_make(pull);
    if (whip) {
        add_whip(&rig);
    }
    if (servo) {
        add_servo(&rig);
    }
    AfxSimDef def = accurate_def(integrator, 0.01);
    AfxStepReport report;
    def.formulation = AFX_REDUCED;
    rig_start(&rig, &def);
    *out_solves = 0;
    for (int n = 0; n < 60; n++) {
        assert_ok(afx_step(rig.sim, &report));
        *out_solves += report.solves;
    }
    uint32_t numbers = 12 * afx_model_body_count(rig.model);
    memcpy(out, afx_sim_coordinates(rig.sim), numbers * sizeof *out);
    rig_free(&rig);
    return numbers;
}

static void islands_go_as_each_would_alone(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_BDF2, AFX_AUTO, AFX_GAUSS2, AFX_ALPHA};
    for (int k = 0; k < 4; k++) {
        double both[12 * 8], whip[12 * 8], servo[12 * 8];
        uint32_t solves[3];
        uint32_t first = run_some(true, false, methods[k], whip, &solves[0]);
        uint32_t second = run_some(false, true, methods[k], servo, &solves[1]);
        assert_int_equal(run_some(true, true, methods[k], both, &solves[2]), first + second);
        assert_memory_equal(both, whip, first * sizeof *both);
        assert_memory_equal(both + first, servo, second * sizeof *both);
        assert_true(solves[0] != solves[1] || methods[k] == AFX_AUTO); /* else it would show nothing */
    }
}

/* A pendulum, and an arm on a base that moves as told and turns about the arm's own axis: the arm's raw coordinates
 * after some steps, with a new start on the way. */
static void run_carried(bool pendulum, bool many, AfxIntegrator integrator, double out[12]) {
    Rig rig = rig_make(pull);
    AfxPose frame = {v3(0, 0, 0), q_about(v3(0, 0, 1), PI / 2)};
    AfxBodyDef def = rigid_def(1, 0.02, 0.02, 0.02);
    def.pose.position = v3(0.3, 0, 0);
    if (pendulum) {
        rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), rig_body(&rig, &def), frame);
    }
    AfxBodyDef told = afx_default_body();
    told.kind = AFX_BODY_KINEMATIC;
    told.motion = (AfxMotion){.translation = {{.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0, 2}}},
                              .axis = v3(0, 1, 0),
                              .angle = {.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0, 3}}};
    AfxBodyId base = rig_body(&rig, &told), arm = rig_body(&rig, &def);
    rig_joint(&rig, AFX_JOINT_REVOLUTE, base, arm, frame);
    AfxSimDef sim = accurate_def(integrator, 0.01);
    sim.formulation = AFX_REDUCED;
    rig_start(&rig, &sim);
    AfxSim *both[2] = {rig.sim, NULL};
    AfxStatus status[2];
    assert_ok(afx_sim_create(rig.model, &sim, &both[1]));
    for (int n = 0; n < 40; n++) {
        double u[2];
        for (int k = 0; n == 20 && k < 2; k++) {
            assert_ok(afx_sim_dof_velocities(both[k], u));
            assert_ok(afx_sim_set_dof_velocities(both[k], u));
        }
        assert_ok(many ? afx_step_many(both, 2, NULL, status) : afx_step(rig.sim, NULL));
    }
    memcpy(out, afx_sim_coordinates(rig.sim) + (pendulum ? 24 : 12), 12 * sizeof *out);
    afx_sim_destroy(both[1]);
    rig_free(&rig);
}

/* An island that steps moves what is told to move; the next one begins where that was. */
static void bases_that_move_carry_islands_as_alone(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_RK4, AFX_AUTO, AFX_BDF1, AFX_BDF2, AFX_GAUSS2, AFX_ALPHA};
    for (int k = 0; k < 12; k++) {
        double alone[12], beside[12];
        run_carried(false, k % 2, methods[k / 2], alone);
        run_carried(true, k % 2, methods[k / 2], beside);
        assert_memory_equal(beside, alone, sizeof alone);
    }
}

static AfxJointId add_hinge(Rig *rig, AfxBodyId base, double y, double offset) {
    AfxBodyDef def = rigid_def(1, 0.02, 0.03, 0.02);
    def.pose.position = v3(offset, y, 0);
    return rig_joint(rig, AFX_JOINT_REVOLUTE, base, rig_body(rig, &def),
                     (AfxPose){v3(0, y, 0), q_about(v3(0, 0, 1), PI / 2)});
}

static void add_gear(Rig *rig, const AfxJointId *joints, const double *factors, uint32_t count) {
    AfxCouplingDef gear = afx_default_coupling();
    AfxCouplingId id;
    gear.term_count = count;
    for (uint32_t k = 0; k < count; k++) {
        gear.joint[k] = joints[k];
        gear.factor[k] = factors[k];
    }
    assert_ok(afx_scene_add_coupling(rig->scene, &gear, &id));
}

/* A gear whose first joint is between bodies that stand still or move as told: what moves goes by it, in whichever
 * island that is. */
static void gears_of_told_joints_move_what_they_tie(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_RK4, AFX_BDF2};
    for (int k = 0; k < 2; k++) {
        Rig rig = rig_make(pull);
        AfxBodyDef told = afx_default_body();
        AfxJointId joint[3];
        const double factors[3] = {-1, 1, 1};
        add_hinge(&rig, afx_world(), 3, 0.3); /* an island before them */
        told.kind = AFX_BODY_KINEMATIC;
        told.motion =
            (AfxMotion){.axis = v3(0, 1, 0), .angle = {.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 0, 3}}};
        joint[0] = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), rig_body(&rig, &told),
                             (AfxPose){v3(0, 0, 0), q_about(v3(0, 0, 1), PI / 2)});
        joint[1] = add_hinge(&rig, afx_world(), 1, 0.3);
        joint[2] = add_hinge(&rig, afx_world(), 2, 0.4);
        add_gear(&rig, joint, factors, 3);
        AfxSimDef def = accurate_def(methods[k], 0.01);
        def.formulation = AFX_REDUCED;
        rig_start(&rig, &def);
        for (int n = 1; n <= 40; n++) {
            double time = 0.01 * n, sum;
            assert_ok(afx_step(rig.sim, NULL));
            sum = rig_coordinate(&rig, joint[1], 0) + rig_coordinate(&rig, joint[2], 0);
            assert_near(sum, 3 * time * time, 1e-9);
        }
        assert_true(fabs(rig_coordinate(&rig, joint[1], 0) - rig_coordinate(&rig, joint[2], 0)) > 1e-3);
        rig_free(&rig);
    }
}

/* Each island has room for all that the model has: crowds are refused by their degrees of freedom in all, and the
 * choice of a formulation goes past them. */
static void crowds_are_refused(void **state) {
    (void)state;
    const uint32_t counts[] = {200, 1100};
    for (int k = 0; k < 2; k++) {
        Rig rig = rig_make(v3(0, 0, -9.81));
        AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
        AfxSimDef sim = afx_default_sim();
        AfxModel *model;
        AfxSim *made;
        for (uint32_t b = 0; b < counts[k]; b++) {
            rig_body(&rig, &def);
        }
        assert_ok(afx_model_create(rig.scene, &model, NULL));
        sim.formulation = AFX_REDUCED;
        assert_int_equal(afx_sim_create(model, &sim, &made), AFX_E_LIMIT);
        sim.formulation = AFX_CHOOSE;
        assert_ok(afx_sim_create(model, &sim, &made));
        AfxFormulation chosen;
        assert_ok(afx_sim_formulation(made, &chosen, NULL, 0));
        assert_int_equal(chosen, AFX_AFFIX);
        afx_sim_destroy(made);
        afx_model_destroy(model);
        rig_free(&rig);
    }
}

int run_islands_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(islands_go_as_each_would_alone),
        cmocka_unit_test(bases_that_move_carry_islands_as_alone),
        cmocka_unit_test(gears_of_told_joints_move_what_they_tie),
        cmocka_unit_test(crowds_are_refused),
    };
    return cmocka_run_group_tests_name("islands", tests, NULL, NULL);
}
