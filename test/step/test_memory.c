/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: a step asks for none; when any one request of scene, model or sim is refused, the call says so, nothing
 * leaks and nothing crashes. */
#include "support/allocator.h"
#include "tests.h"

static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

/* A body of each kind with shapes of each kind of data, a marker and two wrenches. */
static AfxStatus add_features(AfxScene *scene, int k) {
    static const double times[] = {0, 1, 2}, values[] = {0, 1, 0};
    char name[32];
    AfxBodyId id;
    AfxMarkerId marker;
    AfxWrenchId wrench_id;
    AfxBodyDef def = afx_default_body();
    snprintf(name, sizeof name, "body %d", k);
    def.name = name;
    def.kind = (AfxBodyKind)(k % 3);
    def.young = k % 2 ? INFINITY : 1e8;
    if (def.kind == AFX_BODY_KINEMATIC) {
        def.motion.translation[0] =
            (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = 3};
        def.motion.angle = def.motion.translation[0];
        def.motion.axis = v3(0, 0, 1);
    }
    AfxShapeDef shapes[3] = {afx_default_box(1 + 0.1 * k, 2, 3), afx_default_convex(corners, 4),
                             afx_default_mesh(corners, 4, faces, 4)};
    AfxStatus status = afx_scene_add_body(scene, &def, &id);
    for (int i = 0; i < 3 && !status; i++) {
        status = afx_scene_add_shape(scene, id, &shapes[i]);
    }
    status = status ? status : afx_scene_add_marker(scene, id, name, v3(1, 0, 0), &marker);
    AfxWrenchDef wrench = afx_default_wrench();
    wrench.body = id;
    wrench.force = v3(1, 2, 3);
    status = status ? status : afx_scene_add_wrench(scene, &wrench, &wrench_id);
    wrench.frame = AFX_FRAME_BODY;
    return status ? status : afx_scene_add_wrench(scene, &wrench, &wrench_id);
}

enum { BODIES = 9 };

static AfxStatus build_scene(TestAllocator *counts, World *world) {
    AfxSceneDef def = afx_default_scene();
    def.allocator = test_allocator(counts);
    AfxStatus status = afx_scene_create(&def, &world->scene);
    status = status ? status : afx_scene_set_contact(world->scene, false);
    for (int k = 0; k < BODIES && !status; k++) {
        status = add_features(world->scene, k);
    }
    return status;
}

/* All that a sim can be asked for and that may need memory. */
static AfxStatus use_sim(World *world) {
    AfxWrench wrenches[BODIES];
    double mass = 3, young = 1e7, gravity[3] = {0, 0, -1};
    memset(wrenches, 0, sizeof wrenches);
    wrenches[0].force = v3(1, 0, 0);
    AfxStatus status = afx_sim_set_param(world->sim, AFX_PARAM_BODY_MASS, 0, &mass);
    status = status ? status : afx_sim_set_param(world->sim, AFX_PARAM_BODY_YOUNG, 0, &young);
    status = status ? status : afx_sim_set_param(world->sim, AFX_PARAM_GRAVITY, 0, gravity);
    status = status ? status : afx_sim_hold(world->sim, 3, v3(0, 0, 0.1), v3(1, 0, 0), 100, 1);
    status = status ? status : afx_sim_set_body_wrenches(world->sim, wrenches);
    status = status ? status : afx_sim_hold(world->sim, 0, v3(0, 0, 0), v3(1, 0, 0), 100, 1);
    for (int n = 0; n < 3 && !status; n++) {
        status = afx_step(world->sim, NULL);
    }
    return status;
}

static AfxStatus build(TestAllocator *counts, const AfxSimDef *settings, World *world) {
    AfxError error;
    AfxSimDef def = *settings;
    def.allocator = test_allocator(counts);
    AfxStatus status = build_scene(counts, world);
    if (!status) {
        status = afx_model_create(world->scene, &world->model, &error);
        assert_true(status == error.status || !status);
        assert_true((status == AFX_OK) == (world->model != NULL));
    }
    if (!status) {
        status = afx_sim_create(world->model, &def, &world->sim);
        assert_true((status == AFX_OK) == (world->sim != NULL));
    }
    return status ? status : use_sim(world);
}

static void every_request_may_be_refused(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        AfxSimDef def = sim_def(&methods[m], 0.01);
        def.threads = 1 + (uint32_t)m;
        TestAllocator counts = {0};
        World world = {0};
        assert_ok(build(&counts, &def, &world));
        world_free(&world);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
        uint64_t calls = counts.calls;
        assert_true(calls > 20);
        for (uint64_t k = 1; k <= calls; k++) {
            counts = (TestAllocator){.fail_at = k, .fail_on = k % 2};
            assert_int_equal(build(&counts, &def, &world), AFX_E_MEMORY);
            world_free(&world);
            assert_int_equal(counts.live, 0);
            assert_int_equal(counts.errors, 0);
        }
    }
}

/* After a refusal the sim is as it was, and the same call then succeeds. */
static void a_refused_call_can_be_repeated(void **state) {
    (void)state;
    TestAllocator counts = {0};
    World world = {0};
    AfxSimDef def = sim_def(&methods[0], 0.01);
    def.allocator = test_allocator(&counts);
    assert_ok(build_scene(&counts, &world));
    assert_ok(afx_model_create(world.scene, &world.model, NULL));
    for (uint64_t k = 1; k < 50; k++) {
        assert_ok(afx_sim_create(world.model, &def, &world.sim));
        counts.fail_at = counts.calls + k;
        AfxStatus status = use_sim(&world);
        assert_true(status == AFX_OK || status == AFX_E_MEMORY);
        counts.fail_at = 0;
        assert_ok(use_sim(&world));
        double mass;
        assert_ok(afx_sim_param(world.sim, AFX_PARAM_BODY_MASS, 0, &mass));
        assert_true(mass == 3);
        afx_sim_destroy(world.sim);
        world.sim = NULL;
    }
    world_free(&world);
    assert_int_equal(counts.live, 0);
}

static void a_step_asks_for_no_memory(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        for (uint32_t threads = 1; threads <= 3; threads += 2) {
            TestAllocator counts = {0};
            World world = {0};
            AfxSimDef def = m % 2 ? accurate_def(&methods[m], 0.01) : sim_def(&methods[m], 0.01);
            def.threads = threads;
            assert_ok(build(&counts, &def, &world));
            uint64_t calls = counts.calls, frees = counts.frees;
            double *start = state_copy(&world);
            world_run(&world, 100);
            assert_ok(afx_sim_set_dt(world.sim, 0.02));
            world_run(&world, 3);
            assert_ok(afx_sim_set_state(world.sim, start, start + 12 * BODIES));
            world_run(&world, 3);
            start[0] = 1e308; /* a failing step neither */
            start[12 * BODIES] = 1e308;
            assert_ok(afx_sim_set_dt(world.sim, 100));
            assert_ok(afx_sim_set_state(world.sim, start, start + 12 * BODIES));
            afx_step(world.sim, NULL);
            assert_int_equal(counts.calls, calls);
            assert_int_equal(counts.frees, frees);
            free(start);
            world_free(&world);
            assert_int_equal(counts.live, 0);
        }
    }
}

/* A tree that is whipped leaves the pool of its like, for which a step asks for memory. Nothing can touch. If there is
 * none, all goes on as if the step had not been tried, for a ball chain beside it too. */
static void a_refused_step_has_not_happened(void **state) {
    (void)state;
    for (int m = 0; m < METHODS; m++) {
        TestAllocator counts = {0}, others = {0};
        World world = world_make(v3(0, 0, -9.81));
        AfxSimDef def = sim_def(&methods[m], 0.02);
        AfxSim *other;
        uint32_t refused = 0;
        for (int k = 0; k < 6; k++) {
            world_add_bars(&world, v3(5 * k, 0, 0), 5, k == 2 ? 60 : 1, 0.1);
        }
        world_add_bars(&world, v3(0, 9, 0), 12, 0, 0);
        def.allocator = test_allocator(&others);
        world_start(&world, &def);
        def.allocator = test_allocator(&counts);
        assert_ok(afx_sim_create(world.model, &def, &other));
        do {
            counts.fail_at = counts.calls + 1 + refused++;
        } while (afx_step(other, NULL) == AFX_E_MEMORY);
        assert_true(refused > 1);
        counts.fail_at = 0;
        for (int k = 0; k < 3; k++) {
            assert_ok(afx_step(other, NULL));
        }
        world_run(&world, 4);
        size_t bytes = 12 * (size_t)afx_model_body_count(world.model) * sizeof(double);
        assert_memory_equal(afx_sim_coordinates(other), afx_sim_coordinates(world.sim), bytes);
        assert_memory_equal(afx_sim_velocities(other), afx_sim_velocities(world.sim), bytes);
        afx_sim_destroy(other);
        world_free(&world);
    }
}

int run_memory_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_may_be_refused),
        cmocka_unit_test(a_refused_call_can_be_repeated),
        cmocka_unit_test(a_step_asks_for_no_memory),
        cmocka_unit_test(a_refused_step_has_not_happened),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
