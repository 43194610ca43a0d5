/* SPDX-License-Identifier: Apache-2.0 */
/* What acts along joint coordinates. */
#ifndef AFXI_REDUCED_FORCES_H
#define AFXI_REDUCED_FORCES_H

#include "reduced/inner.h"

/** Targets of drives, wrenches and kinematic bodies at a fraction of the step. */
void afxi_reduced_inputs(AfxiReduced *work, double fraction);
/** The same at the present state, between steps; writes nothing of the state. */
void afxi_reduced_inputs_now(AfxiReduced *work);
/** Generalised forces [dofs] of drives, springs and compliant couplings at the present frames and velocities; their
 * multipliers go to the state's places in `lambda` (NULL: not told). */
void afxi_reduced_forces(AfxiReduced *work, const double *q, const double *u, double *out_tau, double *lambda);
/** Wrenches on the nodes; NULL where there are none. Those on flywheels are added to tau. */
const AfxiSpatial *afxi_reduced_external(AfxiReduced *work, const double *q, double *tau);
/** Multiplier of the law of a row along which a force acts, at x and its rate: minus the force. */
double afxi_reduced_law(const AfxiReduced *work, const AfxiReducedRow *row, double x, double rate);
/** Torque of a ball's spring on the base, world axes. */
AfxVec3 afxi_reduced_ball_torque(const AfxiReduced *work, uint32_t joint);

#endif
