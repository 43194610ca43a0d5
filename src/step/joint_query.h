/* SPDX-License-Identifier: Apache-2.0 */
/* What joints tell. */
#ifndef AFXI_STEP_JOINT_QUERY_H
#define AFXI_STEP_JOINT_QUERY_H

#include "step/sim.h"

/** As afx_sim_joint_coordinate, of any joint of the model, those that it does not show included; `axis` exists. */
void afxi_joint_coordinate(const AfxSim *sim, uint32_t joint, uint32_t axis, double *out_value, double *out_rate);
/** Switches off joints whose reaction is beyond their limit; true when one broke. */
bool afxi_joints_break(AfxSim *sim);

#endif
