/* SPDX-License-Identifier: Apache-2.0 */
/* What the ways to solve the dual system share: applying K without having it, and their workspace. */
#ifndef AFXI_DUAL_INNER_H
#define AFXI_DUAL_INNER_H

#include "dual/system.h"

/** K into the factor's memory, where factoring overwrites it. */
void afxi_dual_assemble(AfxiSystem *system);
/** lambda becomes what is given for rows that are off, else 0; true when any is not 0: `delta` is then the result so
 * far. */
bool afxi_dual_load_given(AfxiSystem *system);
/** lambda = what is given, 0 for active rows; delta from that. */
void afxi_dual_begin(AfxiSystem *system);
/** delta = start - H^-1 J^T lambda for every body. */
void afxi_dual_primal(AfxiSystem *system);
/** The same for one body, by gradients; with closed forms, its result too. */
void afxi_dual_primal_body(const AfxiSystem *system, uint32_t body);
/** residual = scaled (C + J delta - compliance lambda) of the active rows: what the rows still lack. The largest comes
 * back; NaN spreads into it. */
double afxi_dual_residual(AfxiSystem *system);

/** Closed forms: workspace in an arena, inverse and start of all bodies, their part of K, delta and results of closed
 * bodies, values of closed joints; their residuals, the largest of which comes back, and with `gaps` the largest row of
 * the result in bodies.gap. */
void afxi_closed_take(AfxiSystem *system, AfxiArena *arena);
void afxi_closed_assemble(AfxiSystem *system);
void afxi_closed_primal(AfxiSystem *system);
double afxi_closed_residual(AfxiSystem *system, bool gaps);

/** Workspace in an arena; lambda of a forest, in closed form but for a few bodies. The largest right-hand side comes
 * back. */
void afxi_climb_take(AfxiSystem *system, AfxiArena *arena);
double afxi_climb_solve(AfxiSystem *system);
/** lambda gets what the present residuals (with scale 1 or 0) ask for. */
void afxi_climb_correct(AfxiSystem *system);
/** The first solve of a stage of a forest from the state on, results included; false where it cannot be done so. */
bool afxi_climb_stage(AfxiSystem *system);
/** Brings what straight jobs read in their own order up to date. */
void afxi_climb_pack(AfxiSystem *system);
/** Its jobs of one body by gradients, up and back; a slot; and what a whole stage leaves there of a body or a ground:
 * R, the end x of the joint towards the root, and the rate of turn, `factor` times that of `rate` (NULL: none). */
void afxi_climb_up_alone(const AfxiSystem *system, const AfxiClimbJob *job);
void afxi_climb_back_alone(const AfxiSystem *system, const AfxiClimbJob *job);
double *afxi_climb_slot(const AfxiSystem *system, uint32_t slot);
void afxi_climb_pose(const AfxiSystem *system, uint32_t place, const double x[3], const double *rate, double factor,
                     double *slot);
/** The same for a hub; the bound of one of its joints with multipliers lambda; with `load`, of all hubs; and their
 * results from lambda. */
void afxi_climb_up_hub(const AfxiSystem *system, const AfxiClimbJob *job);
void afxi_climb_back_hub(const AfxiSystem *system, const AfxiClimbJob *job, AfxiClimbTally *out);
double afxi_hub_bound(const AfxiLever *lever, const double lambda[3]);
void afxi_hub_bounds(const AfxiSystem *system);
void afxi_hub_primal(const AfxiSystem *system, AfxiBodiesTally *tally);
/** out = L^T g, L L^T the split blocks of a body's inverse. */
void afxi_dual_root_apply(const AfxiBlocks *x, const double g[AFXI_AFFINE_WIDTH], double out[AFXI_AFFINE_WIDTH]);
/** Cholesky factor of a [n][n] in place, by its lower triangle. A row whose pivot is at most `redundant` of its
 * diagonal entry gets an infinite one, so that its unknown is 0. And x <- a^-1 x [n] by the factor. */
void afxi_square_factor(double *a, uint32_t n, double redundant);
void afxi_square_solve(const double *lower, uint32_t n, double *x);
/** The larger ones of two tallies. */
void afxi_tally_join(AfxiBodiesTally *into, const AfxiBodiesTally *from);

/** Workspace in an arena, where the graph's solver needs it. */
void afxi_cg_take(AfxiSystem *system, AfxiArena *arena);
void afxi_gs_take(AfxiSystem *system, AfxiArena *arena);

/** Solves by iterating with the factor that was kept. False when there is none that fits, or it does not get there. */
bool afxi_cg_solve(AfxiSystem *system, AfxiDualReport *out);
/** Keeps the assembled matrix and its scale, before it is factored. */
void afxi_cg_keep(AfxiSystem *system);
void afxi_gs_solve(AfxiSystem *system, AfxiDualReport *out);

#endif
