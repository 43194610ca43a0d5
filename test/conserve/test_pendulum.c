/* SPDX-License-Identifier: Apache-2.0 */
/* A double pendulum of rods against its equations in two angles, which are written out here and integrated by
 * Runge-Kutta in tiny steps: orders 2, 4 and 6, and how small errors are. */
#include "tests.h"

#define G 9.81

typedef struct Angles {
    double x[4]; /* angles from the vertical, their rates */
} Angles;

/* Lagrange's equations of two uniform rods of 1 m and 1 kg. */
static Angles rates_of(const Angles *s) {
    double a = s->x[0], b = s->x[1], p = s->x[2], q = s->x[3], c = 0.5 * cos(a - b), n = 0.5 * sin(a - b);
    double f = -n * q * q - 1.5 * G * sin(a), g = n * p * p - 0.5 * G * sin(b);
    double determinant = 4.0 / 9 - c * c;
    return (Angles){{p, q, (f / 3 - c * g) / determinant, (4 * g / 3 - c * f) / determinant}};
}

static Angles moved(const Angles *s, double h, const Angles *rate) {
    Angles out;
    for (int k = 0; k < 4; k++) {
        out.x[k] = s->x[k] + h * rate->x[k];
    }
    return out;
}

static AfxVec3 exact_tip(double time) {
    Angles s = {{PI / 2, PI / 2, 0, 0}};
    int steps = 40000;
    double h = time / steps;
    for (int n = 0; n < steps; n++) {
        Angles a = rates_of(&s), m = moved(&s, h / 2, &a), b = rates_of(&m);
        m = moved(&s, h / 2, &b);
        Angles c = rates_of(&m);
        m = moved(&s, h, &c);
        Angles d = rates_of(&m);
        for (int k = 0; k < 4; k++) {
            s.x[k] += h / 6 * (a.x[k] + 2 * b.x[k] + 2 * c.x[k] + d.x[k]);
        }
    }
    return v3(sin(s.x[0]) + sin(s.x[1]), 0, -cos(s.x[0]) - cos(s.x[1]));
}

static void a_double_pendulum_has_the_orders(void **state) {
    (void)state;
    static const double orders[CONSERVING] = {2, 4, 6}, largest[CONSERVING] = {4e-2, 1e-4, 2e-5};
    AfxVec3 want = exact_tip(2);
    Rig rig = rods_make(2);
    for (int which = 0; which < CONSERVING; which++) {
        double error[3];
        for (int k = 0; k < 3; k++) {
            AfxSimDef def = sim_def(conserving[which], 0.02 / (1 << k));
            rig_start(&rig, &def);
            assert_below(rig_run(&rig, 100u << k, NULL), 1e-13);
            error[k] = v3_distance(rods_tip(&rig), want);
        }
        print_message("  %-12s %.2e %.2e %.2e at h = 0.02, 0.01, 0.005\n", conserving_names[which], error[0], error[1],
                      error[2]);
        assert_below(error[0], largest[which]);
        assert_near(slope(error[1], error[2]), orders[which], 0.3);
    }
    rig_free(&rig);
}

/* At any step: the motion is wrong by then, its energy is not. */
static void energy_is_exact_at_any_step(void **state) {
    (void)state;
    Rig rig = rods_make(2);
    for (double dt = 0.1; dt > 0.01; dt /= 2) {
        AfxSimDef def = sim_def(AFX_CONSERVING, dt);
        rig_start(&rig, &def);
        assert_below(rig_drift(&rig, 200, NULL), 1e-10);
    }
    rig_free(&rig);
}

/* A wheel keeps its spin at any turn a step, and turns by what the midpoint rule says: 2 atan(w h/2). */
static void a_wheel_keeps_its_spin(void **state) {
    (void)state;
    static const double turns[] = {0.1, 0.5, 1, 3};
    for (size_t k = 0; k < COUNT(turns); k++) {
        Rig rig = rig_make(v3(0, 0, -9.81));
        AfxBodyDef def = rigid_def(2, 0.3, 0.2, 0.2);
        def.angular_velocity = v3(turns[k] / 0.01, 0, 0);
        AfxBodyId body = rig_body(&rig, &def);
        AfxJointId joint = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body, afx_pose_identity());
        AfxSimDef sim = sim_def(AFX_CONSERVING, 0.01);
        rig_start(&rig, &sim);
        rig_run(&rig, 100, NULL);
        assert_near(rig_twist(&rig, body).angular.x, turns[k] / 0.01, 1e-9 * turns[k] / 0.01);
        assert_near(remainder(rig_coordinate(&rig, joint, 0) - 200 * atan(turns[k] / 2), 2 * PI), 0, 1e-9);
        rig_free(&rig);
    }
}

int run_pendulum_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_double_pendulum_has_the_orders),
        cmocka_unit_test(energy_is_exact_at_any_step),
        cmocka_unit_test(a_wheel_keeps_its_spin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
