/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of rotors (model/rotor.h) in a sim: where they are follows from what users set. */
#ifndef AFXI_STEP_ROTOR_H
#define AFXI_STEP_ROTOR_H

#include "step/sim.h"

/** Puts every block where the coordinates of its coupling say, with their rates; nothing else moves. */
void afxi_rotors_follow(AfxSim *sim);
/** The body that users know for one that a report names: a block stands for the follower of its first joint. */
uint32_t afxi_rotor_body(const AfxModel *model, uint32_t body);

#endif
