/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies and sims as most tests of motion want them. */
#ifndef AFX_TEST_SUPPORT_SIM_H
#define AFX_TEST_SUPPORT_SIM_H

#include "affix/affix.h"

/** A rigid body given by its mass properties, centre at its origin, at rest. */
AfxBodyDef rigid_def(double mass, double ixx, double iyy, double izz);
/** Compiles the scene where *model is NULL, and makes a sim in place of *sim (may be NULL); the test fails when that
 * does not go well. */
void sim_start(const AfxScene *scene, AfxModel **model, AfxSim **sim, const AfxSimDef *def);
/** Every number of the state is finite. */
bool sim_finite(const AfxSim *sim);

#endif
