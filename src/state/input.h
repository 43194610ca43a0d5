/* SPDX-License-Identifier: Apache-2.0 */
/* What acts on the bodies from outside: prescribed motion and wrenches. */
#ifndef AFXI_STATE_INPUT_H
#define AFXI_STATE_INPUT_H

#include "state/world.h"

/** Marks where kinematic bodies are at the beginning of a step. */
void afxi_input_begin(AfxiWorld *world);
/** Puts kinematic bodies back to where they were then. */
void afxi_input_back(AfxiWorld *world);
/** Moves kinematic bodies to `fraction` of the step. With `keep`, where they were goes into previous_q, previous_v. */
void afxi_input_kinematic(AfxiWorld *world, double fraction, bool keep);
/** Second derivative of a kinematic body's raw coordinates at the present time; 0 where run-time targets lead it. */
void afxi_input_acceleration(const AfxiWorld *world, uint32_t body, double out[AFXI_AFFINE_WIDTH]);
/** Lists bodies with and without forces, and makes room for the forces. Nothing changes on failure. */
AfxStatus afxi_input_lists(AfxiWorld *world, bool all_forced);
/** Fills the forces from wrenches, and from what their signals have at AfxiWorld.force_time. */
void afxi_input_forces(AfxiWorld *world);
/** The same at `fraction` of the step, where there are signals. */
void afxi_input_forces_at(AfxiWorld *world, double fraction);

#endif
