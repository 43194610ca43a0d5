/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of rk4 in joint coordinates: every joint kind on the world, on a free body and on one that moves, random trees,
 * loops, against an independent solution: places, velocities and reactions with the integrator's order. */
#include "tests.h"

enum { ERRORS = 6 };
static const char *const error_names[ERRORS] = {"place", "angle", "velocity", "spin", "force", "torque"};

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

static double run_errors(Rig *rig, double dt, double e[ERRORS]) {
    JointReference r = joint_reference_make(rig->scene);
    AfxSimDef def = sim_def(AFX_RK4, dt);
    double violation = 0;
    rig_start(rig, &def);
    memset(e, 0, ERRORS * sizeof *e);
    for (int n = 1; n <= (int)lround(0.4 / dt); n++) {
        raise_to(&violation, rig_run(rig, 1, NULL));
        joint_reference_run(&r, dt, 1e-3);
    }
    take_errors(rig, &r, e);
    return violation;
}

static bool check_rig(Rig *rig, const char *name) {
    double a[ERRORS], b[ERRORS], violation = run_errors(rig, 0.02, a);
    raise_to(&violation, run_errors(rig, 0.01, b));
    bool good = violation < 1e-12;
    for (int k = 0; k < ERRORS; k++) {
        bool fits = b[k] < 1e-7 || (b[k] < 1e-3 * (k >= 4 ? 20 : 1) && slope(a[k], b[k]) > 3.3);
        good &= fits;
        if (!fits) {
            print_error("%s: %s %.3g, %.3g: order %.2f\n", name, error_names[k], a[k], b[k], slope(a[k], b[k]));
        }
    }
    if (!(violation < 1e-12)) {
        print_error("%s: violation %.3g\n", name, violation);
    }
    rig_free(rig);
    return good;
}

static void every_kind_moves_as_it_must(void **state) {
    bool good = true;
    (void)state;
    for (int mode = 0; mode < BASE_MODES; mode++) {
        for (int kind = 0; kind < AFX_JOINT_KIND_COUNT; kind++) {
            uint64_t seed = 100 + (uint64_t)kind;
            char name[80];
            Rig rig = random_rig((AfxJointKind)kind, (BaseMode)mode, &seed);
            snprintf(name, sizeof name, "%s on a %s", afx_joint_kind_name((AfxJointKind)kind), base_names[mode]);
            good &= check_rig(&rig, name);
        }
    }
    assert_true(good);
}

static void random_trees_move_as_they_must(void **state) {
    bool good = true;
    (void)state;
    for (uint64_t k = 0; k < 20; k++) {
        uint64_t seed = 500 + k;
        char name[80];
        Rig rig = random_tree(2 + (uint32_t)(random_unit(&seed) * 5), k % 2, &seed);
        snprintf(name, sizeof name, "tree %u", (unsigned)k);
        good &= check_rig(&rig, name);
    }
    assert_true(good);
}

int run_motion_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_moves_as_it_must),
        cmocka_unit_test(random_trees_move_as_they_must),
    };
    return cmocka_run_group_tests_name("motion", tests, NULL, NULL);
}
