/* SPDX-License-Identifier: Apache-2.0 */
/* Equal bodies share their constants, equal frames are kept once. */
#include "model/params.h"
#include "support/allocator.h"
#include "tests.h"

static void a_thousand_equal_links_are_one_class(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxBodyId last = afx_world();
    for (int k = 0; k < 1000; k++) {
        AfxBodyId next = rig_box(&rig, AFX_BODY_DYNAMIC);
        rig_joint(&rig, AFX_JOINT_REVOLUTE, last, next);
        last = next;
    }
    const AfxiGraph *graph = rig_compile(&rig);
    assert_int_equal(afx_model_class_count(rig.model), 1);
    assert_int_equal(rig.model->frames.count, 1);
    assert_int_equal(rig.model->joint_frames.count, 2); /* that to the world differs */
    assert_int_equal(graph->row_count, 5000);
    assert_int_equal(graph->loop_rows, 0);
    assert_true(graph->recursion.on); /* no matrix */
    rig_free(&rig);
}

/* One number differs: two classes. */
static void bodies_that_differ_have_classes_of_their_own(void **state) {
    (void)state;
    for (int change = 0; change < 9; change++) {
        Rig rig = rig_make();
        for (int k = 0; k < 10; k++) {
            AfxBodyDef def = afx_default_body();
            AfxBodyId id;
            def.mass_source = AFX_MASS_GIVEN;
            def.mass = 2;
            def.inertia[0] = def.inertia[1] = 1;
            def.inertia[2] = 1.5;
            if (k == 4) {
                def.mass += change == 0 ? 1e-15 * 2 : 0;
                def.inertia[0] += change == 1 ? 1e-9 : 0;
                def.young *= change == 2 ? 1 + 1e-15 : 1;
                def.poisson += change == 3 ? 1e-15 : 0;
                def.linear_damping = change == 4 ? 1e-300 : 0;
                def.angular_damping = change == 5 ? 1e-300 : 0;
                def.gravity = change != 6;
                def.center.x = change == 7 ? 1 : 0;        /* a frame, not a class */
                def.pose.position.x = change == 8 ? 1 : 0; /* neither */
            }
            assert_ok(afx_scene_add_body(rig.scene, &def, &id));
        }
        rig_compile(&rig);
        assert_int_equal(afx_model_class_count(rig.model), change < 7 ? 2 : 1);
        assert_int_equal(rig.model->frames.count, change == 7 ? 2 : 1);
        for (int k = 0; k < 10; k++) {
            assert_int_equal(rig.model->classes.of[k], change < 7 && k == 4);
        }
        rig_free(&rig);
    }
}

static void a_class_holds_what_the_parameters_say(void **state) {
    (void)state;
    Rig rig = rig_make();
    rig_box(&rig, AFX_BODY_DYNAMIC);
    rig_compile(&rig);
    AfxiBodyClass got = *(const AfxiBodyClass *)rig.model->classes.intern.items;
    AfxiBodyClass same = afxi_class_of_params(rig.model, rig.model->params, 0);
    assert_memory_equal(&got, &same, sizeof got);
    double mass = 1000 * 0.02, s[3] = {mass * 1 / 12, mass * 0.04 / 12, mass * 0.01 / 12}, sum = 0, product = 1;
    assert_true(fabs(got.mass - mass) < 1e-12 && fabs(got.volume - 0.02) < 1e-15);
    for (int k = 0; k < 3; k++) { /* in some order of the principal axes */
        sum += got.s[k];
        product *= got.s[k];
    }
    assert_true(fabs(sum - s[0] - s[1] - s[2]) < 1e-12 && fabs(product - s[0] * s[1] * s[2]) < 1e-12);
    assert_true(got.young == 1e9 && got.poisson == 0.3 && got.gravity == 1);
    rig_free(&rig);
}

static void a_point_mass_is_floored_and_told(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxBodyDef def = afx_default_body();
    AfxBodyId id;
    def.mass_source = AFX_MASS_GIVEN;
    def.mass = 1;
    assert_ok(afx_scene_add_body(rig.scene, &def, &id));
    rig_box(&rig, AFX_BODY_DYNAMIC);
    rig_compile(&rig);
    assert_true(afx_model_body_floored(rig.model, 0));
    assert_false(afx_model_body_floored(rig.model, 1));
    const double *s = afxi_param_const(rig.model, rig.model->params, AFX_PARAM_BODY_SECOND_MOMENTS, 0);
    assert_true(s[0] + s[1] > 0 && s[0] + s[2] > 0 && s[1] + s[2] > 0);
    rig_free(&rig);
}

static void a_failure_while_compiling_leaves_nothing(void **state) {
    (void)state;
    TestAllocator counts = {0};
    AfxSceneDef def = afx_default_scene();
    def.allocator = test_allocator(&counts);
    Rig rig = {0};
    assert_ok(afx_scene_create(&def, &rig.scene));
    AfxBodyId a = rig_box(&rig, AFX_BODY_DYNAMIC), b = rig_box(&rig, AFX_BODY_DYNAMIC);
    AfxJointId joint[3] = {rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), a),
                           rig_joint(&rig, AFX_JOINT_REVOLUTE, a, b),
                           rig_joint(&rig, AFX_JOINT_REVOLUTE, b, afx_world())};
    rig_couple(&rig, joint, 3, 0);
    rig_drive(&rig, AFX_DRIVE_POSITION, joint[0], 0);
    rig_spring(&rig, a, b);
    size_t live = counts.live;
    AfxStatus status = AFX_E_MEMORY;
    for (uint64_t k = 1; status != AFX_OK; k++) {
        AfxModel *model = NULL;
        counts.calls = 0;
        counts.fail_at = k;
        status = afx_model_create(rig.scene, &model, NULL);
        assert_int_equal(status, counts.calls < k ? AFX_OK : AFX_E_MEMORY);
        assert_true((model != NULL) == (status == AFX_OK));
        afx_model_destroy(model);
        assert_int_equal(counts.live, live);
        assert_int_equal(counts.errors, 0);
    }
    rig_free(&rig);
    assert_int_equal(counts.live, 0);
}

int run_intern_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_equal_links_are_one_class),
        cmocka_unit_test(bodies_that_differ_have_classes_of_their_own),
        cmocka_unit_test(a_class_holds_what_the_parameters_say),
        cmocka_unit_test(a_point_mass_is_floored_and_told),
        cmocka_unit_test(a_failure_while_compiling_leaves_nothing),
    };
    return cmocka_run_group_tests_name("classes and frames", tests, NULL, NULL);
}
