/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest point on the surface of a simple shape, in its own frame, from outside and from inside. */
#ifndef AFXI_CONTACT_NEAREST_H
#define AFXI_CONTACT_NEAREST_H

#include "contact/inner.h"

/** Plane, sphere, capsule, box, cylinder, ellipsoid. */
AfxiNearPoint afxi_nearest(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 x);

#endif
