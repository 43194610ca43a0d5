/* SPDX-License-Identifier: Apache-2.0 */
/* Wrenches and damping on jointed bodies: driven and braked about or along a free axis, and borne by a fixed joint. */
#include "tests.h"

static void load(Rig *rig, AfxBodyId body, AfxFrame frame, AfxVec3 point, AfxVec3 force, AfxVec3 torque) {
    AfxWrenchDef def = afx_default_wrench();
    AfxWrenchId id;
    def.body = body;
    def.frame = frame;
    def.point = point;
    def.force = force;
    def.torque = torque;
    assert_ok(afx_scene_add_wrench(rig->scene, &def, &id));
}

/* A wheel on a hinge through its centre: I a" = torque, given as a torque or as a force at the rim, in either frame.
 * The angles are those of a wheel that starts at rest. */
static double wheel_angle(AfxFrame frame, bool rim) {
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(3, 0.2, 0.3, 0.4);
    def.pose.rotation = q_about(v3(1, 2, 3), 0.8);
    AfxVec3 axis = q_rotate(def.pose.rotation, v3(0, 0, 1));
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_frame_along(v3(0, 0, 0), axis));
    AfxVec3 torque = rim ? v3(0, 0, 0) : frame == AFX_FRAME_BODY ? v3(0, 0, 0.8) : v3_scale(0.8, axis);
    load(&rig, body, frame, v3(0.5, 0, 0), rim ? v3(0, 1.6, 0) : v3(0, 0, 0), torque);
    AfxSimDef sim = accurate_def(AFX_ALPHA, 1e-3);
    rig_start(&rig, &sim);
    rig_run(&rig, 1000, NULL);
    double angle = rig_coordinate(&rig, joint, 0);
    rig_free(&rig);
    return angle;
}

static void a_torque_drives_a_wheel(void **state) {
    (void)state;
    assert_near(wheel_angle(AFX_FRAME_WORLD, false), 1, 1e-5);
    assert_near(wheel_angle(AFX_FRAME_BODY, false), 1, 1e-5);
    assert_near(wheel_angle(AFX_FRAME_BODY, true), 1, 1e-5);
}

/* Spun and pushed along a cylindrical joint with damping of both: each decays on its own. */
static void damping_brakes_turn_and_slide(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, 0));
    AfxBodyDef def = rigid_def(2, 0.1, 0.2, 0.2);
    def.angular_velocity = v3(2, 0, 0);
    def.linear_velocity = v3(1, 0, 0);
    def.linear_damping = 0.7;
    def.angular_damping = 1.5;
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint = rig_joint(&rig, AFX_JOINT_CYLINDRICAL, afx_world(), body, afx_pose_identity());
    AfxSimDef sim = accurate_def(AFX_BDF2, 1e-3);
    rig_start(&rig, &sim);
    rig_run(&rig, 1000, NULL);
    double slide_rate, turn_rate;
    assert_ok(afx_sim_joint_coordinate(rig.sim, joint.index, 0, NULL, &slide_rate));
    assert_ok(afx_sim_joint_coordinate(rig.sim, joint.index, 1, NULL, &turn_rate));
    assert_near(slide_rate, exp(-0.7), 1e-5);
    assert_near(turn_rate, 2 * exp(-1.5), 1e-5);
    assert_near(rig_coordinate(&rig, joint, 0), (1 - exp(-0.7)) / 0.7, 1e-5);
    assert_near(rig_coordinate(&rig, joint, 1), 2 * (1 - exp(-1.5)) / 1.5, 1e-5);
    rig_free(&rig);
}

/* A fixed joint bears every wrench on its body: force at a point and torque, in world and in body axes. */
static void a_fixed_joint_bears_wrenches(void **state) {
    (void)state;
    for (uint64_t number = 1; number <= 6; number++) {
        uint64_t seed = number;
        Rig rig = rig_make(v3(0, 0, 0));
        AfxBodyDef def = odd_def(&seed);
        AfxPose frame = random_pose(&seed, 1);
        def.pose = random_pose(&seed, 1);
        AfxBodyId body = rig_body(&rig, &def);
        AfxJointId joint = rig_joint(&rig, AFX_JOINT_FIXED, afx_world(), body, frame);
        AfxVec3 force = random_vec3(&seed, 5), torque = random_vec3(&seed, 5), point = random_vec3(&seed, 1);
        AfxFrame axes = number % 2 ? AFX_FRAME_WORLD : AFX_FRAME_BODY;
        load(&rig, body, axes, point, force, torque);
        AfxSimDef sim = afx_default_sim();
        rig_start(&rig, &sim);
        rig_run(&rig, 5, NULL);
        AfxQuat turn = axes == AFX_FRAME_BODY ? def.pose.rotation : (AfxQuat){1, 0, 0, 0};
        AfxVec3 at = v3_add(def.pose.position, q_rotate(def.pose.rotation, point));
        AfxVec3 push = q_rotate(turn, force);
        AfxVec3 moment = v3_add(q_rotate(turn, torque), v3_cross(v3_sub(at, frame.position), push));
        AfxQuat back = q_conjugate(frame.rotation);
        assert_vec3(rig_reaction(&rig, joint).force, v3_scale(-1, q_rotate(back, push)), 1e-9);
        assert_vec3(rig_reaction(&rig, joint).torque, v3_scale(-1, q_rotate(back, moment)), 1e-9);
        rig_free(&rig);
    }
}

int run_load_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torque_drives_a_wheel),
        cmocka_unit_test(damping_brakes_turn_and_slide),
        cmocka_unit_test(a_fixed_joint_bears_wrenches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
