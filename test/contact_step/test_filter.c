/* SPDX-License-Identifier: Apache-2.0 */
/* What may touch and what may not: groups and masks, excluded pairs, neighbours on a joint, visual shapes, and the
 * switch of the scene. What may not touch falls through the ground as if nothing were there. */
#include "tests.h"

typedef enum How { AS_IT_IS, GROUPS, ONE_WAY, EXCLUDED, VISUAL, SWITCHED_OFF } How;

static double height_after(How how) {
    AfxMaterialDef material = afx_default_material();
    World world = world_ground(&material);
    AfxBodyDef def = afx_default_body();
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2), inner = afx_default_sphere(0.05);
    def.pose.position.z = 0.1;
    box.contact_group = how == GROUPS || how == ONE_WAY ? 2 : 1;
    box.contact_mask = how == GROUPS ? 6 : 1;
    box.visual = how == VISUAL;
    uint32_t body = world_add(&world, &def, how == VISUAL ? &inner : &box);
    AfxBodyId id = afx_scene_body(world.scene, body);
    if (how == VISUAL) {
        def.pose.position.z = 0.1;
        assert_ok(afx_scene_add_shape(world.scene, id, &box));
    } else if (how == EXCLUDED) {
        assert_ok(afx_scene_exclude_contact(world.scene, afx_scene_body(world.scene, 0), id));
    } else if (how == SWITCHED_OFF) {
        assert_ok(afx_scene_set_contact(world.scene, false));
    }
    world_start(&world, NULL);
    world_run(&world, 1);
    double z = pose_of(&world, body).position.z;
    world_free(&world);
    return z;
}

static void test_filters(void **state) {
    (void)state;
    double fallen = 0.1 - 0.5 * GRAVITY;
    assert_near(height_after(AS_IT_IS), 0.1, 1e-4);
    assert_near(height_after(ONE_WAY), 0.1, 1e-4); /* its mask has the ground's group */
    assert_near(height_after(GROUPS), fallen, 1e-6);
    assert_near(height_after(EXCLUDED), fallen, 1e-6);
    assert_near(height_after(SWITCHED_OFF), fallen, 1e-6);
    assert_near(height_after(VISUAL), 0.05, 1e-4); /* the ball inside touches, the box around it does not */
}

/* Two boxes on a hinge overlap where they meet; they are pushed apart only where the joint lets them touch. */
static void check_neighbours(bool contact) {
    World world = world_make(v3(0, 0, 0));
    AfxBodyDef a = afx_default_body(), b = afx_default_body();
    AfxShapeDef box = afx_default_box(0.5, 0.2, 0.2);
    AfxJointDef hinge = afx_default_joint(AFX_JOINT_REVOLUTE);
    AfxJointId id;
    b.pose.position = v3(0.48, 0, 0.02);
    b.angular_velocity = v3(0, 0.2, 0);
    b.linear_velocity = v3(0, 0, -0.2 * 0.24);
    uint32_t first = world_add(&world, &a, &box), second = world_add(&world, &b, &box);
    hinge.base = afx_scene_body(world.scene, first);
    hinge.follower = afx_scene_body(world.scene, second);
    hinge.contact = contact;
    assert_ok(afx_joint_place(world.scene, &hinge, afx_frame_along(v3(0.24, 0, 0), v3(0, 1, 0))));
    assert_ok(afx_scene_add_joint(world.scene, &hinge, &id));
    world_start(&world, NULL);
    AfxStepReport report;
    assert_ok(afx_step(world.sim, &report));
    assert_int_equal(report.contacts > 0, contact);
    world_free(&world);
}

static void test_neighbours(void **state) {
    (void)state;
    check_neighbours(false);
    check_neighbours(true);
}

int run_filter_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters),
        cmocka_unit_test(test_neighbours),
    };
    return cmocka_run_group_tests_name("contact_step/filter", tests, NULL, NULL);
}
