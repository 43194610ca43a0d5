/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that are not kept are made again: derivatives are the same bits as with all of them kept. */
#include "tests.h"

#include "support/allocator.h"

#define STEPS 37

/* What passes over a run come to. */
typedef struct Passes {
    double *number;
    size_t count, capacity;
} Passes;

static void put(Passes *passes, const double *from, size_t count) {
    if (passes->count + count > passes->capacity) {
        passes->capacity = 2 * (passes->count + count);
        passes->number = realloc(passes->number, passes->capacity * sizeof *passes->number);
    }
    memcpy(passes->number + passes->count, from, count * sizeof *from);
    passes->count += count;
}

/* Two rods, a motor that is told where to go, and pushes on the second. */
static Rig arm(void) {
    Rig rig = rig_make((AfxVec3){0, 0, -9.81});
    AfxBodyDef rod = rigid_def(1, 0.1, 0.2, 0.15);
    AfxBodyId body[2];
    AfxDriveDef motor = afx_default_drive(AFX_DRIVE_SERVO);
    AfxDriveId drive;
    for (int k = 0; k < 2; k++) {
        rod.pose.position = (AfxVec3){0.5 + k, 0, 0};
        body[k] = rig_body(&rig, &rod);
    }
    motor.joint = rig_joint(&rig, AFX_JOINT_REVOLUTE, afx_world(), body[0],
                            afx_frame_along((AfxVec3){0, 0, 0}, (AfxVec3){0, 1, 0}));
    rig_joint(&rig, AFX_JOINT_SPHERICAL, body[0], body[1], afx_frame_along((AfxVec3){1, 0, 0}, (AfxVec3){1, 0, 0}));
    motor.stiffness = 40;
    motor.damping = 2;
    motor.from_input = true;
    assert_int_equal(afx_scene_add_drive(rig.scene, &motor, &drive), AFX_OK);
    assert_int_equal(afx_model_create(rig.scene, &rig.model, NULL), AFX_OK);
    return rig;
}

static void record_run(AfxSim *sim, AfxGrad *grad) {
    for (int k = 0; k < STEPS; k++) {
        AfxWrench push[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0.1 * k, 1, 0}, {0, 0.02 * k, 0}}};
        assert_int_equal(afx_sim_set_drive_target(sim, 0, 0.3 * sin(0.4 * k), 0), AFX_OK);
        assert_int_equal(afx_sim_set_body_wrenches(sim, push), AFX_OK);
        assert_int_equal(afx_grad_step(grad, NULL), AFX_OK);
        if (k % 9 == 3) {
            assert_int_equal(afx_grad_seed(grad, (AfxQuantity){AFX_QUANTITY_ENERGY, 0, 1}, 0.3), AFX_OK);
        }
    }
    assert_int_equal(afx_grad_seed(grad, (AfxQuantity){AFX_QUANTITY_RATE, 0, 0}, 1), AFX_OK);
}

static Passes run(const Course *course, uint32_t keep, uint32_t snapshots) {
    Passes passes = {0};
    AfxGradDef def = afx_default_grad();
    AfxGrad *grad = NULL;
    AfxSim *sim = course_sim(course, NULL);
    size_t length, wide = 12 * (size_t)afx_model_body_count(course->model);
    afx_model_params(course->model, &length);
    double *work = calloc(length + 8 * wide * wide, sizeof *work), *map = work + length;
    const double *q, *v;
    def.keep = keep;
    def.snapshots = snapshots;
    assert_int_equal(afx_grad_create(sim, &def, &grad), AFX_OK);
    record_run(sim, grad);
    assert_int_equal(afx_grad_backward(grad), AFX_OK);
    put(&passes, afx_grad_params(grad), length);
    assert_int_equal(afx_grad_state(grad, &q, &v), AFX_OK);
    put(&passes, q, wide);
    put(&passes, v, wide);
    for (uint64_t k = 0; k < STEPS; k++) {
        put(&passes, afx_grad_inputs(grad, k), 2);
        put(&passes, afx_grad_wrenches(grad, k), 12);
    }
    for (size_t k = 0; k < length; k++) {
        work[k] = sin(1 + (double)k);
    }
    assert_int_equal(afx_grad_tangent(grad, work, NULL, NULL, map, map + wide), AFX_OK);
    put(&passes, map, 2 * wide);
    assert_int_equal(afx_grad_jacobian(grad, map, NULL), AFX_OK);
    put(&passes, map, 4 * wide * wide);
    assert_int_equal(afx_step(sim, NULL), AFX_OK); /* it goes on from where it was */
    put(&passes, afx_sim_coordinates(sim), wide);
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    free(work);
    return passes;
}

static void test_bits(void **state) {
    (void)state;
    static const uint32_t ways[][2] = {{1, 64}, {1, 2}, {5, 64}, {5, 3}, {8, 2}, {36, 2}, {37, 2}, {64, 64}};
    static const AfxIntegrator methods[] = {AFX_BDF2, AFX_ALPHA};
    Rig rig = arm();
    for (int m = 0; m < 2; m++) {
        Course course = {rig.model, methods[m], 0.01, STEPS, NULL};
        Passes all = run(&course, 0, 64);
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
            Passes some = run(&course, ways[k][0], ways[k][1]);
            assert_int_equal(some.count, all.count);
            assert_memory_equal(some.number, all.number, all.count * sizeof(double));
            free(some.number);
        }
        free(all.number);
    }
    rig_free(&rig);
}

/* What is changed between steps, and not told again, is found. */
static void test_change(void **state) {
    (void)state;
    Rig rig = arm();
    Course course = {rig.model, AFX_BDF2, 0.01, STEPS, NULL};
    AfxError error = {0};
    AfxGradDef def = afx_default_grad();
    AfxGrad *grad = NULL;
    AfxSim *sim = course_sim(&course, NULL);
    def.keep = 4;
    def.error = &error;
    assert_int_equal(afx_grad_create(sim, &def, &grad), AFX_OK);
    for (int k = 0; k < 10; k++) {
        assert_int_equal(afx_grad_step(grad, NULL), AFX_OK);
        if (k == 5) {
            assert_int_equal(afx_sim_set_body_twist(sim, 1, (AfxTwist){{0, 0, 0}, {1, 0, 0}}), AFX_OK);
        }
    }
    assert_int_equal(afx_grad_seed(grad, (AfxQuantity){AFX_QUANTITY_ENERGY, 0, 1}, 1), AFX_OK);
    assert_int_equal(afx_grad_backward(grad), AFX_E_INPUT);
    assert_string_equal(error.element, "gradient");
    assert_null(afx_grad_params(grad));
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    rig_free(&rig);
}

/* Memory that runs out is told, and all of it comes back. */
static void test_memory(void **state) {
    (void)state;
    Rig rig = arm();
    for (uint64_t fail_at = 0; fail_at < 400; fail_at += 1 + fail_at / 12) {
        TestAllocator counts = {0};
        AfxSimDef sim_settings = afx_default_sim();
        AfxGradDef def = afx_default_grad();
        AfxSim *sim = NULL;
        AfxGrad *grad = NULL;
        sim_settings.allocator = test_allocator(&counts);
        sim_settings.accuracy = AFX_CONVERGED;
        assert_int_equal(afx_sim_create(rig.model, &sim_settings, &sim), AFX_OK);
        counts.calls = 0;
        counts.fail_at = fail_at;
        def.keep = 2;
        def.snapshots = 2;
        AfxStatus status = afx_grad_create(sim, &def, &grad);
        for (int k = 0; k < 9 && status == AFX_OK; k++) {
            status = afx_grad_step(grad, NULL);
        }
        status = status == AFX_OK ? afx_grad_seed(grad, (AfxQuantity){AFX_QUANTITY_ENERGY, 0, 0}, 1) : status;
        status = status == AFX_OK ? afx_grad_backward(grad) : status;
        assert_true(status == AFX_OK || (fail_at && status == AFX_E_MEMORY));
        afx_grad_destroy(grad);
        afx_sim_destroy(sim);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
    rig_free(&rig);
}

int run_grad_replay_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_change),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests_name("steps made again", tests, NULL, NULL);
}
