/* SPDX-License-Identifier: Apache-2.0 */
/* Limits and friction of coordinates: which of them hold, by the laws of joint/law.h, and impacts at limits. */
#ifndef AFXI_REDUCED_HELD_H
#define AFXI_REDUCED_HELD_H

#include "reduced/inner.h"

/** Multipliers of all rows back to 0, at the beginning of a step. */
void afxi_reduced_held_begin(AfxiReduced *work);
/** The rows of a solve, work->active: those that hold always. */
void afxi_reduced_list_exact(AfxiReduced *work);
/** ... with limits that are met, friction that sticks, and, with `laws`, springs along scalars that are no coordinates,
 * as compliant ones. */
void afxi_reduced_list_held(AfxiReduced *work, bool laws);
/** Adds the forces of friction that slides. */
void afxi_reduced_held_forces(const AfxiReduced *work, double *tau);
/** What a limit or friction gives: minus its force. */
double afxi_reduced_held_multiplier(const AfxiReduced *work, const AfxiReducedRow *row);
/** The same of all that hold nothing, to their places in `lambda`: friction that slides, and 0. Those that hold are
 * told by the solve. */
void afxi_reduced_held_tell(const AfxiReduced *work, double *lambda);
/** Drives on the branches that fit work->q, work->u and the multipliers; true where one has changed. */
bool afxi_reduced_branches(AfxiReduced *work);
/** Drives of the island on the branches that the step began with. */
void afxi_reduced_branches_back(AfxiReduced *work);
/** Where a met limit holds. */
double afxi_reduced_end(const AfxiReduced *work, const AfxiReducedRow *row);
/** Whether coordinates q are beyond a limit, or something else asks for branches: a met limit, friction. */
bool afxi_reduced_beyond(const AfxiReduced *work, const double *q);
/** Velocities work->u jump where limits were met in this step: these leave with restitution times the speed that they
 * came with, at velocities `before`. True where one was met. */
bool afxi_reduced_strike(AfxiReduced *work, const double *before);

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
