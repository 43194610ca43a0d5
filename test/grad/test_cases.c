/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of built-in cases against differences. */
#include "tests.h"

typedef struct Case {
    const char *name, *text;
    AfxIntegrator integrator;
    double dt;
    uint32_t steps;
    AfxQuantity quantity;
    double tolerance;
} Case;

static const AfxQuantity energy = {AFX_QUANTITY_ENERGY, 0, 0};

static const Case cases[] = {
    {"pendulum", NULL, AFX_BDF1, 0.01, 20, {AFX_QUANTITY_JOINT, 0, 0}, 1e-8},
    {"pendulum", NULL, AFX_BDF2, 0.01, 20, {AFX_QUANTITY_JOINT, 0, 0}, 1e-8},
    {"pendulum", NULL, AFX_ALPHA, 0.01, 20, {AFX_QUANTITY_JOINT, 0, 0}, 1e-8},
    {"spinning-box", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"t-handle", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"free-top", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"tumbling", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"a01", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"a02", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"bricard", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"heavy-top", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"slider-crank", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"universal-shaft", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"door", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"four-bar", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"klann", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"hoberman", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"satellite", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"hand", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"umbrella", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"chain", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"chains", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"net", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"ring", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"hub", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"tree", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"ragdolls", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
    {"cloak", NULL, AFX_BDF2, 0.01, 10, {AFX_QUANTITY_ENERGY, 0, 0}, 1e-8},
};

static void test_cases(void **state) {
    (void)state;
    (void)energy;
    const char *only = getenv("AFFIX_TEST_CASE");
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const Case *from = &cases[k];
        if (only && strcmp(only, from->name) != 0) {
            continue;
        }
        Rig rig = {case_model(from->name, from->text), from->integrator, from->dt, from->steps};
        double dot, error = rig_check(&rig, from->quantity, &dot);
        printf("%s %s: error %.2e dot %.2e\n", from->name, from->text ? from->text : "", error, dot);
        afx_model_destroy(rig.model);
    }
}

int run_case_tests(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests_name("grad cases", tests, NULL, NULL);
}
