/* SPDX-License-Identifier: Apache-2.0 */
/* The registry: one block without gaps, and what may stand in it. */
#include "model/params.h"
#include "tests.h"

static void the_block_has_no_gaps(void **state) {
    (void)state;
    Rig rig = rig_make();
    AfxBodyId a = rig_box(&rig, AFX_BODY_DYNAMIC), b = rig_box(&rig, AFX_BODY_FIXED);
    AfxJointId joint = rig_joint(&rig, AFX_JOINT_CYLINDRICAL, b, a);
    rig_drive(&rig, AFX_DRIVE_SPRING, joint, 0);
    rig_drive(&rig, AFX_DRIVE_SERVO, joint, 1);
    rig_couple(&rig, &joint, 1, 0.25);
    rig_spring(&rig, a, b);
    rig_compile(&rig);
    size_t offset = 0, length;
    const double *params = afx_model_params(rig.model, &length);
    for (int kind = 0; kind < AFX_PARAM_KIND_COUNT; kind++) {
        AfxParamInfo info;
        assert_ok(afx_model_param_info(rig.model, (AfxParamKind)kind, &info));
        assert_int_equal(info.kind, kind);
        if (kind == AFX_PARAM_JOINT_ARMATURE) { /* stands among the masses */
            continue;
        }
        assert_true(info.name && info.name[0] && info.size > 0);
        assert_int_equal(info.offset, offset);
        for (uint32_t k = 0; k < info.count; k++) {
            const double *item = afxi_param_const(rig.model, params, (AfxParamKind)kind, k);
            assert_ptr_equal(item, params + offset);
            assert_true(afxi_param_valid(rig.model, (AfxParamKind)kind, k, item)); /* defaults are valid */
            offset += info.size;
        }
    }
    assert_int_equal(offset, length);
    static const uint32_t counts[][2] = {
        {AFX_PARAM_GRAVITY, 1},     {AFX_PARAM_BODY_MASS, 2},    {AFX_PARAM_BODY_YOUNG, 2},
        {AFX_PARAM_JOINT_BREAK, 1}, {AFX_PARAM_DRIVE, 2},        {AFX_PARAM_COUPLING, 1},
        {AFX_PARAM_SPRING, 1},      {AFX_PARAM_MARKER_POINT, 0}, {AFX_PARAM_WRENCH, 0}};
    for (size_t k = 0; k < COUNT(counts); k++) {
        assert_int_equal(rig.model->param_count[counts[k][0]], counts[k][1]);
    }
    assert_true(afxi_param_const(rig.model, params, AFX_PARAM_COUPLING, 0)[AFX_COUPLING_TERMS + 1] == 0.25);
    assert_true(afxi_param_const(rig.model, params, AFX_PARAM_GRAVITY, 0)[2] == -9.81);
    AfxParamInfo info;
    assert_int_equal(afx_model_param_info(rig.model, AFX_PARAM_KIND_COUNT, &info), AFX_E_ARGUMENT);
    assert_int_equal(afx_model_param_info(NULL, AFX_PARAM_DRIVE, &info), AFX_E_ARGUMENT);
    assert_null(afx_model_params(NULL, &length));
    assert_int_equal(length, 0);
    rig_free(&rig);
}

static void values_out_of_range_are_not_valid(void **state) {
    (void)state;
    static const struct {
        AfxParamKind kind;
        double values[9];
        bool valid;
    } table[] = {
        {AFX_PARAM_BODY_MASS, {1}, true},
        {AFX_PARAM_BODY_MASS, {0}, false},
        {AFX_PARAM_BODY_MASS, {INFINITY}, false},
        {AFX_PARAM_BODY_YOUNG, {INFINITY}, true},
        {AFX_PARAM_BODY_YOUNG, {-INFINITY}, false},
        {AFX_PARAM_BODY_YOUNG, {0}, false},
        {AFX_PARAM_BODY_VOLUME, {-1}, false},
        {AFX_PARAM_BODY_POISSON, {0.5}, false},
        {AFX_PARAM_BODY_POISSON, {0.499}, true},
        {AFX_PARAM_BODY_POISSON, {-1}, false},
        {AFX_PARAM_BODY_SECOND_MOMENTS, {1, 1, 0}, true},
        {AFX_PARAM_BODY_SECOND_MOMENTS, {1, 0, 0}, false},
        {AFX_PARAM_BODY_SECOND_MOMENTS, {2, 2, -1}, false},
        {AFX_PARAM_BODY_LINEAR_DAMPING, {-1e-9}, false},
        {AFX_PARAM_BODY_ANGULAR_DAMPING, {0}, true},
        {AFX_PARAM_BODY_GRAVITY, {0.5}, false},
        {AFX_PARAM_BODY_GRAVITY, {0}, true},
        {AFX_PARAM_JOINT_LENGTH, {0}, false},
        {AFX_PARAM_JOINT_PITCH, {-1}, true},
        {AFX_PARAM_JOINT_BREAK, {0, -1}, false},
        {AFX_PARAM_SPRING, {0, 1, 0}, true},
        {AFX_PARAM_SPRING, {-1, 1, 0}, false},
        {AFX_PARAM_GRAVITY, {0, NAN, 0}, false},
        {AFX_PARAM_GRAVITY, {0, INFINITY, 0}, false},
        /* stiffness, damping, rest, effort, lower, upper, restitution, coefficient, radius */
        {AFX_PARAM_DRIVE, {1, 1, 0, INFINITY, -INFINITY, INFINITY, 0, 0, 0}, true},
        {AFX_PARAM_DRIVE, {INFINITY, 1, 0, 1, 0, 0, 0, 0, 0}, false},
        {AFX_PARAM_DRIVE, {1, -1, 0, 1, 0, 0, 0, 0, 0}, false},
        {AFX_PARAM_DRIVE, {1, 1, INFINITY, 1, 0, 0, 0, 0, 0}, false},
        {AFX_PARAM_DRIVE, {1, 1, 0, 1, 1, 0, 0, 0, 0}, false},
        {AFX_PARAM_DRIVE, {1, 1, 0, 1, 0, 1, 1.5, 0, 0}, false},
        {AFX_PARAM_DRIVE, {1, 1, 0, 1, 0, 1, 1, -1, 0}, false},
        {AFX_PARAM_DRIVE, {1, 1, 0, NAN, 0, 1, 1, 0, 0}, false},
    };
    Rig rig = rig_make();
    rig_compile(&rig);
    for (size_t k = 0; k < COUNT(table); k++) {
        if (afxi_param_valid(rig.model, table[k].kind, 0, table[k].values) != table[k].valid) {
            print_error("row %zu\n", k);
            fail();
        }
    }
    rig_free(&rig);
}

static void classes_follow_a_changed_block(void **state) {
    (void)state;
    Rig rig = rig_make();
    for (int k = 0; k < 5; k++) {
        rig_box(&rig, AFX_BODY_DYNAMIC);
    }
    rig_compile(&rig);
    double block[256];
    uint32_t of[5];
    assert_true(rig.model->param_length <= COUNT(block));
    memcpy(block, rig.model->params, rig.model->param_length * sizeof *block);
    AfxAllocator allocator = afx_default_allocator();
    AfxiClasses classes = {of, {0}};
    AfxiArena arena = {0};
    void *raw;
    size_t raw_size;
    afxi_intern_take(&classes.intern, &arena, 5, sizeof(AfxiBodyClass));
    arena.base = afxi_allocate_aligned(&allocator, arena.used, &raw, &raw_size);
    arena.used = 0;
    afxi_intern_take(&classes.intern, &arena, 5, sizeof(AfxiBodyClass));
    afxi_classes_build(rig.model, block, &classes);
    assert_int_equal(classes.intern.count, 1);
    *afxi_param(rig.model, block, AFX_PARAM_BODY_MASS, 3) *= 2;
    afxi_classes_build(rig.model, block, &classes);
    assert_int_equal(classes.intern.count, 2);
    for (uint32_t k = 0; k < 5; k++) {
        assert_int_equal(of[k], k == 3);
    }
    *afxi_param(rig.model, block, AFX_PARAM_BODY_MASS, 3) /= 2;
    afxi_classes_build(rig.model, block, &classes);
    assert_int_equal(classes.intern.count, 1);
    afxi_release(&allocator, raw, raw_size);
    rig_free(&rig);
}

int run_params_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_block_has_no_gaps),
        cmocka_unit_test(values_out_of_range_are_not_valid),
        cmocka_unit_test(classes_follow_a_changed_block),
    };
    return cmocka_run_group_tests_name("parameters", tests, NULL, NULL);
}
