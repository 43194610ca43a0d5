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
/** Drives on the branches that fit work->q, work->u and the multipliers; true where one has changed. */
bool afxi_reduced_branches(AfxiReduced *work);
/** Where a met limit holds. */
double afxi_reduced_end(const AfxiReduced *work, const AfxiReducedRow *row);
/** Whether coordinates q are beyond a limit, or something else asks for branches: a met limit, friction. */
bool afxi_reduced_beyond(const AfxiReduced *work, const double *q);
/** Velocities work->u jump where limits were met in this step: these leave with restitution times the speed that they
 * came with, at velocities `before`. True where one was met. */
bool afxi_reduced_strike(AfxiReduced *work, const double *before);

#endif
