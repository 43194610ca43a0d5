/* SPDX-License-Identifier: Apache-2.0 */
/* Limits in impacts. */
#ifndef AFXI_REDUCED_STRIKE_H
#define AFXI_REDUCED_STRIKE_H

#include "reduced/inner.h"

/** For passes of an impact with contact points (bounce.h). Lists exact rows, and limits at their ends that come at
 * velocities x faster than `least`: they leave with restitution times their speed, or stop. True: there are some. */
bool afxi_reduced_list_strikes(AfxiReduced *work, const double *x, double least, bool restitution);
/** Lets limits go that pulled in the last afxi_reduced_meet; true where one did. */
bool afxi_reduced_release_strikes(AfxiReduced *work);
/** Lists limits that came in a pass with the rates that they have at velocities x. */
void afxi_reduced_keep_strikes(AfxiReduced *work, const double *x);
/** Velocities u become the nearest ones with the rates that the listed rows are to have, in the metric of the present
 * factor; false where nothing finite comes of it. */
bool afxi_reduced_meet(AfxiReduced *work, double *u);

#endif
