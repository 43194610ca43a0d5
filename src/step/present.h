/* SPDX-License-Identifier: Apache-2.0 */
/* What a sim is at present, as the equations of the oracle take it (solve/residual.h). */
#ifndef AFXI_STEP_PRESENT_H
#define AFXI_STEP_PRESENT_H

#include "affix/sim.h"
#include "solve/residual_stage.h"

/** Positions, velocities, multipliers, angles, joints that are on, branches and targets of drives; no past. */
AfxiResidualStage afxi_present(const AfxSim *sim);

#endif
