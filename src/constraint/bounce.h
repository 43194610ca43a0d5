/* SPDX-License-Identifier: Apache-2.0 */
/* Contact points whose velocities jump: how fast they approach, their rates, and rows that give them other ones. The
 * law of the jump is in solve/impact_law.c. */
#ifndef AFXI_CONSTRAINT_BOUNCE_H
#define AFXI_CONSTRAINT_BOUNCE_H

#include "constraint/contact.h"
#include "constraint/rows.h"

/** Speed of a away from b after the bounce of a point that was met with `speed`, or 0: slow ones come to rest. */
double afxi_bounce_after(const AfxiContactSet *set, const AfxiPoint *point, double speed);
/** Time from the beginning of the stage to the touch of a point that approaches, s, and its speed then. */
double afxi_bounce_touch(const AfxiContactSet *set, const AfxiPoint *point, double *out_speed);
/** Whether a point struck in this stage and bounces. */
bool afxi_bounce_strikes(const AfxiContactSet *set, const AfxiPoint *point);
/** Rate along axis r of a point at the present velocities: 0 is that of the gap, 1 and 2 are slips. */
double afxi_bounce_rate(const AfxiContactSet *set, const AfxiPoint *point, int r);
/** Impulse along axis r of a point whose rows have acted, by how far its rate is off what the row asks for. */
double afxi_bounce_impulse(const AfxiContactSet *set, const AfxiPoint *point, int r);
/** Friction of an impact with the impulse p along the tangents: what is above its limit, or slides already, slides with
 * the limit. How far it was from that comes back, squared. */
double afxi_bounce_slide(AfxiPoint *point, const double p[2], double limit);
/** Rows that give the points point[count] the rates that they are to have (AfxiPoint.jump), for velocities: of pairs
 * in `rows`, if they have any; others in the blocks of its bodies. All other rows of contact are off. */
void afxi_bounce_rows(AfxiContactSet *set, AfxiRows *rows, bool pairs, const uint32_t *point, uint32_t count);

#endif
