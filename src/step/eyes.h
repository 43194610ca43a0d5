/* SPDX-License-Identifier: Apache-2.0 */
/* Rays of sensors against all shapes of a model. */
#ifndef AFXI_STEP_EYES_H
#define AFXI_STEP_EYES_H

#include "step/sim.h"

/** Lays the shapes out where some sensor casts a ray. */
AfxStatus afxi_eyes_create(AfxSim *sim);
void afxi_eyes_destroy(AfxSim *sim);
/** Puts the shapes where the bodies are. */
void afxi_eyes_open(const AfxSim *sim);
/** How far from a point along a direction the next shape is of another body than `skip`; -1: none within `reach`. */
double afxi_eyes_range(const AfxSim *sim, AfxVec3 from, AfxVec3 direction, double reach, uint32_t skip);

#endif
