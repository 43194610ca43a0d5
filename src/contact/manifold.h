/* SPDX-License-Identifier: Apache-2.0 */
/* Several points of one touch. */
#ifndef AFXI_CONTACT_MANIFOLD_H
#define AFXI_CONTACT_MANIFOLD_H

#include "contact/inner.h"

/** Touches of the cores along the normal n (from b to a): the corners of the common part of the two pieces that face
 * each other, seen along n. `limit` of them at most; gaps below margin only, radii included. May be none. */
uint32_t afxi_manifold(const AfxiPlacedPair *pair, AfxVec3 n, uint32_t limit, AfxiTouch out[AFXI_TOUCH_MAX]);

#endif
