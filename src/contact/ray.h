/* SPDX-License-Identifier: Apache-2.0 */
/* Where a ray first meets the surface of a shape. */
#ifndef AFXI_CONTACT_RAY_H
#define AFXI_CONTACT_RAY_H

#include "affix/math.h"
#include "contact/geometry.h"

/** Where o + s d, 0 <= s <= end, in the shape's frame, first meets its surface, from whichever side; d may have any
 * length but 0. *out_normal points outward and need not be a unit. False: it does not. */
bool afxi_ray(const AfxiGeometry *geometry, AfxVec3 o, AfxVec3 d, double end, double *out_s, AfxVec3 *out_normal);

#endif
