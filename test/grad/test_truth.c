/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives that are known: of a projectile, and of a pendulum by its similarity. */
#include "tests.h"

/* Of a free body z(T) = z0 + v T + g T²/2; BDF2 is exact there. */
static void test_projectile(void **state) {
    (void)state;
    Rig rig = rig_make(v3(0, 0, -9.81));
    AfxMarkerId tip;
    AfxBodyDef body = rigid_def(2, 0.1, 0.2, 0.3);
    body.linear_velocity = v3(1, 2, 3);
    AfxBodyId own = rig_body(&rig, &body);
    assert_int_equal(afx_scene_add_marker(rig.scene, own, "tip", v3(0, 0, 0), &tip), AFX_OK);
    AfxSimDef def = sim_def(AFX_BDF2, 0.01);
    rig_start(&rig, &def);
    Course course = {rig.model, AFX_BDF2, 0.01, 50, NULL};
    AfxSim *sim = course_sim(&course, NULL);
    AfxGrad *grad = course_record(&course, sim);
    const double *v = NULL;
    AfxParamInfo info;
    afx_model_param_info(rig.model, AFX_PARAM_GRAVITY, &info);
    assert_int_equal(afx_grad_seed(grad, (AfxQuantity){AFX_QUANTITY_MARKER, 0, 2}, 1), AFX_OK);
    assert_int_equal(afx_grad_backward(grad), AFX_OK);
    assert_int_equal(afx_grad_state(grad, NULL, &v), AFX_OK);
    assert_true(fabs(afx_grad_params(grad)[info.offset + 2] - 0.125) < 1e-13);
    assert_true(fabs(v[11] - 0.5) < 1e-13);
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    rig_free(&rig);
}

/* The angle of a pendulum is a function of t sqrt(g): its derivative by g is its rate times t/(2 g). */
static double similarity_error(double dt) {
    Course course = {case_model("pendulum", "young=inf"), AFX_BDF2, dt, (uint32_t)lround(0.6 / dt), NULL};
    AfxSim *sim = course_sim(&course, NULL);
    AfxGrad *grad = course_record(&course, sim);
    AfxParamInfo info;
    double rate;
    afx_model_param_info(course.model, AFX_PARAM_GRAVITY, &info);
    const double *g = afx_model_params(course.model, NULL) + info.offset;
    assert_int_equal(afx_grad_seed(grad, (AfxQuantity){AFX_QUANTITY_JOINT, 0, 0}, 1), AFX_OK);
    assert_int_equal(afx_grad_value(grad, (AfxQuantity){AFX_QUANTITY_RATE, 0, 0}, &rate), AFX_OK);
    assert_int_equal(afx_grad_backward(grad), AFX_OK);
    double size = fabs(g[0]) + fabs(g[1]) + fabs(g[2]), by = 0;
    for (int k = 0; k < 3; k++) { /* by the size of g, along it */
        by += afx_grad_params(grad)[info.offset + k] * g[k] / size;
    }
    afx_grad_destroy(grad);
    afx_sim_destroy(sim);
    afx_model_destroy(course.model);
    return fabs(by - rate * 0.6 / (2 * size)) / fabs(rate);
}

static void test_pendulum(void **state) {
    (void)state;
    double coarse = similarity_error(0.01), fine = similarity_error(0.005);
    assert_true(coarse < 2e-3);
    assert_true(log2(coarse / fine) > 1.7);
}

int run_grad_truth_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_projectile), cmocka_unit_test(test_pendulum)};
    return cmocka_run_group_tests_name("grad truth", tests, NULL, NULL);
}
