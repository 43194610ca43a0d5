/* SPDX-License-Identifier: Apache-2.0 */
/* What joints tell. */
#ifndef AFXI_STEP_JOINT_QUERY_H
#define AFXI_STEP_JOINT_QUERY_H

#include "step/sim.h"

/** Switches off joints whose reaction is beyond their limit; true when one broke. */
bool afxi_joints_break(AfxSim *sim);

#endif
