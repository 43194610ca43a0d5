/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments, refusals, memory. */
#include "tests.h"

#include "support/allocator.h"

static AfxStatus try_create(const char *name, const AfxSimDef *given, AfxError *error) {
    AfxModel *model = case_model(name, NULL);
    AfxSimDef def = *given;
    AfxGradDef grad_def = afx_default_grad();
    AfxSim *sim = NULL;
    AfxGrad *grad = NULL;
    grad_def.error = error;
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_OK);
    AfxStatus status = afx_grad_create(sim, &grad_def, &grad);
    assert_true((grad != NULL) == (status == AFX_OK));
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    afx_model_destroy(model);
    return status;
}

static void test_refusals(void **state) {
    (void)state;
    AfxError error = {0};
    AfxSimDef def = afx_default_sim();
    assert_int_equal(try_create("pendulum", &def, &error), AFX_E_INPUT);
    assert_string_equal(error.element, "accuracy");
    def.accuracy = AFX_CONVERGED;
    assert_int_equal(try_create("pendulum", &def, &error), AFX_OK);
    def.solves = 3;
    assert_int_equal(try_create("pendulum", &def, &error), AFX_E_INPUT);
    /* contact, in the step in which it comes */
    Course course = {case_model("rolling", NULL), AFX_SDIRK2, 0.01, 1, NULL};
    AfxSim *sim = course_sim(&course, NULL);
    AfxGradDef grad_def = afx_default_grad();
    AfxGrad *grad = NULL;
    grad_def.error = &error;
    assert_int_equal(afx_grad_create(sim, &grad_def, &grad), AFX_OK);
    AfxStatus status = AFX_OK;
    for (int k = 0; k < 50 && status == AFX_OK; k++) {
        status = afx_grad_step(grad, NULL);
    }
    assert_int_equal(status, AFX_E_INPUT);
    assert_non_null(strstr(error.element, "contact"));
    assert_int_equal(afx_grad_step(grad, NULL), AFX_E_INPUT);
    assert_int_equal(afx_grad_seed(grad, (AfxQuantity){AFX_QUANTITY_ENERGY, 0, 0}, 1), AFX_E_INPUT);
    assert_int_equal(afx_grad_backward(grad), AFX_E_INPUT);
    assert_int_equal(afx_grad_jacobian(grad, NULL, NULL), AFX_E_INPUT);
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    afx_model_destroy(course.model);
}

/* A posture that opens a loop is put right before the first step: that one has no derivative, later ones have. */
static void test_posture(void **state) {
    (void)state;
    Course course = {case_model("four-bar", NULL), AFX_BDF2, 0.01, 1, NULL};
    for (int late = 0; late < 2; late++) {
        AfxSim *sim = course_sim(&course, NULL);
        AfxGradDef def = afx_default_grad();
        AfxError error = {0};
        AfxGrad *grad = NULL;
        double qpos[16];
        def.error = &error;
        assert_true(afx_model_qpos_count(course.model) <= 16);
        assert_int_equal(afx_sim_qpos(sim, qpos), AFX_OK);
        qpos[0] += 0.05;
        assert_int_equal(afx_sim_set_qpos(sim, qpos), AFX_OK);
        if (late) {
            assert_int_equal(afx_step(sim, NULL), AFX_OK);
        }
        assert_int_equal(afx_grad_create(sim, &def, &grad), AFX_OK);
        assert_int_equal(afx_grad_step(grad, NULL), late ? AFX_OK : AFX_E_INPUT);
        assert_true(late || strcmp(error.element, "posture") == 0);
        afx_grad_destroy(grad);
        afx_sim_destroy(sim);
    }
    afx_model_destroy(course.model);
}

static void test_arguments(void **state) {
    (void)state;
    Course course = {case_model("pendulum", NULL), AFX_BDF2, 0.01, 2, NULL};
    AfxSim *sim = course_sim(&course, NULL);
    AfxGradDef def = afx_default_grad();
    AfxError error;
    AfxGrad *grad = NULL, *other = NULL;
    double value, gravity[3] = {0, 0, -1};
    def.error = &error;
    assert_int_equal(afx_grad_create(NULL, &def, &grad), AFX_E_ARGUMENT);
    assert_int_equal(afx_grad_create(sim, &(AfxGradDef){0}, &grad), AFX_E_ARGUMENT);
    assert_int_equal(afx_grad_create(sim, &def, &grad), AFX_OK);
    assert_int_equal(afx_grad_create(sim, &def, &other), AFX_E_INPUT);
    assert_null(afx_grad_params(grad));
    assert_int_equal(afx_grad_jacobian(grad, NULL, NULL), AFX_E_ARGUMENT);
    assert_int_equal(afx_grad_value(grad, (AfxQuantity){AFX_QUANTITY_MARKER, 99, 0}, &value), AFX_E_ARGUMENT);
    assert_int_equal(afx_grad_value(grad, (AfxQuantity){AFX_QUANTITY_JOINT, 0, 3}, &value), AFX_E_ARGUMENT);
    assert_int_equal(afx_grad_seed(grad, (AfxQuantity){AFX_QUANTITY_ENERGY, 0, 0}, NAN), AFX_E_ARGUMENT);
    assert_int_equal(afx_grad_backward(grad), AFX_OK);
    assert_int_equal(afx_grad_step(grad, NULL), AFX_OK);
    assert_int_equal(afx_sim_set_param(sim, AFX_PARAM_GRAVITY, 0, gravity), AFX_OK);
    assert_int_equal(afx_grad_step(grad, NULL), AFX_E_INPUT);
    assert_string_equal(error.element, "parameters");
    afx_grad_destroy(grad);
    afx_grad_destroy(NULL);
    assert_int_equal(afx_step(sim, NULL), AFX_OK); /* nobody looks on any more */
    afx_sim_destroy(sim);
    afx_model_destroy(course.model);
}

/* Values are those that the queries of a sim tell. */
static void test_values(void **state) {
    (void)state;
    Course course = {case_model("universal-shaft", NULL), AFX_BDF2, 0.01, 10, NULL};
    AfxSim *sim = course_sim(&course, NULL);
    AfxGrad *grad = course_record(&course, sim);
    AfxEnergy energy;
    AfxWrench reaction;
    double value, coordinate, rate;
    afx_sim_energy(sim, &energy);
    const double parts[4] = {energy.total, energy.kinetic, energy.potential, energy.elastic};
    for (uint32_t c = 0; c < 4; c++) {
        assert_int_equal(afx_grad_value(grad, (AfxQuantity){AFX_QUANTITY_ENERGY, 0, c}, &value), AFX_OK);
        assert_true(fabs(value - parts[c]) <= 1e-12 * (1 + fabs(energy.kinetic)));
    }
    for (uint32_t j = 0; j < afx_model_joint_count(course.model); j++) {
        afx_sim_joint_reaction(sim, j, &reaction);
        const double each[6] = {reaction.force.x,  reaction.force.y,  reaction.force.z,
                                reaction.torque.x, reaction.torque.y, reaction.torque.z};
        double size = fabs(each[0]) + fabs(each[1]) + fabs(each[2]) + fabs(each[3]) + fabs(each[4]) + fabs(each[5]);
        for (uint32_t c = 0; c < 6; c++) {
            assert_int_equal(afx_grad_value(grad, (AfxQuantity){AFX_QUANTITY_REACTION, j, c}, &value), AFX_OK);
            assert_true(fabs(value - each[c]) <= 1e-12 * (1 + size));
        }
        for (uint32_t axis = 0; axis < 6; axis++) {
            if (afx_sim_joint_coordinate(sim, j, axis, &coordinate, &rate) == AFX_OK) {
                assert_int_equal(afx_grad_value(grad, (AfxQuantity){AFX_QUANTITY_JOINT, j, axis}, &value), AFX_OK);
                assert_true(fabs(value - coordinate) <= 1e-12 * (1 + fabs(coordinate)));
                assert_int_equal(afx_grad_value(grad, (AfxQuantity){AFX_QUANTITY_RATE, j, axis}, &value), AFX_OK);
                assert_true(fabs(value - rate) <= 1e-10 * (1 + fabs(rate)));
            }
        }
    }
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    afx_model_destroy(course.model);
}

/* Records three steps and goes back, with an allocator that fails; what could not be done says so. */
static bool run_with(AfxModel *model, TestAllocator *counts) {
    AfxSimDef def = afx_default_sim();
    AfxGradDef grad_def = afx_default_grad();
    AfxSim *sim = NULL;
    AfxGrad *grad = NULL;
    uint64_t fail_at = counts->fail_at;
    counts->fail_at = 0;
    def.allocator = test_allocator(counts);
    def.accuracy = AFX_CONVERGED;
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_OK);
    counts->calls = 0;
    counts->fail_at = fail_at;
    AfxStatus status = afx_grad_create(sim, &grad_def, &grad);
    for (int k = 0; k < 3 && status == AFX_OK; k++) {
        status = afx_grad_step(grad, NULL);
    }
    status = status == AFX_OK ? afx_grad_seed(grad, (AfxQuantity){AFX_QUANTITY_ENERGY, 0, 0}, 1) : status;
    status = status == AFX_OK ? afx_grad_backward(grad) : status;
    assert_true(status == AFX_OK || status == AFX_E_MEMORY);
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    return status == AFX_OK;
}

static void test_memory(void **state) {
    (void)state;
    AfxModel *model = case_model("four-bar", NULL);
    TestAllocator counts = {0};
    assert_true(run_with(model, &counts));
    uint64_t calls = counts.calls;
    for (uint64_t k = 1; k <= calls; k += 1 + calls / 60) {
        counts = (TestAllocator){.fail_at = k};
        run_with(model, &counts);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
    afx_model_destroy(model);
}

int run_grad_api_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refusals), cmocka_unit_test(test_posture),
                                       cmocka_unit_test(test_arguments), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests_name("grad api", tests, NULL, NULL);
}
