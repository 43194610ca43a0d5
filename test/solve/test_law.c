/* SPDX-License-Identifier: Apache-2.0 */
/* Steps with everything that acts on bodies and joints: drives of every kind on their branches, couplings, springs,
 * holds, wrenches, damping, joints that are off, kinematic bases. */
#include "tests.h"

static const double youngs[] = {INFINITY, ELASTIC};

/* Two links on joints of a kind; drives go to the second one. */
typedef struct Arm {
    Rig rig;
    AfxBodyId body[2];
    AfxJointId joint[2];
} Arm;

static Arm make_arm(AfxJointKind kind, double young) {
    Arm arm = {.rig = rig_make(at(1, 2, -9))};
    arm.body[0] = rig_body(&arm.rig, at(0.1, 0, 0), young);
    arm.body[1] = rig_body(&arm.rig, at(0.4, 0.1, 0), young);
    arm.joint[0] = rig_joint(&arm.rig, kind, afx_world(), arm.body[0], at(0, 0.02, 0.1), at(1, 2, 3));
    arm.joint[1] = rig_joint(&arm.rig, kind, arm.body[0], arm.body[1], at(0.2, 0, 0.1), at(-2, 3, 1));
    return arm;
}

/* Steps that end while the mechanism is still in the branch that is meant. */
static AfxResidual run_arm(Arm *arm, AfxIntegrator integrator, uint32_t steps, const char *what) {
    rig_start(&arm->rig, integrator, MANY);
    AfxResidual worst = rig_run(&arm->rig, steps);
    assert_met(what, worst, MET);
    return worst;
}

static AfxSignal swing(void) {
    AfxSignal signal = {.kind = AFX_SIGNAL_POLYNOMIAL};
    signal.coefficients[1] = 0.5;
    signal.coefficients[2] = 2;
    return signal;
}

static const struct {
    const char *name;
    AfxDriveKind kind;
    double stiffness, damping, effort, coefficient, lower, upper;
} cases[] = {
    {"position", AFX_DRIVE_POSITION, 0, 0, INFINITY, 0, 0, 0},
    {"velocity", AFX_DRIVE_VELOCITY, 0, 0, INFINITY, 0, 0, 0},
    {"force", AFX_DRIVE_FORCE, 0, 0, 0.05, 0, 0, 0},
    {"servo", AFX_DRIVE_SERVO, 300, 20, INFINITY, 0, 0, 0},
    {"servo at its effort", AFX_DRIVE_SERVO, 3e5, 200, 2, 0, 0, 0},
    {"servo of the rate alone", AFX_DRIVE_SERVO, 0, 20, INFINITY, 0, 0, 0},
    {"servo of nothing", AFX_DRIVE_SERVO, 0, 0, 1, 0, 0, 0},
    {"spring", AFX_DRIVE_SPRING, 300, 20, INFINITY, 0, 0, 0},
    {"limits away", AFX_DRIVE_LIMIT, 0, 0, INFINITY, 0, -20, 20},
    {"limits that are reached", AFX_DRIVE_LIMIT, 0, 0, INFINITY, 0, -0.02, 0.02},
    {"friction that sticks", AFX_DRIVE_FRICTION, 0, 0, 1e3, 0, 0, 0},
    {"friction that slips", AFX_DRIVE_FRICTION, 0, 0, 0.5, 0, 0, 0},
    {"friction by the reaction", AFX_DRIVE_FRICTION, 0, 0, 0.1, 0.3, 0, 0},
};

static void every_drive(void **state) {
    (void)state;
    static const AfxJointKind kinds[] = {AFX_JOINT_REVOLUTE, AFX_JOINT_PRISMATIC, AFX_JOINT_UNIVERSAL,
                                         AFX_JOINT_CYLINDRICAL};
    static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_ALPHA, AFX_SDIRK2};
    for (size_t c = 0; c < COUNT(cases); c++) {
        for (size_t k = 0; k < COUNT(kinds); k++) {
            for (size_t y = 0; y < COUNT(youngs); y++) {
                Arm arm = make_arm(kinds[k], youngs[y]);
                AfxDriveDef drive = rig_drive(cases[c].kind, arm.joint[1], 0);
                drive.target = swing();
                drive.stiffness = cases[c].stiffness;
                drive.damping = cases[c].damping;
                drive.effort = cases[c].effort;
                drive.coefficient = cases[c].coefficient;
                drive.radius = 0.02;
                drive.lower = cases[c].lower;
                drive.upper = cases[c].upper;
                rig_add_drive(&arm.rig, &drive);
                char what[120];
                AfxIntegrator integrator = integrators[(c + k) % COUNT(integrators)];
                snprintf(what, sizeof what, "%s on %s, young %g, integrator %d", cases[c].name,
                         afx_joint_kind_name(kinds[k]), youngs[y], integrator);
                run_arm(&arm, integrator, 30, what);
                rig_free(&arm.rig);
            }
        }
    }
}

static void cardan_angles_and_several_drives(void **state) {
    (void)state;
    for (size_t y = 0; y < COUNT(youngs); y++) {
        Arm arm = make_arm(AFX_JOINT_SPHERICAL, youngs[y]);
        for (uint32_t axis = 0; axis < 3; axis++) {
            AfxDriveDef drive = rig_drive(axis == 2 ? AFX_DRIVE_POSITION : AFX_DRIVE_SERVO, arm.joint[1], axis);
            drive.stiffness = 50;
            drive.damping = 2;
            drive.target = swing();
            rig_add_drive(&arm.rig, &drive);
            drive = rig_drive(AFX_DRIVE_SPRING, arm.joint[1], axis);
            drive.stiffness = 3;
            drive.rest = 0.2;
            rig_add_drive(&arm.rig, &drive);
        }
        run_arm(&arm, AFX_BDF2, 30, "Cardan angles");
        rig_free(&arm.rig);
    }
}

/* Motors that turn round and round, by a servo and by a gear: whole turns count. */
static void several_turns(void **state) {
    (void)state;
    Rig rig = rig_make(at(0, 0, -9.81));
    AfxJointId joint[3];
    for (uint32_t k = 0; k < 3; k++) {
        AfxBodyId body = rig_body(&rig, at(k, 0, 0), k ? ELASTIC : INFINITY);
        joint[k] = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, at(k, 0, 0.05), at(1, 0, 0));
    }
    AfxDriveDef drive = rig_drive(AFX_DRIVE_POSITION, joint[0], 0);
    drive.target = (AfxSignal){.kind = AFX_SIGNAL_POLYNOMIAL, .coefficients = {0, 20}};
    rig_add_drive(&rig, &drive);
    drive.kind = AFX_DRIVE_SERVO;
    drive.joint = joint[1];
    drive.stiffness = 1e4;
    drive.damping = 100;
    rig_add_drive(&rig, &drive);
    AfxCouplingDef gear = afx_default_coupling();
    AfxCouplingId id;
    gear.term_count = 2;
    gear.joint[0] = joint[0];
    gear.joint[1] = joint[2];
    gear.factor[0] = 1.5;
    gear.factor[1] = -1;
    assert_ok(afx_scene_add_coupling(rig.scene, &gear, &id));
    rig_start(&rig, AFX_BDF2, MANY);
    assert_met("several turns", rig_run(&rig, 100), MET);
    rig_free(&rig);
}

static void couplings(void **state) {
    (void)state;
    const double compliances[] = {0, 1e-3};
    for (size_t y = 0; y < COUNT(youngs); y++) {
        for (size_t c = 0; c < COUNT(compliances); c++) {
            Arm arm = make_arm(AFX_JOINT_CYLINDRICAL, youngs[y]);
            AfxCouplingDef def = afx_default_coupling();
            AfxCouplingId id;
            def.term_count = 3;
            for (uint32_t k = 0; k < 3; k++) {
                def.joint[k] = arm.joint[k / 2];
                def.axis[k] = k % 2;
                def.factor[k] = 1 - 0.7 * k;
            }
            def.compliance = compliances[c];
            assert_ok(afx_scene_add_coupling(arm.rig.scene, &def, &id));
            run_arm(&arm, AFX_BDF2, 30, c ? "elastic coupling" : "coupling");
            rig_free(&arm.rig);
        }
    }
}

static void springs_between_points_and_about_a_ball(void **state) {
    (void)state;
    for (size_t y = 0; y < COUNT(youngs); y++) {
        Arm arm = make_arm(AFX_JOINT_REVOLUTE, youngs[y]);
        AfxBodyId free = rig_body(&arm.rig, at(0.7, 0, 0), youngs[y]),
                  ball = rig_body(&arm.rig, at(1, 0, 0), youngs[y]);
        AfxSpringDef spring = afx_default_spring();
        AfxSpringId id;
        spring.body_a = arm.body[1];
        spring.body_b = free;
        spring.point_a = at(0.1, 0, 0);
        spring.rest_length = 0.1;
        spring.stiffness = 200;
        spring.damping = 3;
        assert_ok(afx_scene_add_spring(arm.rig.scene, &spring, &id));
        AfxJointDef def = afx_default_joint(AFX_JOINT_SPHERICAL);
        AfxJointId joint;
        def.base = arm.body[1];
        def.follower = ball;
        def.spring = (AfxJointSpring){at(3, 5, 7), at(0.1, 0.2, 0.1), afx_quat_from_axis_angle(at(0, 0.6, 0.8), 0.8)};
        assert_ok(afx_joint_place(arm.rig.scene, &def, afx_frame_along(at(0.8, 0, 0.1), at(1, 1, 1))));
        assert_ok(afx_scene_add_joint(arm.rig.scene, &def, &joint));
        run_arm(&arm, AFX_BDF2, 30, "springs");
        rig_free(&arm.rig);
    }
}

static void holds_wrenches_and_damping(void **state) {
    (void)state;
    static const AfxIntegrator integrators[] = {AFX_BDF2, AFX_BDF1, AFX_ALPHA, AFX_SDIRK2};
    for (size_t i = 0; i < COUNT(integrators); i++) {
        for (size_t y = 0; y < COUNT(youngs); y++) {
            Arm arm = make_arm(y ? AFX_JOINT_SPHERICAL : AFX_JOINT_REVOLUTE, youngs[y]);
            rig_body(&arm.rig, at(2, 0, 0), youngs[y]); /* one that nothing else holds, and one that nothing does */
            rig_body(&arm.rig, at(3, 0, 0), youngs[y]);
            for (uint32_t body = 0; body < 4; body++) {
                AfxBodyDef def;
                AfxBodyId id = afx_scene_body(arm.rig.scene, body);
                assert_ok(afx_scene_get_body(arm.rig.scene, id, &def));
                def.linear_damping = 0.7;
                def.angular_damping = 1.3;
                def.angular_velocity = at(0, body < 2 ? 0 : 3, 1);
                assert_ok(afx_scene_set_body(arm.rig.scene, id, &def));
                AfxWrenchDef wrench = afx_default_wrench();
                wrench.body = id;
                wrench.frame = body % 2 ? AFX_FRAME_BODY : AFX_FRAME_WORLD;
                wrench.point = at(0.1, 0.05, -0.02);
                wrench.force = at(1, 2, 3);
                wrench.torque = at(0.1, -0.2, 0.3);
                AfxWrenchId added;
                assert_ok(afx_scene_add_wrench(arm.rig.scene, &wrench, &added));
            }
            rig_start(&arm.rig, integrators[i], MANY);
            const AfxWrench more[4] = {{at(3, 0, 0), at(0, 0, 0.1)},
                                       {at(0, 0, 5), at(0.1, 0, 0)},
                                       {at(0, 0, 0), at(0, 0, 0)},
                                       {at(0, 1, 0), at(0, 0, 0)}};
            assert_ok(afx_sim_set_body_wrenches(arm.rig.sim, more));
            assert_met("wrenches", rig_run(&arm.rig, 5), MET);
            for (uint32_t body = 1; body < 3; body++) {
                AfxVec3 rest[4] = {at(0.1, 0, 0.05), at(1, 0, 0), at(0, 1, 0), at(0, 0, 1)}, now[4];
                assert_ok(afx_sim_control_points(arm.rig.sim, body, rest, now, NULL));
                now[0].x += 0.02;
                assert_ok(afx_sim_hold(arm.rig.sim, body, rest[0], now[0], body == 1 ? 500 : 1e5, 20));
            }
            assert_met("holds", rig_run(&arm.rig, 10), MET);
            for (int k = 0; k < 10; k++) { /* targets that move: stages in between are on their way */
                assert_ok(afx_sim_hold(arm.rig.sim, 1, at(0.1, 0, 0.05), at(0.5 + 0.01 * k, 0.1, 0.1), 500, 20));
                assert_met("moved holds", rig_run(&arm.rig, 1), MET);
            }
            rig_free(&arm.rig);
        }
    }
}

static void joints_that_are_off_and_bases_that_move(void **state) {
    (void)state;
    for (size_t y = 0; y < COUNT(youngs); y++) {
        Rig rig = rig_make(at(0, 0, -9.81));
        AfxBodyDef base = afx_default_body();
        AfxBodyId moving, a, b;
        base.kind = AFX_BODY_KINEMATIC;
        base.motion.translation[0] = swing();
        base.motion.axis = at(0, 0.6, 0.8);
        base.motion.angle = swing();
        assert_ok(afx_scene_add_body(rig.scene, &base, &moving));
        a = rig_body(&rig, at(0.3, 0, 0), youngs[y]);
        b = rig_body(&rig, at(0.6, 0, 0), youngs[y]);
        AfxJointId first = rig_joint(&rig, AFX_JOINT_REVOLUTE, moving, a, at(0.15, 0, 0), at(0, 1, 0));
        rig_joint(&rig, AFX_JOINT_REVOLUTE, a, b, at(0.45, 0, 0), at(0, 1, 0));
        AfxDriveDef drive = rig_drive(AFX_DRIVE_SPRING, first, 0);
        drive.stiffness = 20;
        drive.damping = 1;
        rig_add_drive(&rig, &drive);
        rig_start(&rig, AFX_BDF2, MANY);
        assert_met("moving base", rig_run(&rig, 15), MET);
        assert_ok(afx_sim_set_joint_active(rig.sim, 1, false));
        assert_met("switched off", rig_run(&rig, 15), MET);
        rig_free(&rig);
    }
}

int run_law_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_drive),
        cmocka_unit_test(cardan_angles_and_several_drives),
        cmocka_unit_test(several_turns),
        cmocka_unit_test(couplings),
        cmocka_unit_test(springs_between_points_and_about_a_ball),
        cmocka_unit_test(holds_wrenches_and_damping),
        cmocka_unit_test(joints_that_are_off_and_bases_that_move),
    };
    return cmocka_run_group_tests_name("solve laws", tests, NULL, NULL);
}
