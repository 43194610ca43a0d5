/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of built-in cases against differences. */
#include "tests.h"

typedef struct Case {
    const char *name, *text;
    AfxIntegrator integrator;
    double dt;
    uint32_t steps;
    AfxQuantity quantity;
} Case;

/* Loops with redundant rows, drives, springs, chains, elastic and rigid bodies; every method. */
static const Case cases[] = {
    {"pendulum", NULL, AFX_BDF1, 0.01, 20, {AFX_QUANTITY_JOINT, 0, 0}},
    {"pendulum", "young=inf", AFX_BDF1, 0.01, 20, {AFX_QUANTITY_REACTION, 0, 0}},
    {"pendulum", NULL, AFX_BDF2, 0.01, 20, {AFX_QUANTITY_JOINT, 0, 0}},
    {"pendulum", "young=inf", AFX_BDF2, 0.01, 20, {AFX_QUANTITY_REACTION, 0, 0}},
    {"pendulum", NULL, AFX_ALPHA, 0.01, 20, {AFX_QUANTITY_JOINT, 0, 0}},
    {"pendulum", "young=inf", AFX_ALPHA, 0.01, 20, {AFX_QUANTITY_REACTION, 0, 0}},
    {"pendulum", NULL, AFX_SDIRK2, 0.01, 20, {AFX_QUANTITY_JOINT, 0, 0}},
    {"pendulum", "young=inf", AFX_SDIRK2, 0.01, 20, {AFX_QUANTITY_REACTION, 0, 0}},
    {"spinning-box", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"t-handle", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"free-top", NULL, AFX_ALPHA, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"heavy-top", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"a01", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"bricard", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"slider-crank", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"slider-crank", NULL, AFX_ALPHA, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"universal-shaft", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"universal-shaft", NULL, AFX_SDIRK2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"door", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"four-bar", NULL, AFX_BDF2, 0.01, 20, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"four-bar", NULL, AFX_BDF1, 0.01, 20, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"klann", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"hand", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"satellite", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"bridge", "deck=8", AFX_BDF2, 0.01, 4, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"chain", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
    {"chain", NULL, AFX_BDF1, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}},
};

static void test_cases(void **state) {
    (void)state;
    const char *only = getenv("AFFIX_TEST_CASE");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Case *from = &cases[k];
        if (only && strcmp(only, from->name) != 0) {
            continue;
        }
        Course course = {case_model(from->name, from->text), from->integrator, from->dt, from->steps, NULL};
        double dot, error = course_check(&course, from->quantity, &dot);
        if (!(error <= 1e-8 && dot <= 1e-11)) {
            fail_msg("%s, integrator %d: off by %.2e, adjoint and tangent by %.2e", from->name, from->integrator, error,
                     dot);
        }
        afx_model_destroy(course.model);
    }
}

/* Every built-in case with joints and no contact in its first steps; only where AFFIX_TEST_LONG is set. */
static void test_all(void **state) {
    (void)state;
    static const char *const names[] = {"pendulum", "a01",      "a02",   "bricard", "heavy-top", "slider-crank",
                                        "door",     "four-bar", "klann", "hand",    "satellite", "universal-shaft",
                                        "umbrella", "hoberman", "chain", "ring",    "gazelle",   "figure",
                                        "hagfish",  "grasp",    "bridge"};
    const char *only = getenv("AFFIX_TEST_CASE");
    for (size_t k = 0; getenv("AFFIX_TEST_LONG") && k < sizeof names / sizeof *names; k++) {
        if (only && strcmp(only, names[k]) != 0) {
            continue;
        }
        Course course = {case_model(names[k], NULL), AFX_BDF2, 0.005, 4, NULL};
        double dot, error = course_check(&course, (AfxQuantity){AFX_QUANTITY_ENERGY, 0, 0}, &dot);
        AfxSim *sim = course_sim(&course, NULL);
        int64_t freedom = 0;
        uint32_t redundant = 0;
        assert_int_equal(afx_sim_mobility(sim, &freedom, &redundant), AFX_OK);
        afx_sim_destroy(sim);
        dot = freedom > 0 ? dot : 0;           /* of what cannot move, states have no derivatives but rounding */
        if (!(error <= 1e-8 && dot <= 1e-9)) { /* adjoints of stiff bodies lose digits in sums that cancel */
            fail_msg("%s: off by %.2e, adjoint and tangent by %.2e", names[k], error, dot);
        }
        afx_model_destroy(course.model);
    }
}

int run_grad_case_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_all)};
    return cmocka_run_group_tests_name("grad cases", tests, NULL, NULL);
}
