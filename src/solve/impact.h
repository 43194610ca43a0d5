/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities that jump: limits and contacts that bounce. */
#ifndef AFXI_SOLVE_IMPACT_H
#define AFXI_SOLVE_IMPACT_H

#include "solve/solver.h"

/** Lets limits that were reached and contacts that struck in this part of the step, of `length` seconds, bounce or
 * stop, in the runs of its last stage; true when something did. */
bool afxi_impacts(AfxiSolver *solver, double length);

#endif
