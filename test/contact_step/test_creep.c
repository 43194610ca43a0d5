/* SPDX-License-Identifier: Apache-2.0 */
/* Materials whose friction creeps, and those that touch from a margin on: speed and place against closed forms. */
#include "tests.h"

#include "collide/tuning.h"
#include "step/sim.h"

#define MASS 2.0
#define HALF 0.1

/* A box on the ground, its margins above, that a force pushes sideways; its four corners share the load. */
static World pushed_box(const AfxMaterialDef *def, double force, const AfxSimDef *sim) {
    World world = world_ground(def);
    double moment = MASS * HALF * HALF * 2 / 3;
    AfxBodyDef body = rigid_def(MASS, moment, moment, moment);
    AfxShapeDef shape = afx_default_box(2 * HALF, 2 * HALF, 2 * HALF);
    AfxWrenchDef wrench = afx_default_wrench();
    AfxWrenchId id;
    body.pose.position.z = HALF + 2 * def->margin;
    wrench.body = afx_scene_body(world.scene, world_add(&world, &body, &shape));
    wrench.frame = AFX_FRAME_WORLD;
    wrench.force = (AfxVec3){force, 0, 0};
    assert_ok(afx_scene_add_wrench(world.scene, &wrench, &id));
    world_start(&world, sim);
    return world;
}

/* Speed over the last half second of two. */
static double speed_of(const AfxMaterialDef *def, double force, double dt, AfxIntegrator integrator) {
    AfxSimDef sim = afx_default_sim();
    sim.dt = dt;
    sim.integrator = integrator;
    World world = pushed_box(def, force, &sim);
    world_run(&world, 1.5);
    double before = pose_of(&world, 1).position.x;
    world_run(&world, 0.5);
    double after = pose_of(&world, 1).position.x;
    world_free(&world);
    return (after - before) / 0.5;
}

/* Two surfaces of one material: stiffness and dampings act in series. */
static AfxMaterialDef doubled(AfxMaterialDef def) {
    def.stiffness *= 2;
    def.damping *= 2;
    def.friction_damping *= 2;
    return def;
}

static void friction_creeps_by_its_damping(void **state) {
    (void)state;
    const double steps[] = {0.001, 0.005}, force = 2, dampings[] = {500, 2e4, 2e6};
    const AfxIntegrator methods[] = {AFX_BDF1, AFX_BDF2, AFX_ALPHA};
    for (size_t c = 0; c < 3; c++) {
        for (size_t s = 0; s < 2; s++) {
            for (size_t i = 0; i < 3; i++) {
                AfxMaterialDef def = afx_default_material();
                def.friction = 0.8;
                def.friction_damping = dampings[c];
                def = doubled(def);
                double want = force / (4 * dampings[c]); /* F = 4 c v */
                assert_near(speed_of(&def, force, steps[s], methods[i]), want, 1e-4 * want + 1e-10);
            }
        }
    }
}

/* With an impedance d the damping is d/(1 - d) times as large, at the depth r where the load is carried. */
static void creep_goes_by_the_impedance(void **state) {
    (void)state;
    AfxMaterialDef def = afx_default_material();
    const double impedance[5] = {0.6, 0.6, 0.01, 0.5, 2}, force = 2;
    def.friction = 0.8;
    def.friction_damping = 400;
    def.stiffness = 5000;
    def.damping = 100;
    memcpy(def.impedance, impedance, sizeof def.impedance);
    def = doubled(def);
    double want = force / (4 * 400 * 0.6 / 0.4);
    assert_near(speed_of(&def, force, 0.002, AFX_BDF2), want, 1e-4 * want);
}

/* Beyond the limit it slides as ever: m a = F - mu m g. */
static void what_slides_does_not_mind(void **state) {
    (void)state;
    AfxMaterialDef def = afx_default_material();
    def.friction = 0.25;
    def.friction_damping = 1e5;
    double accelerations[2];
    for (int k = 0; k < 2; k++) {
        AfxSimDef sim = afx_default_sim();
        sim.dt = 0.002;
        def.friction_damping = k ? 1e5 : 0;
        World world = pushed_box(&def, 12, &sim);
        world_run(&world, 0.6);
        accelerations[k] = 2 * pose_of(&world, 1).position.x / (0.6 * 0.6);
        world_free(&world);
    }
    double want = 12 / MASS - 0.25 * GRAVITY;
    assert_near(accelerations[0], want, 0.01 * want);
    assert_near(accelerations[1], want, 0.01 * want);
}

static void bodies_rest_their_margin_above(void **state) {
    (void)state;
    const double stiffness[] = {0, 4000};
    for (int soft = 0; soft < 2; soft++) {
        for (int deep = 0; deep < 2; deep++) {
            AfxMaterialDef def = afx_default_material();
            AfxSimDef sim = afx_default_sim();
            sim.dt = 0.002;
            def.margin = 0.01;
            def.stiffness = stiffness[soft];
            def.damping = soft ? 200 : 0;
            World world = pushed_box(&def, 0, &sim); /* both surfaces have it: 0.02 */
            if (deep) { /* surfaces touch, and lie 0.02 deep in the margins: it comes out without being thrown */
                AfxPose pose = {{0, 0, HALF}, {1, 0, 0, 0}};
                assert_ok(afx_sim_set_body_pose(world.sim, 1, pose));
            }
            double highest = 0;
            for (int k = 0; k < 1000; k++) {
                world_run(&world, sim.dt);
                highest = fmax(highest, pose_of(&world, 1).position.z);
            }
            double sunk = soft ? MASS * GRAVITY / (4 * stiffness[soft] / 2) : 0;
            assert_near(pose_of(&world, 1).position.z, HALF + 0.02 - sunk, 2e-6);
            assert_true(highest < HALF + 0.0225);
            AfxContact contact;
            assert_true(afx_sim_contact_count(world.sim) >= 4);
            assert_ok(afx_sim_contact(world.sim, 0, &contact));
            assert_near(contact.depth, sunk - 0.02, 2e-6); /* of the surfaces themselves */
            assert_near(contact.force, MASS * GRAVITY / 4, 0.01);
            world_free(&world);
        }
    }
}

/* A ball that falls onto another one: the margin is seen between solved bodies too. */
static void balls_rest_their_margin_apart(void **state) {
    (void)state;
    AfxMaterialDef def = afx_default_material();
    AfxSimDef sim = afx_default_sim();
    sim.dt = 0.002;
    def.margin = 0.005;
    World world = world_ground(&def);
    double moment = 0.4 * MASS * HALF * HALF;
    AfxBodyDef body = rigid_def(MASS, moment, moment, moment);
    AfxShapeDef shape = afx_default_sphere(HALF);
    body.pose.position.z = HALF + 0.01;
    world_add(&world, &body, &shape);
    body.pose.position.z = 3 * HALF + 0.05;
    world_add(&world, &body, &shape);
    world_start(&world, &sim);
    world_run(&world, 1);
    assert_near(pose_of(&world, 2).position.z - pose_of(&world, 1).position.z, 2 * HALF + 0.01, 2e-6);
    world_free(&world);
}

/* Boxes that fall onto each other, whose points some steps solve for more than once: in each of them the spring that
 * sticks is in series with one damper. */
static void points_creep_once_a_stage(void **state) {
    (void)state;
    const AfxIntegrator methods[] = {AFX_BDF1, AFX_BDF2, AFX_ALPHA};
    for (size_t i = 0; i < 3; i++) {
        AfxMaterialDef def = afx_default_material();
        AfxSimDef sim = afx_default_sim();
        const double damping = 2e3;
        sim.dt = 0.005;
        sim.integrator = methods[i];
        def.friction = 0.8;
        def.friction_damping = 2 * damping;
        World world = world_ground(&def);
        AfxShapeDef shape = afx_default_box(2 * HALF, 2 * HALF, 2 * HALF);
        double moment = MASS * HALF * HALF * 2 / 3;
        AfxBodyDef body = rigid_def(MASS, moment, moment, moment);
        for (int k = 0; k < 12; k++) {
            body.pose.position = (AfxVec3){0.07 * (k % 3), 0.05 * (k % 2), 0.2 + 0.22 * k};
            body.pose.rotation = afx_quat_from_axis_angle((AfxVec3){0.6, 0.8 * (k % 2), 0}, 0.3 * k);
            world_add(&world, &body, &shape);
        }
        world_start(&world, &sim);
        for (int n = 0; n < 120; n++) {
            world_run(&world, sim.dt);
            const AfxiContactSet *set = world.sim->solver.set;
            for (uint32_t k = 0; k < set->now.count; k++) {
                const AfxiPoint *point = &set->now.point[k];
                double stick = AFXI_GRIP_SHARE * point->stiffest, want = 1 / (1 / stick + point->dt / damping);
                if (point->force > 0) {
                    assert_near(point->grip, want, 1e-12 * want);
                }
            }
        }
        world_free(&world);
    }
}

static void numbers_are_checked(void **state) {
    (void)state;
    AfxScene *scene = scene_make((AfxVec3){0, 0, 0}, true);
    AfxMaterialId id;
    AfxMaterialDef creep = afx_default_material(), margin = creep, both;
    creep.friction_damping = -1;
    margin.margin = INFINITY;
    assert_int_equal(afx_scene_add_material(scene, &creep, &id), AFX_E_INPUT);
    assert_int_equal(afx_scene_add_material(scene, &margin, &id), AFX_E_INPUT);
    creep.friction_damping = 30;
    margin.margin = 0.1;
    margin.friction_damping = 60;
    both = afx_material_combine(&creep, &margin);
    assert_near(both.friction_damping, 20, 1e-12);
    assert_near(both.margin, 0.1, 0);
    afx_scene_destroy(scene);
}

int run_creep_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_creeps_by_its_damping), cmocka_unit_test(creep_goes_by_the_impedance),
        cmocka_unit_test(what_slides_does_not_mind),      cmocka_unit_test(bodies_rest_their_margin_above),
        cmocka_unit_test(balls_rest_their_margin_apart),  cmocka_unit_test(numbers_are_checked),
        cmocka_unit_test(points_creep_once_a_stage),
    };
    return cmocka_run_group_tests_name("creep and margins", tests, NULL, NULL);
}
