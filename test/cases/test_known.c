/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of each case at its start: masses, momenta, energies, markers, in closed form. */
#include "cases/cases.h"
#include "tests.h"

typedef struct Start {
    AfxModel *model;
    AfxSim *sim;
    AfxMass mass; /* of the first body */
    AfxEnergy energy;
    AfxMomentum momentum;
} Start;

static Start start(const char *name, const char *text) {
    Start result = {0};
    AfxiCaseArguments args;
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxSimDef sim_def = afx_default_sim();
    assert_int_equal(afxi_case_arguments(afxi_case_find(name), text ? 1 : 0, &text, &args, NULL), AFX_OK);
    assert_int_equal(afxi_case_build(&args, &def, &scene, NULL), AFX_OK);
    assert_int_equal(afx_scene_body_mass(scene, afx_scene_body(scene, 0), &result.mass), AFX_OK);
    assert_int_equal(afx_model_create(scene, &result.model, NULL), AFX_OK);
    afx_scene_destroy(scene);
    assert_int_equal(afx_sim_create(result.model, &sim_def, &result.sim), AFX_OK);
    assert_int_equal(afx_sim_energy(result.sim, &result.energy), AFX_OK);
    assert_int_equal(afx_sim_momentum(result.sim, &result.momentum), AFX_OK);
    return result;
}

static void stop(Start *it) {
    afx_sim_destroy(it->sim);
    afx_model_destroy(it->model);
}

static void near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance)) {
        fail_msg("%.17g is not %.17g within %g", got, want, tolerance);
    }
}

static void near_vector(AfxVec3 got, double x, double y, double z, double tolerance) {
    near(got.x, x, tolerance);
    near(got.y, y, tolerance);
    near(got.z, z, tolerance);
}

static void test_spinning_box(void **state) {
    (void)state;
    AfxVec3 corner;
    Start cube = start("spinning-box", NULL);
    near(cube.mass.mass, 1, 1e-14);
    near_vector(cube.momentum.linear, 100, 0, 0, 1e-12);
    near_vector(cube.momentum.angular, 0, 10 * 0.01 / 6, 0, 1e-15);
    near(cube.energy.kinetic, 5000 + 50 * 0.01 / 6, 1e-11);
    near(cube.energy.potential, 0, 0);
    assert_int_equal(afx_sim_marker(cube.sim, 0, &corner, NULL), AFX_OK);
    near_vector(corner, 0.05, 0.05, 0.05, 1e-15);
    stop(&cube);
    Start box = start("spinning-box", "shape=box");
    near(box.mass.mass, 6, 1e-13);
    near_vector(box.momentum.angular, 0.5 * (0.04 + 0.09), 5 * (0.01 + 0.09), 0.5 * (0.01 + 0.04), 1e-14);
    stop(&box);
}

/* The stem's axis is the intermediate one; the centre of mass is at rest. */
static void test_t_handle(void **state) {
    (void)state;
    Start handle = start("t-handle", NULL);
    const double *inertia = handle.mass.inertia;
    double section = 3.14159265358979323846 * 0.02 * 0.02 * 2700;
    double bar = section * 0.3, stem = section * 0.15;
    double mass = bar + stem, center = stem * 0.095 / mass;
    double xx = bar * (0.0004 / 4 + 0.09 / 12) + stem * 0.0004 / 2;
    double yy =
        bar * (0.0004 / 2 + center * center) + stem * (0.0004 / 4 + 0.0225 / 12 + (0.095 - center) * (0.095 - center));
    double zz = bar * (0.0004 / 4 + 0.09 / 12 + center * center) +
                stem * (0.0004 / 4 + 0.0225 / 12 + (0.095 - center) * (0.095 - center));
    near(handle.mass.mass, mass, 1e-13);
    near_vector(handle.mass.center, center, 0, 0, 1e-15);
    near(inertia[0], xx, 1e-15);
    near(inertia[1], yy, 1e-15);
    near(inertia[2], zz, 1e-15);
    assert_true(inertia[1] < inertia[0] && inertia[0] < inertia[2]);
    near_vector(handle.momentum.linear, 0, 0, 0, 1e-13);
    near_vector(handle.momentum.angular, 15 * xx, 0.1 * yy, 0.1 * zz, 1e-13);
    near(handle.energy.total, 0.5 * (225 * xx + 0.01 * yy + 0.01 * zz), 1e-13);
    assert_int_equal(afx_model_marker_count(handle.model), 2);
    stop(&handle);
}

static void test_free_top(void **state) {
    (void)state;
    AfxVec3 axis;
    Start top = start("free-top", NULL);
    near(top.mass.mass, 1, 0);
    near_vector(top.momentum.angular, 0.01, 10, 0.03, 1e-14);
    near(top.energy.total, 0.5 * (1e-4 + 2 * 25 + 3e-4), 1e-13);
    assert_int_equal(afx_sim_marker(top.sim, 0, &axis, NULL), AFX_OK);
    near_vector(axis, 0, 1, 0, 1e-15);
    stop(&top);
}

static void test_tumbling(void **state) {
    (void)state;
    Start many = start("tumbling", "n=300");
    AfxPose pose;
    AfxTwist twist;
    assert_int_equal(afx_model_body_count(many.model), 300);
    assert_int_equal(afx_model_class_count(many.model), 8);
    for (uint32_t k = 0; k < 300; ++k) {
        assert_int_equal(afx_sim_body_pose(many.sim, k, &pose), AFX_OK);
        assert_int_equal(afx_sim_body_twist(many.sim, k, &twist), AFX_OK);
        near_vector(pose.position, 0, 0, 0, 0.25 * 7); /* 7³ = 343 places, 0.5 m apart */
        AfxVec3 v = twist.linear, w = twist.angular;
        assert_true(v.x * v.x + v.y * v.y + v.z * v.z <= 1 + 1e-12);
        assert_true(w.x * w.x + w.y * w.y + w.z * w.z <= 100 * (1 + 1e-12));
    }
    stop(&many);
    Start still = start("tumbling", "gravity=0");
    near(still.energy.potential, 0, 0);
    stop(&still);
}

static AfxVec3 marker(const Start *it, AfxVec3 *out_velocity) {
    AfxVec3 position;
    assert_int_equal(afx_sim_marker(it->sim, 0, &position, out_velocity), AFX_OK);
    return position;
}

static void test_pendulum(void **state) {
    (void)state;
    AfxVec3 v;
    Start rod = start("pendulum", NULL);
    near(rod.mass.mass, 10, 1e-13);
    near_vector(rod.mass.center, 0.5, 0, 0, 1e-15);
    near(rod.mass.inertia[1], 10 * (1.0 + 0.01) / 12, 1e-14);
    near_vector(marker(&rod, &v), 1, 0, 0, 1e-15);
    near_vector(v, 0, 0, 0, 0);
    near(rod.energy.total, 0, 1e-14);
    stop(&rod);
    Start down = start("pendulum", "angle=90");
    near_vector(marker(&down, NULL), 0, 0, -1, 1e-15);
    near(down.energy.potential, -0.5 * 98.1, 1e-12);
    stop(&down);
}

static void test_a01(void **state) {
    (void)state;
    static const char *const joints[] = {"joint=hinge", "joint=ball", "joint=rod"};
    static const uint32_t rows[] = {5, 3, 1};
    for (int k = 0; k < 3; ++k) {
        Start mass = start("a01", joints[k]);
        near(mass.mass.mass, 1, 0);
        near_vector(marker(&mass, NULL), -1, 0, 0, 0);
        near(mass.energy.total, 0, 0);
        assert_int_equal(afx_model_row_count(mass.model), rows[k]);
        stop(&mass);
    }
}

/* Energy of benchmark A02: (n + 1) rods turning, n translating, at heights 1/2 and 1. */
static void test_a02(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint32_t n;
    } sizes[] = {{"n=2", 2}, {"n=40", 40}};
    for (int k = 0; k < 2; ++k) {
        AfxVec3 v;
        uint32_t n = sizes[k].n;
        Start rods = start("a02", sizes[k].text);
        assert_int_equal(afx_model_body_count(rods.model), 2 * n + 1);
        assert_int_equal(afx_model_joint_count(rods.model), 3 * n + 1);
        near(rods.momentum.mass, 2 * n + 1, 1e-12);
        near_vector(marker(&rods, &v), 0, 1, 0, 1e-15);
        near_vector(v, 1, 0, 0, 1e-15);
        near(rods.energy.kinetic, (n + 1) / 6.0 + n / 2.0, 1e-12);
        near(rods.energy.potential, 9.81 * (0.5 * (n + 1) + n), 1e-11);
        near(rods.mass.inertia[2], 1.0 / 12, 1e-16);
        stop(&rods);
    }
}

static void test_bricard(void **state) {
    (void)state;
    Start loop = start("bricard", NULL);
    assert_int_equal(afx_model_body_count(loop.model), 5);
    assert_int_equal(afx_model_joint_count(loop.model), 6);
    near(loop.momentum.mass, 5, 1e-14);
    near(loop.mass.inertia[0], 0.02 / 12, 1e-16);
    near(loop.mass.inertia[2], 1.01 / 12, 1e-15);
    near_vector(marker(&loop, NULL), 1, -1, 0, 1e-15);
    near_vector(loop.momentum.center, 3.0 / 5, -3.0 / 5, 2.5 / 5, 1e-15);
    stop(&loop);
}

static void test_chain(void **state) {
    (void)state;
    const double section = 3.14159265358979323846 * 1e-4;
    double link = 1000 * section * (0.1 + 4.0 / 3 * 0.01);
    Start plain = start("chain", NULL);
    assert_int_equal(afx_model_joint_count(plain.model), 100);
    near(plain.momentum.mass, 100 * link, 1e-12);
    near_vector(marker(&plain, NULL), 10, 0, 0, 1e-14);
    stop(&plain);
    Start heavy = start("chain", "end_mass=10000");
    near(heavy.momentum.mass, 10099 * link, 1e-9);
    stop(&heavy);
    Start zigzag = start("chain", "start=zigzag");
    near_vector(marker(&zigzag, NULL), 10 * sqrt(0.5), 0, 0, 1e-14);
    stop(&zigzag);
    Start coil = start("chain", "start=coil");
    near(marker(&coil, NULL).z, -0.4, 1e-14);
    stop(&coil);
}

int run_known_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spinning_box), cmocka_unit_test(test_t_handle), cmocka_unit_test(test_free_top),
        cmocka_unit_test(test_tumbling),     cmocka_unit_test(test_pendulum), cmocka_unit_test(test_a01),
        cmocka_unit_test(test_a02),          cmocka_unit_test(test_bricard),  cmocka_unit_test(test_chain),
    };
    return cmocka_run_group_tests_name("cases/known", tests, NULL, NULL);
}
