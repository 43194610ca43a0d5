/* SPDX-License-Identifier: Apache-2.0 */
/* The energy that a first solve makes or loses. */
#ifndef AFXI_SOLVE_GAIN_H
#define AFXI_SOLVE_GAIN_H

#include "engine/lot.h"

/** Whether what the last solve of a lot left out does more work in the step than integrators take, the bound on the
 * geometric stiffness (AfxiLot.gamma) and the exact one being known. `turn`: the largest turn away from the frames. */
bool afxi_gain_matters(const AfxiLot *lot, double turn);

#endif
