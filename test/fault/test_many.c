/* SPDX-License-Identifier: Apache-2.0 */
/* 10,000 scenes, models and sims, made and destroyed: nothing is left, and the process does not grow. */
#include "tests.h"

#include <sys/resource.h>

#include "support/rigid_reference.h"

#define ROUNDS 10000

/* A box on a plane, and a pendulum with a motor. */
static AfxStatus build(AfxScene *scene) {
    AfxBodyId ground, box, arm = {0};
    AfxJointId hinge;
    AfxBodyDef body = afx_default_body();
    AfxShapeDef plane = afx_default_plane(), cube = afx_default_box(1, 1, 1);
    body.kind = AFX_BODY_FIXED;
    AfxStatus status = afx_scene_add_body(scene, &body, &ground);
    status = status ? status : afx_scene_add_shape(scene, ground, &plane);
    body = afx_default_body();
    body.pose.position = v3(0, 0, 0.5);
    status = status ? status : afx_scene_add_body(scene, &body, &box);
    status = status ? status : afx_scene_add_shape(scene, box, &cube);
    body.pose.position = v3(5, 0, 3);
    status = status ? status : afx_scene_add_body(scene, &body, &arm);
    status = status ? status : afx_scene_add_shape(scene, arm, &cube);
    AfxJointDef joint = afx_default_joint(AFX_JOINT_REVOLUTE);
    joint.base = afx_world();
    joint.follower = arm;
    status = status ? status : afx_joint_place(scene, &joint, (AfxPose){v3(5, 0, 4), {1, 0, 0, 0}});
    return status ? status : afx_scene_add_joint(scene, &joint, &hinge);
}

static void round_once(const AfxAllocator *allocator) {
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSceneDef def = afx_default_scene();
    AfxSimDef sim_def = afx_default_sim();
    def.allocator = sim_def.allocator = *allocator;
    assert_int_equal(afx_scene_create(&def, &scene), AFX_OK);
    assert_int_equal(build(scene), AFX_OK);
    assert_int_equal(afx_model_create(scene, &model, NULL), AFX_OK);
    afx_scene_destroy(scene);
    assert_int_equal(afx_sim_create(model, &sim_def, &sim), AFX_OK);
    assert_int_equal(afx_step(sim, NULL), AFX_OK);
    assert_int_equal(afx_step(sim, NULL), AFX_OK);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
}

static long most_memory(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss; /* kB */
}

static void nothing_is_left(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxAllocator allocator = test_allocator(&counts);
    long early = 0;
    for (int k = 0; k < ROUNDS; k++) {
        round_once(&allocator);
        assert_int_equal(counts.live, 0);
        if (k == ROUNDS / 10) {
            early = most_memory();
        }
    }
    assert_int_equal(counts.errors, 0);
    long grown = most_memory() - early;
#if !defined(__SANITIZE_ADDRESS__) /* which keeps freed memory for a while */
    if (grown > 1024) {
        fail_msg("the process grew by %ld kB", grown);
    }
#endif
    (void)grown;
}

int run_many_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_left)};
    return cmocka_run_group_tests_name("fault: many", tests, NULL, NULL);
}
