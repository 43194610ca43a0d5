/* SPDX-License-Identifier: Apache-2.0 */
/* Few solves for nets: full Newton steps with an eigenvalue clamp, and what they need besides (sharp.c). */
#ifndef AFXI_ENGINE_SHARP_H
#define AFXI_ENGINE_SHARP_H

#include "engine/lot.h"

/** After a sharp solve (AfxiBodiesWork): whether the bodies that are off by more than `tolerance` hold next to none of
 * the energy of what they are joined to (energy-based acceptance). */
bool afxi_sharp_light(const AfxiLot *lot, double tolerance);
/** Whether the strain that the turns of a sharp solve, at most `turn`, have left must not stay. */
bool afxi_sharp_strained(const AfxiLot *lot, double turn);
/** In between sharp solves, of which `solve` was the last: lets bodies that near their place slowly leap there (Aitken
 * extrapolation). */
void afxi_sharp_hurry(AfxiLot *lot, uint32_t solve);
/** Takes out the strain that the turns of the last solve, at most `turn`, have left, and meets the rows again (a
 * second-order correction); how far they are off then comes back. */
double afxi_sharp_unstrain(AfxiLot *lot, double turn);

#endif
