/* SPDX-License-Identifier: Apache-2.0 */
/* Distance of two convex cores. */
#ifndef AFXI_CONTACT_GJK_H
#define AFXI_CONTACT_GJK_H

#include "contact/inner.h"

AfxiCorner afxi_corner(const AfxiPlacedPair *pair, AfxVec3 direction);
/** The point of the cores' difference that is nearest to the origin (Gilbert, Johnson and Keerthi 1988); zero when the
 * cores overlap. False when it is farther than reach. */
bool afxi_gjk(const AfxiPlacedPair *pair, double reach, AfxiSimplex *out_simplex, AfxVec3 *out_nearest);

#endif
