/* SPDX-License-Identifier: Apache-2.0 */
/* The hand: it is critical for a body alone, it lifts what hangs on the body, and it never blows up. */
#include "view/hand.h"

#include "tests.h"

typedef struct Rig {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    double mass; /* of all that moves */
} Rig;

/* `count` rods of 0.2 m, hanging from the world by balls; or one that nothing holds, without gravity, when it is 0. */
static void rig_make(Rig *rig, uint32_t count, double dt) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxSimDef sim_def = afx_default_sim();
    AfxError error;
    uint32_t bodies = count ? count : 1;
    scene_def.gravity.z = count ? -9.81 : 0;
    assert_ok(afx_scene_create(&scene_def, &rig->scene));
    AfxBodyId last = afx_world();
    for (uint32_t k = 0; k < bodies; k++) {
        AfxBodyDef body = afx_default_body();
        AfxShapeDef rod = afx_default_capsule(0.01, 0.2);
        AfxBodyId id;
        AfxJointId joint_id;
        body.pose.position.z = -0.2 * k - 0.1;
        body.young = INFINITY;
        rod.mass = 0.1;
        assert_ok(afx_scene_add_body(rig->scene, &body, &id));
        assert_ok(afx_scene_add_shape(rig->scene, id, &rod));
        AfxJointDef joint = afx_default_joint(AFX_JOINT_SPHERICAL);
        joint.base = last;
        joint.follower = id;
        if (count) {
            assert_ok(afx_joint_place(rig->scene, &joint, (AfxPose){{0, 0, -0.2 * k}, {1, 0, 0, 0}}));
            assert_ok(afx_scene_add_joint(rig->scene, &joint, &joint_id));
        }
        last = id;
    }
    sim_def.dt = dt;
    assert_ok(afx_model_create(rig->scene, &rig->model, &error));
    assert_ok(afx_sim_create(rig->model, &sim_def, &rig->sim));
    rig->mass = 0.1 * bodies;
}

static void rig_free(Rig *rig) {
    afx_sim_destroy(rig->sim);
    afx_model_destroy(rig->model);
    afx_scene_destroy(rig->scene);
}

/* Alone, pulled at its centre from rest: m x'' = -k x - c x' with c² = 4 k m, so x = x0 (1 + w t) exp(-w t). */
static void test_critical(void **state) {
    (void)state;
    Rig rig;
    AfxiHand hand = {0};
    AfxPose pose;
    double dt = 1e-3, time = 0.1;
    rig_make(&rig, 0, dt);
    assert_true(afxi_hand_grab(&hand, rig.scene, rig.model, rig.mass, 0));
    assert_ok(afxi_hand_hold(&hand, rig.sim, (AfxVec3){0, 0, 0}, (AfxVec3){0.3, 0, -0.1}));
    for (int n = 0; n < 100; n++) {
        assert_ok(afx_step(rig.sim, NULL));
    }
    double w = sqrt(hand.stiffness / 0.1);
    assert_ok(afx_sim_body_pose(rig.sim, 0, &pose));
    assert_true(fabs(0.3 - pose.position.x - 0.3 * (1 + w * time) * exp(-w * time)) < 1e-3);
    assert_true(fabs(pose.position.z + 0.1) < 1e-12);
    rig_free(&rig);
}

static double distance_after(uint32_t links, double dt, double seconds) {
    Rig rig;
    AfxiHand hand = {0};
    rig_make(&rig, links, dt);
    uint32_t body = links ? links - 1 : 0;
    assert_true(afxi_hand_grab(&hand, rig.scene, rig.model, rig.mass, body));
    AfxVec3 target = links ? (AfxVec3){0.1 * links, 0, -0.1 * links} : (AfxVec3){0.4, 0.2, 0.1};
    double farthest = 0;
    AfxPose pose;
    assert_ok(afxi_hand_hold(&hand, rig.sim, (AfxVec3){0, 0, 0}, target));
    for (double t = 0; t < seconds; t += dt) {
        assert_ok(afx_step(rig.sim, NULL));
        assert_ok(afx_sim_body_pose(rig.sim, body, &pose));
        farthest = fmax(farthest, fabs(pose.position.x) + fabs(pose.position.y) + fabs(pose.position.z));
    }
    assert_true(farthest < 0.2 * links + 2);
    double x = pose.position.x - target.x, y = pose.position.y - target.y, z = pose.position.z - target.z;
    rig_free(&rig);
    return sqrt(x * x + y * y + z * z);
}

/* One body, a chain, a long one; steps that are small and very large. */
static void test_comes(void **state) {
    (void)state;
    static const double steps[] = {0.001, 0.01, 0.05};
    for (size_t k = 0; k < COUNT(steps); k++) {
        assert_true(distance_after(0, steps[k], 4) < 1e-6);
        assert_true(distance_after(5, steps[k], 6) < 0.02);
        assert_true(distance_after(40, steps[k], 12) < 0.2);
    }
}

static void test_refuses(void **state) {
    (void)state;
    Rig rig;
    AfxiHand hand = {0};
    rig_make(&rig, 2, 0.01);
    assert_false(afxi_hand_grab(&hand, rig.scene, rig.model, rig.mass, 2));
    assert_false(afxi_hand_grab(&hand, rig.scene, rig.model, rig.mass, UINT32_MAX));
    rig_free(&rig);
}

int run_hand_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_critical),
        cmocka_unit_test(test_comes),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests_name("hand", tests, NULL, NULL);
}
