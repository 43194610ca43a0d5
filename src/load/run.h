/* SPDX-License-Identifier: Apache-2.0 */
/* The words for how a scene is run, the same in files and on the command line. */
#ifndef AFXI_LOAD_RUN_H
#define AFXI_LOAD_RUN_H

#include "affix/io.h"

/** Names, then NULL, and what each means. */
extern const char *const afxi_integrator_names[];
extern const AfxIntegrator afxi_integrators[];
/** In the order of AfxAccuracy, AfxFormulation, AfxSolver and AfxContactModel; NULL behind the last. */
extern const char *const afxi_accuracy_names[];
extern const char *const afxi_formulation_names[];
extern const char *const afxi_solver_names[];
extern const char *const afxi_contact_model_names[];

/** What a formulation goes by where nothing else is asked for: those that were published are of implicit Euler. */
AfxIntegrator afxi_usual_integrator(AfxFormulation formulation);
/** "bdf2", "bdf1" ...; "unknown" for what is none. */
const char *afxi_integrator_name(AfxIntegrator integrator);
/** Which kind of output a file name is by its ending, 0 to 4: .h5, .csv, .glb, .pvd, .html (as AfxOutputKind); -1: none
 * of them. */
int afxi_run_output_kind(const char *name);

#endif
