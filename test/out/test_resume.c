/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs taken up again after a process ended without closing them: the files must be those of a run that never
 * stopped. */
#include <hdf5.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests.h"

enum { STEPS = 60 };

static const char *const columns[] = {"time",        "step",     "flags",         "solves",       "residual",
                                      "energy",      "momentum", "body:fore.arm", "body:5",       "velocity:cart",
                                      "joint:elbow", "rate:0",   "reaction:0",    "effort:motor", "marker:tip"};

static AfxOutputDef definition(AfxOutputKind kind, const char *path, uint64_t every) {
    AfxOutputDef def = afx_default_output(kind);
    def.path = path;
    def.what = kind == AFX_OUTPUT_HDF5 ? "all" : kind == AFX_OUTPUT_CSV ? "time,energy,body:arm,flags,residual" : NULL;
    def.every = every;
    def.chunk = 6;
    return def;
}

static void steps(World *world, AfxOutput *output, uint32_t count) {
    AfxError error = {0};
    for (uint32_t k = 0; k < count; k++) {
        world_step(world);
        assert_fine(afx_output_step(output, world->sim, &world->report, &error), &error);
    }
}

static void run_steps(const AfxOutputDef *def, uint32_t count) {
    World world;
    AfxOutput *output = NULL;
    AfxError error = {0};
    world_make(&world, NULL, NULL);
    assert_fine(afx_output_create(def, world.scene, world.sim, &output, &error), &error);
    steps(&world, output, count);
    assert_fine(afx_output_close(output, &error), &error);
    world_free(&world);
}

/* In a process that ends `beyond` steps after the snapshot at step `at`, as if it were killed. From a mark (`from` > 0)
 * it starts there. */
static void run_part(const AfxOutputDef *def, uint32_t from, uint32_t at, uint32_t beyond) {
    pid_t child = fork();
    if (child == 0) {
        World world;
        AfxOutput *output = NULL;
        AfxError error = {0};
        AfxSnapshot *snapshot = NULL;
        AfxSnapshotPart part = {.name = "mark"};
        world_make(&world, NULL, NULL);
        if (from) {
            assert_fine(afx_snapshot_read(scratch("s"), NULL, &snapshot, &error), &error);
            assert_fine(afx_snapshot_restore(snapshot, world.sim, &error), &error);
            assert_ok(afx_snapshot_part(snapshot, "mark", &part.data, &part.size));
            assert_fine(afx_output_resume(def, world.scene, world.sim, part.data, part.size, &output, &error), &error);
        } else {
            assert_fine(afx_output_create(def, world.scene, world.sim, &output, &error), &error);
        }
        steps(&world, output, at - from);
        AfxSnapshotDef save = afx_default_snapshot();
        save.path = scratch("s");
        save.parts = &part;
        save.part_count = 1;
        assert_fine(afx_output_mark(output, &part.data, &part.size, &error), &error);
        assert_fine(afx_snapshot_write(&save, world.sim, &error), &error);
        steps(&world, output, beyond);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void run_rest(const AfxOutputDef *def, uint32_t from) {
    World world;
    AfxOutput *output = NULL;
    AfxError error = {0};
    AfxSnapshot *snapshot = NULL;
    const void *mark;
    size_t size;
    world_make(&world, NULL, NULL);
    assert_fine(afx_snapshot_read(scratch("s"), NULL, &snapshot, &error), &error);
    assert_fine(afx_snapshot_restore(snapshot, world.sim, &error), &error);
    assert_ok(afx_snapshot_part(snapshot, "mark", &mark, &size));
    assert_fine(afx_output_resume(def, world.scene, world.sim, mark, size, &output, &error), &error);
    afx_snapshot_destroy(snapshot);
    steps(&world, output, STEPS - from);
    assert_fine(afx_output_close(output, &error), &error);
    world_free(&world);
}

static void assert_same_tables(const char *a, const char *b) {
    AfxTable *x = NULL, *y = NULL;
    AfxError error = {0};
    assert_fine(afx_table_read(a, COUNT(columns), columns, NULL, &x, &error), &error);
    assert_fine(afx_table_read(b, COUNT(columns), columns, NULL, &y, &error), &error);
    assert_int_equal(afx_table_row_count(x), afx_table_row_count(y));
    for (uint32_t k = 0; k < afx_table_column_count(x); k++) {
        assert_memory_equal(afx_table_column(x, k), afx_table_column(y, k), afx_table_row_count(x) * sizeof(double));
    }
    afx_table_destroy(x);
    afx_table_destroy(y);
}

static void check(AfxOutputKind kind, const char *ending) {
    static const uint32_t cuts[][3] = {{1, 0, 0},   {5, 2, 0},  {6, 13, 0},   {11, 30, 0}, {17, 9, 0},
                                       {24, 3, 30}, {7, 20, 9}, {30, 30, 59}, {60, 0, 0}};
    for (uint64_t every = kind == AFX_OUTPUT_VTK ? 4 : 1; every <= 4;
         every += 3) { /* a file for each frame takes long */
        char whole[300], parts[300];
        snprintf(whole, sizeof whole, "%s/whole%s", scratch(""), ending);
        snprintf(parts, sizeof parts, "%s/parts%s", scratch(""), ending);
        AfxOutputDef through = definition(kind, whole, every), cut = definition(kind, parts, every);
        run_steps(&through, STEPS);
        for (size_t k = 0; k < COUNT(cuts); k++) {
            uint32_t first = cuts[k][0], beyond = cuts[k][1], second = cuts[k][2];
            run_part(&cut, 0, first, beyond);
            if (second) {
                run_part(&cut, first, second, 1);
            }
            run_rest(&cut, second ? second : first);
            if (kind == AFX_OUTPUT_HDF5) {
                assert_same_tables(whole, parts);
            } else if (kind != AFX_OUTPUT_VTK) { /* its files name each other */
                assert_same_files(whole, parts);
            } else {
                size_t size_a, size_b;
                unsigned char *a = file_read(whole, &size_a), *b = file_read(parts, &size_b);
                assert_int_equal(size_a, size_b); /* "whole" and "parts" are equally long */
                free(a);
                free(b);
                char name_a[40], name_b[40];
                for (uint64_t frame = 0; frame <= STEPS / every; frame++) {
                    snprintf(name_a, sizeof name_a, "whole_%06d.vtp", (int)frame);
                    snprintf(name_b, sizeof name_b, "parts_%06d.vtp", (int)frame);
                    assert_same_files(scratch(name_a), scratch(name_b));
                }
            }
        }
    }
}

static void test_hdf5(void **state) {
    (void)state;
    check(AFX_OUTPUT_HDF5, ".h5");
}

static void test_csv(void **state) {
    (void)state;
    check(AFX_OUTPUT_CSV, ".csv");
}

static void test_gltf(void **state) {
    (void)state;
    check(AFX_OUTPUT_GLTF, ".glb");
    assert_int_equal(access(scratch("whole.glb.part"), F_OK), -1);
    assert_int_equal(access(scratch("parts.glb.part"), F_OK), 0); /* can be gone on with */
}

static void test_vtk(void **state) {
    (void)state;
    check(AFX_OUTPUT_VTK, ".pvd");
}

/* What came after the mark is gone at once, not only when it is written over. */
static void test_cut_back(void **state) {
    (void)state;
    static const char *const endings[] = {".h5", ".csv", ".glb", ".pvd"};
    for (int kind = AFX_OUTPUT_HDF5; kind <= AFX_OUTPUT_VTK; kind++) {
        char whole[300], parts[300];
        snprintf(whole, sizeof whole, "%s/whole%s", scratch(""), endings[kind]);
        snprintf(parts, sizeof parts, "%s/parts%s", scratch(""), endings[kind]);
        AfxOutputDef through = definition((AfxOutputKind)kind, whole, 2),
                     cut = definition((AfxOutputKind)kind, parts, 2);
        run_steps(&through, 20);
        run_part(&cut, 0, 20, 30);
        if (kind == AFX_OUTPUT_CSV || kind == AFX_OUTPUT_GLTF) { /* what a full buffer would have left there */
            FILE *more = fopen(kind == AFX_OUTPUT_CSV ? parts : scratch("parts.glb.part"), "ab");
            assert_non_null(more);
            assert_true(fputs("something that came later\n", more) >= 0);
            assert_int_equal(fclose(more), 0);
        }
        run_rest(&cut, STEPS);
        if (kind == AFX_OUTPUT_HDF5) {
            assert_same_tables(whole, parts);
        } else if (kind != AFX_OUTPUT_VTK) {
            assert_same_files(whole, parts);
        } else {
            size_t size_a, size_b;
            unsigned char *a = file_read(whole, &size_a), *b = file_read(parts, &size_b);
            assert_int_equal(size_a, size_b);
            free(a);
            free(b);
        }
    }
}

/* A file that was cut is refused. In a process of its own: HDF5 loses memory over it. */
static void refuses_short(const AfxOutputDef *def, const World *world, const void *mark, size_t size) {
    pid_t child = fork();
    if (child == 0) {
        AfxOutput *output = NULL;
        AfxError error = {0};
        AfxStatus status = afx_output_resume(def, world->scene, world->sim, mark, size, &output, &error);
        bool fine =
            (status == AFX_E_INPUT || status == AFX_E_SYSTEM) && strstr(error.file, "/r") && error.text[0] && !output;
        _exit(fine ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Marks, definitions and files that do not fit are refused, and nothing is changed. */
static void test_refused(void **state) {
    (void)state;
    for (int kind = AFX_OUTPUT_HDF5; kind <= AFX_OUTPUT_VTK; kind++) {
        AfxOutputDef def = definition((AfxOutputKind)kind, scratch("r"), 1);
        AfxOutput *output = NULL;
        AfxSnapshot *snapshot = NULL;
        AfxError error = {0};
        World world;
        const void *mark;
        size_t size;
        run_part(&def, 0, 20, 3);
        world_make(&world, NULL, NULL);
        assert_ok(afx_snapshot_read(scratch("s"), NULL, &snapshot, &error));
        assert_ok(afx_snapshot_restore(snapshot, world.sim, &error));
        assert_ok(afx_snapshot_part(snapshot, "mark", &mark, &size));
        for (size_t cut = 0; cut < size; cut += 7) {
            AfxStatus status = afx_output_resume(&def, world.scene, world.sim, mark, cut, &output, &error);
            if (status == AFX_OK) { /* a kind without anything of its own in the mark */
                fail_msg("kind %d took a mark of %zu bytes of %zu", kind, cut, size);
            }
            assert_int_equal(status, AFX_E_VERSION);
        }
        unsigned char *changed = malloc(size); /* says that a frame is overdue */
        memcpy(changed, mark, size);
        changed[24] = 1;
        assert_int_equal(afx_output_resume(&def, world.scene, world.sim, changed, size, &output, &error),
                         AFX_E_VERSION);
        free(changed);
        AfxOutputDef other = def;
        other.every = 2;
        assert_int_equal(afx_output_resume(&other, world.scene, world.sim, mark, size, &output, &error), AFX_E_VERSION);
        other = def;
        other.kind = (AfxOutputKind)((kind + 1) % 4);
        assert_int_equal(afx_output_resume(&other, world.scene, world.sim, mark, size, &output, &error), AFX_E_VERSION);
        assert_int_equal(afx_output_resume(&def, world.scene, world.sim, NULL, 0, &output, &error), AFX_E_ARGUMENT);
        if (kind == AFX_OUTPUT_GLTF) {
            assert_int_equal(truncate(scratch("r.part"), 100), 0);
        } else {
            assert_int_equal(truncate(scratch("r"), 100), 0);
        }
        refuses_short(&def, &world, mark, size);
        unlink(scratch("r"));
        unlink(scratch("r.part"));
        AfxStatus status = afx_output_resume(&def, world.scene, world.sim, mark, size, &output, &error);
        assert_int_equal(status, AFX_E_SYSTEM);
        assert_non_null(strstr(error.file, "/r"));
        afx_snapshot_destroy(snapshot);
        world_free(&world);
    }
}

/* A trajectory of another model is not gone on with, even where its shape is the same. */
static void test_other_model(void **state) {
    (void)state;
    World world, heavy;
    AfxOutput *output = NULL;
    AfxError error = {0};
    AfxOutputDef def = definition(AFX_OUTPUT_HDF5, scratch("m.h5"), 1);
    world_make(&heavy, NULL, NULL);
    AfxScene *scene = heavy.scene;
    AfxBodyDef body;
    AfxModel *model = NULL;
    AfxSim *sim = NULL;
    AfxSimDef sim_def = afx_default_sim();
    assert_ok(afx_scene_get_body(scene, afx_scene_body(scene, 1), &body));
    body.mass = 7;
    assert_ok(afx_scene_set_body(scene, afx_scene_body(scene, 1), &body));
    assert_ok(afx_model_create(scene, &model, &error));
    assert_ok(afx_sim_create(model, &sim_def, &sim));
    run_part(&def, 0, 20, 3);
    AfxOutputDef twin = def; /* the mark of a like output of the heavier model */
    twin.path = scratch("n.h5");
    const void *mark;
    size_t size;
    assert_fine(afx_output_create(&twin, scene, sim, &output, &error), &error);
    for (int k = 0; k < 20; k++) {
        AfxStepReport report;
        assert_ok(afx_step(sim, &report));
        assert_ok(afx_output_step(output, sim, &report, &error));
    }
    assert_ok(afx_output_mark(output, &mark, &size, &error));
    AfxOutput *resumed = NULL;
    assert_int_equal(afx_output_resume(&def, scene, sim, mark, size, &resumed, &error), AFX_E_INPUT);
    assert_non_null(strstr(error.text, "is not the trajectory"));
    world_make(&world, NULL, NULL);
    assert_int_equal(afx_output_resume(&def, world.scene, world.sim, mark, size, &resumed, &error), AFX_E_VERSION);
    assert_ok(afx_output_close(output, &error));
    world_free(&world);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    world_free(&heavy);
}

/* Files and marks of other versions are refused, and the error says so and what to do. */
static void test_other_version(void **state) {
    (void)state;
    World world;
    AfxOutput *output = NULL, *resumed = NULL;
    AfxError error = {0};
    AfxOutputDef def = definition(AFX_OUTPUT_HDF5, scratch("v.h5"), 1);
    const void *mark;
    size_t size;
    world_make(&world, NULL, NULL);
    def.chunk = 4;
    assert_fine(afx_output_create(&def, world.scene, world.sim, &output, &error), &error);
    for (int k = 0; k < 10; k++) {
        world_step(&world);
        assert_fine(afx_output_step(output, world.sim, &world.report, &error), &error);
    }
    assert_fine(afx_output_mark(output, &mark, &size, &error), &error);
    unsigned char *kept = malloc(size);
    memcpy(kept, mark, size);
    assert_fine(afx_output_close(output, &error), &error);
    hid_t file = H5Fopen(def.path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
    uint64_t first = 1;
    assert_true(attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_UINT64, &first) >= 0);
    assert_true(H5Aclose(attribute) >= 0 && H5Fclose(file) >= 0);
    assert_int_equal(afx_output_resume(&def, world.scene, world.sim, kept, size, &resumed, &error), AFX_E_VERSION);
    assert_non_null(strstr(error.text, "format 1"));
    assert_non_null(strstr(error.cure, "start the run anew"));
    kept[7] = '1'; /* of the name of marks, "afxmark3" */
    assert_int_equal(afx_output_resume(&def, world.scene, world.sim, kept, size, &resumed, &error), AFX_E_VERSION);
    assert_non_null(strstr(error.text, "another version of Affix"));
    free(kept);
    world_free(&world);
}

int run_resume_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_hdf5, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_csv, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_gltf, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_vtk, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_cut_back, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_refused, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_other_model, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_other_version, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("resume", tests, NULL, NULL);
}
