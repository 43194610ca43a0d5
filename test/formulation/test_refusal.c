/* SPDX-License-Identifier: Apache-2.0 */
/* What the published formulations cannot do is said when the sim is made, and nothing leaks, whenever memory runs out.
 */
#include "tests.h"

#include <string.h>

#include "cases/cases.h"
#include "support/allocator.h"

static AfxModel *model_of(const char *name, const char *text) {
    AfxiCaseArguments args;
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxModel *model = NULL;
    assert_int_equal(afxi_case_arguments(afxi_case_find(name), text ? 1 : 0, &text, &args, NULL), AFX_OK);
    assert_int_equal(afxi_case_build(&args, &def, &scene, NULL), AFX_OK);
    assert_int_equal(afx_model_create(scene, &model, NULL), AFX_OK);
    afx_scene_destroy(scene);
    return model;
}

static void refused(const char *name, const char *text, AfxIntegrator integrator, AfxStatus status, const char *word) {
    AfxModel *model = model_of(name, text);
    for (int formulation = AFX_MABD_PAPER; formulation <= AFX_ABD_VANILLA;
         ++formulation) { /* those that were published */
        AfxSimDef def = afx_default_sim();
        AfxError error = {0};
        AfxSim *sim = NULL;
        def.formulation = (AfxFormulation)formulation;
        def.integrator = integrator;
        def.error = &error;
        assert_int_equal(afx_sim_create(model, &def, &sim), status);
        assert_null(sim);
        assert_int_equal(error.status, status);
        assert_non_null(strstr(error.element, "formulation"));
        if (!strstr(error.text, word)) {
            fail_msg("%s: %s", name, error.text);
        }
        assert_true(error.cure[0] != '\0');
        def.error = NULL;
        assert_int_equal(afx_sim_create(model, &def, &sim), status);
    }
    afx_model_destroy(model);
}

static void test_refused(void **state) {
    (void)state;
    refused("pendulum", NULL, AFX_BDF2, AFX_E_INPUT, "implicit Euler");
    refused("pendulum", "young=inf", AFX_BDF1, AFX_E_INPUT, "elastic bodies");
    refused("slider-crank", NULL, AFX_BDF1, AFX_E_INPUT, "drives");
    refused("bridge", "young=1e9", AFX_BDF1, AFX_E_INPUT, "drives, couplings or springs");
    refused("chain", "joint=universal", AFX_BDF1, AFX_E_INPUT, "ball joints, hinges and fixed joints");
    refused("rolling", NULL, AFX_BDF1, AFX_E_INPUT, "contact");
    refused("tree", "links=50", AFX_BDF1, AFX_E_INPUT, "wrenches");
    refused("net", "k=70", AFX_BDF1, AFX_E_LIMIT, "2^25");
}

static void test_formulation_out_of_range(void **state) {
    (void)state;
    AfxModel *model = model_of("pendulum", NULL);
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    def.formulation = AFX_FORMULATION_COUNT;
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_E_ARGUMENT);
    assert_null(sim);
    afx_model_destroy(model);
}

static void test_memory(void **state) {
    (void)state;
    AfxModel *model = model_of("chain", "n=5");
    AfxStatus status = AFX_E_MEMORY;
    uint64_t at = 1;
    for (; status != AFX_OK; ++at) {
        TestAllocator counts = {.fail_at = at};
        AfxSimDef def = afx_default_sim();
        AfxSim *sim = NULL;
        def.allocator = test_allocator(&counts);
        def.integrator = AFX_BDF1;
        def.formulation = AFX_MABD_PAPER;
        status = afx_sim_create(model, &def, &sim);
        assert_true(status == AFX_OK || (status == AFX_E_MEMORY && !sim));
        if (sim) { /* a step allocates nothing */
            uint64_t calls = counts.calls;
            assert_int_equal(afx_step(sim, NULL), AFX_OK);
            assert_int_equal(counts.calls, calls);
        }
        afx_sim_destroy(sim);
        assert_int_equal(counts.live, 0);
        assert_int_equal(counts.errors, 0);
    }
    assert_true(at > 4); /* it has been without memory for the formulation as well */
    afx_model_destroy(model);
}

int run_refusal_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_formulation_out_of_range),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests_name("formulation/refusal", tests, NULL, NULL);
}
