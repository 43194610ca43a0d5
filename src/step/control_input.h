/* SPDX-License-Identifier: Apache-2.0 */
/* Controls of a sim. */
#ifndef AFXI_STEP_CONTROL_INPUT_H
#define AFXI_STEP_CONTROL_INPUT_H

#include "step/sim.h"

/** Gives drives what their controls have to begin with. Controls of wrenches begin with the scene's wrench. */
void afxi_controls_start(AfxSim *sim);

#endif
