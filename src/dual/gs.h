/* SPDX-License-Identifier: Apache-2.0 */
/* Block Gauss-Seidel (AFX_SOLVER_GS). */
#ifndef AFXI_DUAL_GS_H
#define AFXI_DUAL_GS_H

#include "dual/system.h"

/** Workspace in an arena, where the graph's solver needs it. */
void afxi_gs_take(AfxiSystem *system, AfxiArena *arena);
void afxi_gs_solve(AfxiSystem *system, AfxiDualReport *out);

#endif
