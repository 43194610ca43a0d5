/* SPDX-License-Identifier: Apache-2.0 */
/* A step, or a part of it, for some bodies; and islands whose step is cut into smaller ones. */
#ifndef AFXI_STEP_SUBSTEP_H
#define AFXI_STEP_SUBSTEP_H

#include "step/save.h"

/** The part [begin, begin + length] of the step, both as fractions of it, for all bodies that are not absent; islands
 * that are not accepted become absent. `starting`: they have no history. False: memory, or a body was lost. */
bool afxi_advance(AfxSim *sim, double begin, double length, bool starting, bool strict, AfxiProgress *progress);
/** The islands that are absent after a whole step, in 2^k parts for the smallest k that goes through, each set of
 * islands by itself; false when none does. */
bool afxi_substep(AfxSim *sim, AfxiProgress *progress);

#endif
