/* SPDX-License-Identifier: Apache-2.0 */
/* Motion that is given tells forces, forces that are given make motion, each joint its own way; a point of a body
 * follows a curve. Against inverse dynamics at the given accelerations, an equation of motion by hand, and angles by
 * trigonometry. */
#include "tests.h"

#define LENGTH 0.5
#define STEPS 200
#define DT 0.001

static AfxSignal sine(double amplitude, double frequency) {
    return (AfxSignal){.kind = AFX_SIGNAL_SINE, .coefficients = {0, amplitude, frequency, 0}};
}

static AfxSimDef hybrid_def(void) {
    AfxSimDef def = sim_def(AFX_RK4, DT);
    def.formulation = AFX_REDUCED;
    return def;
}

/* Two links that hang on each other in the plane y = 0, the first at the origin, along x at angles 0. */
static Rig arm_make(AfxBodyId link[2], AfxJointId joint[2]) {
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId last = afx_world();
    for (int k = 0; k < 2; k++) {
        AfxBodyDef def = rigid_def(1 + 0.5 * k, 0.01, 0.03, 0.03);
        def.pose.position = v3(LENGTH * (k + 0.5), 0, 0);
        link[k] = rig_body(&rig, &def);
        joint[k] = rig_joint(&rig, AFX_JOINT_REVOLUTE, last, link[k],
                             (AfxPose){v3(LENGTH * k, 0, 0), q_about(v3(0, 0, 1), PI / 2)});
        last = link[k];
    }
    return rig;
}

static uint32_t drive_add(Rig *rig, AfxDriveKind kind, AfxJointId joint, AfxSignal target) {
    AfxDriveDef drive = afx_default_drive(kind);
    AfxDriveId id;
    drive.joint = joint;
    drive.target = target;
    assert_ok(afx_scene_add_drive(rig->scene, &drive, &id));
    return afx_scene_drive_count(rig->scene) - 1;
}

/* What joint k is told to do: a sine that begins at 0. */
static double told(int k, double t, int derivative) {
    double size = k ? 0.7 : 0.4, w = 2 * PI * (k ? 1.5 : 1);
    return derivative == 0 ? size * sin(w * t) : derivative == 1 ? size * w * cos(w * t) : -size * w * w * sin(w * t);
}

static AfxSignal told_signal(int k) {
    return sine(k ? 0.7 : 0.4, k ? 1.5 : 1);
}

static void motion_tells_torque_and_torque_makes_motion(void **state) {
    (void)state;
    static double times[STEPS + 1], torque[2][STEPS + 1];
    AfxBodyId link[2];
    AfxJointId joint[2];
    AfxSimDef def = hybrid_def();
    Rig rig = arm_make(link, joint);
    uint32_t drive[2];
    for (int k = 0; k < 2; k++) {
        drive[k] = drive_add(&rig, AFX_DRIVE_POSITION, joint[k], told_signal(k));
    }
    rig_start(&rig, &def);
    for (int step = 0; step <= STEPS; step++) {
        double t = times[step] = step * DT, a[2] = {told(0, t, 2), told(1, t, 2)}, need[2], u[2] = {0, 0}, effort;
        if (step > 0) {
            rig_run(&rig, 1, NULL);
        } else { /* the start has no velocities yet: those that fit its drives come with the first step */
            u[0] = told(0, 0, 1);
            u[1] = told(1, 0, 1);
            assert_ok(afx_sim_set_dof_velocities(rig.sim, u));
        }
        assert_ok(afx_sim_inverse_dynamics(rig.sim, a, need));
        for (int k = 0; k < 2; k++) {
            torque[k][step] = need[k];
            assert_near(rig_coordinate(&rig, joint[k], 0), told(k, t, 0), 1e-12);
            if (step > 0) {
                assert_ok(afx_sim_drive_effort(rig.sim, drive[k], &effort));
                assert_near(effort, need[k], 2e-4);
            }
        }
    }
    rig_free(&rig);
    rig = arm_make(link, joint);
    for (int k = 0; k < 2; k++) {
        AfxSignal given = {.kind = AFX_SIGNAL_TABLE, .times = times, .values = torque[k], .sample_count = STEPS + 1};
        drive_add(&rig, AFX_DRIVE_FORCE, joint[k], given);
    }
    rig_start(&rig, &def);
    double u[2] = {told(0, 0, 1), told(1, 0, 1)};
    assert_ok(afx_sim_set_dof_velocities(rig.sim, u));
    rig_run(&rig, STEPS, NULL);
    for (int k = 0; k < 2; k++) {
        assert_near(rig_coordinate(&rig, joint[k], 0), told(k, STEPS * DT, 0), 1e-6);
    }
    rig_free(&rig);
}

/* ---- one joint is told, the other free ---- */

/* A pendulum on a carriage that goes by x(t): theta'' = (-g sin theta - x'' cos theta) m l / (I + m l²), theta from
 * straight down, by steps a hundred times as small. */
static double carried_pendulum(double theta, double mass, double arm, double inertia, double until) {
    double rate = 0, h = DT / 100, share = mass * arm / (inertia + mass * arm * arm);
    for (long k = 0; k < lround(until / h); k++) {
        double slope[4][2], at[2] = {theta, rate};
        for (int s = 0; s < 4; s++) {
            double fraction = s == 0 ? 0 : s == 3 ? 1 : 0.5, t = ((double)k + fraction) * h;
            at[0] = theta + (s ? fraction * h * slope[s - 1][0] : 0);
            at[1] = rate + (s ? fraction * h * slope[s - 1][1] : 0);
            slope[s][0] = at[1];
            slope[s][1] = share * (-9.81 * sin(at[0]) - told(0, t, 2) * cos(at[0]));
        }
        theta += h / 6 * (slope[0][0] + 2 * slope[1][0] + 2 * slope[2][0] + slope[3][0]);
        rate += h / 6 * (slope[0][1] + 2 * slope[1][1] + 2 * slope[2][1] + slope[3][1]);
    }
    return theta;
}

static void a_joint_that_is_told_moves_one_that_is_free(void **state) {
    (void)state;
    const double mass = 2, arm = 0.4, inertia = 0.05;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyDef carriage = rigid_def(3, 0.1, 0.1, 0.1), bob = rigid_def(mass, inertia, inertia, inertia);
    AfxSimDef def = hybrid_def();
    bob.pose.position = v3(0, 0, -arm);
    AfxBodyId a = rig_body(&rig, &carriage), b = rig_body(&rig, &bob);
    AfxJointId slide = rig_joint(&rig, AFX_JOINT_PRISMATIC, afx_world(), a, afx_pose_identity());
    rig_joint(&rig, AFX_JOINT_REVOLUTE, a, b, (AfxPose){v3(0, 0, 0), q_about(v3(0, 0, 1), PI / 2)});
    drive_add(&rig, AFX_DRIVE_POSITION, slide, told_signal(0));
    rig_start(&rig, &def);
    double u[2] = {told(0, 0, 1), 0}; /* the bob moves with the carriage, and does not turn */
    assert_ok(afx_sim_set_dof_velocities(rig.sim, u));
    rig_run(&rig, STEPS, NULL);
    AfxVec3 bob_at = rig_pose(&rig, b).position;
    double x = told(0, STEPS * DT, 0), theta = carried_pendulum(0, mass, arm, inertia, STEPS * DT);
    assert_near(rig_pose(&rig, a).position.x, x, 1e-12);
    assert_near(bob_at.x - x, arm * sin(theta), 1e-8);
    assert_near(bob_at.z, -arm * cos(theta), 1e-8);
    rig_free(&rig);
}

/* ---- a point on a curve ---- */

/* Where the tip goes: an ellipse that begins at `start`; angles of the links from the x axis, downwards positive. */
static void tip_at(double t, AfxVec3 start, double out_angle[2]) {
    double x = start.x + 0.1 * sin(2 * PI * t), z = start.z + 0.15 * sin(3 * PI * t), r2 = x * x + z * z;
    double bend = acos(r2 / (2 * LENGTH * LENGTH) - 1), middle = atan2(-z, x);
    out_angle[0] = middle - bend / 2;
    out_angle[1] = bend;
}

static void a_point_follows_a_curve(void **state) {
    (void)state;
    const AfxVec3 start = v3(LENGTH * cos(0.3) + LENGTH * cos(1.2), 0, -LENGTH * sin(0.3) - LENGTH * sin(1.2));
    AfxBodyId link[2], guide;
    AfxJointId joint[2], tip;
    AfxSimDef def = hybrid_def();
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyId last = afx_world();
    AfxVec3 at = v3(0, 0, 0);
    for (int k = 0; k < 2; k++) { /* at angles 0.3 and 0.3 + 0.9 */
        double angle = k ? 1.2 : 0.3;
        AfxBodyDef body = rigid_def(1 + 0.5 * k, 0.01, 0.03, 0.03);
        AfxJointDef hinge = afx_default_joint(AFX_JOINT_REVOLUTE);
        AfxVec3 along = v3(0.5 * LENGTH * cos(angle), 0, -0.5 * LENGTH * sin(angle));
        body.pose = (AfxPose){v3_add(at, along), q_about(v3(0, 1, 0), angle)};
        link[k] = rig_body(&rig, &body);
        hinge.base = last;
        hinge.follower = last = link[k];
        hinge.base_frame = (AfxPose){v3(k ? 0.5 * LENGTH : 0, 0, 0), q_about(v3(0, 0, 1), PI / 2)};
        hinge.follower_frame = (AfxPose){v3(-0.5 * LENGTH, 0, 0), q_about(v3(0, 0, 1), PI / 2)};
        joint[k] = rig_joint_def(&rig, &hinge);
        at = v3_add(at, v3_scale(2, along));
    }
    AfxBodyDef moved = afx_default_body();
    moved.kind = AFX_BODY_KINEMATIC;
    moved.pose.position = start;
    moved.motion = (AfxMotion){.translation = {sine(0.1, 1), sine(0, 1), sine(0.15, 1.5)}, .axis = v3(1, 0, 0)};
    guide = rig_body(&rig, &moved);
    tip = rig_joint(&rig, AFX_JOINT_SPHERICAL, guide, link[1], (AfxPose){start, afx_pose_identity().rotation});
    rig_start(&rig, &def);
    for (int step = 1; step <= STEPS; step++) {
        double t = step * DT, e = 1e-4, now[2], before[2], after[2], a[2], u[2], need[2], linear[3][2];
        rig_run(&rig, 1, NULL);
        tip_at(t, start, now);
        tip_at(t - e, start, before);
        tip_at(t + e, start, after);
        assert_ok(afx_sim_dof_velocities(rig.sim, u));
        for (int k = 0; k < 2; k++) {
            a[k] = (before[k] - 2 * now[k] + after[k]) / (e * e);
            assert_near(rig_coordinate(&rig, joint[k], 0), now[k], 1e-12);
            assert_near(u[k], (after[k] - before[k]) / (2 * e), 1e-5);
        }
        AfxVec3 force = rig_reaction(&rig, tip).force;
        assert_ok(afx_sim_inverse_dynamics(rig.sim, a, need));
        assert_ok(afx_sim_point_jacobian(rig.sim, 1, v3(0.5 * LENGTH, 0, 0), linear[0], NULL));
        for (int k = 0; k < 2; k++) { /* the guide's force is all that moves the arm */
            assert_near(linear[0][k] * force.x + linear[1][k] * force.y + linear[2][k] * force.z, need[k], 1e-3);
        }
    }
    rig_free(&rig);
}

int run_hybrid_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_tells_torque_and_torque_makes_motion),
        cmocka_unit_test(a_joint_that_is_told_moves_one_that_is_free),
        cmocka_unit_test(a_point_follows_a_curve),
    };
    return cmocka_run_group_tests_name("hybrid", tests, NULL, NULL);
}
