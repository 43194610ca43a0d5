/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that are watched: the file has scene, state, drawing and report of the latest frame, and who reads it has the
 * same sim, to the bit. */
#include "out/drawing.h"
#include "out/kept.h"
#include "out/live.h"
#include "tests.h"

/* A sim from the scene in the file, at the state in it. */
static void rebuild(const char *path, World *out) {
    AfxSceneDef scene_def = afx_default_scene();
    AfxLoadDef load = afx_default_load();
    AfxRunDef run = afx_default_run();
    AfxSnapshot *snapshot = NULL;
    AfxError error = {0};
    *out = (World){0};
    load.run = &run;
    assert_ok(afx_scene_create(&scene_def, &out->scene));
    assert_fine(afx_scene_load_result(out->scene, path, &load, &error), &error);
    assert_fine(afx_model_create_with(out->scene, &run.model, &out->model, &error), &error);
    assert_ok(afx_sim_create(out->model, &run.sim, &out->sim));
    assert_fine(afx_snapshot_read(path, NULL, &snapshot, &error), &error);
    assert_fine(afx_snapshot_restore(snapshot, out->sim, &error), &error);
    afx_snapshot_destroy(snapshot);
}

static void assert_same_state(const World *a, const World *b) {
    size_t size = WORLD_BODIES * 12 * sizeof(double);
    assert_same(afx_sim_time(a->sim), afx_sim_time(b->sim));
    assert_memory_equal(afx_sim_coordinates(a->sim), afx_sim_coordinates(b->sim), size);
    assert_memory_equal(afx_sim_velocities(a->sim), afx_sim_velocities(b->sim), size);
}

static void check_parts(const char *path, const AfxStepReport *want) {
    AfxSnapshot *snapshot = NULL;
    AfxError error = {0};
    const void *data;
    size_t size;
    AfxiLiveReport report;
    assert_fine(afx_snapshot_read(path, NULL, &snapshot, &error), &error);
    assert_int_equal(afx_snapshot_step(snapshot), want->step);
    assert_ok(afx_snapshot_part(snapshot, AFXI_LIVE_REPORT, &data, &size));
    assert_int_equal(size, sizeof report);
    memcpy(&report, data, sizeof report);
    assert_same(report.residual, want->residual);
    assert_int_equal(report.solves, want->solves);
    assert_true(report.seconds > 0);
    assert_ok(afx_snapshot_part(snapshot, AFXI_LIVE_DRAWING, &data, &size));
    assert_true(afxi_drawing_check(data, size) && size == 4 + 36);
    afx_snapshot_destroy(snapshot);
}

/* The last frame is there however fast the run is, with an integrator and step of the sim's own. */
static void test_latest(void **state) {
    (void)state;
    World world, copy;
    AfxSimDef sim_def = afx_default_sim();
    AfxOutput *output = NULL;
    AfxDrawing *drawing = NULL;
    AfxError error = {0};
    sim_def.dt = 0.003;
    sim_def.integrator = AFX_ALPHA;
    world_make(&world, NULL, &sim_def);
    AfxOutputDef def = afx_default_output(AFX_OUTPUT_LIVE);
    def.path = scratch("run.live");
    assert_false(afxi_live_is(def.path));
    assert_fine(afx_output_create(&def, world.scene, world.sim, &output, &error), &error);
    assert_true(afxi_live_is(def.path));
    rebuild(def.path, &copy); /* the first one is written at once */
    assert_same_state(&world, &copy);
    world_free(&copy);
    assert_ok(afx_drawing_create(NULL, &drawing));
    assert_ok(afx_drawing_point(drawing, (AfxVec3){1, 2, 3}, 0));
    for (int k = 0; k < 5; k++) {
        world_step(&world);
        assert_fine(afx_output_draw(output, drawing, &error), &error);
        assert_fine(afx_output_step(output, world.sim, &world.report, &error), &error);
    }
    assert_fine(afx_output_close(output, &error), &error);
    rebuild(def.path, &copy);
    assert_same_state(&world, &copy);
    check_parts(def.path, &world.report);
    world_step(&world); /* and both go on alike */
    world_step(&copy);
    assert_same_state(&world, &copy);
    afx_drawing_destroy(drawing);
    world_free(&copy);
    world_free(&world);
}

/* Other snapshots, and what is no snapshot, are not watched; what is no file is not written over. */
static void test_others(void **state) {
    (void)state;
    World world;
    AfxOutput *output = NULL;
    AfxError error = {0};
    AfxSnapshotDef snapshot = afx_default_snapshot();
    snapshot.path = scratch("s");
    world_make(&world, NULL, NULL);
    assert_fine(afx_snapshot_write(&snapshot, world.sim, &error), &error);
    assert_false(afxi_live_is(snapshot.path));
    assert_false(afxi_live_is(scratch("nothing")));
    AfxOutputDef def = afx_default_output(AFX_OUTPUT_LIVE);
    def.path = scratch("");
    assert_true(afx_output_create(&def, world.scene, world.sim, &output, &error) != AFX_OK);
    assert_null(output);
    world_free(&world);
}

int run_live_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_latest, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(test_others, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests_name("live", tests, NULL, NULL);
}
