/* SPDX-License-Identifier: Apache-2.0 */
/* A heavy top on a ball joint against Euler's equations about its fixed point. */
#include "tests.h"

/* Rotations by Runge-Kutta on Euler's equations about the fixed point: another form than joint_reference's. */
typedef struct Top {
    AfxQuat q;
    AfxVec3 momentum; /* about the fixed point, body axes */
} Top;

static const double top_mass = 15, top_arm = 1;
static const double top_inertia[3] = {0.234375 + 15, 0.234375 + 15, 0.46875}; /* about the fixed point */

static Top top_rate(Top t) {
    AfxVec3 w = v3(t.momentum.x / top_inertia[0], t.momentum.y / top_inertia[1], t.momentum.z / top_inertia[2]);
    AfxQuat r = q_multiply(t.q, (AfxQuat){0, w.x / 2, w.y / 2, w.z / 2});
    AfxVec3 weight = q_rotate(q_conjugate(t.q), v3(0, 0, -9.81 * top_mass));
    return (Top){r, v3_add(v3_cross(t.momentum, w), v3_cross(v3(0, 0, top_arm), weight))};
}

static Top top_move(Top t, double h, Top r) {
    AfxQuat q = {t.q.w + h * r.q.w, t.q.x + h * r.q.x, t.q.y + h * r.q.y, t.q.z + h * r.q.z};
    return (Top){q, v3_add(t.momentum, v3_scale(h, r.momentum))};
}

static Top top_step(Top t, double h) {
    Top a = top_rate(t), b = top_rate(top_move(t, h / 2, a)), c = top_rate(top_move(t, h / 2, b));
    Top d = top_rate(top_move(t, h, c));
    t = top_move(top_move(top_move(top_move(t, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
    double n = 1 / sqrt(t.q.w * t.q.w + t.q.x * t.q.x + t.q.y * t.q.y + t.q.z * t.q.z);
    t.q = (AfxQuat){n * t.q.w, n * t.q.x, n * t.q.y, n * t.q.z};
    return t;
}

static double top_error(double dt, double duration) {
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxBodyDef def = rigid_def(top_mass, 0.234375, 0.234375, 0.46875);
    AfxVec3 spin = v3(0.5, -4.61538, 150); /* body axes */
    def.pose.rotation = q_about(v3(1, 0, 0), 1.2);
    def.pose.position = q_rotate(def.pose.rotation, v3(0, 0, top_arm));
    def.angular_velocity = q_rotate(def.pose.rotation, spin);
    def.linear_velocity = v3_cross(def.angular_velocity, def.pose.position);
    AfxBodyId body = rig_body(&rig, &def);
    rig_joint(&rig, AFX_JOINT_SPHERICAL, afx_world(), body, afx_pose_identity());
    AfxSimDef sim = accurate_def(AFX_ALPHA, dt);
    Top top = {def.pose.rotation, v3(top_inertia[0] * spin.x, top_inertia[1] * spin.y, top_inertia[2] * spin.z)};
    double error = 0;
    int fine = (int)ceil(dt / 1e-4);
    rig_start(&rig, &sim);
    for (int n = 0; n < (int)lround(duration / dt); n++) {
        rig_run(&rig, 1, NULL);
        for (int k = 0; k < fine; k++) {
            top = top_step(top, dt / fine);
        }
        error = fmax(error, v3_distance(rig_pose(&rig, body).position, q_rotate(top.q, v3(0, 0, top_arm))));
    }
    rig_free(&rig);
    return error;
}

/* The top of the Lie-group benchmarks: 150 rad/s about its axis. A step must resolve that. */
static void a_heavy_top_converges_with_order_two(void **state) {
    (void)state;
    double error[3];
    for (int k = 0; k < 3; k++) {
        error[k] = top_error(1e-3 / (1 << k), 1);
    }
    print_message("heavy top: %.3g, %.3g, %.3g m\n", error[0], error[1], error[2]);
    assert_true(slope(error[0], error[1]) > 1.7);
    assert_true(slope(error[1], error[2]) > 1.85);
}

int run_top_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heavy_top_converges_with_order_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
