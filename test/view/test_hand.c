/* SPDX-License-Identifier: Apache-2.0 */
/* The hand: for a body alone it is an implicit step, it holds a load where the spring says, and it never blows up. */
#include "view/hand.h"

#include "tests.h"

typedef struct Rig {
    AfxScene *scene;
    AfxModel *model;
    AfxSim *sim;
    AfxWrench *wrenches; /* [bodies] */
    double mass;         /* of all that moves */
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
    rig->wrenches = calloc(bodies, sizeof *rig->wrenches);
    rig->mass = 0.1 * bodies;
}

static void rig_free(Rig *rig) {
    free(rig->wrenches);
    afx_sim_destroy(rig->sim);
    afx_model_destroy(rig->model);
    afx_scene_destroy(rig->scene);
}

static void rig_step(Rig *rig, const AfxiHand *hand) {
    rig->wrenches[hand->body] = afxi_hand_pull(hand, rig->sim);
    assert_ok(afx_sim_set_body_wrenches(rig->sim, rig->wrenches));
    assert_ok(afx_step(rig->sim, NULL));
}

/* At rest, pulled at its centre: the force is what implicit Euler finds for (m, c, k): f = k x / (1 + (h c + h² k)/m).
 */
static void test_force(void **state) {
    (void)state;
    Rig rig;
    AfxiHand hand = {0};
    rig_make(&rig, 0, 0.01);
    assert_true(afxi_hand_grab(&hand, rig.scene, rig.model, rig.mass, 0));
    hand.target = (AfxVec3){0.3, 0, -0.1};
    AfxWrench pull = afxi_hand_pull(&hand, rig.sim);
    double h = 0.01, k = hand.stiffness, c = hand.damping, m = 0.1;
    double v = h * k * 0.3 / (m + h * c + h * h * k); /* velocity after the implicit step */
    assert_true(fabs(pull.force.x - m * v / h) < 1e-9 * pull.force.x);
    assert_true(fabs(pull.force.y) < 1e-12 && fabs(pull.force.z) < 1e-12);
    hand.point = (AfxVec3){0, 0, 0.1}; /* at its end it is lighter, and turns */
    hand.target = (AfxVec3){0.3, 0, 0};
    AfxWrench end = afxi_hand_pull(&hand, rig.sim);
    assert_true(end.force.x > 0 && end.force.x < pull.force.x);
    assert_true(fabs(end.torque.y - 0.1 * end.force.x) < 1e-9);
    rig_free(&rig);
}

static double distance_after(uint32_t links, double dt, double seconds) {
    Rig rig;
    AfxiHand hand = {0};
    rig_make(&rig, links, dt);
    uint32_t body = links ? links - 1 : 0;
    assert_true(afxi_hand_grab(&hand, rig.scene, rig.model, rig.mass, body));
    hand.target = links ? (AfxVec3){0.1 * links, 0, -0.1 * links} : (AfxVec3){0.4, 0.2, 0.1};
    double farthest = 0;
    AfxPose pose;
    for (double t = 0; t < seconds; t += dt) {
        rig_step(&rig, &hand);
        assert_ok(afx_sim_body_pose(rig.sim, body, &pose));
        farthest = fmax(farthest, fabs(pose.position.x) + fabs(pose.position.y) + fabs(pose.position.z));
    }
    assert_true(farthest < 0.2 * links + 2);
    double x = pose.position.x - hand.target.x, y = pose.position.y - hand.target.y,
           z = pose.position.z - hand.target.z;
    rig_free(&rig);
    return sqrt(x * x + y * y + z * z);
}

/* One body, a chain, a long one; steps that are small and very large. */
static void test_comes(void **state) {
    (void)state;
    static const double steps[] = {0.001, 0.01, 0.05};
    for (size_t k = 0; k < COUNT(steps); k++) {
        assert_true(distance_after(0, steps[k], 4) < 0.01);
        assert_true(distance_after(5, steps[k], 6) < 0.1);
        assert_true(distance_after(40, steps[k], 12) < 1.5);
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
        cmocka_unit_test(test_force),
        cmocka_unit_test(test_comes),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests_name("hand", tests, NULL, NULL);
}
