/* SPDX-License-Identifier: Apache-2.0 */
/* Pendulums. One on a hinge against its scalar equation, angle and joint force from the first step on, with the order
 * of each method; published periods and places; a ball joint on a cone; a rod. */
#include "tests.h"

/* ---- the physical pendulum: rod 1 x 0.1 x 0.1 m of density 1000 on a hinge at its end, released level ---- */

static const double rod_length = 1, rod_width = 0.1, rod_mass = 10, gravity = 9.81;

static double rod_inertia(void) { /* about the hinge */
    return rod_mass * (rod_length * rod_length / 3 + rod_width * rod_width / 12);
}

static Rig pendulum_rig(void) {
    Rig rig = rig_make(v3(0, 0, -gravity));
    double across = rod_mass * (rod_length * rod_length + rod_width * rod_width) / 12;
    AfxBodyDef def = rigid_def(rod_mass, rod_mass * rod_width * rod_width / 6, across, across);
    def.pose.position = v3(rod_length / 2, 0, 0);
    AfxBodyId body = rig_body(&rig, &def);
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_frame_along(v3(0, 0, 0), v3(0, 1, 0)));
    return rig;
}

/* angle below the horizontal and its rate: I a" = m g l/2 cos a, by Runge-Kutta */
typedef struct Swing {
    double angle, rate;
} Swing;

static double swing_bend(double angle) {
    return rod_mass * gravity * rod_length / 2 * cos(angle) / rod_inertia();
}

static void swing_run(Swing *s, double duration, double step) {
    int count = (int)ceil(duration / step - 1e-9);
    double h = duration / count;
    for (int n = 0; n < count; n++) {
        double a1 = s->rate, b1 = swing_bend(s->angle);
        double a2 = s->rate + h / 2 * b1, b2 = swing_bend(s->angle + h / 2 * a1);
        double a3 = s->rate + h / 2 * b2, b3 = swing_bend(s->angle + h / 2 * a2);
        double a4 = s->rate + h * b3, b4 = swing_bend(s->angle + h * a3);
        s->angle += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        s->rate += h / 6 * (b1 + 2 * b2 + 2 * b3 + b4);
    }
}

/* The hinge's force on the rod in world axes: m (acceleration of the centre - g). */
static AfxVec3 swing_force(Swing s) {
    double r = rod_length / 2, bend = swing_bend(s.angle), c = cos(s.angle), d = sin(s.angle);
    return v3(rod_mass * r * (-d * bend - c * s.rate * s.rate), 0,
              rod_mass * (r * (-c * bend + d * s.rate * s.rate) + gravity));
}

typedef struct Errors {
    double angle, rate, force, first_force; /* largest, and that of the first step */
} Errors;

static AfxVec3 in_world(AfxVec3 v) { /* from the joint's axes, which stand still */
    return q_rotate(afx_frame_along(v3(0, 0, 0), v3(0, 1, 0)).rotation, v);
}

static Errors pendulum_errors(Rig *rig, const AfxSimDef *def, double duration) {
    Swing swing = {0, 0};
    Errors e = {0};
    uint32_t steps = (uint32_t)lround(duration / def->dt);
    rig_start(rig, def);
    for (uint32_t n = 0; n < steps; n++) {
        double angle, rate;
        rig_run(rig, 1, NULL);
        swing_run(&swing, def->dt, 1e-3);
        assert_ok(afx_sim_joint_coordinate(rig->sim, 0, 0, &angle, &rate));
        AfxVec3 force = in_world(rig_reaction(rig, afx_scene_joint(rig->scene, 0)).force);
        double off = v3_distance(force, swing_force(swing));
        e.angle = fmax(e.angle, fabs(angle - swing.angle));
        e.rate = fmax(e.rate, fabs(rate - swing.rate));
        e.force = fmax(e.force, off);
        e.first_force = n == 0 ? off : e.first_force;
    }
    return e;
}

/* The reference's own check: a small swing has the period of the mathematical formula. */
static void the_reference_swings_with_the_known_period(void **state) {
    (void)state;
    double amplitude = 0.5, omega = sqrt(rod_mass * gravity * rod_length / 2 / rod_inertia());
    double k = sin(amplitude / 2), a = 1, b = sqrt(1 - k * k);
    for (int n = 0; n < 8; n++) { /* period = 2 pi / (omega agm(1, cos(amplitude/2))) */
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    Swing swing = {PI / 2 - amplitude, 0};
    swing_run(&swing, 2 * PI / (omega * a), 1e-3);
    assert_near(swing.angle, PI / 2 - amplitude, 1e-9);
    assert_near(swing.rate, 0, 1e-8);
}

static void check_method(AfxIntegrator integrator, const char *name, double order, double angle_bound) {
    Rig rig = pendulum_rig();
    Errors e[3];
    for (int k = 0; k < 3; k++) {
        AfxSimDef def = accurate_def(integrator, 0.01 / (1 << k));
        e[k] = pendulum_errors(&rig, &def, 2);
    }
    print_message("pendulum, %s: angle %.2g %.2g %.2g, force %.2g %.2g %.2g, first force %.2g %.2g %.2g\n", name,
                  e[0].angle, e[1].angle, e[2].angle, e[0].force, e[1].force, e[2].force, e[0].first_force,
                  e[1].first_force, e[2].first_force);
    assert_below(e[0].angle, angle_bound);
    for (int k = 0; k < 2; k++) {
        double least = order - (order > 1 ? 0.15 : 0.3); /* a first-order method is far from its limit here */
        assert_true(slope(e[k].angle, e[k + 1].angle) > least);
        assert_true(slope(e[k].rate, e[k + 1].rate) > least);
        assert_true(slope(e[k].force, e[k + 1].force) > least);
        assert_true(slope(e[k].first_force, e[k + 1].first_force) > least);
    }
    rig_free(&rig);
}

static void bdf1_has_order_one(void **state) {
    (void)state;
    check_method(AFX_BDF1, "bdf1", 1, 0.6);
}

static void bdf2_has_order_two(void **state) {
    (void)state;
    check_method(AFX_BDF2, "bdf2", 2, 1.5e-2);
}

static void generalised_alpha_has_order_two(void **state) {
    (void)state;
    check_method(AFX_ALPHA, "alpha", 2, 1.5e-2);
}

/* The default settings too: one solve nearly always, the same order. */
static void default_settings_have_order_two(void **state) {
    (void)state;
    Rig rig = pendulum_rig();
    Errors e[3];
    for (int k = 0; k < 3; k++) {
        AfxSimDef def = sim_def(AFX_BDF2, 0.01 / (1 << k));
        e[k] = pendulum_errors(&rig, &def, 2);
    }
    for (int k = 0; k < 2; k++) {
        assert_true(slope(e[k].angle, e[k + 1].angle) > 1.85);
        assert_true(slope(e[k].force, e[k + 1].force) > 1.85);
    }
    rig_free(&rig);
}

/* ---- published: m = 1, centre at 2 m, I = (.04, .1, .1), g = 9.80665 ---- */

static Rig target_rig(AfxBodyId *out_body) {
    Rig rig = rig_make(v3(0, 0, -9.80665));
    AfxBodyDef def = rigid_def(1, 0.04, 0.1, 0.1);
    def.pose.position = v3(2, 0, 0);
    *out_body = rig_body(&rig, &def);
    rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), *out_body, afx_frame_along(v3(0, 0, 0), v3(0, 1, 0)));
    return rig;
}

/* Two runs, h and h/2, and the limit that their second order points to. */
static void the_target_pendulum_is_met(void **state) {
    (void)state;
    AfxBodyId body;
    Rig rig = target_rig(&body);
    AfxVec3 at[2], want = v3(-1.9996838689, 0, -0.0355587475);
    double period[2];
    for (int k = 0; k < 2; k++) {
        AfxSimDef def = accurate_def(AFX_ALPHA, k == 0 ? 4e-4 : 2e-4);
        double rate_before = 1, time = 0;
        rig_start(&rig, &def);
        period[k] = 0;
        for (uint32_t n = 0; n < (uint32_t)lround(5 / def.dt); n++) {
            double rate;
            rig_run(&rig, 1, NULL);
            assert_ok(afx_sim_joint_coordinate(rig.sim, 0, 0, NULL, &rate));
            time += def.dt;
            if (rate_before < 0 && rate >= 0 && n > 10) {
                period[k] = time - def.dt * rate / (rate - rate_before); /* back up where it began */
            }
            rate_before = rate;
        }
        at[k] = rig_pose(&rig, body).position;
    }
    AfxVec3 limit = v3_add(at[1], v3_scale(1 / 3.0, v3_sub(at[1], at[0])));
    double limit_period = period[1] + (period[1] - period[0]) / 3;
    print_message("target pendulum: %.3g m and %.3g s off at h = 2e-4, limit %.3g m, %.3g s\n",
                  v3_distance(at[1], want), period[1] - 3.390812741988, v3_distance(limit, want),
                  limit_period - 3.390812741988);
    assert_vec3(at[1], want, 4e-6);
    assert_vec3(limit, want, 2e-8);
    assert_near(limit_period, 3.390812741988, 1e-7);
    rig_free(&rig);
}

/* ---- a ball joint ---- */

/* A conical pendulum: a body with equal moments across its axis circles at a constant slant. */
static void a_ball_joint_keeps_the_cone(void **state) {
    (void)state;
    double mass = 2, length = 0.8, across = 0.05, along = 0.02, slant = 0.7, g = 9.81;
    double c = cos(slant), s = sin(slant);
    /* about the pivot, no spin about the own axis: (across + m l² - along) w² s c = m g l s, with the axis carried by
     * the turn about the vertical, which also spins the body about its own axis */
    double rate = sqrt(mass * g * length / ((across + mass * length * length - along) * c));
    Rig rig = rig_make(v3(0, 0, -g));
    AfxBodyDef def = rigid_def(mass, across, across, along);
    def.pose.rotation = q_about(v3(0, 1, 0), -slant); /* -z points down and outwards */
    def.pose.position = q_rotate(def.pose.rotation, v3(0, 0, -length));
    def.angular_velocity = v3(0, 0, rate);
    def.linear_velocity = v3_cross(def.angular_velocity, def.pose.position);
    AfxBodyId body = rig_body(&rig, &def);
    AfxJointId joint = rig_joint(&rig, AFX_JOINT_SPHERICAL, afx_world(), body, afx_pose_identity());
    AfxSimDef sim = accurate_def(AFX_ALPHA, 1e-3);
    AfxVec3 start = def.pose.position;
    rig_start(&rig, &sim);
    for (int n = 1; n <= 3000; n++) {
        rig_run(&rig, 1, NULL);
        if (n % 100 == 0) {
            AfxPose pose = rig_pose(&rig, body);
            AfxVec3 want = q_rotate(q_about(v3(0, 0, 1), n * sim.dt * rate), start);
            AfxVec3 pull = v3(-mass * rate * rate * want.x, -mass * rate * rate * want.y, mass * g);
            assert_vec3(pose.position, want, 3e-5);
            assert_below(
                q_distance(pose.rotation, q_multiply(q_about(v3(0, 0, 1), n * sim.dt * rate), def.pose.rotation)),
                1e-4);
            assert_vec3(rig_reaction(&rig, joint).force, pull, 1e-3);
            assert_vec3(rig_reaction(&rig, joint).torque, v3(0, 0, 0), 1e-12);
        }
    }
    assert_true(s > 0);
    rig_free(&rig);
}

/* ---- a rod ---- */

/* A body hung on a rod by its centre does not turn: a mathematical pendulum of the rod's length, its pull from the
 * energy: m (g cos a + 2 g (cos a - cos a0)). */
static void a_rod_swings_as_a_mathematical_pendulum(void **state) {
    (void)state;
    double length = 1.3, mass = 0.7, slant = 1.1, g = 9.81;
    Rig rig = rig_make(v3(0, 0, -g));
    AfxBodyDef def = rigid_def(mass, 0.1, 0.2, 0.25);
    def.pose.position = v3(length * sin(slant), 0, -length * cos(slant));
    AfxJointDef joint_def = afx_default_joint(AFX_JOINT_DISTANCE);
    AfxBodyId body = rig_body(&rig, &def);
    joint_def.base = afx_world();
    joint_def.follower = body;
    joint_def.length = length;
    AfxJointId joint = rig_joint_def(&rig, &joint_def);
    double error[2], pull_error[2], a = 1, b = cos(slant / 2);
    for (int n = 0; n < 8; n++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    double period = 2 * PI / (sqrt(g / length) * a);
    for (int k = 0; k < 2; k++) {
        AfxSimDef sim = accurate_def(AFX_ALPHA, period / (1000 << k));
        rig_start(&rig, &sim);
        pull_error[k] = 0;
        for (int n = 0; n < 1000 << k; n++) {
            assert_below(rig_run(&rig, 1, NULL), 1e-10);
            AfxVec3 at = rig_pose(&rig, body).position;
            double pull = mass * g * (3 * -at.z / length - 2 * cos(slant));
            AfxVec3 force = rig_reaction(&rig, joint).force;
            pull_error[k] = fmax(pull_error[k], v3_distance(force, v3_scale(-pull / length, at)));
        }
        error[k] = v3_distance(rig_pose(&rig, body).position, def.pose.position);
        assert_below(q_distance(rig_pose(&rig, body).rotation, def.pose.rotation), 1e-12);
    }
    print_message("rod: back after a period but for %.2g, %.2g m; pull off by %.2g, %.2g N\n", error[0], error[1],
                  pull_error[0], pull_error[1]);
    assert_below(pull_error[1], 1e-3);
    assert_true(slope(pull_error[0], pull_error[1]) > 1.85);
    /* at the turning point the error of the place is that of the time squared: fourth order */
    assert_below(error[1], 1e-5);
    rig_free(&rig);
}

int run_pendulum_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_swings_with_the_known_period),
        cmocka_unit_test(bdf1_has_order_one),
        cmocka_unit_test(bdf2_has_order_two),
        cmocka_unit_test(generalised_alpha_has_order_two),
        cmocka_unit_test(default_settings_have_order_two),
        cmocka_unit_test(the_target_pendulum_is_met),
        cmocka_unit_test(a_ball_joint_keeps_the_cone),
        cmocka_unit_test(a_rod_swings_as_a_mathematical_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
