/* SPDX-License-Identifier: Apache-2.0 */
/* Materials with a damping, and those that grow stiffer with depth: rest, motion and energy against closed forms. */
#include "tests.h"

#define MASS 2.0
#define RADIUS 0.1

static AfxMaterialDef material(double stiffness, double damping, const double *impedance) {
    AfxMaterialDef def = afx_default_material();
    def.stiffness = stiffness;
    def.damping = damping;
    if (impedance) {
        memcpy(def.impedance, impedance, sizeof def.impedance);
    }
    return def;
}

/* A ball on the ground, or `height` above it. */
static World ball_on(const AfxMaterialDef *def, double height, const AfxSimDef *sim) {
    AfxMaterialDef half = *def; /* in series with itself: twice as stiff each */
    half.stiffness *= 2;
    half.damping *= 2;
    World world = world_ground(&half);
    AfxBodyDef body =
        rigid_def(MASS, 0.4 * MASS * RADIUS * RADIUS, 0.4 * MASS * RADIUS * RADIUS, 0.4 * MASS * RADIUS * RADIUS);
    AfxShapeDef shape = afx_default_sphere(RADIUS);
    body.pose.position.z = RADIUS + height;
    world_add(&world, &body, &shape);
    world_start(&world, sim);
    return world;
}

static double depth_of(const World *world) {
    return RADIUS - pose_of(world, 1).position.z;
}

/* d²/(1 - d) k r, written from the documentation of AfxMaterialDef. */
static double law(const AfxMaterialDef *m, double r) {
    const double *i = m->impedance;
    double x = r / i[2],
           y = x <= i[3] ? pow(x, i[4]) / pow(i[3], i[4] - 1) : 1 - pow(1 - fmin(x, 1), i[4]) / pow(1 - i[3], i[4] - 1);
    double d = i[2] > 0 ? i[0] + (i[1] - i[0]) * y : 0;
    return i[2] > 0 ? d * d / (1 - d) * m->stiffness * r : m->stiffness * r;
}

static double depth_under(const AfxMaterialDef *m, double load) {
    double low = 0, high = 1;
    for (int k = 0; k < 200; k++) {
        double middle = 0.5 * (low + high);
        *(law(m, middle) < load ? &low : &high) = middle;
    }
    return low;
}

static void bodies_rest_as_deep_as_the_law_says(void **state) {
    (void)state;
    static const double soft[5] = {0.015, 0.9999, 0.023, 0.5, 2}, straight[5] = {0.5, 0.95, 0.01, 0.3, 1};
    const AfxMaterialDef laws[] = {material(4000, 100, NULL), material(4000, 60, straight), material(3000, 150, soft),
                                   material(500, 40, straight)};
    const double steps[] = {0.001, 0.005};
    const AfxIntegrator methods[] = {AFX_BDF1, AFX_BDF2, AFX_ALPHA};
    for (size_t k = 0; k < 4; k++) {
        for (size_t s = 0; s < 2; s++) {
            for (size_t i = 0; i < 3; i++) {
                AfxSimDef def = afx_default_sim();
                def.dt = steps[s];
                def.integrator = methods[i];
                World world = ball_on(&laws[k], 0, &def);
                world_run(&world, 3);
                assert_near(depth_of(&world), depth_under(&laws[k], MASS * GRAVITY), 1e-8);
                world_free(&world);
            }
        }
    }
}

/* m r'' = m g - k r - c r', from a depth at which it never leaves the ground. */
static double swing_error(double dt) {
    const double k = 2000, c = 12, off = 0.002, time = 0.2;
    AfxMaterialDef def = material(k, c, NULL);
    AfxSimDef sim = afx_default_sim();
    double rest = MASS * GRAVITY / k, w = sqrt(k / MASS), z = c / (2 * sqrt(k * MASS)), wd = w * sqrt(1 - z * z);
    sim.dt = dt;
    sim.integrator = AFX_BDF1;
    World world = ball_on(&def, -rest - off, &sim);
    world_run(&world, time);
    double want = rest + off * exp(-z * w * time) * (cos(wd * time) + z * w / wd * sin(wd * time));
    double error = fabs(depth_of(&world) - want);
    world_free(&world);
    return error;
}

static void damped_contacts_swing_as_a_damped_mass(void **state) {
    (void)state;
    double coarse = swing_error(4e-4), fine = swing_error(1e-4);
    assert_true(coarse < 1e-4);
    assert_true(fine < 0.35 * coarse); /* of first order, as the method is */
}

static void soft_contacts_give_no_energy(void **state) {
    (void)state;
    static const double soft[5] = {0.015, 0.9999, 0.023, 0.5, 2};
    const double steps[] = {0.001, 0.002, 0.005};
    for (size_t k = 0; k < 3; k++) {
        AfxMaterialDef def = material(3000, 150, soft);
        AfxSimDef sim = afx_default_sim();
        sim.dt = steps[k];
        World world = ball_on(&def, 0.2, &sim);
        double highest = 0, lowest = 1;
        for (double t = 0; t < 1.5; t += steps[k]) {
            world_run(&world, steps[k]);
            double z = pose_of(&world, 1).position.z;
            lowest = fmin(lowest, z);
            highest = lowest < RADIUS ? fmax(highest, z) : highest; /* after it struck */
        }
        assert_true(lowest < RADIUS && lowest > 0); /* it sinks in, and not through */
        assert_true(highest < RADIUS + 0.2);        /* and comes up no higher than it fell */
        world_free(&world);
    }
}

static void softness_belongs_to_a_stiffness(void **state) {
    (void)state;
    AfxScene *scene = scene_make((AfxVec3){0, 0, 0}, true);
    AfxMaterialId id;
    static const double deep[5] = {0.9, 0.95, 0, 0.5, 2}, falls[5] = {0.9, 0.5, 0.1, 0.5, 2};
    AfxMaterialDef damped = material(0, 10, NULL), flat = material(1, 0, deep), falling = material(1, 0, falls);
    assert_int_equal(afx_scene_add_material(scene, &damped, &id), AFX_E_INPUT);
    assert_int_equal(afx_scene_add_material(scene, &flat, &id), AFX_E_INPUT);
    assert_int_equal(afx_scene_add_material(scene, &falling, &id), AFX_E_INPUT);
    afx_scene_destroy(scene);
}

int run_compliant_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_rest_as_deep_as_the_law_says),
        cmocka_unit_test(damped_contacts_swing_as_a_damped_mass),
        cmocka_unit_test(soft_contacts_give_no_energy),
        cmocka_unit_test(softness_belongs_to_a_stiffness),
    };
    return cmocka_run_group_tests_name("compliant materials", tests, NULL, NULL);
}
