/* SPDX-License-Identifier: Apache-2.0 */
/* No memory at any moment: an error, nothing left behind. And no memory taken while a run goes on. */
#include "support/allocator.h"
#include "tests.h"

/* All of an output's life with an allocator that fails at its call `fail_at`; true when nothing failed. */
static bool live(AfxOutputKind kind, const World *world, TestAllocator *counts) {
    AfxError error = {0};
    AfxOutput *output = NULL;
    const void *mark;
    size_t size = 0;
    AfxOutputDef def = afx_default_output(kind);
    def.allocator = test_allocator(counts);
    def.path = scratch("a");
    def.chunk = 2;
    AfxStatus status = afx_output_create(&def, world->scene, world->sim, &output, &error);
    for (int k = 0; k < 5 && status == AFX_OK; k++) {
        status = afx_output_step(output, world->sim, &world->report, &error);
    }
    if (status == AFX_OK) {
        status = afx_output_mark(output, &mark, &size, &error);
    }
    unsigned char *kept = NULL;
    if (status == AFX_OK) {
        kept = malloc(size + 1);
        memcpy(kept, mark, size);
    }
    AfxStatus closed = afx_output_close(output, &error);
    status = status == AFX_OK ? closed : status;
    if (status == AFX_OK) {
        status = afx_output_resume(&def, world->scene, world->sim, kept, size, &output, &error);
        if (status == AFX_OK) {
            status = afx_output_close(output, &error);
        }
    }
    free(kept);
    assert_true(status == AFX_OK || status == AFX_E_MEMORY);
    if (status == AFX_E_MEMORY) {
        assert_non_null(strstr(error.file, "/a"));
    }
    return status == AFX_OK;
}

static void test_outputs(void **state) {
    (void)state;
    World world;
    world_make(&world, NULL, NULL);
    world_step(&world);
    for (int kind = AFX_OUTPUT_HDF5; kind <= AFX_OUTPUT_LIVE; kind++) {
        bool done = kind > last_kind() && kind != AFX_OUTPUT_LIVE;
        for (uint64_t k = 1; !done; k++) {
            TestAllocator counts = {.fail_at = k};
            done = live((AfxOutputKind)kind, &world, &counts);
            assert_int_equal(counts.live, 0);
            assert_int_equal(counts.errors, 0);
            assert_true(done || counts.calls >= k);
            assert_true(k < 1000);
        }
    }
    world_free(&world);
}

static void test_readers(void **state) {
    (void)state;
    static const char *const names[] = {"time", "energy", "body:arm"};
    World world;
    AfxError error = {0};
    world_make(&world, NULL, NULL);
    for (int kind = AFX_OUTPUT_HDF5; kind <= AFX_OUTPUT_CSV; kind++) {
        AfxOutput *output = NULL;
        AfxOutputDef def = afx_default_output((AfxOutputKind)kind);
        def.path = scratch("a");
        def.what = kind == AFX_OUTPUT_CSV ? "time,energy,body:arm" : NULL;
        assert_ok(afx_output_create(&def, world.scene, world.sim, &output, &error));
        assert_ok(afx_output_close(output, &error));
        AfxStatus status = AFX_E_MEMORY;
        for (uint64_t k = 1; status != AFX_OK; k++) {
            TestAllocator counts = {.fail_at = k};
            AfxAllocator allocator = test_allocator(&counts);
            AfxTable *table = NULL;
            status = afx_table_read(def.path, COUNT(names), names, &allocator, &table, &error);
            assert_true(status == AFX_OK || status == AFX_E_MEMORY);
            afx_table_destroy(table);
            assert_int_equal(counts.live, 0);
            assert_int_equal(counts.errors, 0);
        }
    }
    world_free(&world);
}

static void test_snapshots(void **state) {
    (void)state;
    World world;
    AfxError error = {0};
    world_make(&world, NULL, NULL);
    AfxStatus status = AFX_E_MEMORY;
    for (uint64_t k = 1; status != AFX_OK; k++) {
        TestAllocator counts = {.fail_at = k};
        AfxSnapshotDef def = afx_default_snapshot();
        AfxSnapshot *snapshot = NULL;
        def.allocator = test_allocator(&counts);
        def.path = scratch("s");
        status = afx_snapshot_write(&def, world.sim, &error);
        if (status == AFX_OK) {
            status = afx_snapshot_read(def.path, &def.allocator, &snapshot, &error);
        }
        assert_true(status == AFX_OK || status == AFX_E_MEMORY);
        afx_snapshot_destroy(snapshot);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
    world_free(&world);
}

/* What an output takes does not grow with the run. */
static void test_bounded(void **state) {
    (void)state;
    World world;
    AfxError error = {0};
    world_make(&world, NULL, NULL);
    world_step(&world);
    for (int kind = AFX_OUTPUT_HDF5; kind <= last_kind(); kind++) {
        if (kind == AFX_OUTPUT_VTK) { /* a file for each frame takes long */
            continue;
        }
        TestAllocator counts = {0};
        AfxOutput *output = NULL;
        AfxOutputDef def = afx_default_output((AfxOutputKind)kind);
        def.allocator = test_allocator(&counts);
        def.path = scratch("a");
        assert_ok(afx_output_create(&def, world.scene, world.sim, &output, &error));
        uint64_t calls = counts.calls;
        size_t bytes = counts.live;
        for (int k = 0; k < 3000; k++) {
            assert_ok(afx_output_step(output, world.sim, &world.report, &error));
        }
        assert_int_equal(counts.calls, calls);
        assert_int_equal(counts.live, bytes);
        assert_true(bytes < 3u << 20);
        assert_ok(afx_output_close(output, &error));
        assert_int_equal(counts.live, 0);
    }
    world_free(&world);
}

int run_memory_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_outputs, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_readers, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_snapshots, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_bounded, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
