/* SPDX-License-Identifier: Apache-2.0 */
/* Restitution: a point that struck leaves with e times the speed of approach. The step itself stops what strikes; this
 * comes after it, as a change of velocities. */
#ifndef AFXI_CONSTRAINT_BOUNCE_H
#define AFXI_CONSTRAINT_BOUNCE_H

#include "constraint/contact.h"
#include "constraint/rows.h"

/** Speed of a away from b after the bounce of a point, or 0. */
double afxi_bounce_speed(const AfxiContactSet *set, const AfxiPoint *point);
/** Rows of the points that bounce of point[count], for velocities: of pairs in `rows`, if they have any; others in the
 * blocks of its bodies. All other rows of contact are off. */
void afxi_bounce_rows(AfxiContactSet *set, AfxiRows *rows, bool pairs, const uint32_t *point, uint32_t count);

#endif
