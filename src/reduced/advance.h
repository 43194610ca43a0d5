/* SPDX-License-Identifier: Apache-2.0 */
/* The step of an island (islands.h). */
#ifndef AFXI_REDUCED_ADVANCE_H
#define AFXI_REDUCED_ADVANCE_H

#include "reduced/inner.h"

/** All that follows from parameters. */
void afxi_reduced_numbers(AfxiReduced *work);
/** Parameters of the sim itself may ask for what is not there. */
AfxStatus afxi_reduced_refuse_own(const AfxiReduced *work);
/** Coordinates and velocities that a step begins with. True where parameters or the state have changed since the last
 * one, and what rests on them is to be looked at. */
bool afxi_reduced_load(AfxiReduced *work, AfxStepReport *report);
/** The step itself, into work->q, work->u; what was too stiff for it is in *out_stiff. The state is as before. */
bool afxi_reduced_advance(AfxiReduced *work, bool fresh, AfxStepReport *report, uint32_t *out_stiff);
/** Its result becomes the state. */
void afxi_reduced_commit(AfxiReduced *work);

#endif
