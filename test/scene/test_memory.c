/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: every allocation of a scene with every feature fails in turn; size and speed of large scenes. */
#include "tests.h"

#include "base/clock.h"
#include "support/allocator.h"

/** What the scene holds, to see that a failed call changed nothing. */
typedef struct Counts {
    uint32_t bodies, shapes, markers, wrenches;
} Counts;

static Counts count(const AfxScene *scene) {
    Counts c = {.bodies = afx_scene_body_count(scene),
                .markers = afx_scene_marker_count(scene),
                .wrenches = afx_scene_wrench_count(scene)};
    for (uint32_t k = 0; k < c.bodies; k++) {
        c.shapes += afx_scene_shape_count(scene, afx_scene_body(scene, k));
    }
    return c;
}

/** A kinematic body with a table in two of its signals. */
static AfxBodyDef moving_body(const char *name) {
    static const double times[] = {0, 1, 2}, values[] = {0, 1, 0};
    AfxBodyDef def = afx_default_body();
    AfxSignal table = {.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = 3};
    def.name = name;
    def.kind = AFX_BODY_KINEMATIC;
    def.motion.translation[1] = table;
    def.motion.angle = table;
    return def;
}

static AfxStatus add_features(AfxScene *scene, uint32_t round) {
    char name[64];
    snprintf(name, sizeof name, "body with a long name, to fill the pool of texts: %u", (unsigned)round);
    AfxBodyDef def = moving_body(name);
    AfxBodyId id;
    AfxStatus status = afx_scene_add_body(scene, &def, &id);
    if (status) {
        return status;
    }
    double vertices[24];
    box_vertices(vertices, 1, 1, 1);
    AfxShapeDef shapes[] = {afx_default_box(1, 1, 1), afx_default_mesh(vertices, 8, box_triangles, 12),
                            afx_default_convex(vertices, 8)};
    for (int k = 0; k < 3 && !status; k++) {
        status = afx_scene_add_shape(scene, id, &shapes[k]);
    }
    AfxMarkerId marker;
    status = status ? status : afx_scene_add_marker(scene, id, name, (AfxVec3){0, 0, 0}, &marker);
    AfxWrenchDef wrench = afx_default_wrench();
    AfxWrenchId wrench_id;
    wrench.body = id;
    status = status ? status : afx_scene_add_wrench(scene, &wrench, &wrench_id);
    name[0] = 'B';
    status = status ? status : afx_scene_set_body(scene, id, &def); /* renamed, with new tables */
    if (!status && round % 3 == 1) {
        def = afx_default_body();
        def.name = name;
        status = afx_scene_set_body(scene, id, &def); /* its motion goes */
    }
    return status;
}

enum { ROUNDS = 20 };

/** Builds a scene until it is done or a call fails. */
static AfxStatus build(TestAllocator *counts, AfxScene **out_scene) {
    AfxSceneDef def = afx_default_scene();
    def.allocator = test_allocator(counts);
    AfxStatus status = afx_scene_create(&def, out_scene);
    for (uint32_t round = 0; round < ROUNDS && !status; round++) {
        status = add_features(*out_scene, round);
    }
    return status;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxScene *scene = NULL;
    assert_ok(build(&counts, &scene));
    Counts full = count(scene);
    assert_int_equal(full.shapes, 3 * ROUNDS);
    afx_scene_destroy(scene);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
    uint64_t calls = counts.calls;
    assert_true(calls > 100);
    for (uint64_t k = 1; k <= calls; k++) {
        counts = (TestAllocator){.fail_at = k, .fail_on = k % 2};
        scene = NULL;
        assert_int_equal(build(&counts, &scene), AFX_E_MEMORY);
        assert_true(k <= 2 ? scene == NULL : scene != NULL);
        if (scene) {
            assert_int_equal(afx_scene_error(scene)->status, AFX_E_MEMORY);
            assert_true(afx_scene_error(scene)->element[0] && afx_scene_error(scene)->text[0]);
        }
        afx_scene_destroy(scene);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
}

/* One call at a time fails; the scene is as before, and the same call then succeeds. */
static void a_call_that_failed_can_be_repeated(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxSceneDef def = afx_default_scene();
    def.allocator = test_allocator(&counts);
    AfxScene *scene = NULL;
    assert_ok(afx_scene_create(&def, &scene));
    double vertices[24];
    box_vertices(vertices, 1, 1, 1);
    AfxShapeDef hull = afx_default_convex(vertices, 8), mesh = afx_default_mesh(vertices, 8, box_triangles, 12);
    for (uint32_t round = 0; round < 30; round++) {
        char name[32];
        snprintf(name, sizeof name, "body %u", (unsigned)round);
        AfxBodyDef body = moving_body(name);
        AfxBodyId id, found;
        AfxMarkerId marker;
        Counts before = count(scene), after;
        size_t repeats = 0;
        for (uint64_t k = 1;; k++, repeats++) {
            counts.calls = 0;
            counts.fail_at = k;
            if (afx_scene_add_body(scene, &body, &id) == AFX_OK) {
                break;
            }
            after = count(scene);
            assert_memory_equal(&before, &after, sizeof before);
            assert_int_equal(afx_scene_find_body(scene, name, &found), AFX_E_ARGUMENT);
        }
        assert_true(repeats >= 2);
        for (int i = 0; i < 2; i++) {
            before = count(scene);
            size_t live = counts.live;
            for (uint64_t k = 1;; k++) {
                counts.calls = 0;
                counts.fail_at = k;
                AfxStatus status = afx_scene_add_shape(scene, id, i ? &mesh : &hull);
                if (status == AFX_OK) {
                    break;
                }
                assert_int_equal(status, AFX_E_MEMORY);
                after = count(scene);
                assert_memory_equal(&before, &after, sizeof before);
            }
            assert_true(counts.live > live);
        }
        for (uint64_t k = 1;; k++) {
            counts.calls = 0;
            counts.fail_at = k;
            before = count(scene);
            if (afx_scene_add_marker(scene, id, name, (AfxVec3){0, 0, 0}, &marker) == AFX_OK) {
                break;
            }
            after = count(scene);
            assert_memory_equal(&before, &after, sizeof before);
        }
        for (uint64_t k = 1;; k++) {
            counts.calls = 0;
            counts.fail_at = k;
            body.name = "renamed";
            if (afx_scene_set_body(scene, id, &body) == AFX_OK) {
                break;
            }
            assert_string_equal(afx_scene_body_name(scene, id), name);
            assert_ok(afx_scene_find_body(scene, name, &found));
            assert_int_equal(afx_scene_find_body(scene, "renamed", &found), AFX_E_ARGUMENT);
        }
        counts.fail_at = 0;
        body.name = name;
        assert_ok(afx_scene_set_body(scene, id, &body));
    }
    afx_scene_destroy(scene);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
}

static void refused_input_leaves_no_memory_behind(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxSceneDef def = afx_default_scene();
    def.allocator = test_allocator(&counts);
    AfxScene *scene = NULL;
    assert_ok(afx_scene_create(&def, &scene));
    AfxBodyId id = add_body(scene, "a");
    double vertices[24];
    box_vertices(vertices, 1, 1, 1);
    AfxShapeDef good = afx_default_mesh(vertices, 8, box_triangles, 12);
    assert_ok(afx_scene_add_shape(scene, id, &good));
    size_t live = counts.live;
    AfxShapeDef open = afx_default_mesh(vertices, 8, box_triangles, 11);
    assert_int_equal(afx_scene_add_shape(scene, id, &open), AFX_E_INPUT);
    good.pose.position.x = 1e160;
    assert_int_equal(afx_scene_add_shape(scene, id, &good), AFX_E_INPUT);
    box_vertices(vertices, 1, 1, 0);
    AfxShapeDef flat = afx_default_convex(vertices, 8), flat_mesh = afx_default_mesh(vertices, 8, box_triangles, 12);
    assert_int_equal(afx_scene_add_shape(scene, id, &flat), AFX_E_INPUT);
    assert_int_equal(afx_scene_add_shape(scene, id, &flat_mesh), AFX_E_INPUT);
    assert_int_equal(counts.live, live);
    afx_scene_destroy(scene);
    assert_int_equal(counts.live, 0);
}

static void a_large_scene_is_small_and_quick(void **state) {
    (void)state;
    enum { BODIES = 100000 };
    TestAllocator counts = {0};
    AfxSceneDef def = afx_default_scene();
    def.allocator = test_allocator(&counts);
    AfxScene *scene = NULL;
    double start = afxi_clock();
    assert_ok(afx_scene_create(&def, &scene));
    AfxShapeDef capsule = afx_default_capsule(0.01, 0.1);
    for (uint32_t k = 0; k < BODIES; k++) {
        char name[32];
        snprintf(name, sizeof name, "link %u", (unsigned)k);
        AfxBodyId id = add_body(scene, name);
        assert_ok(afx_scene_add_shape(scene, id, &capsule));
    }
    double seconds = afxi_clock() - start;
    /* Arrays grow by doubling: 131072 places are there for 100000. */
    assert_true(counts.live <= 131072u * (300u + 160u));
    for (uint32_t k = 0; k < BODIES; k += 997) {
        char name[32];
        AfxBodyId id;
        snprintf(name, sizeof name, "link %u", (unsigned)k);
        assert_ok(afx_scene_find_body(scene, name, &id));
        assert_int_equal(id.index, k);
    }
    assert_int_equal(afx_scene_body_count(scene), BODIES);
    print_message("100000 bodies with shapes and names: %.3f s, %.0f bytes each\n", seconds,
                  (double)counts.live / BODIES);
    assert_true(seconds < 5); /* well below one second where nothing instruments it */
    afx_scene_destroy(scene);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
}

int run_memory_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_call_that_failed_can_be_repeated),
        cmocka_unit_test(refused_input_leaves_no_memory_behind),
        cmocka_unit_test(a_large_scene_is_small_and_quick),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
