/* SPDX-License-Identifier: Apache-2.0 */
/* One rigid body through a sub-step. */
#ifndef AFXI_CONSERVE_BODY_H
#define AFXI_CONSERVE_BODY_H

#include "conserve/inner.h"

/** cay(c) */
AfxiMat3 afxi_cayley(AfxVec3 c);
/** State of a body from raw coordinates, made rigid; and its accelerations from x2. */
void afxi_conserve_load(AfxiConserve *work, AfxiConserveBody *body);
/** Raw coordinates [12] of a body that has moved by `change` [6]; NULL: where it is. */
void afxi_conserve_place(const AfxiConserveBody *body, const double *change, double *out);
/** Raw velocities [12], and accelerations of A and t at no acceleration of the body: [w]² R, 0. */
void afxi_conserve_rates(const AfxiConserveBody *body, double *out_rate, double *out_bias);
/** Forces at the present place, and the rate of change of the momentum that they balance at no acceleration: for
 * accelerations. [6] */
void afxi_conserve_forces(const AfxiConserve *work, const AfxiConserveBody *body, double *out);
/** Gravity and wrenches at the present place. [6] */
void afxi_conserve_loads(const AfxiConserve *work, const AfxiConserveBody *body, double *out);
/** Moves a body by H^-1 x, x [6], H of accelerations. */
void afxi_conserve_shift(AfxiConserveBody *body, const double *x);
/** Forces less inertia in a sub-step for a change [6]: the imbalance without constraints. [6] */
void afxi_conserve_imbalance(const AfxiConserve *work, const AfxiConserveBody *body, double h, const double *change,
                             double *out);
/** H of a sub-step, inverted: what a change of the body's place takes; h = 0: of accelerations. */
void afxi_conserve_inverse(const AfxiConserve *work, AfxiConserveBody *body, double h, const double *change);
/** State after a sub-step: RATTLE leaves the velocities before the second half. */
void afxi_conserve_move(const AfxiConserve *work, AfxiConserveBody *body, double h, const double *change);
/** J^-1 torque, world axes; and the velocities of an impulse [6]. */
void afxi_conserve_push(const AfxiConserve *work, AfxiConserveBody *body, double scale, const double *impulse);

#endif
