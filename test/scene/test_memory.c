/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: every allocation of a scene with every feature fails in turn; size and speed of large scenes. */
#include "tests.h"

#include "base/clock.h"
#include "support/allocator.h"

/** What the scene holds, to see that a failed call changed nothing. */
typedef struct Counts {
    uint32_t bodies, shapes, markers, wrenches, joints, drives, couplings, springs;
} Counts;

static Counts count(const AfxScene *scene) {
    Counts c = {.bodies = afx_scene_body_count(scene),
                .markers = afx_scene_marker_count(scene),
                .wrenches = afx_scene_wrench_count(scene),
                .joints = afx_scene_joint_count(scene),
                .drives = afx_scene_drive_count(scene),
                .couplings = afx_scene_coupling_count(scene),
                .springs = afx_scene_spring_count(scene)};
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

/** One of `sort` 0: joint, 1: drive with a table, 2: coupling, 3: spring, all on a body and the newest joint. */
static AfxStatus add_mechanism(AfxScene *scene, int sort, const char *name, AfxBodyId body) {
    static const double times[] = {0, 1, 2}, values[] = {0, 1, 0};
    AfxJointId newest = afx_scene_joint(scene, afx_scene_joint_count(scene) - 1), joint_id;
    if (sort == 0) {
        AfxJointDef joint = afx_default_joint(AFX_JOINT_UNIVERSAL);
        joint.name = name;
        joint.follower = body;
        return afx_scene_add_joint(scene, &joint, &joint_id);
    }
    if (sort == 1) {
        AfxDriveDef drive = afx_default_drive(AFX_DRIVE_POSITION);
        AfxDriveId drive_id;
        drive.name = name;
        drive.joint = newest;
        drive.target = (AfxSignal){.kind = AFX_SIGNAL_TABLE, .times = times, .values = values, .sample_count = 3};
        return afx_scene_add_drive(scene, &drive, &drive_id);
    }
    if (sort == 2) {
        AfxCouplingDef coupling = afx_default_coupling();
        AfxCouplingId coupling_id;
        coupling.name = name;
        coupling.term_count = 1;
        coupling.joint[0] = newest;
        coupling.factor[0] = 1;
        return afx_scene_add_coupling(scene, &coupling, &coupling_id);
    }
    AfxSpringDef spring = afx_default_spring();
    AfxSpringId spring_id;
    spring.name = name;
    spring.body_a = body;
    spring.damping = 1;
    return afx_scene_add_spring(scene, &spring, &spring_id);
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
    for (int sort = 0; sort < 4 && !status; sort++) {
        status = add_mechanism(scene, sort, name, id);
    }
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
    assert_int_equal(full.joints + full.drives + full.couplings + full.springs, 4 * ROUNDS);
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

/* The same for joints and what acts on them. */
static void a_part_of_a_mechanism_that_failed_can_be_repeated(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxSceneDef def = afx_default_scene();
    def.allocator = test_allocator(&counts);
    AfxScene *scene = NULL;
    assert_ok(afx_scene_create(&def, &scene));
    AfxBodyId body = add_body(scene, "b");
    uint64_t failures[4] = {0};
    for (uint32_t round = 0; round < 30; round++) {
        for (int sort = 0; sort < 4; sort++) {
            char name[64], element[80];
            static const char *const sorts[] = {"joint", "drive", "coupling", "spring"};
            snprintf(name, sizeof name, "a name that soon fills the pool: %u", (unsigned)round);
            snprintf(element, sizeof element, "%s \"%s\"", sorts[sort], name);
            Counts before = count(scene), after;
            for (uint64_t k = 1;; k++, failures[sort]++) {
                counts.calls = 0;
                counts.fail_at = k;
                AfxStatus status = add_mechanism(scene, sort, name, body);
                if (status == AFX_OK) {
                    break;
                }
                assert_error(scene, AFX_E_MEMORY, element, "out of memory");
                after = count(scene);
                assert_memory_equal(&before, &after, sizeof before);
            }
            counts.fail_at = 0;
            after = count(scene);
            assert_int_equal(after.joints + after.drives + after.couplings + after.springs, 4 * round + sort + 1u);
            assert_int_equal(add_mechanism(scene, sort, name, body), AFX_E_INPUT); /* the name is taken now */
        }
    }
    for (int sort = 0; sort < 4; sort++) { /* the array and the names grow three times each; every drive has a table */
        assert_true(failures[sort] >= (sort == 1 ? 36u : 6u));
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
    assert_ok(add_mechanism(scene, 0, NULL, id));
    assert_ok(add_mechanism(scene, 1, NULL, id));
    live = counts.live;
    assert_int_equal(add_mechanism(scene, 1, NULL, id), AFX_E_INPUT); /* its axis is held, and it has a table */
    assert_int_equal(counts.live, live);
    afx_scene_destroy(scene);
    assert_int_equal(counts.live, 0);
}

static void a_cleared_scene_is_as_new(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxSceneDef def = afx_default_scene();
    def.allocator = test_allocator(&counts);
    def.gravity = (AfxVec3){1, 2, 3};
    AfxScene *scene = NULL;
    assert_ok(afx_scene_create(&def, &scene));
    size_t empty = counts.live;
    for (int round = 0; round < 3; round++) {
        for (uint32_t k = 0; k < ROUNDS; k++) {
            assert_ok(add_features(scene, k));
        }
        AfxBodyId old = afx_scene_body(scene, 0), found;
        AfxJointId old_joint = afx_scene_joint(scene, 0);
        afx_scene_clear(scene);
        Counts none = {0}, after = count(scene);
        assert_memory_equal(&after, &none, sizeof none);
        assert_int_equal(counts.live, empty);
        assert_null(afx_scene_body_name(scene, old)); /* a stale id, also when there is a body again */
        AfxBodyId fresh = add_body(scene, "Body with a long name, to fill the pool of texts: 0");
        assert_int_equal(fresh.index, 0);
        assert_null(afx_scene_body_name(scene, old));
        assert_null(afx_scene_joint_name(scene, old_joint));
        assert_int_equal(afx_scene_find_body(scene, "Body with a long name, to fill the pool of texts: 2", &found),
                         AFX_E_ARGUMENT);
        assert_vec3(afx_scene_gravity(scene), 1, 2, 3, 0);
        afx_scene_clear(scene);
    }
    afx_scene_clear(NULL);
    afx_scene_destroy(scene);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.errors, 0);
}

static void a_large_mechanism_is_quick(void **state) {
    (void)state;
    enum { JOINTS = 100000 };
    AfxScene *scene = make_scene();
    AfxBodyId body = add_body(scene, NULL);
    double start = afxi_clock();
    for (uint32_t k = 0; k < JOINTS; k++) {
        char name[32];
        snprintf(name, sizeof name, "motor %u", (unsigned)k);
        assert_ok(add_mechanism(scene, 0, name, body));
        assert_ok(add_mechanism(scene, 1, name, body));
    }
    double seconds = afxi_clock() - start;
    print_message("100000 joints with drives and names: %.3f s\n", seconds);
    assert_true(seconds < 5); /* no search through the drives for one on the same axis */
    AfxJointId id;
    assert_ok(afx_scene_find_joint(scene, "motor 99999", &id));
    assert_int_equal(id.index, 99999);
    afx_scene_destroy(scene);
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
        cmocka_unit_test(a_part_of_a_mechanism_that_failed_can_be_repeated),
        cmocka_unit_test(refused_input_leaves_no_memory_behind),
        cmocka_unit_test(a_cleared_scene_is_as_new),
        cmocka_unit_test(a_large_scene_is_small_and_quick),
        cmocka_unit_test(a_large_mechanism_is_quick),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
