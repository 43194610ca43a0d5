/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse kinematics: postures that were drawn are found again, by poses, by positions, by markers over time; limits
 * and loops hold; what cannot be reached is come nearest to; long chains are no trouble. */
#include "affix/kinematics.h"

#include "affix/dynamics.h"
#include "tests.h"

enum { MOST = 64 };

static const char panda[] =
    "<mujoco><compiler angle='radian'/><worldbody>"
    "<body pos='0 0 .333'><joint name='j1' axis='0 0 1' range='-2.8 2.8' limited='true'/><geom size='.05'/>"
    "<body quat='1 -1 0 0'><joint name='j2' axis='0 0 1' range='-1.7 1.7' limited='true'/><geom size='.05'/>"
    "<body pos='0 -.316 0' quat='1 1 0 0'><joint name='j3' axis='0 0 1' range='-2.8 2.8' limited='true'/><geom "
    "size='.05'/>"
    "<body pos='.0825 0 0' quat='1 1 0 0'><joint name='j4' axis='0 0 1' range='-3 -.1' limited='true'/><geom "
    "size='.05'/>"
    "<body pos='-.0825 .384 0' quat='1 -1 0 0'><joint name='j5' axis='0 0 1' range='-2.8 2.8' limited='true'/><geom "
    "size='.05'/>"
    "<body quat='1 1 0 0'><joint name='j6' axis='0 0 1' range='0 3.7' limited='true'/><geom size='.05'/>"
    "<body pos='.088 0 0' quat='1 1 0 0'><joint name='j7' axis='0 0 1' range='-2.8 2.8' limited='true'/><geom "
    "size='.05'/>"
    "<site name='hand' pos='0 0 .2' quat='.9 0 0 .4'/></body></body></body></body></body></body></body>"
    "</worldbody></mujoco>";

typedef struct Robot {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
} Robot;

static Robot robot_from(const char *text) {
    Robot robot = {.scene = scene_from(text, AFX_FORMAT_MJCF)};
    robot.sim = sim_of(robot.scene, &robot.model);
    return robot;
}

static void robot_free(Robot *robot) {
    afx_sim_destroy(robot->sim);
    afx_model_destroy(robot->model);
    afx_scene_destroy(robot->scene);
}

static double apart(AfxVec3 a, AfxVec3 b) {
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static void poses_are_reached(void **state) {
    (void)state;
    Robot robot = robot_from(panda);
    static const double home[7] = {0, -0.4, 0, -2.2, 0, 1.8, 0.8};
    static const double low[7] = {-2.8, -1.7, -2.8, -3, -2.8, 0, -2.8}, high[7] = {2.8, 1.7, 2.8, -0.1, 2.8, 3.7, 2.8};
    uint64_t seed = 4;
    int reached = 0;
    for (int trial = 0; trial < 100; trial++) {
        double q[7], found[7];
        AfxPose goal, got;
        for (int k = 0; k < 7; k++) { /* up to .7 rad from home, within limits */
            q[k] = fmin(fmax(home[k] + 1.4 * (random_unit(&seed) - 0.5), low[k]), high[k]);
        }
        assert_ok(afx_sim_set_qpos(robot.sim, q));
        assert_ok(afx_sim_site(robot.sim, 0, &goal, NULL));
        assert_ok(afx_sim_set_qpos(robot.sim, home));
        AfxFrameTarget target = afx_default_frame_target(0, goal);
        AfxReachDef def = afx_default_reach();
        AfxReachReport report;
        def.targets = &target;
        def.target_count = 1;
        assert_ok(afx_sim_inverse_kinematics(robot.sim, &def, &report));
        assert_ok(afx_sim_qpos(robot.sim, found));
        assert_ok(afx_sim_site(robot.sim, 0, &got, NULL));
        for (int k = 0; k < 7; k++) {
            assert_true(found[k] >= low[k] - 1e-12 && found[k] <= high[k] + 1e-12);
        }
        assert_true(report.converged == (report.error <= def.tolerance));
        if (report.converged) {
            assert_below(apart(got.position, goal.position), 1e-8);
            double dot = got.rotation.w * goal.rotation.w + got.rotation.x * goal.rotation.x +
                         got.rotation.y * goal.rotation.y + got.rotation.z * goal.rotation.z;
            assert_near(fabs(dot), 1, 1e-12);
        }
        reached += report.converged;
    }
    assert_true(reached >= 97); /* the others end at limits: a minimum of their own */
    robot_free(&robot);
}

/* Two bars of a metre: the elbow's angle in closed form; beyond reach the arm points to the goal; a limit holds. */
static void a_planar_arm_has_a_closed_form(void **state) {
    (void)state;
    Robot robot =
        robot_from("<mujoco><compiler angle='radian'/><worldbody><body><joint name='a' axis='0 -1 0'/>"
                   "<geom size='.1' pos='.5 0 0'/><body pos='1 0 0'><joint name='b' axis='0 -1 0' range='0 2' "
                   "limited='true'/><geom size='.1' pos='.5 0 0'/><site name='tip' pos='1 0 0'/></body></body>"
                   "</worldbody></mujoco>");
    AfxReachDef def = afx_default_reach();
    AfxReachReport report;
    const double start[2] = {0.3, 0.5};
    const struct {
        AfxVec3 goal;
        double a, b, error;
    } cases[] = {{{1, 0, 1}, 0, 1.5707963267948966, 0},
                 {{0, 0, 3}, 1.5707963267948966, 0, 1},
                 {{0.4, 0, 0}, -1, 2, 2 * cos(1) - 0.4}}; /* folded as far as the limit lets it */
    for (int k = 0; k < 3; k++) {
        double q[2];
        AfxFrameTarget target = afx_default_frame_target(0, (AfxPose){cases[k].goal, {1, 0, 0, 0}});
        target.rotation_weight = 0;
        def.targets = &target;
        def.target_count = 1;
        assert_ok(afx_sim_set_qpos(robot.sim, start));
        assert_ok(afx_sim_inverse_kinematics(robot.sim, &def, &report));
        assert_ok(afx_sim_qpos(robot.sim, q));
        assert_near(q[0], cases[k].a, k == 0 ? 1e-8 : 1e-4);
        assert_near(q[1], cases[k].b, k == 0 ? 1e-8 : 1e-4);
        assert_near(report.error, cases[k].error, 1e-8);
        assert_int_equal(report.at_limits, k == 0 ? 0 : 1);
    }
    bool locked[2] = {true, false};
    AfxFrameTarget target = afx_default_frame_target(0, (AfxPose){{1, 0, 1}, {1, 0, 0, 0}});
    double q[2];
    def.locked = locked;
    def.targets = &target;
    assert_ok(afx_sim_set_qpos(robot.sim, start));
    assert_ok(afx_sim_inverse_kinematics(robot.sim, &def, &report));
    assert_ok(afx_sim_qpos(robot.sim, q));
    assert_near(q[0], start[0], 1e-15);
    assert_true(fabs(q[1] - start[1]) > 0.1);
    robot_free(&robot);
}

/* A four-bar and a gear: the loop stays closed, and what is found is the posture that was drawn. */
static void loops_stay_closed(void **state) {
    (void)state;
    Robot robot = robot_from(
        "<mujoco><compiler angle='radian'/><worldbody><body name='crank'><joint name='a' axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 0 0 .3' size='.02'/><body name='coupler' pos='0 0 .3'><joint name='b' "
        "axis='0 1 0'/>"
        "<geom type='capsule' fromto='0 0 0 1 0 .2' size='.02'/><site name='mid' pos='.5 0 .1'/><body name='rocker' "
        "pos='1 0 .2'>"
        "<joint name='c' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.5' size='.02'/></body></body></body>"
        "<body pos='-1 0 0'><joint name='g' axis='0 1 0'/><geom size='.1'/></body></worldbody>"
        "<equality><connect body1='rocker' anchor='0 0 -.5'/><joint joint1='g' joint2='a' polycoef='0 2 0 0 "
        "0'/></equality></mujoco>");
    AfxReachDef def = afx_default_reach();
    AfxReachReport reports[20];
    AfxVec3 path[20];
    double qpos[20][4], want[20][4];
    AfxPose pose;
    double residual;
    for (int k = 0; k < 20; k++) {
        double q[4] = {0.05 * k, 0, 0, 0.1 * k};
        if (k > 0) {
            memcpy(q + 1, want[k - 1] + 1, 2 * sizeof *q);
        }
        bool locked[4] = {true, false, false, false};
        AfxReachDef close = afx_default_reach(); /* no target: closes the loops with the crank where it is */
        close.locked = locked;
        assert_ok(afx_sim_set_qpos(robot.sim, q));
        assert_ok(afx_sim_inverse_kinematics(robot.sim, &close, &reports[0]));
        assert_ok(afx_sim_qpos(robot.sim, want[k]));
        assert_near(want[k][0], 0.05 * k, 1e-12);
        assert_ok(afx_sim_site(robot.sim, 0, &pose, NULL));
        path[k] = pose.position;
    }
    AfxFrameTarget target = afx_default_frame_target(0, pose);
    target.rotation_weight = 0;
    def.targets = &target;
    def.target_count = 1;
    assert_ok(afx_sim_set_qpos(robot.sim, want[0]));
    assert_ok(afx_sim_fit(robot.sim, &def, 20, path, &qpos[0][0], reports));
    for (int k = 0; k < 20; k++) {
        assert_true(reports[k].converged);
        assert_below(reports[k].open, 1e-12);
        for (int c = 0; c < 4; c++) {
            assert_near(qpos[k][c], want[k][c], 1e-7);
        }
        assert_near(qpos[k][3], 2 * qpos[k][0], 1e-11);
    }
    assert_ok(afx_sim_check_joints(robot.sim, NULL));
    assert_ok(afx_sim_assemble(robot.sim, &residual));
    assert_below(residual, 1e-12);
    robot_free(&robot);
}

/* Every body of a free tree has three markers: its posture is found from up to a third of a turn away, balls and base
 * included. */
static void markers_tell_all(void **state) {
    (void)state;
    static const char text[] =
        "<mujoco><worldbody><body name='base' pos='0 0 1'><freejoint/><geom size='.1'/><site name='a0' pos='.2 0 0'/>"
        "<site name='a1' pos='0 .2 0'/><site name='a2' pos='0 0 .2'/><body pos='.3 0 0'><joint type='ball'/><geom "
        "size='.1'/>"
        "<site name='b0' pos='.2 0 0'/><site name='b1' pos='0 .2 0'/><site name='b2' pos='0 0 .2'/><body pos='.3 0 0'>"
        "<joint axis='0 1 1'/><joint type='slide' axis='1 0 0'/><geom size='.1'/><site name='c0' pos='.2 0 0'/>"
        "<site name='c1' pos='0 .2 0'/><site name='c2' pos='0 0 .2'/></body></body></body></worldbody></mujoco>";
    Robot robot = robot_from(text);
    uint32_t nq = afx_model_qpos_count(robot.model);
    uint64_t seed = 9;
    double start[MOST], want[MOST], got[MOST];
    assert_ok(afx_sim_qpos(robot.sim, start));
    for (int trial = 0; trial < 20; trial++) {
        AfxFrameTarget target[9];
        AfxReachDef def = afx_default_reach();
        AfxReachReport report;
        for (uint32_t k = 0; k < nq; k++) { /* quaternions within a third of a turn, too */
            want[k] = start[k] + (2 * random_unit(&seed) - 1) * (start[k] == 1 && k > 2 ? 0.2 : 0.4);
        }
        assert_ok(afx_sim_set_qpos(robot.sim, want));
        assert_ok(afx_sim_qpos(robot.sim, want));
        for (uint32_t k = 0; k < 9; k++) {
            AfxPose pose;
            assert_ok(afx_sim_site(robot.sim, k, &pose, NULL));
            target[k] = afx_default_frame_target(k, pose);
            target[k].rotation_weight = 0;
        }
        def.targets = target;
        def.target_count = 9;
        assert_ok(afx_sim_set_qpos(robot.sim, start));
        assert_ok(afx_sim_inverse_kinematics(robot.sim, &def, &report));
        assert_true(report.converged);
        assert_ok(afx_sim_qpos(robot.sim, got));
        for (uint32_t k = 0; k < nq; k++) {
            assert_near(got[k], want[k], 1e-6);
        }
    }
    robot_free(&robot);
}

/* A chain of 600 hinges, its axes in turn, with a marker on each link, from straight to a coil. */
static void long_chains_are_fitted(void **state) {
    (void)state;
    enum { LINKS = 600 };
    AfxScene *scene = scene_make((AfxVec3){0, 0, 0}, false);
    AfxBodyId last = afx_world();
    AfxFrameTarget target[LINKS];
    double q[LINKS], got[LINKS];
    for (uint32_t k = 0; k < LINKS; k++) {
        AfxBodyDef def = rigid_def(1, 0.1, 0.1, 0.1);
        AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
        AfxBodyId body;
        AfxJointId id;
        AfxSiteId site;
        def.pose.position = (AfxVec3){k, 0, 0};
        assert_ok(afx_scene_add_body(scene, &def, &body));
        joint.base = last;
        joint.follower = body;
        AfxQuat turn = k % 3 == 0   ? afx_quat_from_axis_angle((AfxVec3){0, 1, 0}, -1.5707963267948966)
                       : k % 3 == 1 ? afx_quat_from_axis_angle((AfxVec3){0, 0, 1}, 1.5707963267948966)
                                    : (AfxQuat){1, 0, 0, 0};
        assert_ok(afx_joint_place(scene, &joint, (AfxPose){{k, 0, 0}, turn}));
        assert_ok(afx_scene_add_joint(scene, &joint, &id));
        assert_ok(afx_scene_add_site(scene, body, NULL, (AfxPose){{1, 0.3, 0.2}, {1, 0, 0, 0}}, &site));
        last = body;
        q[k] = 0.05 * sin(0.02 * k) + 0.03;
    }
    AfxModel *model;
    AfxSim *sim = sim_of(scene, &model);
    double start[LINKS];
    AfxReachDef def = afx_default_reach();
    AfxReachReport report;
    assert_int_equal(afx_model_qpos_count(model), LINKS);
    assert_ok(afx_sim_set_qpos(sim, q));
    for (uint32_t k = 0; k < LINKS; k++) {
        AfxPose pose;
        assert_ok(afx_sim_site(sim, k, &pose, NULL));
        target[k] = afx_default_frame_target(k, pose);
        target[k].rotation_weight = 0;
    }
    def.targets = target;
    def.target_count = LINKS;
    def.tolerance = 1e-6;
    for (int from = 0; from < 2; from++) { /* straight, and near */
        for (uint32_t k = 0; k < LINKS; k++) {
            start[k] = 0.9 * from * q[k];
        }
        assert_ok(afx_sim_set_qpos(sim, start));
        assert_ok(afx_sim_inverse_kinematics(sim, &def, &report));
        assert_true(report.converged);
        assert_ok(afx_sim_qpos(sim, got));
        for (uint32_t k = 0; k < LINKS; k++) {
            assert_near(got[k], q[k], 1e-5);
        }
    }
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
}

static void misuse_is_refused(void **state) {
    (void)state;
    Robot robot = robot_from(panda);
    AfxReachDef def = afx_default_reach(), blank = {0};
    AfxFrameTarget target = afx_default_frame_target(0, afx_pose_identity());
    def.target_count = 1;
    assert_int_equal(afx_sim_inverse_kinematics(robot.sim, &def, NULL), AFX_E_ARGUMENT);
    def.targets = &target;
    target.site = 1;
    assert_int_equal(afx_sim_inverse_kinematics(robot.sim, &def, NULL), AFX_E_ARGUMENT);
    target.site = 0;
    target.target.position.x = NAN;
    assert_int_equal(afx_sim_inverse_kinematics(robot.sim, &def, NULL), AFX_E_ARGUMENT);
    target.target.position.x = 0;
    target.position_weight = -1;
    assert_int_equal(afx_sim_inverse_kinematics(robot.sim, &def, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_inverse_kinematics(NULL, &def, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_sim_inverse_kinematics(robot.sim, &blank, NULL), AFX_E_VERSION);
    target.position_weight = 1;
    assert_int_equal(afx_sim_fit(robot.sim, &def, 1, NULL, NULL, NULL), AFX_E_ARGUMENT);
    uint32_t site = 7;
    AfxPose pose;
    double q[7] = {0};
    assert_int_equal(afx_sim_forward_kinematics(robot.sim, q, 1, &site, &pose), AFX_E_ARGUMENT);
    q[3] = NAN;
    assert_int_equal(afx_sim_forward_kinematics(robot.sim, q, 0, NULL, NULL), AFX_E_ARGUMENT);
    robot_free(&robot);
}

int run_kinematics_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_are_reached),      cmocka_unit_test(a_planar_arm_has_a_closed_form),
        cmocka_unit_test(loops_stay_closed),      cmocka_unit_test(markers_tell_all),
        cmocka_unit_test(long_chains_are_fitted), cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests_name("kinematics", tests, NULL, NULL);
}
