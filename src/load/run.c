/* SPDX-License-Identifier: Apache-2.0 */
/* How a scene is run: defaults and words. */
#include "load/run.h"

#include <string.h>
#include <strings.h>

#include "base/status.h"

#define FILE_DT 1e-3 /* s, of a file that does not say */
#define FILE_TIME 1.0

const char *const afxi_integrator_names[] = {"bdf2",      "bdf1", "alpha", "sdirk2", "conserving", "conserving4",
                                             "reference", "rk4",  "auto",  "gauss2", NULL};
const AfxIntegrator afxi_integrators[] = {AFX_BDF2,        AFX_BDF1,      AFX_ALPHA, AFX_SDIRK2, AFX_CONSERVING,
                                          AFX_CONSERVING4, AFX_REFERENCE, AFX_RK4,   AFX_AUTO,   AFX_GAUSS2};
const char *const afxi_accuracy_names[] = {"fast", "accurate", "converged", NULL};
#define NAME(value, name) name,
const char *const afxi_formulation_names[] = {AFX_FORMULATION_TABLE(NAME) NULL};
const char *const afxi_solver_names[] = {AFX_SOLVER_TABLE(NAME) NULL};
const char *const afxi_contact_model_names[] = {AFX_CONTACT_MODEL_TABLE(NAME) NULL};
#undef NAME

AfxRunDef afx_default_run(void) {
    AfxRunDef run = {.cookie = AFXI_COOKIE, .sim = afx_default_sim(), .model = afx_default_model(), .time = FILE_TIME};
    run.sim.dt = FILE_DT;
    return run;
}

AfxIntegrator afxi_usual_integrator(AfxFormulation formulation) {
    bool own = formulation == AFX_AFFIX || formulation == AFX_CHOOSE;
    return own ? AFX_BDF2 : formulation == AFX_REDUCED ? AFX_AUTO : AFX_BDF1;
}

const char *afxi_integrator_name(AfxIntegrator integrator) {
    for (int k = 0; afxi_integrator_names[k]; k++) {
        if (afxi_integrators[k] == integrator) {
            return afxi_integrator_names[k];
        }
    }
    return "unknown";
}

int afxi_run_output_kind(const char *name) {
    static const char *const endings[] = {".h5", ".csv", ".glb", ".pvd", ".html"};
    size_t length = strlen(name);
    for (int k = 0; k < 5; k++) {
        size_t tail = strlen(endings[k]);
        if (length > tail && strcasecmp(name + length - tail, endings[k]) == 0) {
            return k;
        }
    }
    return -1;
}
