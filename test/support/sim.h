/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies and sims as most tests of motion want them. */
#ifndef AFX_TEST_SUPPORT_SIM_H
#define AFX_TEST_SUPPORT_SIM_H

#include "affix/affix.h"

/** A rigid body given by its mass properties, centre at its origin, at rest. */
AfxBodyDef rigid_def(double mass, double ixx, double iyy, double izz);
/** A scene with this gravity, and contact switched on or off. */
AfxScene *scene_make(AfxVec3 gravity, bool contact);
/** A joint of a kind with its frame given in the world; the bodies are where it holds. */
AfxJointId scene_joint(AfxScene *scene, AfxJointKind kind, AfxBodyId base, AfxBodyId follower, AfxPose frame);
/** Compiles the scene where *model is NULL, and makes a sim in place of *sim (may be NULL); the test fails when that
 * does not go well. */
void sim_start(const AfxScene *scene, AfxModel **model, AfxSim **sim, const AfxSimDef *def);
/** Every number of the state is finite. */
bool sim_finite(const AfxSim *sim);

#endif
