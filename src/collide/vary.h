/* SPDX-License-Identifier: Apache-2.0 */
/* How a contact point changes with where the bodies of its shapes are expected: what its normal and its places are
 * differentiated by. */
#ifndef AFXI_COLLIDE_VARY_H
#define AFXI_COLLIDE_VARY_H

#include "collide/collide.h"

/** Derivatives of a point of the present set. False: there are none, since it was found on the way of its shapes, or
 * other features of them touch at places that close. */
bool afxi_collide_vary(const AfxiCollide *collide, const AfxiPoint *point, AfxiPointSlope *out);

#endif
