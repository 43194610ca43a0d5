/* SPDX-License-Identifier: Apache-2.0 */
/* Controls of a sim. */
#ifndef AFXI_STEP_CONTROL_INPUT_H
#define AFXI_STEP_CONTROL_INPUT_H

#include "step/sim.h"

/** Gives drives what their controls have to begin with. Controls of wrenches begin with the scene's wrench. */
void afxi_controls_start(AfxSim *sim);
/** Before a step: activations and muscles act as they are now. After it: activations go on. */
void afxi_controls_begin(AfxSim *sim);
void afxi_controls_finish(AfxSim *sim);

#endif
