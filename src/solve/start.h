/* SPDX-License-Identifier: Apache-2.0 */
/* Between steps: consistent accelerations, and starts that fit their joints. */
#ifndef AFXI_SOLVE_START_H
#define AFXI_SOLVE_START_H

#include "solve/solver.h"

/** Consistent accelerations of bodies that are wanted [bodies] into x2 (and x3 for generalised-α), for a step of `dt`:
 * with q'' = 0 instead, every method drops to first order. */
void afxi_start(AfxiSolver *solver, const uint8_t *wanted, double dt);
/** Closes all joints by the least motion; how far they are off then comes back. Velocities turn with the bodies. */
double afxi_close(AfxiSolver *solver);
/** Velocities become the nearest ones that all rows allow. */
void afxi_project(AfxiSolver *solver);
/** Closes and projects those lots whose start is off by more than rounding; true when there were any. Others keep their
 * bits. */
bool afxi_repair(AfxiSolver *solver);
/** How far the exact rows of a lot are off in the present state, in position and in rate: rigid inverses, gradients and
 * only exact rows active are left there. */
void afxi_lot_violation(AfxiLot *lot, double *out_position, double *out_rate);

#endif
