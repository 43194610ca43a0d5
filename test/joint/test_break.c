/* SPDX-License-Identifier: Apache-2.0 */
/* Joints that come and go: switched off and on by hand, declared off and switched on when aligned, and broken by the
 * first step that loads them beyond their strength. */
#include "tests.h"

static const double gravity = 9.81;

/* A body hung on the world by a fixed joint at its centre, with a wrench to load it. */
static AfxJointId add_hung(Rig *rig, double force, double torque, AfxBodyId *out_body) {
    AfxBodyDef def = rigid_def(2, 0.1, 0.12, 0.15);
    AfxJointDef joint = afx_default_joint(AFX_JOINT_FIXED);
    AfxWrenchDef wrench = afx_default_wrench();
    AfxWrenchId id;
    *out_body = rig_body(rig, &def);
    joint.base = afx_world();
    joint.follower = wrench.body = *out_body;
    joint.break_force = force;
    joint.break_torque = torque;
    assert_ok(afx_scene_add_wrench(rig->scene, &wrench, &id));
    return rig_joint_def(rig, &joint);
}

/* A load that grows step by step: the first step whose reaction is above the strength breaks the joint, and from there
 * the body falls freely. */
static void a_joint_breaks_at_its_force(void **state) {
    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        Rig rig = rig_make(v3(0, 0, -gravity));
        AfxBodyId body;
        AfxJointId joint = add_hung(&rig, turned ? 0 : 30, turned ? 3.05 : 0, &body);
        AfxSimDef sim = sim_def(AFX_BDF2, 0.01);
        int broke = 0;
        uint32_t flags;
        rig_start(&rig, &sim);
        for (int n = 1; n <= 60; n++) {
            double load = 0.25 * n; /* with the weight of 19.62 N: 30 N is passed at n = 42 */
            AfxWrench push = {turned ? v3(0, 0, 0) : v3(0, 0, -load), turned ? v3(0, 0.4 * load, 0) : v3(0, 0, 0)};
            assert_ok(afx_sim_set_wrench(rig.sim, 0, push));
            rig_run(&rig, 1, &flags);
            double reaction = turned ? 0.4 * load : 2 * gravity + load, strength = turned ? 3.05 : 30;
            if (!broke) {
                AfxWrench bears = rig_reaction(&rig, joint);
                assert_near(turned ? v3_norm(bears.torque) : v3_norm(bears.force), reaction, 1e-6);
                assert_int_equal((flags & AFX_STEP_BROKEN) != 0, reaction > strength);
            } else {
                assert_false(flags & AFX_STEP_BROKEN); /* once */
            }
            broke = broke ? broke : flags & AFX_STEP_BROKEN ? n : 0;
            assert_int_equal(afx_sim_joint_active(rig.sim, joint.index), broke == 0);
            assert_true(broke > 0 || v3_norm(rig_pose(&rig, body).position) < 1e-10);
        }
        assert_int_equal(broke, turned ? 31 : 42);
        rig_free(&rig);
    }
}

static void what_broke_falls_freely(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxBodyId body;
    AfxJointId joint = add_hung(&rig, 15, 0, &body); /* less than its weight: the first step breaks it */
    AfxSimDef sim = accurate_def(AFX_ALPHA, 1e-3);
    uint32_t flags;
    rig_start(&rig, &sim);
    rig_run(&rig, 1, &flags);
    assert_true(flags & AFX_STEP_BROKEN);
    assert_false(afx_sim_joint_active(rig.sim, joint.index));
    double begin = afx_sim_time(rig.sim);
    for (int n = 0; n < 500; n++) {
        rig_run(&rig, 1, NULL);
        double t = afx_sim_time(rig.sim) - begin;
        assert_vec3(rig_pose(&rig, body).position, v3(0, 0, -gravity * t * t / 2), 1e-5);
        assert_vec3(rig_twist(&rig, body).linear, v3(0, 0, -gravity * t), 1e-5);
    }
    assert_vec3(rig_reaction(&rig, joint).force, v3(0, 0, 0), 0);
    rig_free(&rig);
}

static void strength_can_be_set(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxBodyId body;
    AfxJointId joint = add_hung(&rig, 0, 0, &body); /* never breaks */
    AfxSimDef sim = afx_default_sim();
    const double most[2] = {19, 0};
    uint32_t flags;
    rig_start(&rig, &sim);
    rig_run(&rig, 50, &flags);
    assert_false(flags & AFX_STEP_BROKEN);
    assert_ok(afx_sim_set_param(rig.sim, AFX_PARAM_JOINT_BREAK, joint.index, most));
    rig_run(&rig, 1, &flags);
    assert_true(flags & AFX_STEP_BROKEN);
    rig_free(&rig);
}

/* A pendulum let go flies on with the velocity it had. */
static void a_joint_switched_off_lets_go(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxBodyDef def = rigid_def(2, 0.1, 0.12, 0.15);
    def.pose.position = v3(1, 0, 0);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint =
        rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_frame_along(v3(0, 0, 0), v3(0, 1, 0)));
    AfxSimDef sim = accurate_def(AFX_ALPHA, 1e-3);
    rig_start(&rig, &sim);
    rig_run(&rig, 400, NULL);
    AfxVec3 place = rig_pose(&rig, body).position;
    AfxTwist twist = rig_twist(&rig, body);
    assert_ok(afx_sim_set_joint_active(rig.sim, joint.index, false));
    assert_false(afx_sim_joint_active(rig.sim, joint.index));
    rig_run(&rig, 500, NULL);
    AfxVec3 want = v3_add(place, v3_add(v3_scale(0.5, twist.linear), v3(0, 0, -gravity * 0.125)));
    assert_vec3(rig_pose(&rig, body).position, want, 1e-4);
    assert_vec3(rig_twist(&rig, body).angular, twist.angular, 1e-3);
    assert_int_equal(afx_sim_set_joint_active(rig.sim, joint.index + 1, true), AFX_E_ARGUMENT);
    assert_false(afx_sim_joint_active(rig.sim, joint.index + 1));
    rig_free(&rig);
}

/* Two bodies at rest side by side, a weld between them declared but off: one falls alone; aligned again and switched on
 * they fall, and turn, as one. */
static void a_weld_is_switched_on_when_aligned(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
    AfxBodyId one = rig_body(&rig, &def);
    def.pose.position = v3(1, 0, 0);
    AfxBodyId two = rig_body(&rig, &def);
    AfxJointDef joint = afx_default_joint(AFX_JOINT_FIXED);
    AfxWrenchDef wrench = afx_default_wrench();
    AfxWrenchId id;
    joint.base = one;
    joint.follower = two;
    joint.active = false;
    assert_ok(afx_joint_place(rig.scene, &joint, (AfxPose){v3(0.5, 0, 0), {1, 0, 0, 0}}));
    AfxJointId weld = rig_joint_def(&rig, &joint);
    wrench.body = one;
    wrench.force = v3(0, 0, 1);
    assert_ok(afx_scene_add_wrench(rig.scene, &wrench, &id));
    AfxSimDef sim = accurate_def(AFX_ALPHA, 1e-3);
    rig_start(&rig, &sim);
    rig_run(&rig, 1000, NULL); /* off: the first alone goes up */
    assert_vec3(rig_pose(&rig, one).position, v3(0, 0, 0.5), 1e-6);
    assert_vec3(rig_pose(&rig, two).position, v3(1, 0, 0), 1e-12);
    for (uint32_t k = 0; k < 2; k++) {
        assert_ok(afx_sim_set_body_pose(rig.sim, k, (AfxPose){v3(k, 0, 0), {1, 0, 0, 0}}));
        assert_ok(afx_sim_set_body_twist(rig.sim, k, (AfxTwist){{0, 0, 0}, {0, 0, 0}}));
    }
    assert_ok(afx_sim_set_joint_active(rig.sim, weld.index, true));
    assert_true(afx_sim_joint_active(rig.sim, weld.index));
    /* 2 kg pushed 0.5 m off its centre: a = 1/2; about y, I = 2 (0.1 + 0.25), turned by force * 0.5 from x to z */
    double t = 0.2, turn = 0.5 / 0.7 * t * t / 2;
    assert_below(rig_run(&rig, 200, NULL), 1e-10);
    AfxPose a = rig_pose(&rig, one), b = rig_pose(&rig, two);
    assert_vec3(v3_scale(0.5, v3_add(a.position, b.position)), v3(0.5, 0, t * t / 4), 1e-4);
    assert_below(q_distance(a.rotation, b.rotation), 1e-9);
    assert_below(q_distance(a.rotation, q_about(v3(0, 1, 0), turn)), 1e-4);
    assert_near(v3_distance(a.position, b.position), 1, 1e-6);
    rig_free(&rig);
}

/* Off and on again within a run: the chain's end drops off and is caught by its joint where it is put back. */
static void unweld_and_weld_again(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -gravity));
    AfxBodyId body;
    AfxJointId joint = add_hung(&rig, 0, 0, &body);
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    rig_run(&rig, 20, NULL);
    assert_vec3(rig_pose(&rig, body).position, v3(0, 0, 0), 1e-10);
    assert_ok(afx_sim_set_joint_active(rig.sim, joint.index, false));
    rig_run(&rig, 20, NULL);
    assert_near(rig_pose(&rig, body).position.z, -gravity * 0.02, 1e-3);
    assert_ok(afx_sim_set_body_pose(rig.sim, body.index, afx_pose_identity()));
    assert_ok(afx_sim_set_body_twist(rig.sim, body.index, (AfxTwist){{0, 0, 0}, {0, 0, 0}}));
    assert_ok(afx_sim_set_joint_active(rig.sim, joint.index, true));
    assert_below(rig_run(&rig, 20, NULL), 1e-10);
    assert_vec3(rig_pose(&rig, body).position, v3(0, 0, 0), 1e-10);
    assert_vec3(rig_reaction(&rig, joint).force, v3(0, 0, 2 * gravity), 1e-6);
    rig_free(&rig);
}

/* What acts on a joint that is off rests too. */
static void drives_of_a_joint_that_is_off_rest(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(2, 0.1, 0.12, 0.15);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint =
        rig_joint(&rig, AFX_JOINT_PRISMATIC, afx_world(), body, afx_frame_along(v3(0, 0, 0), v3(0, 0, 1)));
    AfxDriveDef drive = afx_default_drive(AFX_DRIVE_FORCE);
    AfxDriveId id;
    double effort;
    drive.joint = joint;
    drive.target.coefficients[0] = 5;
    assert_ok(afx_scene_add_drive(rig.scene, &drive, &id));
    AfxSimDef sim = afx_default_sim();
    rig_start(&rig, &sim);
    assert_ok(afx_sim_set_joint_active(rig.sim, joint.index, false));
    rig_run(&rig, 100, NULL);
    assert_vec3(rig_pose(&rig, body).position, v3(0, 0, 0), 1e-12);
    assert_ok(afx_sim_drive_effort(rig.sim, id.index, &effort));
    assert_near(effort, 0, 0);
    rig_free(&rig);
}

int run_break_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_joint_breaks_at_its_force),
        cmocka_unit_test(what_broke_falls_freely),
        cmocka_unit_test(strength_can_be_set),
        cmocka_unit_test(a_joint_switched_off_lets_go),
        cmocka_unit_test(a_weld_is_switched_on_when_aligned),
        cmocka_unit_test(unweld_and_weld_again),
        cmocka_unit_test(drives_of_a_joint_that_is_off_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
