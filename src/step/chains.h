/* SPDX-License-Identifier: Apache-2.0 */
/* The ball chains of a sim. */
#ifndef AFXI_STEP_CHAINS_H
#define AFXI_STEP_CHAINS_H

#include "step/sim.h"

/** Solves one stage of all ball chains. `in_place`: the old state of their bodies moves to saved_q, saved_v, and comes
 * back when the stage is not accepted; otherwise the state changes only when it is. */
void afxi_chains_stage(AfxSim *sim, const AfxiStagePlan *plan, bool in_place, AfxiJointedOutcome *out);
/** Consistent accelerations and multipliers. */
void afxi_chains_start(AfxSim *sim);
/** How far the joints are off, in position and in rate. */
void afxi_chains_violation(const AfxSim *sim, double *out_position, double *out_rate);
/** Closes the joints by the least motion; how far they are off then comes back. */
double afxi_chains_close(AfxSim *sim);
/** Makes the velocities those nearest that the joints allow. */
void afxi_chains_project(AfxSim *sim);
/** Rows that are switched on; all are independent. */
int64_t afxi_chains_rows(const AfxSim *sim);

#endif
