/* SPDX-License-Identifier: Apache-2.0 */
/* Where contact does not settle in a step, or shapes come to lie too deep, it is done in two parts, four and so on. */
#ifndef AFXI_REDUCED_PARTS_H
#define AFXI_REDUCED_PARTS_H

#include "reduced/inner.h"

/** Coordinates and velocities as they are at the beginning of the step. */
void afxi_reduced_go_back(AfxiReduced *work);
/** Contact points of a stage of h from work->q, work->u on; false: there is no memory, or a place is beyond all
 * numbers. */
bool afxi_reduced_look(AfxiReduced *work, double h);
/** The step in parts, each by BDF1; false, and all is as before: it settles in no number of parts, or nothing can
 * touch and bodies move as told, whose places a part is not told. */
bool afxi_reduced_in_parts(AfxiReduced *work, double h, AfxStepReport *report);

#endif
