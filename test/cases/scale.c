/* SPDX-License-Identifier: Apache-2.0 */
#include "scale.h"
#include "tests.h"

#include <stdio.h>
#include <string.h>

enum { ARGUMENTS_MOST = 8, TEXT = 200 };

/* Splits `arguments` at blanks, in place. */
static uint32_t split(char *arguments, const char *out_texts[ARGUMENTS_MOST]) {
    uint32_t count = 0;
    for (char *text = strtok(arguments, " "); text; text = strtok(NULL, " ")) {
        assert_true(count < ARGUMENTS_MOST);
        out_texts[count++] = text;
    }
    return count;
}

AfxScene *scale_scene(const char *name, const char *arguments) {
    char copy[TEXT];
    const char *texts[ARGUMENTS_MOST];
    snprintf(copy, sizeof(copy), "%s", arguments);
    uint32_t count = split(copy, texts);
    return closed_scene(name, count, texts);
}

void scale_refused(const char *name, const char *arguments, const char *element, const char *text) {
    char copy[TEXT];
    const char *texts[ARGUMENTS_MOST];
    AfxiCaseArguments args;
    AfxSceneDef def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxError error;
    snprintf(copy, sizeof(copy), "%s", arguments);
    uint32_t count = split(copy, texts);
    assert_int_equal(afxi_case_arguments(afxi_case_find(name), count, texts, &args, &error), AFX_OK);
    assert_int_equal(afxi_case_build(&args, &def, &scene, &error), AFX_E_INPUT);
    assert_null(scene);
    assert_int_equal(error.status, AFX_E_INPUT);
    assert_non_null(strstr(error.element, element));
    assert_non_null(strstr(error.text, text));
    assert_true(error.cure[0] != '\0');
    assert_int_equal(afxi_case_build(&args, &def, &scene, NULL), AFX_E_INPUT);
}

static void check_mass(const AfxScene *scene, const char *title, const ScaleCounts *want) {
    double mass = 0;
    for (uint32_t k = 0; k < want->bodies; ++k) {
        AfxMass one;
        assert_int_equal(afx_scene_body_mass(scene, afx_scene_body(scene, k), &one), AFX_OK);
        mass += one.mass;
    }
    if (!(fabs(mass - want->mass) <= 1e-12 * want->mass)) {
        fail_msg("%s: the mass is %.17g, not %.17g", title, mass, want->mass);
    }
}

static void check_counts(const AfxModel *model, const ScaleCounts *want) {
    uint32_t fixed = 0;
    assert_int_equal(afx_model_body_count(model), want->bodies);
    for (uint32_t k = 0; k < want->bodies; ++k) {
        fixed += afx_model_body_kind(model, k) == AFX_BODY_FIXED;
    }
    assert_int_equal(fixed, want->fixed);
    assert_int_equal(afx_model_joint_count(model), want->joints);
    assert_int_equal(afx_model_row_count(model), want->rows);
    assert_int_equal(afx_model_compliant_row_count(model), want->compliant);
}

static void take_steps(const AfxModel *model, const char *title, double dt, uint32_t steps) {
    AfxSimDef def = afx_default_sim();
    AfxSim *sim = NULL;
    def.dt = dt;
    assert_int_equal(afx_sim_create(model, &def, &sim), AFX_OK);
    for (uint32_t k = 0; k < steps; ++k) {
        AfxStepReport report;
        AfxEnergy energy;
        AfxStatus status = afx_step(sim, &report);
        if (status != AFX_OK || !(report.residual <= 1e-12 * afx_model_size(model))) {
            fail_msg("%s, step %u: %s, residual %g", title, k + 1, afx_status_name(status), report.residual);
        }
        assert_int_equal(report.flags & (AFX_STEP_ASSEMBLED | AFX_STEP_CAPPED | AFX_STEP_LOOSE), 0);
        assert_int_equal(afx_sim_energy(sim, &energy), AFX_OK);
        assert_true(isfinite(energy.total) && energy.kinetic > 0 && energy.elastic >= 0);
    }
    afx_sim_destroy(sim);
}

void scale_check(const char *name, const char *arguments, ScaleCounts want, uint32_t steps) {
    char title[TEXT];
    AfxModel *model = NULL;
    snprintf(title, sizeof(title), "%s %s", name, arguments);
    AfxScene *scene = scale_scene(name, arguments);
    assert_int_equal(afx_scene_body_count(scene), want.bodies);
    closed_positions(scene, title, 1e-13);
    closed_velocities(scene, title, 1e-12);
    check_mass(scene, title, &want);
    assert_int_equal(afx_model_create(scene, &model, NULL), AFX_OK);
    afx_scene_destroy(scene);
    check_counts(model, &want);
    take_steps(model, title, afxi_case_find(name)->dt, steps);
    afx_model_destroy(model);
}
