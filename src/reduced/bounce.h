/* SPDX-License-Identifier: Apache-2.0 */
/* Contact points that bounce, in joint coordinates. */
#ifndef AFXI_REDUCED_BOUNCE_H
#define AFXI_REDUCED_BOUNCE_H

#include "reduced/inner.h"

/** Whether a point struck in this step and bounces. */
bool afxi_reduced_bounces(const AfxiReduced *work);
/** Velocities work->u, which the step came to, get the rates that the law of impacts gives to points and limits, from
 * the velocities `before` the step. M is evaluated at work->q and not factored. */
void afxi_reduced_bounce(AfxiReduced *work, const double *before);

#endif
