/* SPDX-License-Identifier: Apache-2.0 */
/* Conjugate gradients with the factor of an older matrix (AFX_SOLVER_CG). */
#ifndef AFXI_DUAL_CG_H
#define AFXI_DUAL_CG_H

#include "dual/system.h"

/** Workspace in an arena. */
void afxi_cg_take(AfxiSystem *system, AfxiArena *arena);
/** Lays out what is part of the state, before all else that is not. */
void afxi_cg_take_state(AfxiSystem *system, AfxiArena *arena, const AfxiGraph *graph);
/** Solves by iterating with the factor that was kept. False when there is none that fits, or it does not get there. */
bool afxi_cg_solve(AfxiSystem *system, AfxiDualReport *out);
/** Keeps the assembled matrix and its scale, before it is factored. */
void afxi_cg_keep(AfxiSystem *system);

#endif
