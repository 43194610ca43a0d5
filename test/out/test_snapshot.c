/* SPDX-License-Identifier: Apache-2.0 */
/* Snapshot files: bits that come back, damage that is seen, the one before that is kept. */
#include <sys/stat.h>
#include <unistd.h>

#include "out/snapshot.h"
#include "tests.h"

static void save(const World *world, const char *path, bool keep, uint64_t step) {
    static const char note[] = "what ran";
    static const uint64_t numbers[3] = {1, 2, 3};
    const AfxSnapshotPart parts[] = {
        {"note", note, sizeof note - 3}, {"numbers", numbers, sizeof numbers}, {"none", NULL, 0}};
    AfxSnapshotDef def = afx_default_snapshot();
    AfxError error = {0};
    def.path = path;
    def.keep = keep;
    def.step = step;
    def.parts = parts;
    def.part_count = COUNT(parts);
    assert_fine(afx_snapshot_write(&def, world->sim, &error), &error);
}

static void test_round(void **state) {
    (void)state;
    World a, b;
    AfxSnapshot *snapshot = NULL;
    AfxError error = {0};
    const void *data = NULL;
    size_t size = 0;
    world_make(&a, NULL, NULL);
    world_make(&b, NULL, NULL);
    for (int k = 0; k < 25; k++) {
        world_step(&a);
    }
    save(&a, scratch("s"), true, 25);
    assert_fine(afx_snapshot_read(scratch("s"), NULL, &snapshot, &error), &error);
    assert_int_equal(afx_snapshot_step(snapshot), 25);
    assert_same(afx_snapshot_time(snapshot), afx_sim_time(a.sim));
    assert_int_equal(afx_snapshot_model_hash(snapshot), afx_model_hash(a.model));
    assert_ok(afx_snapshot_part(snapshot, "note", &data, &size));
    assert_int_equal(size, 6);
    assert_memory_equal(data, "what r", 6);
    assert_ok(afx_snapshot_part(snapshot, "numbers", &data, &size));
    assert_int_equal(size, 24);
    assert_int_equal((uintptr_t)data % 8, 0);
    assert_int_equal(((const uint64_t *)data)[2], 3);
    assert_ok(afx_snapshot_part(snapshot, "none", &data, &size));
    assert_int_equal(size, 0);
    assert_int_equal(afx_snapshot_part(snapshot, "other", &data, &size), AFX_E_ARGUMENT);
    assert_fine(afx_snapshot_restore(snapshot, b.sim, &error), &error);
    afx_snapshot_destroy(snapshot);
    for (int k = 0; k < 25; k++) {
        world_step(&a);
        world_step(&b);
    }
    assert_memory_equal(afx_sim_coordinates(a.sim), afx_sim_coordinates(b.sim), WORLD_BODIES * 12 * sizeof(double));
    assert_memory_equal(afx_sim_velocities(a.sim), afx_sim_velocities(b.sim), WORLD_BODIES * 12 * sizeof(double));
    assert_int_equal(a.report.step, b.report.step);
    world_free(&a);
    world_free(&b);
}

static void test_kept(void **state) {
    (void)state;
    World world;
    AfxSnapshot *snapshot = NULL;
    AfxError error = {0};
    world_make(&world, NULL, NULL);
    for (uint64_t k = 1; k <= 3; k++) {
        save(&world, scratch("s"), true, k);
    }
    assert_ok(afx_snapshot_read(scratch("s"), NULL, &snapshot, &error));
    assert_int_equal(afx_snapshot_step(snapshot), 3);
    afx_snapshot_destroy(snapshot);
    assert_ok(afx_snapshot_read(scratch("s.1"), NULL, &snapshot, &error));
    assert_int_equal(afx_snapshot_step(snapshot), 2);
    afx_snapshot_destroy(snapshot);
    save(&world, scratch("s"), false, 4);
    assert_ok(afx_snapshot_read(scratch("s.1"), NULL, &snapshot, &error));
    assert_int_equal(afx_snapshot_step(snapshot), 2);
    afx_snapshot_destroy(snapshot);
    assert_int_equal(access(scratch("s.new"), F_OK), -1);
    world_free(&world);
}

static AfxStatus read_bytes(const void *data, size_t size, AfxError *error) {
    AfxSnapshot *snapshot = NULL;
    file_write(scratch("d"), data, size);
    AfxStatus status = afx_snapshot_read(scratch("d"), NULL, &snapshot, error);
    assert_true((status == AFX_OK) == (snapshot != NULL));
    afx_snapshot_destroy(snapshot);
    return status;
}

static void test_damage(void **state) {
    (void)state;
    World world;
    AfxError error = {0};
    size_t size;
    world_make(&world, NULL, NULL);
    save(&world, scratch("s"), true, 1);
    unsigned char *data = file_read(scratch("s"), &size);
    assert_ok(read_bytes(data, size, &error));
    uint64_t random = 1;
    for (size_t at = 0; at < size; at += at < 200 ? 1 : 1 + random_bits(&random) % 40) {
        bool padding = at >= 64 + 24 + afx_sim_snapshot_size(world.sim); /* between the short parts: checked apart */
        unsigned char bit = (unsigned char)(1u << random_bits(&random) % 8);
        data[at] ^= bit;
        AfxStatus status = read_bytes(data, size, &error);
        if (status == AFX_OK && !padding) {
            fail_msg("byte %zu of %zu", at, size);
        }
        data[at] ^= bit;
    }
    for (size_t cut = 0; cut < size; cut += 1 + random_bits(&random) % 50) {
        assert_int_equal(read_bytes(data, cut, &error), AFX_E_INPUT);
        assert_non_null(strstr(error.file, "/d"));
    }
    unsigned char *longer = calloc(1, size + 8);
    memcpy(longer, data, size);
    assert_int_equal(read_bytes(longer, size + 8, &error), AFX_E_INPUT);
    free(longer);
    data[8] = 2; /* the version */
    assert_int_equal(read_bytes(data, size, &error), AFX_E_VERSION);
    free(data);
    world_free(&world);
}

/* Sections that lie about their sizes, with checksums that fit. */
static void test_lies(void **state) {
    (void)state;
    static const uint64_t sizes[] = {0, 1, 7, 8, 1000000, UINT64_MAX, UINT64_MAX - 7, UINT64_MAX / 2, 48, 56};
    for (size_t k = 0; k < COUNT(sizes); k++) {
        uint64_t block[20] = {0}; /* 64 bytes of head, a section with 48 bytes, one without any */
        AfxiSnapshotHead head = {
            .magic = AFXI_SNAPSHOT_MAGIC, .version = AFXI_SNAPSHOT_VERSION, .order = AFXI_SNAPSHOT_ORDER};
        AfxiSnapshotSection first = {.name = "first", .size = sizes[k]}, second = {.name = "second"};
        const void *data = NULL;
        size_t size = 0;
        memcpy(block, &head, sizeof head);
        memcpy(block + 8, &first, sizeof first);
        memcpy(block + 17, &second, sizeof second);
        afxi_snapshot_seal(block, sizeof block);
        AfxStatus status;
        const char *fault = afxi_snapshot_fault(block, sizeof block, &status);
        assert_true((fault == NULL) == (sizes[k] == 48 || sizes[k] <= 8 || sizes[k] == 56 ? fault == NULL : false));
        if (sizes[k] == 48) {
            assert_null(fault);
            assert_true(afxi_snapshot_find(block, sizeof block, "first", &data, &size));
            assert_int_equal(size, 48);
            assert_true(afxi_snapshot_find(block, sizeof block, "second", &data, &size));
        }
        if (sizes[k] > 100) {
            assert_non_null(fault);
            assert_false(afxi_snapshot_find(block, sizeof block, "second", &data, &size));
        }
    }
}

static void test_other(void **state) {
    (void)state;
    World world, other;
    AfxSnapshot *snapshot = NULL;
    AfxError error = {0};
    AfxSimDef def = afx_default_sim();
    world_make(&world, NULL, NULL);
    save(&world, scratch("s"), true, 1);
    assert_ok(afx_snapshot_read(scratch("s"), NULL, &snapshot, &error));
    def.integrator = AFX_ALPHA;
    world_make(&other, NULL, &def);
    assert_int_equal(afx_snapshot_restore(snapshot, other.sim, &error), AFX_E_VERSION);
    assert_non_null(strstr(error.text, "integrator"));
    world_free(&other);
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxBodyDef body = afx_default_body();
    AfxBodyId id;
    AfxShapeDef ball = afx_default_sphere(1);
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    def = afx_default_sim();
    assert_ok(afx_scene_create(&scene_def, &scene));
    assert_ok(afx_scene_add_body(scene, &body, &id));
    assert_ok(afx_scene_add_shape(scene, id, &ball));
    assert_ok(afx_model_create(scene, &model, &error));
    assert_ok(afx_sim_create(model, &def, &sim));
    assert_int_equal(afx_snapshot_restore(snapshot, sim, &error), AFX_E_VERSION);
    assert_non_null(strstr(error.text, "another model"));
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    afx_scene_destroy(scene);
    afx_snapshot_destroy(snapshot);
    world_free(&world);
}

static void test_arguments(void **state) {
    (void)state;
    World world;
    AfxSnapshot *snapshot = NULL;
    AfxError error = {0};
    static const char *const names[] = {"", "state", "sixteen letters!", NULL};
    world_make(&world, NULL, NULL);
    AfxSnapshotDef def = afx_default_snapshot();
    assert_int_equal(afx_snapshot_write(&def, world.sim, &error), AFX_E_ARGUMENT);
    def.path = scratch("s");
    assert_int_equal(afx_snapshot_write(&def, NULL, &error), AFX_E_ARGUMENT);
    for (size_t k = 0; k < COUNT(names); k++) {
        AfxSnapshotPart part = {names[k], "", 0};
        def.parts = &part;
        def.part_count = 1;
        assert_int_equal(afx_snapshot_write(&def, world.sim, &error), AFX_E_ARGUMENT);
    }
    AfxSnapshotPart twice[2] = {{"a", "", 0}, {"a", "", 0}};
    def.parts = twice;
    def.part_count = 2;
    assert_int_equal(afx_snapshot_write(&def, world.sim, &error), AFX_E_ARGUMENT);
    def.part_count = AFX_SNAPSHOT_PARTS + 1;
    assert_int_equal(afx_snapshot_write(&def, world.sim, &error), AFX_E_ARGUMENT);
    def.part_count = 0;
    def.cookie = 0;
    assert_int_equal(afx_snapshot_write(&def, world.sim, &error), AFX_E_VERSION);
    assert_int_equal(afx_snapshot_read(scratch("none"), NULL, &snapshot, &error), AFX_E_SYSTEM);
    assert_int_equal(afx_snapshot_read(scratch(""), NULL, &snapshot, &error), AFX_E_INPUT);
    assert_int_equal(afx_snapshot_read("/dev/null", NULL, &snapshot, &error), AFX_E_INPUT);
    assert_null(snapshot);
    assert_int_equal(afx_snapshot_restore(NULL, world.sim, &error), AFX_E_ARGUMENT);
    afx_snapshot_destroy(NULL);
    world_free(&world);
}

int run_snapshot_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_kept, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_damage, scratch_setup, scratch_teardown),
        cmocka_unit_test(test_lies),
        cmocka_unit_test_setup_teardown(test_other, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_arguments, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("snapshots", tests, NULL, NULL);
}
