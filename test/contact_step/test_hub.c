/* SPDX-License-Identifier: Apache-2.0 */
/* A body that carries so many joints that it is a block of its own in the factor (a hub), and rests on the ground:
 * contact and friction hold it and all that hangs on it, by the equations of statics. */
#include "tests.h"

enum { ARMS = 12 }; /* 6 rows each: more than 48 */

static AfxVec3 arm_at(int k) {
    return v3(0.5 * cos(1.1 * k), 0.5 * sin(1.7 * k), 0.2 + 0.03 * k);
}

static void test_hub_rests(void **state) {
    (void)state;
    AfxMaterialDef material = afx_default_material();
    AfxVec3 gravity = v3(1.2, -0.7, -GRAVITY), force = v3(0, 0, 0), torque = force;
    material.friction = 0.5;
    World world = world_make(gravity);
    AfxBodyDef ground = afx_default_body(), box = ground;
    AfxShapeDef plane = afx_default_plane(), shape = afx_default_box(0.8, 0.6, 0.2);
    ground.kind = AFX_BODY_FIXED;
    box.pose.position.z = 0.1;
    assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &material));
    world_add(&world, &ground, &plane);
    uint32_t hub = world_add(&world, &box, &shape);
    for (int k = 0; k < ARMS; k++) {
        AfxBodyDef arm = rigid_def(1 + 0.2 * k, 0.01, 0.01, 0.01);
        AfxJointDef joint = afx_default_joint(AFX_JOINT_FIXED);
        AfxJointId id;
        arm.pose.position = arm_at(k);
        joint.base = afx_scene_body(world.scene, hub);
        assert_ok(afx_scene_add_body(world.scene, &arm, &joint.follower));
        assert_ok(afx_joint_place(world.scene, &joint, arm.pose));
        assert_ok(afx_scene_add_joint(world.scene, &joint, &id));
    }
    world_start(&world, NULL);
    world_run(&world, 1);
    AfxPose settled = pose_of(&world, hub);
    world_run(&world, 2);
    AfxPose end = pose_of(&world, hub);
    assert_vec3(end.position, settled.position, 1e-6);
    assert_below(q_distance(end.rotation, settled.rotation), 1e-6);
    assert_vec3(end.position, v3(0, 0, 0.1), 1e-3);
    for (uint32_t k = 0; k <= ARMS; k++) { /* weights of all, about the hub's centre */
        AfxVec3 weight = v3_scale(mass_of(&world, hub + k), gravity);
        force = v3_sub(force, weight);
        torque = v3_sub(torque, v3_cross(v3_sub(pose_of(&world, hub + k).position, end.position), weight));
    }
    AfxWrench push;
    assert_ok(afx_sim_body_contact(world.sim, hub, &push));
    assert_vec3(push.force, force, 1e-4 * v3_norm(force));
    assert_vec3(push.torque, torque, 1e-4 * v3_norm(force));
    world_free(&world);
}

int run_hub_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hub_rests)};
    return cmocka_run_group_tests_name("hubs that touch", tests, NULL, NULL);
}
