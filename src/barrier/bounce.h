/* SPDX-License-Identifier: Apache-2.0 */
/* Restitution: velocities after a part of a step. */
#ifndef AFXI_BARRIER_BOUNCE_H
#define AFXI_BARRIER_BOUNCE_H

#include "barrier/inner.h"

/** Gives bodies that came at each other the share of their speed back that their materials say; state->v are the
 * velocities after the step, `before` [bodies][12] those at its beginning. The kinetic energy of an island is never
 * more than it came with or would have had without contacts, in the world or in the frame of a kinematic body that it
 * meets. AFX_E_MEMORY, AFX_E_NUMERIC. */
AfxStatus afxi_barrier_bounce(AfxiBarrier *work, const double *before);

#endif
