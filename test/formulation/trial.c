/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include <math.h>

#include "cases/cases.h"

Trial trial_start(const char *name, uint32_t count, const char *const *texts, AfxFormulation formulation, double dt,
                  uint32_t solves) {
    Trial trial = {NULL, NULL};
    AfxiCaseArguments args;
    AfxSceneDef scene_def = afx_default_scene();
    AfxScene *scene = NULL;
    AfxError error;
    AfxSimDef def = afx_default_sim();
    def.formulation = formulation;
    def.integrator = AFX_BDF1;
    def.dt = dt;
    def.solves = solves;
    def.error = &error;
    assert_int_equal(afxi_case_arguments(afxi_case_find(name), count, texts, &args, NULL), AFX_OK);
    assert_int_equal(afxi_case_build(&args, &scene_def, &scene, NULL), AFX_OK);
    assert_int_equal(afx_model_create(scene, &trial.model, NULL), AFX_OK);
    afx_scene_destroy(scene);
    if (afx_sim_create(trial.model, &def, &trial.sim) != AFX_OK) {
        fail_msg("%s: %s: %s", name, error.element, error.text);
    }
    return trial;
}

void trial_end(Trial *trial) {
    afx_sim_destroy(trial->sim);
    afx_model_destroy(trial->model);
}

AfxVec3 trial_marker(const Trial *trial) {
    AfxVec3 place;
    assert_int_equal(afx_sim_marker(trial->sim, 0, &place, NULL), AFX_OK);
    return place;
}

double trial_strain(const Trial *trial) {
    const double *q = afx_sim_coordinates(trial->sim);
    double largest = 0;
    for (uint32_t body = 0; body < afx_model_body_count(trial->model); ++body) {
        for (int k = 0; k < 3; ++k) {
            const double *a = q + (size_t)12 * body + 3 * k;
            largest = fmax(largest, fabs(sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) - 1));
        }
    }
    return largest;
}
