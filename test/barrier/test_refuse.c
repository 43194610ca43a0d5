/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused says so by name: integrators, shapes, materials, starts that intersect; no memory is lost when there
 * is none. */
#include "tests.h"

#include "support/allocator.h"

static World pair_of_boxes(double apart) {
    World world = world_make(GRAVITY, 0.5);
    AfxShapeDef box = afx_default_box(0.2, 0.2, 0.2);
    world_plane(&world);
    world_put(&world, &box, (AfxPose){v3(0, 0, 0.101), {1, 0, 0, 0}}, true);
    world_put(&world, &box, (AfxPose){v3(0.05, 0.03, 0.301 + apart), q_about(v3(0, 0, 1), 0.3)}, true);
    return world;
}

static AfxStatus start(World *world, AfxSimDef def, AfxError *error) {
    def.contact_model = AFX_CONTACT_BARRIER;
    def.error = error;
    if (!world->model) {
        assert_ok(afx_model_create(world->scene, &world->model, error));
    }
    afx_sim_destroy(world->sim);
    return afx_sim_create(world->model, &def, &world->sim);
}

static void settings_are_refused_by_name(void **state) {
    (void)state;
    World world = pair_of_boxes(0.001);
    AfxError error = {0};
    AfxSimDef def = afx_default_sim();
    def.integrator = AFX_ALPHA;
    assert_int_equal(start(&world, def, &error), AFX_E_INPUT);
    assert_non_null(strstr(error.text, "bdf1 and bdf2"));
    def = afx_default_sim();
    def.formulation = AFX_ABD_VANILLA;
    assert_int_equal(start(&world, def, &error), AFX_E_ARGUMENT);
    def = afx_default_sim();
    def.contact_gap = -1;
    assert_int_equal(start(&world, def, &error), AFX_E_ARGUMENT);
    world_free(&world);
}

static void shapes_and_materials_are_refused_by_name(void **state) {
    (void)state;
    World world = world_make(GRAVITY, 0.5);
    AfxShapeDef egg = afx_default_ellipsoid(0.1, 0.2, 0.1);
    AfxError error = {0};
    world_plane(&world);
    world_put(&world, &egg, (AfxPose){v3(0, 0, 1), {1, 0, 0, 0}}, true);
    assert_int_equal(start(&world, afx_default_sim(), &error), AFX_E_INPUT);
    assert_non_null(strstr(error.text, "ellipsoid"));
    world_free(&world);
    world = pair_of_boxes(0.001);
    AfxMaterialDef rubber = afx_default_material();
    rubber.rolling_friction = 0.01;
    assert_ok(afx_scene_set_material(world.scene, afx_scene_material(world.scene, 0), &rubber));
    assert_int_equal(start(&world, afx_default_sim(), &error), AFX_E_INPUT);
    assert_non_null(strstr(error.text, "rolling"));
    world_free(&world);
}

static void a_start_that_intersects_is_told(void **state) {
    (void)state;
    World world = pair_of_boxes(-0.01);
    AfxOverlap found[4];
    AfxStepReport report;
    uint32_t count;
    world_start(&world, AFX_BDF1, 0.01);
    assert_ok(afx_sim_intersections(world.sim, found, 4, &count));
    assert_int_equal(count, 1);
    assert_int_equal(found[0].body_a, 1);
    assert_int_equal(found[0].body_b, 2);
    assert_int_equal(afx_step(world.sim, &report), AFX_E_NUMERIC);
    assert_true(report.flags & AFX_STEP_INTERSECTS);
    assert_int_equal(report.body, 1);
    world_free(&world);
}

/* A failed allocation leaves the state as it was, and nothing behind. */
static void steps_without_memory_do_not_happen(void **state) {
    (void)state;
    World world = pair_of_boxes(0.002);
    for (uint32_t fail = 1; fail < 200; fail++) {
        TestAllocator counter = {.fail_at = fail};
        AfxSimDef def = afx_default_sim();
        def.allocator = test_allocator(&counter);
        AfxStatus status = start(&world, def, NULL);
        for (uint32_t k = 0; status == AFX_OK && k < 30; k++) {
            double before = afx_sim_time(world.sim);
            status = afx_step(world.sim, NULL);
            if (status != AFX_OK) {
                assert_int_equal(status, AFX_E_MEMORY);
                assert_near(afx_sim_time(world.sim), before, 0);
            }
        }
        afx_sim_destroy(world.sim);
        world.sim = NULL;
        assert_int_equal(counter.live, 0);
        assert_int_equal(counter.errors, 0);
        if (status == AFX_OK) {
            break;
        }
    }
    world_free(&world);
}

int run_refuse_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_refused_by_name),
        cmocka_unit_test(shapes_and_materials_are_refused_by_name),
        cmocka_unit_test(a_start_that_intersects_is_told),
        cmocka_unit_test(steps_without_memory_do_not_happen),
    };
    return cmocka_run_group_tests_name("barrier: refusals", tests, NULL, NULL);
}
