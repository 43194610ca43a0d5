/* SPDX-License-Identifier: Apache-2.0 */
/* Equal bits: after a snapshot in the middle of contact is put back, in this sim or a new one, and with any number of
 * threads and lanes. */
#include "tests.h"

static const char *const *const scenes[] = {
    (const char *const[]){"stack", "n=4", "drop=0.03", NULL},
    (const char *const[]){"arch", "stones=9", "mu=0.1", NULL},
    (const char *const[]){"incline", "shape=sphere", "mu=0.05", NULL},
    (const char *const[]){"falling-joints", "pairs=4", NULL},
    (const char *const[]){"klann", "legs=6", "ground=1", NULL},
};
static const double moments[] = {0.15, 0.4, 0.3, 0.6, 0.5}; /* when something touches */

static void test_snapshot(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(scenes); ++k) {
        World world = world_case(scenes[k][0], scenes[k] + 1);
        world_run(&world, moments[k]);
        assert_true(afx_sim_contact_count(world.sim) > 0);
        size_t size = afx_sim_snapshot_size(world.sim);
        void *buffer = malloc(size);
        assert_non_null(buffer);
        assert_ok(afx_sim_snapshot(world.sim, buffer, size));
        world_run(&world, 0.3);
        double *end = state_copy(&world);
        assert_ok(afx_sim_restore(world.sim, buffer, size));
        world_run(&world, 0.3);
        assert_true(state_equal(&world, end));
        world_start(&world, NULL);
        assert_ok(afx_sim_restore(world.sim, buffer, size));
        world_run(&world, 0.3);
        assert_true(state_equal(&world, end));
        free(end);
        free(buffer);
        world_free(&world);
    }
}

static void test_threads(void **state) {
    (void)state;
    for (size_t k = 0; k < COUNT(scenes); ++k) {
        World world = world_case(scenes[k][0], scenes[k] + 1);
        world_run(&world, moments[k] + 0.3);
        double *end = state_copy(&world);
        for (int other = 0; other < 2; ++other) {
            AfxSimDef def = afx_default_sim();
            def.threads = other ? 1 : 2;
            def.lanes = other ? 1 : 0;
            world_start(&world, &def);
            world_run(&world, moments[k] + 0.3);
            assert_true(state_equal(&world, end));
        }
        free(end);
        world_free(&world);
    }
}

enum { LINKS = 90, BALLS = 6 };

static AfxBodyId add_link(World *world, uint32_t k, bool masks, const AfxBodyId *link) {
    AfxBodyDef def = afx_default_body();
    AfxShapeDef shape = afx_default_capsule(0.02, 0.06), knob = afx_default_sphere(0.03);
    AfxJointDef joint = afx_default_joint(k % 9 == 4 ? AFX_JOINT_REVOLUTE : AFX_JOINT_SPHERICAL);
    AfxJointId made;
    AfxBodyId id;
    bool stem = k < 30; /* then twigs */
    uint32_t parent = stem ? k - 1 : k - 30;
    def.pose.position = v3(0.1 * (k % 30) + 0.05, 0, 1.5 + 0.1 * (k / 30));
    knob.pose.position = v3(0, 0.03, 0.03);
    shape.contact_group = knob.contact_group = 1;
    shape.contact_mask = knob.contact_mask = masks ? 2 : 3;
    assert_ok(afx_scene_add_body(world->scene, &def, &id));
    assert_ok(afx_scene_add_shape(world->scene, id, &shape));
    if (k % 5 == 0) {
        assert_ok(afx_scene_add_shape(world->scene, id, &knob));
    }
    joint.base = k == 0 ? afx_world() : link[parent];
    joint.follower = id;
    joint.base_frame.position = k == 0 ? v3(0, 0, 1.5) : stem ? v3(0.05, 0, 0) : v3(0, 0, 0.05);
    joint.follower_frame.position = stem ? v3(-0.05, 0, 0) : v3(0, 0, -0.05);
    assert_ok(afx_scene_add_joint(world->scene, &joint, &made));
    return id;
}

/* A tree that falls on a floor and under balls; its links never touch each other: by their masks, which lets them be
 * put together into clusters, or because all pairs of them are excluded, which does not. */
static World falling_tree(bool masks, AfxIntegrator integrator) {
    World world = world_make(v3(0, 0, -GRAVITY));
    AfxBodyId link[LINKS];
    AfxBodyDef body = afx_default_body();
    AfxShapeDef floor = afx_default_box(3, 3, 0.05), ball = afx_default_sphere(0.1);
    for (uint32_t k = 0; k < LINKS; k++) {
        link[k] = add_link(&world, k, masks, link);
        for (uint32_t other = 0; !masks && other < k; other++) {
            assert_ok(afx_scene_exclude_contact(world.scene, link[other], link[k]));
        }
    }
    floor.contact_group = ball.contact_group = 2;
    for (uint32_t k = 0; k < BALLS; k++) {
        body.pose.position = v3(0.3 + 0.4 * k, 0.02 * k, 2 + 0.3 * k);
        body.linear_velocity = v3(0, 0, -1.0 * k);
        world_add(&world, &body, &ball);
    }
    body = afx_default_body();
    body.kind = AFX_BODY_FIXED;
    world_add(&world, &body, &floor);
    AfxSimDef def = afx_default_sim();
    def.integrator = integrator;
    world_start(&world, &def);
    return world;
}

static void test_clusters(void **state) {
    (void)state;
    for (AfxIntegrator integrator = AFX_BDF2; integrator <= AFX_SDIRK2; integrator++) {
        World one = falling_tree(true, integrator), two = falling_tree(false, integrator);
        uint32_t contacts = 0;
        for (int k = 0; k < 40; k++) {
            assert_ok(afx_step(one.sim, NULL));
            assert_ok(afx_step(two.sim, NULL));
            contacts += afx_sim_contact_count(one.sim);
            double *end = state_copy(&two);
            assert_true(state_equal(&one, end));
            free(end);
        }
        assert_true(contacts > 20);
        world_free(&one);
        world_free(&two);
    }
}

/* Wrenches belong to their bodies, whichever of them touch something. */
static void test_wrenches_beside_contact(void **state) {
    (void)state;
    World world = world_make(v3(0, 0, 0));
    AfxBodyDef ground = afx_default_body(), body = afx_default_body();
    AfxShapeDef box = afx_default_box(0.5, 0.5, 0.5), ball = afx_default_sphere(0.1); /* a plane is near to all */
    const AfxVec3 force[3] = {{0, 0, -5}, {1, 0, 0}, {0, 2, 3}};
    AfxWrench wrenches[4] = {0};
    for (uint32_t k = 0; k < 3; ++k) {
        body.pose.position = v3(k, 0, k ? 5 : 0.1);
        world_add(&world, &body, &ball);
        wrenches[k].force = force[k];
    }
    ground.kind = AFX_BODY_FIXED;
    ground.pose.position.z = -0.25;
    world_add(&world, &ground, &box);
    world_start(&world, NULL);
    assert_ok(afx_sim_set_body_wrenches(world.sim, wrenches));
    AfxStepReport report = {0};
    for (int step = 0; step < 10; ++step) {
        assert_ok(afx_step(world.sim, &report));
    }
    assert_int_equal(report.contacts, 1);
    for (uint32_t k = 1; k < 3; ++k) {
        double rate = afx_sim_time(world.sim) / mass_of(&world, k);
        AfxVec3 want = v3(rate * force[k].x, rate * force[k].y, rate * force[k].z);
        assert_vec3(twist_of(&world, k).linear, want, 1e-9);
    }
    world_free(&world);
}

/* A box that rests on the ground and, out of reach, `HINGED` bodies in a row that hang by hinges. */
enum { BOX = 1, HINGED = 3 };

static World make_beside(void) {
    AfxMaterialDef material = afx_default_material();
    material.friction = 0.6;
    World world = world_ground(&material);
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2);
    def.pose.position = v3(0, 0, 0.1);
    def.pose.rotation = afx_quat_from_axis_angle(v3(0, 0, 1), 0.3);
    world_add(&world, &def, &box);
    AfxBodyId before = afx_world();
    for (uint32_t k = 0; k < HINGED; ++k) {
        AfxShapeDef rod = afx_default_box(0.2, 0.05, 0.05);
        AfxJointDef hinge = afx_default_joint(AFX_JOINT_REVOLUTE);
        AfxJointId joint;
        rod.contact_mask = 0;
        def = afx_default_body();
        def.pose.position = v3(5.1 + 0.2 * k, 0, 9);
        AfxBodyId body = afx_scene_body(world.scene, world_add(&world, &def, &rod));
        hinge.base = before;
        hinge.follower = body;
        assert_ok(afx_joint_place(world.scene, &hinge, afx_frame_along(v3(5 + 0.2 * k, 0, 9), v3(0, 1, 0))));
        assert_ok(afx_scene_add_joint(world.scene, &hinge, &joint));
        before = body;
    }
    world_start(&world, NULL);
    return world;
}

/* A step in parts of what something else is struck by leaves what rests with its points, their forces and what their
 * friction holds. */
static void test_parts_beside_contact(void **state) {
    (void)state;
    World struck = make_beside(), calm = make_beside();
    AfxWrench blow[BOX + 1 + HINGED] = {0}, push = {.force = v3(3, 1, 0)};
    bool parts = false;
    for (int step = 0; step < 60; ++step) {
        AfxStepReport report, quiet;
        blow[BOX] = push; /* within the cone: what friction holds is what keeps it in place */
        blow[BOX + HINGED] = (AfxWrench){0};
        assert_ok(afx_sim_set_body_wrenches(calm.sim, blow));
        blow[BOX + HINGED] = step == 30 ? (AfxWrench){v3(0, 5e3, 5e3), v3(5e3, 5e3, 5e3)} : (AfxWrench){0};
        assert_ok(afx_sim_set_body_wrenches(struck.sim, blow));
        assert_ok(afx_step(struck.sim, &report));
        assert_ok(afx_step(calm.sim, &quiet));
        parts |= (report.flags & AFX_STEP_HALVED) != 0;
        assert_int_equal(report.contacts, quiet.contacts);
        assert_int_equal(afx_sim_contact_count(struck.sim), afx_sim_contact_count(calm.sim));
        assert_memory_equal(afx_sim_coordinates(struck.sim) + 12 * BOX, afx_sim_coordinates(calm.sim) + 12 * BOX,
                            12 * sizeof(double));
    }
    assert_true(parts);
    world_free(&struck);
    world_free(&calm);
}

int run_same_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snapshot),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_clusters),
        cmocka_unit_test(test_wrenches_beside_contact),
        cmocka_unit_test(test_parts_beside_contact),
    };
    return cmocka_run_group_tests_name("contact_step/same", tests, NULL, NULL);
}
