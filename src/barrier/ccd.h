/* SPDX-License-Identifier: Apache-2.0 */
/* Additive continuous collision detection along straight lines. */
#ifndef AFXI_BARRIER_CCD_H
#define AFXI_BARRIER_CCD_H

#include "barrier/distance.h"

/** How much of the way from x to x + p [4 corners] a stencil may go, 0 .. 1, so that its sides stay apart by `radius`
 * and a tenth of the gap that they have at the beginning, or of `near` if that is less. Never too much: 1 only where
 * the whole way is free. */
double afxi_ccd(AfxiStencil stencil, const AfxVec3 x[4], const AfxVec3 p[4], double radius, double near);
/** The same of a point above a plane, whose height less its radius goes from `begin` to `end`. */
double afxi_ccd_plane(double begin, double end, double near);

#endif
