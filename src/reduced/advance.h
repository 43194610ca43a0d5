/* SPDX-License-Identifier: Apache-2.0 */
/* The step of an island (islands.h). */
#ifndef AFXI_REDUCED_ADVANCE_H
#define AFXI_REDUCED_ADVANCE_H

#include "reduced/inner.h"

/** All that follows from parameters. */
void afxi_reduced_numbers(AfxiReduced *work);
/** Parameters of the sim itself may ask for what is not there. */
AfxStatus afxi_reduced_refuse_own(AfxiReduced *work);
/** Coordinates and velocities that a step begins with. All islands read theirs before any goes on: steps move the
 * kinematic bodies of the raw state, which coordinates are read against. */
void afxi_reduced_load(AfxiReduced *work, AfxStepReport *report);
/** Before the island's step: velocities that fit drives, where it begins anew. True where parameters or the state have
 * changed since the last step, and what rests on them is to be looked at. */
bool afxi_reduced_start(AfxiReduced *work);
/** The step itself, into work->q, work->u; what was too stiff for it is in *out_stiff. The state is as before. */
bool afxi_reduced_advance(AfxiReduced *work, bool fresh, AfxStepReport *report, uint32_t *out_stiff);
/** Whether a step may go by the method of smooth motion, before and after it was tried; false with *out_looked false:
 * contact points could not be looked for. */
bool afxi_reduced_smooth_before(AfxiReduced *work, double h, bool *out_looked);
bool afxi_reduced_smooth_after(AfxiReduced *work);
/** What a step by backward differences begins with where another one was tried, after afxi_reduced_smooth_before or a
 * look. */
void afxi_reduced_go_rough(AfxiReduced *work, AfxStepReport *report);
/** Whether that step, from there on, needs no points and no limits; and what is left to do after it: false where points
 * do not fit to where it has come, or nothing finite comes of it. */
bool afxi_reduced_implicit_before(const AfxiReduced *work);
bool afxi_reduced_implicit_after(AfxiReduced *work, AfxStepReport *report);
/** The step by backward differences where it may not, after afxi_reduced_smooth_before. */
bool afxi_reduced_advance_rough(AfxiReduced *work, AfxStepReport *report);
/** Whether work->q and work->u are. */
bool afxi_reduced_finite(const AfxiReduced *work);
/** Its result becomes the state: all but frames, momenta and raw coordinates. */
void afxi_reduced_commit_coordinates(AfxiReduced *work);
/** All of it. */
void afxi_reduced_commit(AfxiReduced *work);

#endif
