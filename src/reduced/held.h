/* SPDX-License-Identifier: Apache-2.0 */
/* Limits and friction of coordinates: which of them hold, by the laws of joint/law.h. */
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
/** The way out of a limit that is met, 1 or -1; 0: it is none, or not met. */
double afxi_reduced_way_out(const AfxiReduced *work, const AfxiReducedRow *row);
/** Adds a row to those of a solve. */
void afxi_reduced_add_row(AfxiReduced *work, AfxiReducedRow *row, AfxiReducedHolds holds);

#endif
