/* SPDX-License-Identifier: Apache-2.0 */
/* Support points of convex cores, and the flat pieces of their surfaces. */
#ifndef AFXI_CONTACT_SUPPORT_H
#define AFXI_CONTACT_SUPPORT_H

#include "contact/inner.h"

/** Half the size of the core, roughly: what tolerances are relative to. */
double afxi_core_size(const AfxiGeometry *g);
/** The vertex farthest in a direction, in the hull's frame. */
uint32_t afxi_hull_support(const AfxiHullMesh *hull, AfxVec3 d);
/** The core's farthest point in a direction of any length; world. */
AfxVec3 afxi_support(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 direction);
/** A point well inside the core; world. */
AfxVec3 afxi_core_center(const AfxiGeometry *g, const AfxiPlace *place);
/** The flat piece that faces a unit direction. */
void afxi_polygon(const AfxiGeometry *g, const AfxiPlace *place, AfxVec3 direction, AfxiPolygon *out);

#endif
