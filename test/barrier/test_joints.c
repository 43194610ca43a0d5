/* SPDX-License-Identifier: Apache-2.0 */
/* Joints stay exact under contact: every kind, struck by a ball and dropped on the ground, rigid and elastic. */
#include "tests.h"

#include "barrier/inner.h"

/* Two bars that a joint holds together fall on the ground and on a post, and a ball strikes them. */
static void strike(AfxJointKind kind, bool rigid, AfxIntegrator integrator) {
    World world = world_make(GRAVITY, 0.4);
    AfxShapeDef bar = afx_default_box(0.4, 0.08, 0.06), ball = afx_default_sphere(0.08),
                post = afx_default_box(0.1, 0.1, 0.3);
    AfxBodyDef fixed = afx_default_body();
    world_plane(&world);
    fixed.kind = AFX_BODY_FIXED;
    fixed.pose.position = v3(0.1, 0.02, 0.15);
    world_add(&world, &fixed, &post);
    AfxBodyId a = world_put(&world, &bar, (AfxPose){v3(-0.21, 0, 0.5), {1, 0, 0, 0}}, rigid);
    AfxBodyId b = world_put(&world, &bar, (AfxPose){v3(0.21, 0, 0.5), {1, 0, 0, 0}}, rigid);
    AfxBodyId c = world_put(&world, &ball, (AfxPose){v3(0.3, 0.05, 0.75), {1, 0, 0, 0}}, rigid);
    AfxJointDef def = afx_default_joint(kind);
    def.base = a;
    def.follower = b;
    def.base_frame.position = v3(0.21, 0, 0);
    def.follower_frame.position = v3(-0.21, 0, 0);
    if (kind == AFX_JOINT_DISTANCE || kind == AFX_JOINT_REVOLUTE_SPHERICAL || kind == AFX_JOINT_REVOLUTE_REVOLUTE) {
        def.follower_frame.position = v3(-0.21, 0, 0.3);
        def.length = 0.3;
    }
    def.pitch = 0.1;
    AfxJointId joint;
    if (afx_scene_add_joint(world.scene, &def, &joint) != AFX_OK) {
        fail_msg("%s: %s", afx_scene_error(world.scene)->element, afx_scene_error(world.scene)->text);
    }
    world_start(&world, integrator, 0.01);
    assert_ok(afx_sim_set_body_twist(world.sim, c.index, (AfxTwist){v3(0, 0, -6), v3(0, 0, 0)}));
    double violation = world_run(&world, 60, NULL);
    if (!(violation < 1e-12)) {
        fail_msg("joint kind %d: violation %g", (int)kind, violation);
    }
    world_free(&world);
}

static void every_kind_of_joint_stays_exact(void **state) {
    (void)state;
    for (int kind = 0; kind < AFX_JOINT_KIND_COUNT; kind++) {
        strike((AfxJointKind)kind, kind % 2, kind % 3 ? AFX_BDF1 : AFX_BDF2);
    }
}

int run_joint_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_joint_stays_exact),
    };
    return cmocka_run_group_tests_name("barrier: joints", tests, NULL, NULL);
}
