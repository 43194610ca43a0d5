/* SPDX-License-Identifier: Apache-2.0 */
/* Every joint kind from random starts, base the world, a free body or a moving one, against an independent solution:
 * places, velocities and reactions with the integrator's order, and energy where nothing drives. */
#include "tests.h"

enum { ERRORS = 6 };
static const char *const error_names[ERRORS] = {"place", "angle", "velocity", "spin", "force", "torque"};

/* Two steps of each integrator in which its error is above rounding and below all else, and the order to see. */
typedef struct Trial {
    double dt[2], order;
    double velocity; /* order of velocities: the midpoint rule lets them violate rows by h², so that energy is exact */
} Trial;

static const Trial trials[CONSERVING] = {
    {{0.01, 0.005}, 1.8, 1.8},
    {{0.02, 0.01}, 3.5, 1.8},
    {{0.04, 0.02}, 5.2, 5.2},
};

static void raise_to(double *most, double value) {
    *most = value <= *most ? *most : value; /* also takes a NaN */
}

static void take_errors(const Rig *rig, const JointReference *r, double *e) {
    for (int k = 0; k < r->body_count; k++) {
        AfxBodyId body = afx_scene_body(rig->scene, (uint32_t)k);
        AfxPose pose = rig_pose(rig, body), want = joint_reference_pose(r, k);
        AfxTwist twist = rig_twist(rig, body), want_twist = joint_reference_twist(r, k);
        raise_to(&e[0], v3_distance(pose.position, want.position));
        raise_to(&e[1], q_distance(pose.rotation, want.rotation));
        raise_to(&e[2], v3_distance(twist.linear, want_twist.linear));
        raise_to(&e[3], v3_distance(twist.angular, want_twist.angular));
    }
    for (int k = 0; k < r->joint_count; k++) {
        AfxWrench got = rig_reaction(rig, afx_scene_joint(rig->scene, (uint32_t)k)), want = r->joints[k].reaction;
        raise_to(&e[4], v3_distance(got.force, want.force));
        raise_to(&e[5], v3_distance(got.torque, want.torque));
    }
}

/* The largest errors over 0.4 s; violation and drift of energy come with them. */
static void run_errors(Rig *rig, int which, double dt, double e[ERRORS], double *violation, double *drift) {
    JointReference r = joint_reference_make(rig->scene);
    AfxSimDef def = sim_def(conserving[which], dt);
    rig_start(rig, &def);
    double start = rig_energy(rig);
    memset(e, 0, ERRORS * sizeof *e);
    for (int n = 1; n <= (int)lround(0.4 / dt); n++) {
        raise_to(violation, rig_run(rig, 1, NULL));
        joint_reference_run(&r, dt, 2e-3);
        raise_to(drift, fabs(rig_energy(rig) - start));
        take_errors(rig, &r, e);
    }
}

static bool check_kind(AfxJointKind kind, BaseMode mode, int which, uint64_t seed) {
    Rig rig = random_rig(kind, mode, &seed);
    double a[ERRORS], b[ERRORS], violation = 0, drift = 0;
    run_errors(&rig, which, trials[which].dt[0], a, &violation, &drift);
    run_errors(&rig, which, trials[which].dt[1], b, &violation, &drift);
    bool good = violation < 1e-13;
    good &= mode == BASE_KINEMATIC || which == 2 || drift < 1e-11; /* the energy of the first two is exact */
    for (int k = 0; k < ERRORS; k++) {
        double order = k == 2 || k == 3 ? trials[which].velocity : trials[which].order;
        bool fits = b[k] < 5e-9 || (b[k] < 0.05 * (k >= 4 ? 20 : 1) && slope(a[k], b[k]) > order);
        good &= fits;
        if (!fits) {
            print_error("%s on a %s, %s: %s %.3g, %.3g: order %.2f\n", afx_joint_kind_name(kind), base_names[mode],
                        conserving_names[which], error_names[k], a[k], b[k], slope(a[k], b[k]));
        }
    }
    if (!good) {
        print_error("%s on a %s, %s: violation %.2g, drift %.2g\n", afx_joint_kind_name(kind), base_names[mode],
                    conserving_names[which], violation, drift);
    }
    rig_free(&rig);
    return good;
}

static void check_mode(BaseMode mode) {
    int failures = 0;
    for (int which = 0; which < CONSERVING; which++) {
        for (int k = 0; k < AFX_JOINT_KIND_COUNT; k++) {
            failures += !check_kind((AfxJointKind)k, mode, which, 100 + (uint64_t)k);
        }
    }
    assert_int_equal(failures, 0);
}

static void every_kind_on_the_world_moves_as_the_reference(void **state) {
    (void)state;
    check_mode(BASE_WORLD);
}

static void every_kind_between_free_bodies_moves_as_the_reference(void **state) {
    (void)state;
    check_mode(BASE_FREE);
}

static void every_kind_on_a_moving_base_moves_as_the_reference(void **state) {
    (void)state;
    check_mode(BASE_KINEMATIC);
}

int run_kinds_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_on_the_world_moves_as_the_reference),
        cmocka_unit_test(every_kind_between_free_bodies_moves_as_the_reference),
        cmocka_unit_test(every_kind_on_a_moving_base_moves_as_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
