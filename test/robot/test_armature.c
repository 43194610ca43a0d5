/* SPDX-License-Identifier: Apache-2.0 */
/* Armature and couplings with inertia: what a torque meets, against closed forms; and that nobody sees how. */
#include "tests.h"

/* A hinge with a motor about z on a body of inertia 2 kg m^2, without gravity. */
static AfxScene *make_motor(double armature, AfxJointId *out_joint) {
    AfxScene *scene = scene_make((AfxVec3){0, 0, 0}, false);
    AfxBodyDef body = rigid_def(1, 2, 2, 2);
    AfxBodyId id;
    AfxDriveId drive;
    assert_ok(afx_scene_add_body(scene, &body, &id));
    AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
    joint.name = "hinge";
    joint.follower = id;
    joint.armature[0] = armature;
    assert_ok(afx_scene_add_joint(scene, &joint, out_joint));
    AfxDriveDef motor = afx_default_drive(AFX_DRIVE_FORCE);
    motor.joint = *out_joint;
    motor.target.coefficients[0] = 3;
    assert_ok(afx_scene_add_drive(scene, &motor, &drive));
    return scene;
}

static double rate_after(AfxSim *sim, int steps) {
    double rate;
    for (int k = 0; k < steps; k++) {
        assert_ok(afx_step(sim, NULL));
    }
    assert_ok(afx_sim_joint_coordinate(sim, 0, 0, NULL, &rate));
    return rate;
}

static void armature_is_inertia_that_nobody_sees(void **state) {
    (void)state;
    AfxJointId joint;
    AfxScene *scene = make_motor(4, &joint);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    AfxParamInfo info;
    AfxEnergy energy;
    AfxMomentum momentum;
    assert_int_equal(afx_model_body_count(model), 1);
    assert_int_equal(afx_model_joint_count(model), 1);
    assert_int_equal(afx_model_coordinate_count(model), 1);
    assert_int_equal(afx_model_qpos_count(model), 1);
    assert_ok(afx_model_param_info(model, AFX_PARAM_BODY_MASS, &info));
    assert_int_equal(info.count, 1);
    assert_ok(afx_model_param_info(model, AFX_PARAM_COUPLING, &info));
    assert_int_equal(info.count, 0);
    assert_int_equal(afx_model_joint_armature(model, 0, 0), 0);
    assert_int_equal(afx_model_joint_armature(model, 0, 1), UINT32_MAX);
    double rate = rate_after(sim, 100);
    assert_near(rate, 3.0 * 0.1 / 6, 1e-8); /* a rotation, of second order */
    assert_ok(afx_sim_energy(sim, &energy));
    assert_near(energy.kinetic, 0.5 * 6 * rate * rate, 1e-9);
    assert_ok(afx_sim_momentum(sim, &momentum));
    assert_near(momentum.mass, 1, 0);
    assert_near(momentum.linear.x, 0, 0);
    assert_near(momentum.angular.x, 2 * rate, 1e-10);
    double other = 1, read;
    assert_ok(afx_sim_set_param(sim, AFX_PARAM_JOINT_ARMATURE, 0, &other)); /* 3 kg m^2 from now on */
    assert_ok(afx_sim_param(sim, AFX_PARAM_JOINT_ARMATURE, 0, &read));
    assert_near(read, 1, 0);
    assert_int_equal(afx_sim_set_param(sim, AFX_PARAM_BODY_MASS, 1, &other), AFX_E_ARGUMENT);
    double again = rate_after(sim, 100);
    assert_near(again - rate, 3.0 * 0.1 / 3, 1e-3);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

/* Whatever sets a state sets what hangs on it: the next steps go as from a start there. */
static void states_take_rotors_along(void **state) {
    (void)state;
    AfxJointId joint;
    AfxScene *scene = make_motor(4, &joint);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model), *other = NULL;
    AfxSimDef def = afx_default_sim();
    def.dt = 1e-3;
    double q = 1.3, v = -2, got;
    sim_start(scene, &model, &other, &def);
    assert_ok(afx_sim_set_qpos(sim, &q));
    assert_ok(afx_sim_set_qvel(sim, &v));
    AfxPose pose;
    AfxTwist twist;
    assert_ok(afx_sim_body_pose(sim, 0, &pose));
    assert_ok(afx_sim_body_twist(sim, 0, &twist));
    assert_ok(afx_sim_set_body_pose(other, 0, pose));
    assert_ok(afx_sim_set_body_twist(other, 0, twist));
    for (int k = 0; k < 50; k++) {
        AfxStepReport report;
        assert_ok(afx_step(sim, &report));
        assert_below(report.violation, 1e-12);
        assert_ok(afx_step(other, &report));
    }
    assert_ok(afx_sim_qvel(sim, &got));
    assert_near(got, -2 + 3 * 0.05 / 6, 1e-6);
    assert_ok(afx_sim_qvel(other, &got));
    assert_near(got, -2 + 3 * 0.05 / 6, 1e-6);
    afx_sim_destroy(sim);
    afx_sim_destroy(other);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void armature_is_checked(void **state) {
    (void)state;
    AfxScene *scene = scene_make((AfxVec3){0, 0, 0}, false);
    AfxBodyDef body = rigid_def(1, 1, 1, 1);
    AfxBodyId id;
    AfxJointId made;
    assert_ok(afx_scene_add_body(scene, &body, &id));
    AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
    joint.follower = id;
    joint.armature[0] = -1;
    assert_int_equal(afx_scene_add_joint(scene, &joint, &made), AFX_E_INPUT);
    joint.armature[0] = NAN;
    assert_int_equal(afx_scene_add_joint(scene, &joint, &made), AFX_E_INPUT);
    joint.armature[0] = 0;
    joint.armature[1] = 1; /* a hinge has one axis */
    assert_int_equal(afx_scene_add_joint(scene, &joint, &made), AFX_E_INPUT);
    joint.armature[1] = 0;
    joint.armature[0] = 0.5;
    assert_ok(afx_scene_add_joint(scene, &joint, &made));
    AfxJointDef back;
    assert_ok(afx_scene_get_joint(scene, made, &back));
    assert_near(back.armature[0], 0.5, 0);
    afx_scene_destroy(scene);
}

/* Two sliders of 2 and 3 kg, and a servo along s = x + 2 y, of small inertia m: forces F and 2 F. */
static void tendons_pull_on_sums(void **state) {
    (void)state;
    AfxScene *scene = scene_make((AfxVec3){0, 0, 0}, false);
    AfxCouplingDef tendon = afx_default_coupling();
    AfxCouplingId id;
    AfxDriveId drive;
    const double masses[2] = {2, 3};
    for (int k = 0; k < 2; k++) {
        AfxBodyDef body = rigid_def(masses[k], 1, 1, 1);
        AfxBodyId at;
        assert_ok(afx_scene_add_body(scene, &body, &at));
        AfxJointDef joint = afx_default_joint(AFX_JOINT_PRISMATIC);
        joint.follower = at;
        assert_ok(afx_scene_add_joint(scene, &joint, &tendon.joint[k]));
        tendon.factor[k] = 1 + k;
    }
    tendon.name = "tendon";
    tendon.term_count = 2;
    tendon.inertia = 0.5;
    assert_ok(afx_scene_add_coupling(scene, &tendon, &id));
    AfxDriveDef motor = afx_default_drive(AFX_DRIVE_FORCE);
    motor.coupling = id;
    motor.target.coefficients[0] = 7;
    assert_ok(afx_scene_add_drive(scene, &motor, &drive));
    motor.kind = AFX_DRIVE_POSITION; /* a coupling without inertia does that */
    assert_int_equal(afx_scene_add_drive(scene, &motor, &drive), AFX_E_INPUT);
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    assert_int_equal(afx_model_body_count(model), 2);
    assert_int_equal(afx_model_joint_count(model), 2);
    for (int k = 0; k < 100; k++) {
        assert_ok(afx_step(sim, NULL));
    }
    /* x'' = f / 2, y'' = 2 f / 3, f = F - m s'', s'' = x'' + 2 y'' = f (1/2 + 4/3) */
    double c = 0.5 + 4.0 / 3, f = 7 / (1 + 0.5 * c), v[2];
    assert_ok(afx_sim_qvel(sim, v));
    assert_near(v[0], 0.1 * f / 2, 1e-11);
    assert_near(v[1], 0.1 * 2 * f / 3, 1e-11);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

int run_armature_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(armature_is_inertia_that_nobody_sees),
        cmocka_unit_test(states_take_rotors_along),
        cmocka_unit_test(armature_is_checked),
        cmocka_unit_test(tendons_pull_on_sums),
    };
    return cmocka_run_group_tests_name("armature", tests, NULL, NULL);
}
