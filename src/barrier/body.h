/* SPDX-License-Identifier: Apache-2.0 */
/* One body: how it moves by its unknowns, its energy and its derivatives. */
#ifndef AFXI_BARRIER_BODY_H
#define AFXI_BARRIER_BODY_H

#include "barrier/inner.h"

/** The direction of unknown k in the axes of a body, the shift left out: a skew matrix (0 to 2) or a symmetric one (3
 * to 8). */
AfxiMat3 afxi_barrier_direction(int k);
/** The gradient by turn (3), shift (3) and strain (xx, yy, zz, xy, xz, yz) of one whose G = A^T N on A, and f on t. A
 * rigid body has the first six. */
void afxi_barrier_local(const AfxiMat3 *g, AfxVec3 f, double out[AFXI_BARRIER_WIDTH]);
/** A body moved from `from` [12] by share times its unknowns. */
void afxi_barrier_retract(const AfxiBarrierBody *body, const double *from, const double *delta, double share,
                          double *to);
/** What a stage makes of a body: inertia and what it draws to; with its plan, qhat and qv in place. */
void afxi_barrier_body_begin(AfxiBarrier *work, AfxiBarrierBody *body);
/** Loads at AFXI_NOW, which stay in an iteration. */
void afxi_barrier_body_loads(AfxiBarrier *work, AfxiBarrierBody *body);
/** Energy of inertia, elasticity and loads at a place; *size: the sum of their sizes. */
double afxi_barrier_body_energy(const AfxiBarrier *work, const AfxiBarrierBody *body, AfxiBarrierPlace place,
                                double *size);
/** Gradient of all but elasticity, G [9] = A^T dE/dA, and of t [3]; and the elastic gradient's share in out_strain [6].
 */
void afxi_barrier_body_gradient(const AfxiBarrier *work, const AfxiBarrierBody *body, double g[9], double f[3],
                                double out_strain[6]);
/** Hessian [144] at AFXI_NOW, with the second order of the turn for the gradient g [9] of all but elasticity; definite.
 */
void afxi_barrier_body_hessian(const AfxiBarrier *work, const AfxiBarrierBody *body, const double g[9],
                               double h[AFXI_BARRIER_WIDTH * AFXI_BARRIER_WIDTH]);
/** How far all bodies would go in the stage from AFXI_BEGIN if nothing were in their way: work->way, work->reach. */
void afxi_barrier_ways(AfxiBarrier *work);

#endif
