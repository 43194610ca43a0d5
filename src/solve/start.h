/* SPDX-License-Identifier: Apache-2.0 */
/* Between steps: consistent accelerations, starts that fit their joints, degrees of freedom. */
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
/** Exact rows that are switched on, and their rank at the present state. AFX_E_MEMORY, AFX_E_LIMIT. */
AfxStatus afxi_rank(AfxiSolver *solver, uint64_t *out_rows, uint64_t *out_rank);

#endif
