/* SPDX-License-Identifier: Apache-2.0 */
/* The energy that a first solve makes or loses. */
#ifndef AFXI_SOLVE_GAIN_H
#define AFXI_SOLVE_GAIN_H

#include "engine/lot.h"

/** Whether what the last solve of a lot left out does more work in the step than integrators take, the bound on the
 * geometric stiffness (AfxiLot.gamma) and the exact one being known. `turn`: the largest turn away from the frames.
 * `rate`: 0 for a first solve, which has the bound; else that turn over the one before, and what matters is what would
 * change the energy of the motion by more than a little. */
bool afxi_gain_matters(const AfxiLot *lot, double turn, double rate);
/** Whether the strain that the last turns of elastic bodies have left holds more than a little of the energy of the
 * motion. */
bool afxi_strain_matters(const AfxiLot *lot, double turn);
/** The same of one tree of a pooled forest, of whose turns only the largest is known. */
bool afxi_part_strain_matters(const AfxiLot *lot, uint32_t part, double turn);
/** Whether the step that the last solve of a lot leads to makes energy from nothing: of what turns far, or springs
 * hold, where nothing else acts but joints, gravity, elasticity and what takes energy, and in steps of one stage. */
bool afxi_step_gains(const AfxiLot *lot);

#endif
