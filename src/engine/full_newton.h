/* SPDX-License-Identifier: Apache-2.0 */
/* Few solves for nets: full Newton steps with an eigenvalue clamp, and what they need besides (full_newton.c). */
#ifndef AFXI_ENGINE_FULL_NEWTON_H
#define AFXI_ENGINE_FULL_NEWTON_H

#include "engine/lot.h"

/** After a full Newton solve (AfxiBodiesWork): whether the bodies that are off by more than `tolerance` hold next to
 * none of the energy of what they are joined to (energy-based acceptance). */
bool afxi_full_newton_energy_accepts(const AfxiLot *lot, double tolerance);
/** Whether the strain that the turns of a full Newton solve, at most `turn`, have left must not stay. */
bool afxi_full_newton_strained(const AfxiLot *lot, double turn);
/** Takes out the strain that the turns of the last solve, at most `turn`, have left, and meets the rows again (a
 * second-order correction); how far they are off then comes back. */
double afxi_full_newton_correct(AfxiLot *lot, double turn);

#endif
