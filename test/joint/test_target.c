/* SPDX-License-Identifier: Apache-2.0 */
/* Drives on all axes of a joint, told by poses. */
#include "tests.h"

/* A body on a joint of the world, with drives from input on all axes. */
static Rig driven(AfxJointKind kind, AfxDriveKind drive) {
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyDef body = rigid_def(2, 0.1, 0.2, 0.25);
    AfxDriveDef def = afx_default_drive(drive);
    AfxDriveId drives[6];
    AfxBodyId id = rig_body(&rig, &body);
    def.joint = rig_joint(&rig, kind, afx_world(), id, (AfxPose){v3(0, 0, 0), {1, 0, 0, 0}});
    def.from_input = true;
    def.stiffness = 1e7;
    def.damping = 1e4;
    assert_ok(afx_scene_add_joint_drives(rig.scene, &def, drives));
    assert_int_equal(afx_scene_drive_count(rig.scene), afx_joint_axis_count(kind));
    return rig;
}

/* A way along a curve, turning evenly about a skew axis: two turns, on which the middle angle comes near 90 degrees. */
static AfxPose way(double t, double share, AfxTwist *out_twist) {
    const AfxVec3 axis = {1 / sqrt(14.0), 3 / sqrt(14.0), 2 / sqrt(14.0)};
    const double turn = 3;
    out_twist->linear = v3(0.2 * share, 0.6 * share * cos(2 * t), 0);
    out_twist->angular = v3(turn * axis.x, turn * axis.y, turn * axis.z);
    return (AfxPose){v3(0.2 * share * t, 0.3 * share * sin(2 * t), 0), q_about(axis, turn * t)};
}

static void follow(AfxJointKind kind, AfxDriveKind drive, double tolerance) {
    Rig rig = driven(kind, drive);
    AfxSimDef def = accurate_def(AFX_BDF2, 0.01);
    rig_start(&rig, &def);
    for (int k = 1; k <= 420; k++) {
        AfxTwist twist;
        AfxPose wanted = way(0.01 * k, kind == AFX_JOINT_FREE, &twist), found;
        assert_ok(afx_sim_set_joint_target(rig.sim, 0, wanted, twist));
        rig_run(&rig, 1, NULL);
        assert_ok(afx_sim_body_pose(rig.sim, 0, &found));
        AfxVec3 a = q_rotate(found.rotation, v3(1, 2, 3)), b = q_rotate(wanted.rotation, v3(1, 2, 3));
        double off = fabs(a.x - b.x) + fabs(a.y - b.y) + fabs(a.z - b.z) + fabs(found.position.x - wanted.position.x) +
                     fabs(found.position.y - wanted.position.y) + fabs(found.position.z - wanted.position.z);
        if (!(off < tolerance)) {
            fail_msg("step %d: off by %g", k, off);
        }
    }
    rig_free(&rig);
}

static void test_follow(void **state) {
    (void)state;
    follow(AFX_JOINT_FREE, AFX_DRIVE_POSITION, 1e-8);
    follow(AFX_JOINT_SPHERICAL, AFX_DRIVE_POSITION, 1e-8);
}

/* Kinds with one or two rotations, and what they cannot do. */
static void test_kinds(void **state) {
    (void)state;
    AfxTwist rest = {{0, 0, 0}, {0, 0, 0}};
    AfxSimDef def = accurate_def(AFX_BDF2, 0.01);
    const struct {
        AfxJointKind kind;
        AfxPose pose;
    } runs[] = {{AFX_JOINT_REVOLUTE, {{0, 0, 0}, q_about(v3(1, 0, 0), 0.05)}},
                {AFX_JOINT_PLANAR, {{0.02, -0.03, 0}, q_about(v3(0, 0, 1), -0.04)}},
                {AFX_JOINT_CYLINDRICAL, {{0.02, 0, 0}, q_about(v3(1, 0, 0), 0.03)}}};
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        Rig rig = driven(runs[k].kind, AFX_DRIVE_POSITION);
        AfxPose found, wrong = {{0, 0, 0.1}, q_about(v3(0, 1, 0), 0.1)};
        rig_start(&rig, &def);
        assert_ok(afx_sim_set_joint_target(rig.sim, 0, runs[k].pose, rest));
        assert_int_equal(afx_sim_set_joint_target(rig.sim, 0, wrong, rest), AFX_E_INPUT);
        rig_run(&rig, 1, NULL);
        assert_ok(afx_sim_body_pose(rig.sim, 0, &found));
        assert_true(fabs(found.position.x - runs[k].pose.position.x) < 1e-10);
        assert_true(fabs(found.position.y - runs[k].pose.position.y) < 1e-10);
        assert_true(fabs(found.rotation.w * runs[k].pose.rotation.x - found.rotation.x * runs[k].pose.rotation.w) <
                    1e-10);
        assert_int_equal(afx_sim_set_joint_target(rig.sim, 1, wrong, rest), AFX_E_ARGUMENT);
        wrong.position.x = NAN;
        assert_int_equal(afx_sim_set_joint_target(rig.sim, 0, wrong, rest), AFX_E_ARGUMENT);
        rig_free(&rig);
    }
    Rig plain = rig_make(v3(0, 0, 0));
    AfxBodyDef body = rigid_def(1, 1, 1, 1);
    AfxBodyId id = rig_body(&plain, &body);
    rig_joint(&plain, AFX_JOINT_SPHERICAL, afx_world(), id, (AfxPose){v3(0, 0, 0), {1, 0, 0, 0}});
    rig_start(&plain, &def);
    assert_int_equal(afx_sim_set_joint_target(plain.sim, 0, runs[0].pose, rest), AFX_E_ARGUMENT);
    rig_free(&plain);
}

int run_target_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_follow), cmocka_unit_test(test_kinds)};
    return cmocka_run_group_tests_name("targets by poses", tests, NULL, NULL);
}
