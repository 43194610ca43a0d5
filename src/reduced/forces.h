/* SPDX-License-Identifier: Apache-2.0 */
/* What acts along joint coordinates. */
#ifndef AFXI_REDUCED_FORCES_H
#define AFXI_REDUCED_FORCES_H

#include "reduced/inner.h"

/** Targets of drives, wrenches and kinematic bodies at a fraction of the step. */
void afxi_reduced_inputs(AfxiReduced *work, double fraction);
/** The same at the present state, between steps; writes nothing of the state. */
void afxi_reduced_inputs_now(AfxiReduced *work);
/** After parameters were edited: factors and numbers of drives that act on coordinates of the tree. */
void afxi_reduced_gather(AfxiReduced *work);
/** Generalised forces [dofs] of drives, springs and compliant couplings at the present frames and velocities; their
 * multipliers go to the state's places in `lambda` (NULL: not told). */
void afxi_reduced_forces(AfxiReduced *work, const double *q, const double *u, double *out_tau, double *lambda);
/** Adds what wrenches on bodies give. */
void afxi_reduced_wrenches(AfxiReduced *work, const double *q, double *tau);
/** Multiplier of the law of a row along which a force acts, at x and its rate: minus the force. */
double afxi_reduced_law(const AfxiReduced *work, const AfxiReducedRow *row, double x, double rate);
/** How the multiplier of a row's law grows with its value and rate there: stiffness and damping. */
void afxi_reduced_slopes(const AfxiReduced *work, const AfxiReducedRow *row, AfxiReducedMeasure at,
                         double *out_stiffness, double *out_damping);
/** Stiffness and damping of a ball's spring, no less than they are about any axis; its node, or AFXI_TREE_NONE where it
 * is none of the tree. */
uint32_t afxi_reduced_ball_slopes(const AfxiReduced *work, uint32_t joint, double *out_stiffness, double *out_damping);
/** Adds to the diagonal of work->mass what a ball's spring is in an implicit step: by_rate times damping, and by_place
 * times stiffness, no less than they are. */
void afxi_reduced_ball_diagonal(AfxiReduced *work, uint32_t joint, double by_rate, double by_place);
/** Torque of a ball's spring on the base, world axes. */
AfxVec3 afxi_reduced_ball_torque(const AfxiReduced *work, uint32_t joint);

#endif
