/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies at rest: they keep their place, contacts carry their weight, a leaning tower stands up to the limit of the
 * harmonic series, an arch stands where friction holds it, a grip lifts what friction can hold, and a machine walks. */
#include "tests.h"

#include <stdio.h>

static void check_rest(const AfxShapeDef *shape, double height) {
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxBodyDef def = afx_default_body();
    def.pose.position.z = height;
    uint32_t body = world_add(&world, &def, shape);
    world_start(&world, NULL);
    world_run(&world, 0.5);
    AfxPose settled = pose_of(&world, body);
    assert_near(settled.position.z, height, 2e-5);
    world_run(&world, 5);
    AfxPose end = pose_of(&world, body);
    assert_vec3(end.position, settled.position, 1e-6);
    assert_below(q_distance(end.rotation, settled.rotation), 1e-6);
    assert_below(v3_norm(twist_of(&world, body).linear), 1e-9);

    AfxWrench push;
    double weight = mass_of(&world, body) * GRAVITY;
    assert_ok(afx_sim_body_contact(world.sim, body, &push));
    assert_vec3(push.force, v3(0, 0, weight), 1e-6 * weight);
    assert_vec3(push.torque, v3(0, 0, 0), 1e-6 * weight);
    world_free(&world);
}

static void test_rests(void **state) {
    (void)state;
    AfxShapeDef box = afx_default_box(0.4, 0.3, 0.2), ball = afx_default_sphere(0.25);
    AfxShapeDef can = afx_default_cylinder(0.2, 0.5), lying = afx_default_capsule(0.1, 0.4);
    AfxShapeDef egg = afx_default_ellipsoid(0.3, 0.25, 0.2);
    lying.pose.rotation = q_about(v3(0, 1, 0), PI / 2);
    check_rest(&box, 0.1);
    check_rest(&ball, 0.25);
    check_rest(&can, 0.25);
    check_rest(&lying, 0.1);
    check_rest(&egg, 0.2);
}

/* The sum over the contacts is what afx_sim_body_contact says, and each carries its share of a box's weight. */
static void test_contacts_carry(void **state) {
    (void)state;
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(0.4, 0.3, 0.2);
    def.pose.position.z = 0.1;
    uint32_t body = world_add(&world, &def, &box);
    world_start(&world, NULL);
    world_run(&world, 1);
    double weight = mass_of(&world, body) * GRAVITY;
    assert_int_equal(afx_sim_contact_count(world.sim), 4);
    for (uint32_t k = 0; k < 4; ++k) {
        AfxContact contact;
        assert_ok(afx_sim_contact(world.sim, k, &contact));
        assert_int_equal(contact.body_a, body);
        assert_int_equal(contact.body_b, 0);
        assert_vec3(contact.normal, v3(0, 0, 1), 1e-9);
        assert_near(fabs(contact.point.x), 0.2, 1e-4);
        assert_near(fabs(contact.point.y), 0.15, 1e-4);
        assert_near(contact.force, weight / 4, 1e-6 * weight);
        assert_false(contact.sliding);
    }
    world_free(&world);
}

/* Box k from the top is shifted by L / 2k: the tower's limit. */
static void check_tower(int count, double share, bool stands) {
    char texts[2][48];
    snprintf(texts[0], sizeof texts[0], "n=%d", count);
    snprintf(texts[1], sizeof texts[1], "overhang=%.17g", share);
    World world = world_case("stack", (const char *[]){texts[0], texts[1], NULL});
    AfxVec3 start = marker_of(&world);
    world_run(&world, stands ? 5 : 4);
    double moved = v3_distance(marker_of(&world), start);
    if (stands ? moved > 1e-3 : start.z - marker_of(&world).z < 0.3) {
        fail_msg("tower of %d at %g of the limit: the top moved by %g m", count, share, moved);
    }
    world_free(&world);
}

static void test_leaning_tower(void **state) {
    (void)state;
    check_tower(4, 0.98, true);
    check_tower(4, 1.02, false);
    check_tower(10, 0.98, true);
    check_tower(10, 1.02, false);
}

/* Boxes that were dropped on each other lie where they should, each pressed by those above it. */
static void test_dropped_stack(void **state) {
    (void)state;
    World world = world_case("stack", (const char *[]){"n=5", "drop=0.02", NULL});
    world_run(&world, 2);
    assert_vec3(marker_of(&world), v3(-0.5, 0, 4.5 * 0.25), 1e-4);
    for (uint32_t k = 0; k < 5; ++k) { /* bodies 0 and 1 are floor and table */
        double pressed = 0, weight = mass_of(&world, 2) * GRAVITY;
        for (uint32_t c = 0; c < afx_sim_contact_count(world.sim); ++c) {
            AfxContact contact;
            assert_ok(afx_sim_contact(world.sim, c, &contact));
            bool below = contact.point.z < 0.25 * k + 0.05 && contact.point.z > 0.25 * k - 0.05;
            pressed += below ? contact.force : 0;
        }
        assert_near(pressed, (5 - k) * weight, 1e-3 * weight);
    }
    world_free(&world);
}

static void test_arch(void **state) {
    (void)state;
    World world = world_case("arch", (const char *[]){"stones=13", NULL});
    AfxVec3 start = marker_of(&world);
    world_run(&world, 3);
    assert_vec3(marker_of(&world), start, 1e-3);
    assert_below(v3_norm(marker_speed(&world)), 1e-6);
    world_free(&world);

    world = world_case("arch", (const char *[]){"stones=13", "mu=0.05", NULL});
    world_run(&world, 1);
    assert_below(marker_of(&world).z, start.z - 0.3);
    world_free(&world);
}

/* Two fingers of 5 N hold 0.125 kg by friction 0.5; with 1 N they do not. */
static void test_grasp(void **state) {
    (void)state;
    World world = world_case("grasp", (const char *[]){NULL});
    world_run(&world, 3);
    assert_vec3(marker_of(&world), v3(0, 0, 0.225), 1e-4);
    world_free(&world);
    world = world_case("grasp", (const char *[]){"effort=1", NULL});
    world_run(&world, 3);
    assert_near(marker_of(&world).z, 0.025, 1e-3);
    world_free(&world);
}

/* A stride is 0.3 m, and there are two in a turn of the cranks. */
static void test_walks(void **state) {
    (void)state;
    World world = world_case("klann", (const char *[]){"legs=6", "ground=1", "omega=3.141592653589793", NULL});
    AfxVec3 start = marker_of(&world);
    world_run(&world, 4);
    AfxVec3 way = v3_sub(marker_of(&world), start);
    assert_near(way.x, 4 * 0.3, 0.15);
    assert_near(way.y, 0, 0.01);
    assert_near(way.z, 0, 0.01);
    world_free(&world);
}

/* A fixed floor that is placed anew between steps: a ball comes to rest on it there. With a plane far below, too. */
static void test_placed_anew(void **state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        AfxMaterialDef material = afx_default_material();
        World world = k ? world_ground(&material) : world_make(v3(0, 0, -GRAVITY));
        AfxBodyDef floor = afx_default_body(), body = afx_default_body();
        AfxShapeDef box = afx_default_box(2, 2, 1), ball = afx_default_sphere(0.05);
        floor.kind = AFX_BODY_FIXED;
        floor.pose.position.z = 9;
        body.pose.position.z = 10;
        uint32_t first = world_add(&world, &floor, &box), second = world_add(&world, &body, &ball);
        world_start(&world, NULL);
        world_run(&world, 0.05);
        AfxPose pose = pose_of(&world, first);
        pose.position.z = 8.5;
        assert_ok(afx_sim_set_body_pose(world.sim, first, pose));
        world_run(&world, 2);
        assert_near(pose_of(&world, second).position.z, 9.05, 1e-4);
        world_free(&world);
    }
}

/* A slab on `rows` x 5 small balls: flags of all steps. */
static uint32_t stand_on_feet(int rows) {
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxBodyDef def = afx_default_body();
    AfxShapeDef slab = afx_default_box(1, 1, 0.1), foot = afx_default_sphere(0.05);
    uint32_t flags = 0;
    def.pose.position.z = 0.15;
    uint32_t body = world_add(&world, &def, &slab);
    for (int k = 0; k < 5 * rows; k++) {
        foot.pose.position = v3(-0.4 + 0.2 * (k % 5), 0.4 - 0.8 / (rows - 1) * (k / 5), -0.1);
        assert_ok(afx_scene_add_shape(world.scene, afx_scene_body(world.scene, body), &foot));
    }
    world_start(&world, NULL);
    for (int n = 0; n < 100; n++) {
        AfxStepReport report;
        assert_ok(afx_step(world.sim, &report));
        flags |= report.flags;
    }
    AfxWrench push;
    double weight = mass_of(&world, body) * GRAVITY;
    assert_ok(afx_sim_body_contact(world.sim, body, &push));
    assert_vec3(push.force, v3(0, 0, weight), 1e-4 * weight);
    assert_near(pose_of(&world, body).position.z, 0.15, 1e-3);
    world_free(&world);
    return flags;
}

/* Points beyond those that one body can have carry no load: the report says so. */
static void test_too_many_feet(void **state) {
    (void)state;
    assert_int_equal(stand_on_feet(4) & AFX_STEP_CONTACT_DROPPED, 0);
    assert_int_equal(stand_on_feet(5) & AFX_STEP_CONTACT_DROPPED, AFX_STEP_CONTACT_DROPPED);
}

int run_rest_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_placed_anew),    cmocka_unit_test(test_rests),
        cmocka_unit_test(test_contacts_carry), cmocka_unit_test(test_leaning_tower),
        cmocka_unit_test(test_dropped_stack),  cmocka_unit_test(test_arch),
        cmocka_unit_test(test_too_many_feet),  cmocka_unit_test(test_grasp),
        cmocka_unit_test(test_walks),
    };
    return cmocka_run_group_tests_name("contact_step/rest", tests, NULL, NULL);
}
